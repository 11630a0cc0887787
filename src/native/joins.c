/* URLs that were joined of late, by what was written and where: the twin of what urls.py remembers in a dict. */
#include "layout.h"

/* So many at most; it is never more than half full, and who does not find a free place near by is not remembered. */
enum { MOST = 1 << 15, ROOM = 2 * MOST, NEAR = 16 };

typedef struct {
    uint64_t key;  /* 0: free */
    uint32_t name; /* where it is written, in NAMES: origin, then target */
    uint32_t size;
    PyObject *url;
} Join;

typedef struct {
    const Byte *data; /* NULL: what it means depends on the page */
    size_t size, root; /* root: bytes of the origin before it that count */
    uint64_t key;
} Target;

static Join *JOINS;
static size_t KNOWN;
static Bytes NAMES;

static void forget(void) {
    for (size_t n = 0; n < ROOM; n++) {
        JOINS[n].key = 0;
        Py_CLEAR(JOINS[n].url);
    }
    NAMES.size = KNOWN = 0;
}

/* Room for them; 0 with an error. */
static int ready(void) {
    if (JOINS) return 1;
    if (!(JOINS = calloc(ROOM, sizeof *JOINS))) PyErr_NoMemory();
    return JOINS != NULL;
}

/* How a target is looked for on the pages of an origin. */
static Target target_of(const Byte *data, size_t size, const char *origin, size_t length, size_t longest) {
    Target found = {data, size, 0, 0};
    int rooted = length && size && *data == '/';
    int absolute = size > 7 && (!memcmp(data, "http://", 7) || !memcmp(data, "https:/", 7));
    if ((!rooted && !absolute) || size > longest) return (Target){0};
    if (rooted) found.root = length;
    uint64_t key = stirred_in(SECRET, found.root);
    if (rooted) key = mixed(key, (const Byte *)origin, length);
    found.key = mixed(key, data, size) | 1;
    return found;
}

/* The place of a target, or the one it could have; NULL where all near by are taken. */
static Join *place(const Target *target, const char *origin) {
    for (size_t n = 0; n < NEAR; n++) {
        Join *join = JOINS + (((target->key >> 32) + n) & (ROOM - 1));
        if (!join->key) return join;
        if (join->key != target->key || join->size != target->root + target->size) continue;
        const Byte *name = NAMES.data + join->name;
        if (!memcmp(name, origin, target->root) && !memcmp(name + target->root, target->data, target->size)) return join;
    }
    return NULL;
}

/* recalled(targets, origin, longest): the URLs of a list of targets, or of what the links of a page say, None where they are not known
   or mean something else on every page, and the numbers of these. */
PyObject *joins_recalled(PyObject *module, PyObject *args) {
    PyObject *targets, *found = NULL, *missing = NULL;
    const char *origin;
    Py_ssize_t length, longest;
    View view = {0};
    if (!PyArg_ParseTuple(args, "Os#n", &targets, &origin, &length, &longest) || !ready()) return NULL;
    Py_ssize_t many = layout_targets(&view, targets);
    Target *wanted = many < 0 ? NULL : PyMem_New(Target, many + 1);
    if (!wanted) return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    for (Py_ssize_t n = 0; n < many; n++) {
        size_t size;
        const Byte *data = layout_target(&view, targets, n, &size);
        wanted[n] = data ? target_of(data, size, origin, (size_t)length, (size_t)longest) : (Target){0};
        if (wanted[n].data) __builtin_prefetch(JOINS + ((wanted[n].key >> 32) & (ROOM - 1)));
    }
    for (Py_ssize_t n = 0; n < many; n++) {
        if (!wanted[n].data) continue;
        Join *join = JOINS + ((wanted[n].key >> 32) & (ROOM - 1)); /* mostly this is the one */
        __builtin_prefetch(NAMES.data + join->name);
        __builtin_prefetch(join->url);
    }
    found = PyList_New(many), missing = PyList_New(0);
    for (Py_ssize_t n = 0; found && missing && n < many; n++) {
        Join *join = wanted[n].data ? place(wanted + n, origin) : NULL;
        PyObject *url = join && join->key ? join->url : Py_None;
        PyList_SET_ITEM(found, n, Py_NewRef(url));
        if (url == Py_None && !add_number(missing, n)) Py_CLEAR(missing);
    }
    PyMem_Free(wanted); /* the view has nothing of its own: no contexts were put together */
    if (found && missing) return Py_BuildValue("(NN)", found, missing);
    Py_XDECREF(found), Py_XDECREF(missing);
    return NULL;
}

/* remember(target, origin, url, longest): the URL of a target, for all pages on which it means the same. */
PyObject *joins_remember(PyObject *module, PyObject *args) {
    PyObject *url;
    const char *data, *origin;
    Py_ssize_t size, length, longest;
    if (!PyArg_ParseTuple(args, "s#s#Un", &data, &size, &origin, &length, &url, &longest) || !ready()) return NULL;
    if (KNOWN >= MOST) forget();
    Target target = target_of((const Byte *)data, (size_t)size, origin, (size_t)length, (size_t)longest);
    Join *join = target.data ? place(&target, origin) : NULL;
    if (!join || join->key) Py_RETURN_NONE;
    uint32_t name = (uint32_t)NAMES.size;
    if (!append(&NAMES, origin, target.root) || !append(&NAMES, data, target.size)) return PyErr_NoMemory();
    *join = (Join){target.key, name, (uint32_t)(target.root + target.size), Py_NewRef(url)};
    KNOWN++;
    Py_RETURN_NONE;
}
