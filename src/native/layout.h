/* Words and blocks of a page, and the place of each link among the words. */
#ifndef OPILIO_LAYOUT_H
#define OPILIO_LAYOUT_H
#include "places.h"

enum { GOES_ON, APART, BETWEEN }; /* what is between a text and the one before: nothing, a space, the edge of a block */

enum { LONGEST_ANCHOR = 1000, LONGEST_REL = 200 }; /* characters that are kept, as in html/size_limits.py */

typedef struct {
    uint32_t start, end; /* in the text */
} Span;

typedef struct {
    Span span;
    long next; /* of the same link; -1: none */
    int goes_on;
} Piece;

typedef struct {
    uint32_t start, end, size, linked; /* words from and to; its size, and how much of it is links */
    int beside;
} Block;

/* A link while its words are being collected. What it points to belongs to the parser's tree. */
typedef struct {
    const Byte *target, *alt, *rel;
    size_t target_size, alt_size, rel_size;
    Place *place;
    uint32_t start, end; /* its place among the words */
    long first, last;    /* its pieces */
    int image;
} Anchor;

typedef struct {
    Bytes text;    /* the words, with a space or, between blocks, a line break between two */
    Bytes words;   /* Span */
    Bytes blocks;  /* Block */
    Bytes anchors; /* Anchor */
    Bytes pieces;  /* Piece */
    Block block;   /* the one that is being read */
    int spaced;    /* whether the last text ended with white space */
    Bytes around;  /* where a context is put together */
} Layout;

#define COUNT(bytes, Type) ((bytes).size / sizeof(Type))
#define EACH(bytes, Type) ((Type *)(bytes).data)

typedef struct {
    long context, side, longest_word;
    double least_content;
    unsigned prose, enough_prose;
} Limits;

void layout_clear(Layout *layout);
int layout_text(Layout *layout, const Byte *raw, size_t size, Place *place, long anchor, int gap, const Limits *limits);
int layout_end(Layout *layout);

/* What links say: their own words, those around them, where they lead to as it is written. */
enum { OWN, AROUND, TARGET };

/* New references: what the links of a page say, as bytes; and of these one thing, of all links or of those in a list of numbers. */
PyObject *layout_packed(const Layout *layout);
PyObject *layout_linked(PyObject *packed, long what, PyObject *numbers, const Limits *limits);

/* What the links of a page say as it was packed, to go through; all 0 before. */
typedef struct {
    Layout layout;
    const struct Kept *links;
    Py_ssize_t many;
    size_t words;
} View;

/* 0 with an error; it ends in any case. */
int layout_view(View *view, PyObject *packed);
void layout_view_end(View *view);
const Byte *layout_word(const View *view, size_t number, size_t *size);
/* The own words of a link; 0 for no memory. */
int layout_own(View *view, Py_ssize_t number, const Byte **text, size_t *size);
/* Whether its context is nothing but words of the page, and which; else a new reference: the context. */
int layout_range(const View *view, Py_ssize_t number, const Limits *limits, size_t *from, size_t *to);
PyObject *layout_context(View *view, Py_ssize_t number, const Limits *limits);
/* What the walk over pages goes by. */
const Limits *page_limits(void);

#endif
