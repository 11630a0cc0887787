#include "elements.h"

enum { STANDARD = 256 };

static Tag TAGS[STANDARD]; /* by lexbor's numbers */
PyObject *RULES;

/* Read what the rules say of a tag; 0 with an error. */
static int rule(Tag *tag, const Byte *name, size_t size) {
    PyObject *text = text_of(name, size);
    PyObject *said = text ? PyDict_GetItemWithError(RULES, text) : NULL;
    *tag = (Tag){name, size, PLAIN, 0, 0, text};
    if (said && !PyArg_ParseTuple(said, "ii", &tag->kind, &tag->flags)) return 0;
    return text && !PyErr_Occurred();
}

Tag *tag_of(Node *node, Tag *odd) {
    uintptr_t number = tree.tag(node);
    Tag *tag = number < STANDARD ? TAGS + number : odd;
    if (tag != odd && tag->text) return tag;
    size_t size = 0;
    const Byte *name = tree.name(node, &size);
    if (!name) return NULL;
    if (tag == odd) Py_CLEAR(odd->text);
    if (!rule(tag, name, size)) return NULL;
    if (tag != odd && !(tag->name = (const Byte *)PyUnicode_AsUTF8(tag->text))) return NULL; /* outlives the tree */
    return tag;
}

const Byte *attribute(Attribute *first, const char *wanted, size_t *size) {
    size_t name_size, wanted_size = strlen(wanted);
    for (Attribute *at = first; at; at = tree.next_attribute(at)) {
        const Byte *name = tree.attribute_name(at, &name_size);
        if (name && name_size == wanted_size && !memcmp(name, wanted, wanted_size)) return tree.attribute_value(at, size);
    }
    *size = 0;
    return NULL;
}

PyObject *attributes_of(Attribute *first) {
    PyObject *found = PyDict_New();
    for (Attribute *at = first; found && at; at = tree.next_attribute(at)) {
        size_t name_size = 0, size = 0;
        const Byte *name = tree.attribute_name(at, &name_size), *value = tree.attribute_value(at, &size);
        PyObject *key = text_of(name, name_size), *said = value ? text_of(value, size) : Py_NewRef(Py_None);
        if (!key || !said || PyDict_SetItem(found, key, said)) Py_CLEAR(found);
        Py_XDECREF(key);
        Py_XDECREF(said);
    }
    return found;
}

PyObject *counts_of_tags(void) {
    PyObject *found = PyDict_New();
    for (int n = 0; found && n < STANDARD; n++)
        if (TAGS[n].count) {
            PyObject *count = PyLong_FromLong(TAGS[n].count);
            if (!count || PyDict_SetItem(found, TAGS[n].text, count)) Py_CLEAR(found);
            Py_XDECREF(count);
            TAGS[n].count = 0;
        }
    return found;
}
