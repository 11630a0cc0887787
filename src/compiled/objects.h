/* Objects of plain classes, whose fields are slots. */
#ifndef OPILIO_OBJECTS_H
#define OPILIO_OBJECTS_H
#include "shared.h"

enum { MOST_FIELDS = 16 };

/* A field of the objects of a class. */
typedef struct {
    PyTypeObject *kind;
    Py_ssize_t offset;
} Slot;

/* The place of a field in an object of its class. */
static inline PyObject **field(PyObject *object, Slot slot) { return (PyObject **)((char *)object + slot.offset); }

/* The slots that some descriptors stand for; 0, with an error, where they are not so many or not slots. */
int slots_of(PyObject *descriptors, Slot *slots, Py_ssize_t many);

#endif
