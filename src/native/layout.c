#include "layout.h"

enum { SHORT_WORD = 16 }; /* bytes */

void layout_clear(Layout *layout) {
    layout->text.size = layout->words.size = layout->blocks.size = layout->anchors.size = layout->pieces.size = 0;
    layout->block = (Block){0};
    layout->spaced = 0;
}

int layout_end(Layout *layout) {
    layout->block.end = (uint32_t)COUNT(layout->words, Span);
    return !layout->block.size || append(&layout->blocks, &layout->block, sizeof layout->block);
}

static int ends_with_space(const Byte *raw, size_t size) {
    const Byte *end = raw + size;
    for (size_t back = 1; back <= 3 && back <= size; back++)
        if (space_at(end - back, end) == back) return 1;
    return 0;
}

/* How many of the eight bytes here are letters of ASCII, before the first that is something else: no branch for each of them. */
static inline size_t plain(const Byte *at) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t ones = 0x0101010101010101u;
    uint64_t eight;
    memcpy(&eight, at, 8);
    uint64_t others = ((eight - 33 * ones) | eight) & (128 * ones); /* the first one found is exact */
    return others ? (size_t)__builtin_ctzll(others) / 8 : 8;
#else
    return 0;
#endif
}

/* Where the word that starts here ends. Most letters can be told at a glance to be no space. */
static const Byte *word_end(const Byte *at, const Byte *end) {
    for (;; at++) {
        for (size_t some = 8; some == 8 && end - at >= 8; at += some) some = plain(at);
        while (at < end && *at > 32 && *at < 0xC2) at++;
        if (at == end || space_at(at, end)) return at;
    }
}

/* The words of a text, appended; 0 for no memory. */
static int add_words(Layout *layout, const Byte *at, const Byte *end, int goes_on) {
    Bytes *text = &layout->text, *words = &layout->words;
    if (!make_room(text, (size_t)(end - at) + 1 + SHORT_WORD)) return 0;
    while (at < end) {
        size_t space;
        while (at < end && (space = space_at(at, end))) at += space;
        if (at == end) break;
        const Byte *start = at;
        at = word_end(at, end);
        if (goes_on)
            goes_on = 0;
        else {
            if (text->size && text->data[text->size - 1] != '\n') text->data[text->size++] = ' ';
            Span word = {(uint32_t)text->size, 0};
            if (!append(words, &word, sizeof word)) return 0;
        }
        if (at - start <= SHORT_WORD && end - start >= SHORT_WORD)
            memcpy(text->data + text->size, start, SHORT_WORD); /* more than the word, but in one step */
        else
            memcpy(text->data + text->size, start, (size_t)(at - start));
        text->size += (size_t)(at - start);
        EACH(*words, Span)[COUNT(*words, Span) - 1].end = (uint32_t)text->size;
    }
    return 1;
}

/* How many words a text counts for: where words stand together, four letters are one. */
static uint32_t weight(const Byte *raw, size_t size, uint32_t many) {
    size_t count = 0;
    if (size < 12 * (size_t)many || letters(raw, size) < 12 * (size_t)many) return many;
    for (const Byte *at = raw, *end = raw + size; at < end;) {
        const Byte *stop = word_end(at, end);
        count += letters(at, (size_t)(stop - at));
        at = stop < end ? stop + space_at(stop, end) : end;
    }
    return count / 4 > many ? (uint32_t)(count / 4) : many;
}

static int add_piece(Layout *layout, long number, uint32_t from, uint32_t first, uint32_t many, int goes_on) {
    Anchor *anchor = EACH(layout->anchors, Anchor) + number;
    Piece piece = {{from, (uint32_t)layout->text.size}, -1, goes_on};
    long added = (long)COUNT(layout->pieces, Piece);
    if (!append(&layout->pieces, &piece, sizeof piece)) return 0;
    if (anchor->first < 0) {
        anchor->first = added;
        anchor->start = first;
    } else
        EACH(layout->pieces, Piece)[anchor->last].next = added;
    anchor->last = added;
    anchor->end = first + many;
    return 1;
}

