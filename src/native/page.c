/* One walk over the parser's tree that collects everything we want to know of a page: the twin of html/walk.py. */
#include "elements.h"
#include "layout.h"

typedef struct {
    Node *node;
    Place *place;
    long anchor;
    int kind;
} Frame;

typedef struct {
    const Byte *data; /* NULL: it is not there, or empty */
    size_t size;
} Value;

typedef struct {
    Attribute *first;
    Value classes, target, rel, alt, title;
    int many;
} Look;

static PyObject *ROOT_PLACE, *BESIDE;
static long MOST_PLACES, LONGEST_CLASSES, MOST_LINKS;
static Limits LIMITS;

/* The memory in which a page is read; the next page is read in the same. */
typedef struct {
    Layout layout;
    Bytes frames, loose;
    Places *places;
    long counts[STANDARD + 1]; /* of tags, by their numbers */
    PyObject *leaves, *said;
    void *clean; /* a document to be used again, which spares making it; not after quirks mode, in which it would stay */
} Reading;

static Reading *SPARE; /* taken away by whoever reads a page: Python runs in the middle of it, and other threads read other pages */

/* open(library, rules, root, beside, numbers, content): what the walk goes by. */
PyObject *page_open(PyObject *module, PyObject *args) {
    const char *path;
    PyObject *rules, *root, *beside;
    if (!PyArg_ParseTuple(args, "sO!OO(llllll)(dII)", &path, &PyDict_Type, &rules, &root, &beside, &MOST_PLACES,
                          &LONGEST_CLASSES, &MOST_LINKS, &LIMITS.context, &LIMITS.side, &LIMITS.longest_word,
                          &LIMITS.least_content, &LIMITS.prose, &LIMITS.enough_prose))
        return NULL;
    if (!open_tree(path)) return NULL;
    Py_XSETREF(RULES, Py_NewRef(rules));
    Py_XSETREF(ROOT_PLACE, Py_NewRef(root));
    Py_XSETREF(BESIDE, Py_NewRef(beside));
    Py_RETURN_NONE;
}

/* Whether id or role says that a block stands beside the content; -1 with an error. */
static int says_beside(Attribute *first) {
    for (Attribute *at = first; at; at = tree.next_attribute(at)) {
        size_t name_size = 0, size = 0;
        const Byte *name = tree.attribute_name(at, &name_size);
        if (!name || (!named(name, name_size, "id") && !named(name, name_size, "role"))) continue;
        const Byte *value = tree.attribute_value(at, &size);
        PyObject *said = value ? text_of(value, size) : NULL;
        int found = said ? PySet_Contains(BESIDE, said) : 0;
        Py_XDECREF(said);
        if (found) return found;
    }
    return 0;
}

static int tell(PyObject *said, PyObject *tag, Attribute *first, Node *node) {
    size_t size = 0;
    const Byte *inside = node ? tree.text(node, &size) : NULL;
    PyObject *attributes = attributes_of(first), *text = text_of(inside ? inside : (const Byte *)"", inside ? size : 0);
    PyObject *one = attributes && text ? PyTuple_Pack(3, tag, attributes, text) : NULL;
    int done = one && !PyList_Append(said, one);
    Py_XDECREF(attributes), Py_XDECREF(text), Py_XDECREF(one);
    return done;
}

static void strip(const Byte **at, size_t *size) {
    const Byte *start = *at, *end = *at + *size;
    size_t space;
    while (start < end && (space = space_at(start, end))) start += space;
    for (space = 1; space && start < end;) {
        space = 0;
        for (size_t back = 1; back <= 3 && (size_t)(end - start) >= back; back++)
            if (space_at(end - back, end) == back) space = back;
        end -= space;
    }
    *at = start;
    *size = (size_t)(end - start);
}

