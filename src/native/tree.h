/* The parser's tree: functions of lexbor, found in the library that selectolax brings. */
#ifndef OPILIO_TREE_H
#define OPILIO_TREE_H
#include "shared.h"

typedef void Node;
typedef void Attribute;

typedef struct {
    void *(*create)(void);
    void (*options)(void *, unsigned); /* or NULL */
    unsigned (*parse)(void *, const Byte *, size_t);
    void (*clean)(void *);
    void *(*destroy)(void *);
    Node *(*root)(void *);
    Node *(*next)(Node *);
    Node *(*first_child)(Node *);
    unsigned (*type)(Node *);
    uintptr_t (*tag)(Node *);
    const Byte *(*name)(Node *, size_t *);
    Byte *(*text)(Node *, size_t *);
    Attribute *(*first_attribute)(Node *);
    Attribute *(*next_attribute)(Attribute *);
    const Byte *(*attribute_name)(Attribute *, size_t *);
    const Byte *(*attribute_value)(Attribute *, size_t *);
} Tree;

enum { ELEMENT = 1, TEXT_NODE = 3 };
enum { WITHOUT_EVENTS = 1 }; /* what these do is to copy texts inside <select>, which nobody reads */

extern Tree tree;

/* Find the functions in a library; 0, with an ImportError, where one is missing. */
int open_tree(const char *path);

#endif
