#include "places.h"

typedef struct Child {
    uint64_t key; /* 0: free */
    Byte *name;   /* of the tag, then the classes */
    size_t tag_size, size;
    Place *place;
} Child;

static Place *ROOT;
static size_t MADE;
static Place **LOOSE; /* places that nobody finds again */
static size_t LOOSE_SIZE;

static void forget(Place *place) {
    for (uint32_t n = 0; n < place->room; n++)
        if (place->children[n].key) {
            forget(place->children[n].place);
            free(place->children[n].name);
        }
    free(place->children);
    Py_XDECREF(place->self);
    Py_XDECREF(place->path);
    Py_XDECREF(place->styled);
    free(place);
}

/* Takes over the reference. */
static Place *place_of(PyObject *self) {
    Place *place = self ? calloc(1, sizeof *place) : NULL;
    if (!place) {
        Py_XDECREF(self);
        return PyErr_Occurred() ? NULL : (Place *)PyErr_NoMemory();
    }
    place->self = self;
    place->path = PyObject_GetAttrString(self, "path");
    place->styled = PyObject_GetAttrString(self, "styled");
    PyObject *beside = PyObject_GetAttrString(self, "beside");
    place->beside = beside == Py_True;
    Py_XDECREF(beside);
    if (place->path && place->styled && beside) return place;
    forget(place);
    return NULL;
}

Place *first_place(PyObject *root, size_t most) {
    while (LOOSE_SIZE) forget(LOOSE[--LOOSE_SIZE]);
    if (ROOT && MADE > most) {
        forget(ROOT);
        ROOT = NULL;
    }
    if (!ROOT) {
        MADE = 0;
        ROOT = place_of(Py_NewRef(root));
    }
    return ROOT;
}

static Child *slot(Child *children, uint32_t room, uint64_t key, const Byte *tag, size_t tag_size, const Byte *classes,
                   size_t classes_size) {
    for (uint32_t n = (uint32_t)(key >> 32) & (room - 1);; n = (n + 1) & (room - 1)) {
        Child *child = children + n;
        if (!child->key) return child;
        if (child->key == key && child->tag_size == tag_size && child->size == tag_size + classes_size &&
            !memcmp(child->name, tag, tag_size) && (!classes_size || !memcmp(child->name + tag_size, classes, classes_size)))
            return child;
    }
}

static int grow(Place *place) {
    uint32_t room = place->room ? 2 * place->room : 4;
    Child *children = calloc(room, sizeof *children);
    if (!children) return 0;
    for (uint32_t n = 0; n < place->room; n++) {
        Child *old = place->children + n;
        if (!old->key) continue;
        uint32_t to = (uint32_t)(old->key >> 32) & (room - 1);
        while (children[to].key) to = (to + 1) & (room - 1);
        children[to] = *old;
    }
    free(place->children);
    place->children = children;
    place->room = room;
    return 1;
}

static Place *loose(Place *place) {
    Place **more = realloc(LOOSE, (LOOSE_SIZE + 1) * sizeof *more);
    if (!more) {
        forget(place);
        return (Place *)PyErr_NoMemory();
    }
    LOOSE = more;
    LOOSE[LOOSE_SIZE++] = place;
    return place;
}

Place *place_inside(Place *place, const Byte *tag, size_t tag_size, const Byte *classes, size_t classes_size, int beside,
                    size_t longest) {
    uint64_t key = mixed(SECRET, tag, tag_size);
    key = mixed(key ^ (beside ? 0x101 : 0x100), classes, classes_size) | 1;
    if (place->room) {
        Child *found = slot(place->children, place->room, key, tag, tag_size, classes, classes_size);
        if (found->key) return found->place;
    }
    PyObject *self = PyObject_CallMethod(place->self, "step", "s#s#O", tag, (Py_ssize_t)tag_size,
                                         classes_size ? (const char *)classes : "", (Py_ssize_t)classes_size,
                                         beside ? Py_True : Py_False);
    Place *fresh = place_of(self);
    if (!fresh) return NULL;
    if (letters(tag, tag_size) + letters(classes, classes_size) > longest) return loose(fresh);
    Byte *name = malloc(tag_size + classes_size + 1); /* not of nothing */
    if (!name || (4 * (place->count + 1) > 3 * place->room && !grow(place))) {
        free(name);
        forget(fresh);
        return (Place *)PyErr_NoMemory();
    }
    memcpy(name, tag, tag_size);
    if (classes_size) memcpy(name + tag_size, classes, classes_size);
    Child *child = slot(place->children, place->room, key, tag, tag_size, classes, classes_size);
    *child = (Child){key, name, tag_size, tag_size + classes_size, fresh};
    place->count++;
    MADE++;
    return fresh;
}

size_t places_known(void) { return MADE; }
