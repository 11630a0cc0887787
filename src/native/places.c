#include "places.h"

typedef struct Child {
    uint64_t key; /* 0: free */
    Byte *name;   /* of the tag, then the classes */
    size_t tag_size, size;
    Place *place;
} Child;

static Places *KNOWN; /* it counts as a reader */

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

static Places *new_places(PyObject *root) {
    Place *first = place_of(Py_NewRef(root));
    Places *places = first ? calloc(1, sizeof *places) : NULL;
    if (places) {
        *places = (Places){first, 0, 1};
        return places;
    }
    if (first) forget(first), PyErr_NoMemory();
    return NULL;
}

void leave_places(Places *places) {
    if (--places->readers) return;
    forget(places->root);
    free(places);
}

Places *enter_places(PyObject *root, size_t most) {
    if (KNOWN && KNOWN->made > most) {
        leave_places(KNOWN);
        KNOWN = NULL;
    }
    if (!KNOWN && !(KNOWN = new_places(root))) return NULL;
    KNOWN->readers++;
    return KNOWN;
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

static Place *add_loose(Bytes *loose, Place *place) {
    if (append(loose, &place, sizeof place)) return place;
    forget(place);
    return (Place *)PyErr_NoMemory();
}

void forget_loose(Bytes *loose) {
    for (Place **at = (Place **)loose->data; loose->size; loose->size -= sizeof *at) forget(at[loose->size / sizeof *at - 1]);
}

/* A new reference: what the place of Python says of an element inside it. */
static PyObject *step(PyObject *self, const Byte *tag, size_t tag_size, const Byte *classes, size_t classes_size, int beside) {
    PyObject *name = text_of(tag, tag_size), *names = text_of(classes, classes_size), *found = NULL;
    if (name && names) found = PyObject_CallMethod(self, "step", "OOO", name, names, beside ? Py_True : Py_False);
    Py_XDECREF(name), Py_XDECREF(names);
    return found;
}

Place *place_inside(Places *places, Place *place, const Byte *tag, size_t tag_size, const Byte *classes, size_t classes_size,
                    int beside, size_t longest, Bytes *loose) {
    uint64_t key = mixed(SECRET, tag, tag_size);
    key = mixed(key ^ (beside ? 0x101 : 0x100), classes, classes_size) | 1;
    if (place->room) {
        Child *found = slot(place->children, place->room, key, tag, tag_size, classes, classes_size);
        if (found->key) return found->place;
    }
    Place *fresh = place_of(step(place->self, tag, tag_size, classes, classes_size, beside));
    if (!fresh) return NULL;
    if (letters(tag, tag_size) + letters(classes, classes_size) > longest) return add_loose(loose, fresh);
    Byte *name = malloc(tag_size + classes_size + 1); /* not of nothing */
    if (!name || (4 * (place->count + 1) > 3 * place->room && !grow(place))) {
        free(name);
        forget(fresh);
        return (Place *)PyErr_NoMemory();
    }
    Child *child = slot(place->children, place->room, key, tag, tag_size, classes, classes_size);
    if (child->key) { /* another thread has entered it in the meantime */
        free(name);
        forget(fresh);
        return child->place;
    }
    memcpy(name, tag, tag_size);
    if (classes_size) memcpy(name + tag_size, classes, classes_size);
    *child = (Child){key, name, tag_size, tag_size + classes_size, fresh};
    place->count++;
    places->made++;
    return fresh;
}

size_t places_known(void) { return KNOWN ? KNOWN->made : 0; }