/* Take in a text that is more than white space; 0 for no memory. */
int layout_text(Layout *layout, const Byte *raw, size_t size, Place *place, long anchor, int gap, const Limits *limits) {
    Bytes *text = &layout->text;
    uint32_t before = (uint32_t)COUNT(layout->words, Span);
    if (gap == BETWEEN) {
        if (!layout_end(layout)) return 0;
        layout->block = (Block){before, 0, 0, 0, place->beside};
        if (text->size && !append(text, "\n", 1)) return 0;
    }
    int goes_on = !gap && !layout->spaced && !space_at(raw, raw + size);
    if (goes_on) {
        Span last = EACH(layout->words, Span)[before - 1];
        goes_on = (long)letters(text->data + last.start, last.end - last.start) <= limits->longest_word;
    }
    layout->spaced = ends_with_space(raw, size);
    size_t from = text->size;
    if (!add_words(layout, raw, raw + size, goes_on)) return 0;
    uint32_t many = (uint32_t)COUNT(layout->words, Span) - before + (uint32_t)goes_on, words = weight(raw, size, many);
    layout->block.size += words;
    if (anchor < 0) return 1;
    layout->block.linked += words;
    if (!goes_on) from = EACH(layout->words, Span)[before].start;
    return add_piece(layout, anchor, (uint32_t)from, before - (uint32_t)goes_on, many, goes_on);
}

/* The words of some bytes with one space between two, appended; how many there are at most `most` of, or -1. */
static long add_split(Bytes *into, const Byte *at, size_t size, long most) {
    const Byte *end = at + size;
    long count = 0;
    while (at < end) {
        size_t space;
        while (at < end && (space = space_at(at, end))) at += space;
        const Byte *start = at;
        while (at < end && !space_at(at, end)) at++;
        if (at == start) break;
        if (count == most) break;
        if ((into->size && !append(into, " ", 1)) || !append(into, start, (size_t)(at - start))) return -1;
        count++;
    }
    return count;
}

static long count_split(const Byte *at, size_t size) {
    const Byte *end = at + size;
    long count = 0;
    while (at < end) {
        size_t space;
        while (at < end && (space = space_at(at, end))) at += space;
        count += at < end;
        while (at < end && !space_at(at, end)) at++;
    }
    return count;
}

/* The own words of a link, the first characters of them; 0 for no memory. */
static int own_text(Layout *layout, const Anchor *anchor, const Byte **text, size_t *size) {
    Bytes *into = &layout->around;
    into->size = 0;
    if (anchor->first >= 0 && anchor->first == anchor->last) {
        Span only = EACH(layout->pieces, Piece)[anchor->first].span;
        *text = layout->text.data + only.start;
        return *size = beginning(*text, only.end - only.start, LONGEST_ANCHOR), 1;
    }
    if (anchor->first < 0 && add_split(into, anchor->alt, anchor->alt_size, -1) < 0) return 0;
    for (long n = anchor->first; n >= 0; n = EACH(layout->pieces, Piece)[n].next) {
        Piece piece = EACH(layout->pieces, Piece)[n];
        if (n != anchor->first && !piece.goes_on && !append(into, " ", 1)) return 0;
        if (!append(into, layout->text.data + piece.span.start, piece.span.end - piece.span.start)) return 0;
    }
    *text = into->data;
    return *size = beginning(*text, into->size, LONGEST_ANCHOR), 1;
}

static PyObject *own_words(Layout *layout, const Anchor *anchor) {
    const Byte *text;
    size_t size;
    return own_text(layout, anchor, &text, &size) ? text_of(text, size) : PyErr_NoMemory();
}

/* A part of the text, appended with a space before it where that is needed. */
static int add_span(Layout *layout, Bytes *into, size_t start, size_t end) {
    size_t size = end - start;
    if ((into->size && !append(into, " ", 1)) || !append(into, layout->text.data + start, size)) return 0;
    for (Byte *at = into->data + into->size - size, *stop = at + size; (at = memchr(at, '\n', (size_t)(stop - at)));) *at = ' ';
    return 1;
}

/* The words from one place to another with a space between two, appended in the same way. */
static int add_range(Layout *layout, Bytes *into, long from, long to) {
    const Span *words = EACH(layout->words, Span);
    return from >= to || add_span(layout, into, words[from].start, words[to - 1].end);
}

static size_t bytes_between(const Layout *layout, long from, long to) {
    const Span *words = EACH(layout->words, Span);
    return from < to ? words[to - 1].end - words[from].start : 0;
}

/* The last characters of these words, or the first, appended in the same way: of a long word no more is looked at. */
static int add_side(Layout *layout, Bytes *into, long from, long to, long side, int last) {
    if (from >= to) return 1;
    const Span *words = EACH(layout->words, Span);
    const Byte *text = layout->text.data;
    size_t start = words[from].start, end = words[to - 1].end;
    if (!last) return add_span(layout, into, start, start + beginning(text + start, end - start, (size_t)side));
    size_t at = end;
    for (long left = side; left && at > start;) left -= (text[--at] & 0xC0) != 0x80;
    return add_span(layout, into, at, end);
}

