/* Objects of plain classes, whose fields are slots. */
#ifndef OPILIO_OBJECTS_H
#define OPILIO_OBJECTS_H
#include "shared.h"

enum { MOST_FIELDS = 24 };

/* A field of the objects of a class. */
typedef struct {
    PyTypeObject *kind;
    Py_ssize_t offset;
} Slot;

/* Have what a pointer points to at hand soon: a page's URLs are all over the memory, and waiting for one of them after the
   other takes longer than anything that is done with them. */
static inline void *soon(void *what) {
    __builtin_prefetch(what);
    return what;
}

/* The place of a field in an object of its class. */
static inline PyObject **field(PyObject *object, Slot slot) { return (PyObject **)((char *)object + slot.offset); }

/* The slots that some descriptors stand for; 0, with an error, where they are not so many or not slots. */
int slots_of(PyObject *descriptors, Slot *slots, Py_ssize_t many);

#endif
