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

/* Offers as they are looked at: objects, or many that were not made (batch.py), of which there are columns. */
enum { LINK, VALUE, LANE, AGAIN, URL, SOURCE, COLUMNS, NUMBERS, OF_OFFERS };

typedef struct {
    PyObject *list, *numbers, *outer; /* a list, of which only some numbers count, if there are any, and of these some, again; or one value for all */
} Column;

typedef struct {
    PyObject *objects; /* NULL: there are columns, of links or of what links say */
    Column columns[COLUMNS];
    Py_ssize_t many;
} Offers;

typedef struct {
    PyObject *value, *lane, *again, *url, *source;
} Told;

/* Offers as they were given; 0 with an error. The slots begin with those of offers. */
int offers_of(PyObject *given, const Slot *slots, Offers *offers);

/* What one of them says; 0 for something else than an offer. */
int told(const Offers *offers, Py_ssize_t number, const Slot *slots, Told *found);

/* New references: the addresses of some URLs, in their places; NULL for those that are not at hand. 0 with an error. */
int addresses_of(PyObject **found, Py_ssize_t many, PyObject *addresses);

/* The slots that some descriptors stand for; 0, with an error, where they are not so many or not slots. */
int slots_of(PyObject *descriptors, Slot *slots, Py_ssize_t many);

#endif