/* Open a link; its number, -1 where there is none, -2 with an error. */
static long open_link(Reading *reading, const Look *seen, Place *place) {
    Layout *layout = &reading->layout;
    Anchor anchor = {.place = place, .first = -1, .last = -1, .target = seen->target.data, .target_size = seen->target.size};
    if (!anchor.target) return -1;
    strip(&anchor.target, &anchor.target_size);
    long number = (long)COUNT(layout->anchors, Anchor);
    if (!anchor.target_size || number >= MOST_LINKS) return -1;
    Value alt = seen->alt.size ? seen->alt : seen->title;
    anchor.rel = seen->rel.data, anchor.rel_size = seen->rel.size;
    anchor.alt = alt.data, anchor.alt_size = alt.size;
    anchor.start = anchor.end = (uint32_t)COUNT(layout->words, Span);
    if (PyList_Append(reading->leaves, place->styled)) return -2;
    if (!append(&layout->anchors, &anchor, sizeof anchor)) {
        PyErr_NoMemory();
        return -2;
    }
    return number;
}

/* Take in an element that says more than where its words are; the link that what is inside belongs to, -2 with an error. */
static long special(Reading *reading, Node *node, const Tag *tag, const Look *seen, Place *place, long anchor) {
    size_t size = 0;
    Attribute *first = seen->first;
    if (tag->flags & COUNTED) reading->counts[tag->number]++;
    if (tag->flags & (HREF | SRC)) {
        long link = open_link(reading, seen, place);
        return link == -1 ? anchor : link;
    }
    if (tag->flags & ABOUT) {
        if (!tell(reading->said, tag->text, first, node)) return -2;
    } else if (tag->flags & PICTURE) {
        if (PyList_Append(reading->leaves, place->styled)) return -2;
        if (anchor >= 0) {
            Anchor *link = EACH(reading->layout.anchors, Anchor) + anchor;
            link->image = 1;
            if (!link->alt_size) link->alt = seen->alt.data, link->alt_size = seen->alt.size;
        }
    } else if (tag->flags & SCRIPT) {
        const Byte *type = attribute(first, "type", &size);
        if (type && named(type, size, "application/ld+json") && !tell(reading->said, tag->text, first, node)) return -2;
    }
    return anchor;
}

/* What the attributes of any element may say; -1 with an error, else whether it stands beside the content. */
static int look(PyObject *said, const Tag *tag, Look *seen) {
    const char *target = tag->flags & HREF ? "href" : tag->flags & SRC ? "src" : NULL;
    int has_words = target || tag->flags & PICTURE;
    for (Attribute *at = seen->first; at; at = tree.next_attribute(at)) {
        size_t size = 0;
        const Byte *name = tree.attribute_name(at, &size);
        seen->many++;
        if (!name) continue;
        Value *kept = NULL;
        if (named(name, size, "class"))
            kept = &seen->classes;
        else if (target && named(name, size, target))
            kept = &seen->target;
        else if (has_words && named(name, size, "alt"))
            kept = &seen->alt;
        else if (target && named(name, size, "rel"))
            kept = &seen->rel;
        else if (target && named(name, size, "title"))
            kept = &seen->title;
        else if (named(name, size, "itemtype")) {
            PyObject *kind = PyUnicode_FromString("itemtype");
            int told = kind && tell(said, kind, seen->first, NULL);
            Py_XDECREF(kind);
            if (!told) return -1;
        }
        if (kept && !kept->data) kept->data = tree.attribute_value(at, &kept->size);
    }
    int asks = tag->kind == BLOCK && seen->many && (!seen->classes.size || seen->many > 1);
    return asks ? says_beside(seen->first) : 0;
}

static int text_node(Reading *reading, Node *node, Place *place, long anchor, int *gap) {
    size_t size = 0;
    const Byte *raw = tree.text(node, &size), *at = raw, *end = raw + size;
    size_t space;
    while (raw && at < end && (space = space_at(at, end))) at += space;
    if (!raw || at >= end) {
        if (*gap == GOES_ON) *gap = APART;
        return 1;
    }
    if (!layout_text(&reading->layout, raw, size, place, anchor, *gap, &LIMITS)) {
        PyErr_NoMemory();
        return 0;
    }
    *gap = GOES_ON;
    if (anchor >= 0 && place->path == EACH(reading->layout.anchors, Anchor)[anchor].place->path) return 1; /* counted with its link */
    return !PyList_Append(reading->leaves, place->styled);
}

