/* Elements of the parser's tree: what their tags mean, as Python says, and their attributes. */
#ifndef OPILIO_ELEMENTS_H
#define OPILIO_ELEMENTS_H
#include "tree.h"

enum { PLAIN, BLOCK, SPECIAL, HIDDEN };                                             /* kinds, and what else there is */
enum { HREF = 1, SRC = 2, PICTURE = 4, COUNTED = 8, ABOUT = 16, PARTING = 32, SCRIPT = 64 }; /* to a tag, as Python says */

typedef struct {
    const Byte *name;
    size_t size;
    int kind, flags;
    size_t number;  /* STANDARD for those that the standard does not know */
    PyObject *text; /* its name */
} Tag;

enum { STANDARD = 256 };

/* What the tags mean: tag -> (kind, flags). */
extern PyObject *RULES;

static inline int named(const Byte *name, size_t size, const char *other) {
    return size == strlen(other) && !memcmp(name, other, size);
}

/* The tag of an element: kept for those that the standard knows, made in `odd` for others; NULL with an error. */
Tag *tag_of(Node *node, Tag *odd);

/* The value of an attribute, NULL where there is none. */
const Byte *attribute(Attribute *first, const char *wanted, size_t *size);

/* A new reference: the attributes as a dict, None for empty values. */
PyObject *attributes_of(Attribute *first);

/* A new reference: by name, how often each tag was counted; there is a count for each number. */
PyObject *counts_of_tags(const long *counts);

#endif