/* The words that stand for a link without words of its own, the first characters of them, appended in the same way. */
static int add_alt(Bytes *into, const Anchor *anchor) {
    size_t start = into->size + (into->size > 0);
    if (add_split(into, anchor->alt, anchor->alt_size, -1) < 0) return 0;
    if (into->size > start) into->size = start + beginning(into->data + start, into->size - start, LONGEST_ANCHOR);
    return 1;
}

/* The own words of a link as they stand among those of the page, the first characters of them, appended in the same way. */
static int add_own(Layout *layout, Bytes *into, const Anchor *anchor) {
    if (anchor->start == anchor->end) return add_alt(into, anchor);
    return add_side(layout, into, anchor->start, anchor->end, LONGEST_ANCHOR, 0);
}

/* Where "words" are very long there are no spaces, and so many characters on either side have to do. */
static PyObject *long_context(Layout *layout, const Anchor *anchor, long before, long after, long side) {
    Bytes *into = &layout->around;
    into->size = 0;
    int fits = add_side(layout, into, anchor->start - before, anchor->start, side, 1) && add_own(layout, into, anchor) &&
               add_side(layout, into, anchor->end, anchor->end + after, side, 0);
    return fits ? text_of(into->data, into->size) : PyErr_NoMemory();
}

/* How many words stand on either side of a link in its context, whose own are so many. */
static void sides(const Layout *layout, const Anchor *anchor, long room, long *before, long *after) {
    long total = (long)COUNT(layout->words, Span), start = anchor->start, end = anchor->end;
    *before = room / 2, *after = room - *before;
    if (start < *before || total < end + *after) {
        long first = start < *before ? start : *before;
        *after = total - end < room - first ? total - end : room - first;
        *before = start < room - *after ? start : room - *after;
    }
}

static PyObject *context_of(Layout *layout, const Anchor *anchor, const Limits *limits) {
    long start = anchor->start, end = anchor->end, before, after;
    long alt = start < end ? 0 : count_split(anchor->alt, anchor->alt_size);
    long room = limits->context - (end - start) - alt;
    Bytes *into = &layout->around;
    into->size = 0;
    if (room <= 0) {
        int fits = alt ? add_split(into, anchor->alt, anchor->alt_size, limits->context) >= 0
                       : add_range(layout, into, start, start + limits->context < end ? start + limits->context : end);
        return fits ? text_of(into->data, beginning(into->data, into->size, LONGEST_ANCHOR)) : PyErr_NoMemory();
    }
    sides(layout, anchor, room, &before, &after);
    if (bytes_between(layout, start - before, end + after) > 4 * 20 * (size_t)limits->context) /* a character has four at most */
        return long_context(layout, anchor, before, after, limits->side);
    if (alt) {
        if (!add_range(layout, into, start - before, start) || add_split(into, anchor->alt, anchor->alt_size, -1) < 0 ||
            !add_range(layout, into, start, end + after))
            return PyErr_NoMemory();
    } else if (!add_range(layout, into, start - before, end + after))
        return PyErr_NoMemory();
    if (into->size > 20 * (size_t)limits->context && letters(into->data, into->size) > 20 * (size_t)limits->context)
        return long_context(layout, anchor, before, after, limits->side);
    return text_of(into->data, into->size);
}

/* What the links of a page say, without the tree: numbers, then words, links, pieces, the text, and what the links have of their own:
   for each a text that stands for it, and its target. */
typedef struct {
    uint32_t words, anchors, pieces, text, own, none;
} Counts;

typedef struct Kept {
    uint32_t own, alt_size, target_size, start, end;
    int32_t first, last;
} Kept;

static size_t size_of(Counts counts) {
    return sizeof counts + counts.words * sizeof(Span) + counts.pieces * sizeof(Piece) + counts.anchors * sizeof(Kept) +
           counts.text + counts.own;
}

static Byte *put(Byte *to, const void *data, size_t size) {
    if (size) memcpy(to, data, size);
    return to + size;
}

PyObject *layout_packed(const Layout *layout) {
    const Anchor *anchors = EACH(layout->anchors, Anchor);
    Counts counts = {(uint32_t)COUNT(layout->words, Span), (uint32_t)COUNT(layout->anchors, Anchor),
                     (uint32_t)COUNT(layout->pieces, Piece), (uint32_t)layout->text.size, 0, 0};
    for (uint32_t n = 0; n < counts.anchors; n++) counts.own += (uint32_t)(anchors[n].alt_size + anchors[n].target_size);
    PyObject *found = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size_of(counts));
    if (!found) return NULL;
    Byte *to = put((Byte *)PyBytes_AS_STRING(found), &counts, sizeof counts);
    to = put(to, layout->words.data, layout->words.size);
    to = put(to, layout->pieces.data, layout->pieces.size);
    uint32_t own = 0;
    for (const Anchor *one = anchors; one < anchors + counts.anchors; one++) {
        Kept kept = {own, (uint32_t)one->alt_size, (uint32_t)one->target_size, one->start, one->end, (int32_t)one->first, (int32_t)one->last};
        to = put(to, &kept, sizeof kept);
        own += kept.alt_size + kept.target_size;
    }
    to = put(to, layout->text.data, layout->text.size);
    for (const Anchor *one = anchors; one < anchors + counts.anchors; one++) {
        to = put(to, one->alt, one->alt_size);
        to = put(to, one->target, one->target_size);
    }
    return found;
}

