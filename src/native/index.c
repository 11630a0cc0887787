/* The table of key_index.py: keys, which are hashes, each with a number. */
#include "shared.h"

enum { AHEAD = 16 }; /* keys whose slots are on their way */

typedef struct {
    Py_buffer table, keys;
    int64_t *cells; /* key, number, key, number ... */
    uint64_t mask;
    Py_ssize_t count;
} Look;

/* Where a key is, or would be. */
static int64_t *cell_of(const Look *look, Py_ssize_t n) {
    const int64_t *keys = look->keys.buf;
    if (n + AHEAD < look->count) __builtin_prefetch(look->cells + 2 * (spread(keys[n + AHEAD]) & look->mask));
    uint64_t slot = spread(keys[n]) & look->mask;
    while (look->cells[2 * slot + 1] && look->cells[2 * slot] != keys[n]) slot = (slot + 1) & look->mask;
    return look->cells + 2 * slot;
}

static void begin(Look *look) {
    look->cells = look->table.buf;
    look->mask = (uint64_t)look->table.len / 16 - 1;
    look->count = look->keys.len / 8;
}

static void end(Look *look) {
    PyBuffer_Release(&look->table);
    PyBuffer_Release(&look->keys);
}

/* entered(table, keys, numbers): give each key its number; how many were not there. There is room for all. */
PyObject *index_entered(PyObject *module, PyObject *args) {
    Look look;
    Py_buffer numbers;
    if (!PyArg_ParseTuple(args, "w*y*y*", &look.table, &look.keys, &numbers)) return NULL;
    begin(&look);
    long long fresh = 0;
    for (Py_ssize_t n = 0; n < look.count && n < numbers.len / 8; n++) {
        int64_t *cell = cell_of(&look, n);
        fresh += !cell[1];
        cell[0] = ((const int64_t *)look.keys.buf)[n];
        cell[1] = ((const int64_t *)numbers.buf)[n];
    }
    PyBuffer_Release(&numbers);
    end(&look);
    return PyLong_FromLongLong(fresh);
}

/* numbers(table, keys): the number of each key, 0 where it has none. */
PyObject *index_numbers(PyObject *module, PyObject *args) {
    Look look;
    if (!PyArg_ParseTuple(args, "y*y*", &look.table, &look.keys)) return NULL;
    begin(&look);
    PyObject *found = PyByteArray_FromStringAndSize(NULL, 8 * look.count);
    for (Py_ssize_t n = 0; found && n < look.count; n++) ((int64_t *)PyByteArray_AS_STRING(found))[n] = cell_of(&look, n)[1];
    end(&look);
    return found;
}