/* Depth first, without recursion: pages nest as deep as they like. */
static int walk(Node *node, Reading *reading) {
    Place *place = reading->places->root, *inside;
    Bytes *frames = &reading->frames;
    Tag odd = {0};
    long anchor = -1, inner;
    int gap = BETWEEN, done = 0;
    while (place) {
        unsigned type = tree.type(node);
        if (type == TEXT_NODE) {
            if (!text_node(reading, node, place, anchor, &gap)) break;
        } else if (type == ELEMENT) {
            const Tag *tag = tag_of(node, &odd);
            Look seen = {.first = tree.first_attribute(node)};
            int beside = tag ? look(reading->said, tag, &seen) : -1;
            if (beside < 0) break;
            const Byte *classes = seen.classes.data ? seen.classes.data : (const Byte *)"";
            inside = place_inside(reading->places, place, tag->name, tag->size, classes, seen.classes.size, beside,
                                  (size_t)LONGEST_CLASSES, &reading->loose);
            inner = anchor;
            if (!inside) break;
            if (tag->kind == BLOCK)
                gap = BETWEEN;
            else if (tag->kind) {
                if ((inner = special(reading, node, tag, &seen, inside, anchor)) == -2) break;
                if (!gap && tag->flags & PARTING) gap = APART;
            }
            Node *child = tag->kind == HIDDEN ? NULL : tree.first_child(node);
            if (child) {
                Frame frame = {node, place, anchor, tag->kind};
                if (!append(frames, &frame, sizeof frame)) break;
                node = child, place = inside, anchor = inner;
                continue;
            }
        }
        Node *following;
        while (!(following = tree.next(node))) {
            if (!frames->size) {
                done = 1;
                break;
            }
            frames->size -= sizeof(Frame);
            Frame *frame = (Frame *)(frames->data + frames->size);
            node = frame->node, place = frame->place, anchor = frame->anchor;
            if (frame->kind == BLOCK) gap = BETWEEN;
        }
        if (done) break;
        node = following;
    }
    Py_XDECREF(odd.text);
    if (done && !layout_end(&reading->layout)) done = 0;
    if (!done && !PyErr_Occurred()) PyErr_NoMemory();
    return done;
}

static PyObject *rel_of(const Anchor *anchor) {
    if (!anchor->rel_size) return PyTuple_New(0);
    PyObject *raw = text_of(anchor->rel, beginning(anchor->rel, anchor->rel_size, LONGEST_REL)), *found = NULL;
    PyObject *low = raw ? PyObject_CallMethod(raw, "lower", NULL) : NULL;
    PyObject *parts = low ? PyUnicode_Split(low, NULL, -1) : NULL;
    if (parts) found = PyList_AsTuple(parts);
    Py_XDECREF(raw), Py_XDECREF(low), Py_XDECREF(parts);
    return found;
}

/* A new reference: the links in columns; what `linked` makes words of, paths, images, rels. */
static PyObject *columns(const Layout *layout) {
    enum { PATHS, IMAGES, RELS, LISTS };
    Py_ssize_t many = (Py_ssize_t)COUNT(layout->anchors, Anchor);
    PyObject *made[LISTS] = {0}, *packed = layout_packed(layout), *found = NULL;
    for (int n = 0; n < LISTS; n++)
        if (!packed || !(made[n] = PyList_New(many))) goto end;
    for (Py_ssize_t n = 0; n < many; n++) {
        const Anchor *anchor = EACH(layout->anchors, Anchor) + n;
        PyObject *rel = rel_of(anchor);
        PyList_SET_ITEM(made[PATHS], n, Py_NewRef(anchor->place->styled));
        PyList_SET_ITEM(made[IMAGES], n, Py_NewRef(anchor->image ? Py_True : Py_False));
        PyList_SET_ITEM(made[RELS], n, rel);
        if (!rel) goto end;
    }
    found = PyTuple_Pack(4, packed, made[PATHS], made[IMAGES], made[RELS]);
end:
    for (int n = 0; n < LISTS; n++) Py_XDECREF(made[n]);
    Py_XDECREF(packed);
    return found;
}

