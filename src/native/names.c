/* Names of records and of their bytes: twins of what store/warc_records.py makes of digests. */
#include "shared.h"

static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", DIGITS[] = "0123456789abcdef";

/* The bytes of a digest; NULL, with an error, where it is none. */
static const Byte *digest_in(PyObject *digest) {
    if (PyBytes_Check(digest) && PyBytes_GET_SIZE(digest) == 20) return (const Byte *)PyBytes_AS_STRING(digest);
    PyErr_SetString(PyExc_TypeError, "a digest has 20 bytes");
    return NULL;
}

/* in_letters(digest): in base 32. */
PyObject *names_in_letters(PyObject *module, PyObject *digest) {
    const Byte *bytes = digest_in(digest);
    PyObject *found = bytes ? PyUnicode_New(32, 127) : NULL;
    if (!found) return NULL;
    Py_UCS1 *to = PyUnicode_1BYTE_DATA(found);
    for (const Byte *at = bytes; at < bytes + 20; at += 5, to += 8) {
        uint64_t bits = (uint64_t)at[0] << 32 | (uint64_t)at[1] << 24 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 8 | at[4];
        for (int n = 0; n < 8; n++) to[n] = (Py_UCS1)LETTERS[bits >> (35 - 5 * n) & 31];
    }
    return found;
}

/* as_uuid(digest): its first bytes as a UUID of version 5, as records are named. */
PyObject *names_as_uuid(PyObject *module, PyObject *digest) {
    const Byte *bytes = digest_in(digest);
    char text[] = "<urn:uuid:00000000-0000-0000-0000-000000000000>", *to = text + 10;
    if (!bytes) return NULL;
    for (int n = 0; n < 16; n++) {
        Byte one = n == 6 ? (bytes[n] & 0x0F) | 0x50 : n == 8 ? (bytes[n] & 0x3F) | 0x80 : bytes[n];
        to += *to == '-';
        *to++ = DIGITS[one >> 4];
        *to++ = DIGITS[one & 15];
    }
    return PyUnicode_FromStringAndSize(text, sizeof text - 1);
}
