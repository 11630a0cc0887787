#include "elements.h"

static Tag TAGS[STANDARD]; /* by lexbor's numbers: each is filled in once, and stays as it is */
PyObject *RULES;

/* Read what the rules say of a tag; 0 with an error. The name is that of the text, which outlives the tree. */
static int rule(Tag *tag, PyObject *text, size_t number) {
    Py_ssize_t size = 0;
    *tag = (Tag){.kind = PLAIN, .number = number, .text = text};
    if (!text || !(tag->name = (const Byte *)PyUnicode_AsUTF8AndSize(text, &size))) return 0;
    tag->size = (size_t)size;
    PyObject *said = PyDict_GetItemWithError(RULES, text);
    return said ? PyArg_ParseTuple(said, "ii", &tag->kind, &tag->flags) : !PyErr_Occurred();
}

Tag *tag_of(Node *node, Tag *odd) {
    uintptr_t number = tree.tag(node);
    if (number < STANDARD && TAGS[number].text) return TAGS + number;
    size_t size = 0;
    const Byte *name = tree.name(node, &size);
    if (!name) return NULL;
    Py_CLEAR(odd->text);
    if (!rule(odd, text_of(name, size), number < STANDARD ? number : STANDARD)) return NULL;
    if (number >= STANDARD) return odd;
    TAGS[number] = *odd;
    odd->text = NULL;
    return TAGS + number;
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

PyObject *counts_of_tags(const long *counts) {
    PyObject *found = PyDict_New();
    for (int n = 0; found && n < STANDARD; n++)
        if (counts[n]) {
            PyObject *count = PyLong_FromLong(counts[n]);
            if (!count || PyDict_SetItem(found, TAGS[n].text, count)) Py_CLEAR(found);
            Py_XDECREF(count);
        }
    return found;
}