/* linked(packed, what, numbers): what the links of a page say, all or those with these numbers: see layout.h. */
PyObject *page_linked(PyObject *module, PyObject *args) {
    PyObject *packed, *numbers = Py_None;
    long what;
    if (!PyArg_ParseTuple(args, "Ol|O", &packed, &what, &numbers)) return NULL;
    if (numbers != Py_None && !PyList_CheckExact(numbers)) return PyErr_SetString(PyExc_TypeError, "numbers are a list"), NULL;
    return layout_linked(packed, what, numbers == Py_None ? NULL : numbers, &LIMITS);
}

const Limits *page_limits(void) { return &LIMITS; }

/* Whether a block is content, by its neighbours: the twin of html/blocks.py, where the numbers are explained. */
static int is_content(const Block *before, const Block *block, uint32_t size_after) {
    if (3 * (uint64_t)block->linked > block->size) return 0;
    if (9 * (uint64_t)before->linked > 5 * (uint64_t)before->size) return block->size > 40 || size_after > 17;
    return block->size > LIMITS.prose || size_after > 15 || before->size > 4;
}

/* A new reference: for each block a byte, 1 if it is content. */
static PyObject *content(const Layout *layout) {
    size_t many = COUNT(layout->blocks, Block);
    const Block *blocks = EACH(layout->blocks, Block), none = {0};
    PyObject *found = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)many);
    if (!found) return NULL;
    char *keep = PyBytes_AS_STRING(found);
    uint64_t all = 0, bare = 0, prose = 0;
    for (size_t n = 0; n < many; n++) all += blocks[n].size, bare += blocks[n].beside ? 0 : blocks[n].size;
    int trusted = !((double)bare < LIMITS.least_content * (double)all); /* else it calls everything a menu */
    for (size_t n = 0; n < many; n++) {
        uint32_t after = n + 1 < many ? blocks[n + 1].size : 0;
        keep[n] = !(trusted && blocks[n].beside) && is_content(n ? blocks + n - 1 : &none, blocks + n, after);
        if (keep[n] && blocks[n].size > LIMITS.prose) prose += blocks[n].size;
    }
    if (prose < LIMITS.enough_prose)
        for (size_t n = 0; n < many; n++) keep[n] = !(trusted && blocks[n].beside);
    return found;
}

static PyObject *gathered(Node *root, Reading *reading) {
    const Layout *layout = &reading->layout;
    PyObject *found = NULL, *parts[7] = {0};
    if (walk(root, reading)) {
        parts[0] = text_of(layout->text.data ? layout->text.data : (const Byte *)"", layout->text.size);
        parts[1] = content(layout);
        parts[2] = Py_NewRef(reading->leaves);
        parts[3] = Py_NewRef(reading->said);
        parts[4] = counts_of_tags(reading->counts);
        parts[5] = attributes_of(tree.type(root) == ELEMENT ? tree.first_attribute(root) : NULL);
        parts[6] = columns(layout);
        int whole = 1;
        for (int n = 0; n < 7; n++) whole = whole && parts[n];
        if (whole) found = PyTuple_Pack(7, parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]);
        for (int n = 0; n < 7; n++) Py_XDECREF(parts[n]);
    }
    return found;
}

static void free_reading(Reading *reading) {
    Layout *layout = &reading->layout;
    Bytes *all[] = {&layout->text, &layout->words, &layout->blocks, &layout->anchors, &layout->pieces, &reading->frames, &reading->loose};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) free(all[n]->data);
    if (reading->clean) tree.destroy(reading->clean);
    free(reading);
}

