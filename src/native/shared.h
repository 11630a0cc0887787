/* What the parts of the compiled module share. Python is the reference: each function here has a twin in plain Python, with
   which the tests compare it, and which takes its place where there is no compiler. */
#ifndef OPILIO_SHARED_H
#define OPILIO_SHARED_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#pragma GCC visibility push(hidden) /* other libraries have a `tree` too */

typedef unsigned char Byte;

/* What nobody outside knows, as secret.py drew it: odd, and never written to after the module was loaded. */
extern uint64_t SECRET;

/* Where a key belongs in a table, whose size is a power of 2 below 2^32. */
static inline uint64_t spread(int64_t key) { return (uint64_t)key * SECRET >> 32; }

/* Bytes that grow. */
typedef struct {
    Byte *data;
    size_t size, room;
} Bytes;

/* Room for so many more; 0 where there is no memory. */
static inline int make_room(Bytes *bytes, size_t more) {
    if (bytes->size + more <= bytes->room) return 1;
    size_t room = 2 * (bytes->size + more) + 1024;
    Byte *data = realloc(bytes->data, room);
    if (!data) return 0;
    bytes->data = data;
    bytes->room = room;
    return 1;
}

static inline int append(Bytes *bytes, const void *data, size_t size) {
    if (!make_room(bytes, size)) return 0;
    if (size) memcpy(bytes->data + bytes->size, data, size); /* of nothing, either may be a null pointer */
    bytes->size += size;
    return 1;
}

/* How many bytes of white space begin here, by Unicode, as str.split sees it; 0 where there is none. */
static inline size_t space_at(const Byte *at, const Byte *end) {
    Byte first = *at;
    if (first <= 32) return first == 32 || (first >= 9 && first <= 13) || (first >= 28 && first <= 31);
    if (first < 0xC2) return 0;
    if (first == 0xC2) return end - at > 1 && (at[1] == 0x85 || at[1] == 0xA0) ? 2 : 0;
    if (end - at < 3) return 0;
    if (first == 0xE2) {
        if (at[1] == 0x80) return at[2] <= 0x8A || at[2] == 0xA8 || at[2] == 0xA9 || at[2] == 0xAF ? 3 : 0;
        return at[1] == 0x81 && at[2] == 0x9F ? 3 : 0;
    }
    if (first == 0xE1) return at[1] == 0x9A && at[2] == 0x80 ? 3 : 0;
    return first == 0xE3 && at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
}

/* How many characters there are in some UTF-8. */
static inline size_t letters(const Byte *at, size_t size) {
    size_t count = 0;
    for (size_t n = 0; n < size; n++) count += (at[n] & 0xC0) != 0x80;
    return count;
}

/* How many bytes the first characters of some UTF-8 have, at most so many characters. */
static inline size_t beginning(const Byte *at, size_t size, size_t most) {
    if (size <= most) return size;
    for (size_t n = 0, count = 0; n < size; n++)
        if ((at[n] & 0xC0) != 0x80 && count++ == most) return n;
    return size;
}

static inline PyObject *text_of(const Byte *data, size_t size) {
    return PyUnicode_DecodeUTF8((const char *)data, (Py_ssize_t)size, "replace");
}

static inline uint64_t stirred_in(uint64_t key, uint64_t eight) {
    key = (key ^ eight) * 0x9E3779B97F4A7C15u;
    return (key ^ key >> 32) * 0xD6E8FEB86659FD93u; /* twice: classes often differ in their last letters, which are the highest bits */
}

/* Some bytes mixed into a key; short ones, as most are, in a few steps. */
static inline uint64_t mixed(uint64_t key, const Byte *data, size_t size) {
    uint64_t eight = size;
    if (size < 8) {
        for (size_t n = 0; n < size; n++) eight = eight << 8 | data[n];
        return stirred_in(key, eight);
    }
    for (; size > 8; data += 8, size -= 8) {
        memcpy(&eight, data, 8);
        key = stirred_in(key, eight);
        if (size < 16) data -= 16 - size, size = 16; /* the last eight, of which some were there before */
    }
    memcpy(&eight, data, 8);
    return stirred_in(key, eight);
}

/* Append a number to a list; 0 with an error. */
static inline int add_number(PyObject *list, Py_ssize_t number) {
    PyObject *one = PyLong_FromSsize_t(number);
    int added = one && !PyList_Append(list, one);
    Py_XDECREF(one);
    return added;
}

PyObject *page_open(PyObject *module, PyObject *args);
PyObject *page_gather(PyObject *module, PyObject *args);
PyObject *page_linked(PyObject *module, PyObject *args);
PyObject *page_opened(PyObject *module, PyObject *body);
PyObject *page_places(PyObject *module, PyObject *args);
PyObject *words_find(PyObject *module, PyObject *args);
PyObject *words_rows(PyObject *module, PyObject *args);
PyObject *words_sums(PyObject *module, PyObject *args);
PyObject *words_read(PyObject *module, PyObject *args);
PyObject *words_promised(PyObject *module, PyObject *args);
PyObject *words_bag(PyObject *module, PyObject *args);
PyObject *words_rate(PyObject *module, PyObject *args);
PyObject *words_fingerprint(PyObject *module, PyObject *args);

#endif