int layout_view(View *view, PyObject *packed) {
    Counts counts;
    if (!PyBytes_CheckExact(packed)) return PyErr_SetString(PyExc_TypeError, "not bytes"), 0;
    Byte *at = (Byte *)PyBytes_AS_STRING(packed);
    size_t size = (size_t)PyBytes_GET_SIZE(packed);
    if (size >= sizeof counts) memcpy(&counts, at, sizeof counts);
    if (size < sizeof counts || size != size_of(counts)) return PyErr_SetString(PyExc_ValueError, "not what links say"), 0;
    Layout *layout = &view->layout;
    layout->words = (Bytes){at + sizeof counts, counts.words * sizeof(Span), 0};
    layout->pieces = (Bytes){layout->words.data + layout->words.size, counts.pieces * sizeof(Piece), 0};
    view->links = (const Kept *)(layout->pieces.data + layout->pieces.size);
    layout->text = (Bytes){(Byte *)(view->links + counts.anchors), counts.text, 0};
    view->many = counts.anchors, view->words = counts.words;
    return 1;
}

void layout_view_end(View *view) { free(view->layout.around.data); } /* all else is in the bytes */

static Anchor anchor_of(const View *view, Py_ssize_t number) {
    const Kept *kept = view->links + number;
    const Byte *own = view->layout.text.data + view->layout.text.size + kept->own;
    return (Anchor){.alt = own, .alt_size = kept->alt_size, .target = own + kept->alt_size, .target_size = kept->target_size,
                    .start = kept->start, .end = kept->end, .first = kept->first, .last = kept->last};
}

static PyObject *said(View *view, Py_ssize_t number, long what, const Limits *limits) {
    Anchor anchor = anchor_of(view, number);
    if (what == TARGET) return text_of(anchor.target, anchor.target_size);
    return what == AROUND ? context_of(&view->layout, &anchor, limits) : own_words(&view->layout, &anchor);
}

/* A new reference: what one link says; NULL with an error. */
static PyObject *said_by(View *view, PyObject *number, long what, const Limits *limits) {
    Py_ssize_t n = PyLong_AsSsize_t(number);
    if (n >= 0 && n < view->many) return said(view, n, what, limits);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "no such link");
    return NULL;
}

PyObject *layout_linked(PyObject *packed, long what, PyObject *numbers, const Limits *limits) {
    View view = {0};
    int going = layout_view(&view, packed);
    PyObject *found = going ? PyList_New(numbers ? PyList_GET_SIZE(numbers) : view.many) : NULL;
    for (Py_ssize_t n = 0; found && n < PyList_GET_SIZE(found); n++) {
        PyObject *one = numbers ? said_by(&view, PyList_GET_ITEM(numbers, n), what, limits) : said(&view, n, what, limits);
        if (!one) Py_CLEAR(found);
        else PyList_SET_ITEM(found, n, one);
    }
    layout_view_end(&view);
    return found;
}

const Byte *layout_word(const View *view, size_t number, size_t *size) {
    Span word = EACH(view->layout.words, Span)[number];
    *size = word.end - word.start;
    return view->layout.text.data + word.start;
}

int layout_own(View *view, Py_ssize_t number, const Byte **text, size_t *size) {
    Anchor anchor = anchor_of(view, number);
    return own_text(&view->layout, &anchor, text, size);
}

int layout_range(const View *view, Py_ssize_t number, const Limits *limits, size_t *from, size_t *to) {
    Anchor anchor = anchor_of(view, number);
    long room = limits->context - ((long)anchor.end - (long)anchor.start), before = 0, after = 0;
    if (room <= 0 || (anchor.start == anchor.end && anchor.alt_size)) return 0;
    sides(&view->layout, &anchor, room, &before, &after);
    *from = (size_t)(anchor.start - before), *to = (size_t)(anchor.end + after);
    const Span *words = EACH(view->layout.words, Span);
    return *from >= *to || words[*to - 1].end - words[*from].start <= 20 * (size_t)limits->context;
}

PyObject *layout_context(View *view, Py_ssize_t number, const Limits *limits) { return said(view, number, AROUND, limits); }