static void end_reading(Reading *reading) {
    Py_CLEAR(reading->leaves);
    Py_CLEAR(reading->said);
    forget_loose(&reading->loose);
    if (reading->places) leave_places(reading->places);
    reading->places = NULL;
    if (SPARE)
        free_reading(reading);
    else
        SPARE = reading;
}

/* Memory in which nothing is left of another page, whatever became of that; NULL with an error. */
static Reading *begin_reading(void) {
    Reading *reading = SPARE ? SPARE : calloc(1, sizeof *reading);
    SPARE = NULL;
    if (!reading) return (Reading *)PyErr_NoMemory();
    layout_clear(&reading->layout);
    memset(reading->counts, 0, sizeof reading->counts);
    reading->frames.size = 0;
    reading->leaves = PyList_New(0), reading->said = PyList_New(0);
    if (reading->leaves && reading->said && (reading->places = enter_places(ROOT_PLACE, (size_t)MOST_PLACES))) return reading;
    end_reading(reading);
    return NULL;
}

/* Whether a page says by its first words that it goes by the standard. */
static int is_standard(const Byte *at, size_t size) {
    static const char WORDS[] = "<!doctype html>";
    const Byte *end = at + size;
    while (at < end && (*at == ' ' || (*at >= 9 && *at <= 13))) at++;
    for (const char *word = WORDS; *word; word++, at++)
        if (at == end || (*at | (*at >= 'A' && *at <= 'Z' ? 32 : 0)) != (Byte)*word) return 0;
    return 1;
}

/* A new reference: all that a page says, None for nothing. */
static PyObject *read_page(Reading *reading, const Byte *body, size_t size) {
    PyObject *found = NULL;
    void *document = reading->clean ? reading->clean : tree.create();
    reading->clean = NULL;
    if (document && tree.options) tree.options(document, WITHOUT_EVENTS);
    if (document && !tree.parse(document, body, size)) {
        Node *root = tree.root(document);
        found = root ? gathered(root, reading) : Py_NewRef(Py_None);
    } else
        PyErr_NoMemory();
    if (document && found && is_standard(body, size)) {
        tree.clean(document);
        reading->clean = document;
    } else if (document)
        tree.destroy(document);
    return found;
}

/* gather(body): text, which lines are content, leaves, what special elements say, counts, attributes of the root, links; None for nothing. */
PyObject *page_gather(PyObject *module, PyObject *args) {
    Py_buffer body;
    PyObject *found = NULL;
    if (!PyArg_ParseTuple(args, "y*", &body)) return NULL;
    if (!RULES) {
        PyBuffer_Release(&body);
        return PyErr_Format(PyExc_RuntimeError, "open() comes first");
    }
    Reading *reading = begin_reading();
    if (reading) {
        found = read_page(reading, body.buf, (size_t)body.len);
        end_reading(reading);
    }
    PyBuffer_Release(&body);
    return found;
}

/* opened(body): how many tags begin, at most. */
PyObject *page_opened(PyObject *module, PyObject *body) {
    if (!PyBytes_Check(body)) return PyErr_Format(PyExc_TypeError, "not bytes");
    const Byte *at = (const Byte *)PyBytes_AS_STRING(body), *end = at + PyBytes_GET_SIZE(body); /* a zero is there */
    size_t count = 0;
    while (at < end) {
        Byte some = 0; /* in a short loop without branches, of which the compiler makes one over many bytes at once */
        const Byte *stop = end - at > 240 ? at + 240 : end; /* so that it holds them */
        for (; at < stop; at++) some += (at[0] == '<') & (at[1] != '/');
        count += some;
    }
    return PyLong_FromSize_t(count);
}

PyObject *page_places(PyObject *module, PyObject *args) { return PyLong_FromSize_t(places_known()); }
