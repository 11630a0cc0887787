/* Where elements are. Templates repeat themselves, so nearly every element is at a place that is known. */
#ifndef OPILIO_PLACES_H
#define OPILIO_PLACES_H
#include "shared.h"

typedef struct Place Place;

struct Place {
    PyObject *self; /* the Place of Python, which says what follows */
    PyObject *path, *styled;
    int beside;
    struct Child *children;
    uint32_t count, room;
};

/* Places that are known. Python runs while one is made, and with it other threads: what they read may share these, and they are
   there until the last reader has left. */
typedef struct {
    Place *root;
    size_t made, readers;
} Places;

/* The places that are known to all, for one reader more; where there are more than `most`, fresh ones. NULL with an error. */
Places *enter_places(PyObject *root, size_t most);
void leave_places(Places *places);

/* One element further down; NULL with an error. Absurdly long names are not remembered: such a place is added to `loose`. */
Place *place_inside(Places *places, Place *place, const Byte *tag, size_t tag_size, const Byte *classes, size_t classes_size,
                    int beside, size_t longest, Bytes *loose);
void forget_loose(Bytes *loose);

/* How many are remembered. */
size_t places_known(void);

#endif
