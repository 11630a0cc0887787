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

/* Where a walk begins; when more places than `most` are known, all are forgotten. NULL, with an error, for no memory. */
Place *first_place(PyObject *root, size_t most);

/* One element further down; absurdly long names are not remembered: such a place goes with the next `first_place`. */
Place *place_inside(Place *place, const Byte *tag, size_t tag_size, const Byte *classes, size_t classes_size, int beside,
                    size_t longest);

/* How many are remembered. */
size_t places_known(void);

#endif
