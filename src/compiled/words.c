/* Words by their hashes: the twins of learning/lookup.py and of the fingerprint in store/near.py.

   The hash of a word is the sum of byte * r^place modulo 2^64, places counted from 1. */
#include "shared.h"

#define RATIO 0x9E3779B97F4A7C15u

/* find(text, keys, values, shift): the numbers of the words, 8 bytes each, and (number of the word, start, end) of those
   that are not in the table. Words are parted by spaces. */
PyObject *words_find(PyObject *module, PyObject *args) {
    Py_buffer text, keys, values;
    int shift;
    if (!PyArg_ParseTuple(args, "y*y*y*i", &text, &keys, &values, &shift)) return NULL;
    const Byte *at = text.buf, *end = at + text.len;
    const uint64_t *known = keys.buf;
    const int64_t *numbers = values.buf;
    size_t mask = (size_t)keys.len / sizeof *known - 1, count = 0;
    PyObject *missing = PyList_New(0), *found = PyBytes_FromStringAndSize(NULL, 4 * (text.len + 1) + 8), *both = NULL;
    if (!missing || !found) goto end;
    int64_t *into = (int64_t *)PyBytes_AS_STRING(found);
    while (at < end) {
        while (at < end && *at == ' ') at++;
        if (at == end) break;
        const Byte *start = at;
        uint64_t hash = 0, power = 1;
        for (; at < end && *at != ' '; at++) hash += *at * (power *= RATIO);
        size_t place = (size_t)(hash >> shift);
        while (known[place] && known[place] != hash) place = (place + 1) & mask;
        into[count] = numbers[place];
        if (!known[place]) {
            PyObject *one = Py_BuildValue("(nKnn)", (Py_ssize_t)count, hash, (Py_ssize_t)(start - (const Byte *)text.buf),
                                          (Py_ssize_t)(at - (const Byte *)text.buf));
            int added = one && !PyList_Append(missing, one);
            Py_XDECREF(one);
            if (!added) goto end;
        }
        count++;
    }
    if (!_PyBytes_Resize(&found, (Py_ssize_t)(count * sizeof *into))) both = PyTuple_Pack(2, found, missing);
end:
    Py_XDECREF(missing), Py_XDECREF(found);
    PyBuffer_Release(&text), PyBuffer_Release(&keys), PyBuffer_Release(&values);
    return both;
}

#define STIR 0xFF51AFD7ED558CCDu

static uint64_t stirred(uint64_t value) { return (value ^ value >> 32) * STIR; }

/* Eight counters of a byte each, one for each bit of every byte. */
static uint64_t SPREAD[256];

static void spread(void) {
    for (int byte = 0; byte < 256 && !SPREAD[255]; byte++)
        for (int bit = 0; bit < 8; bit++) SPREAD[byte] |= (uint64_t)(byte >> bit & 1) << 8 * bit;
}

typedef struct {
    uint64_t lanes[8];
    long totals[64], fresh, runs;
} Votes;

static void count_up(Votes *votes) {
    for (int bit = 0; bit < 64; bit++) votes->totals[bit] += votes->lanes[bit / 8] >> 8 * (bit % 8) & 0xFF;
    memset(votes->lanes, 0, sizeof votes->lanes);
    votes->fresh = 0;
}

static void vote(Votes *votes, uint64_t run) {
    for (int lane = 0; lane < 8; lane++) votes->lanes[lane] += SPREAD[run >> 8 * lane & 0xFF];
    votes->runs++;
    if (++votes->fresh == 255) count_up(votes);
}

/* fingerprint(text): how many words there are, and the 64 bits as a signed number. */
PyObject *words_fingerprint(PyObject *module, PyObject *args) {
    Py_buffer text;
    if (!PyArg_ParseTuple(args, "y*", &text)) return NULL;
    const Byte *at = text.buf, *end = at + text.len;
    uint64_t last[3] = {0}, bits = 0;
    Votes votes = {0};
    Py_ssize_t count = 0;
    spread();
    while (at < end) {
        while (at < end && (*at == ' ' || *at == '\n')) at++;
        if (at == end) break;
        uint64_t hash = 0, power = 1;
        for (; at < end && *at != ' ' && *at != '\n'; at++) hash += *at * (power *= RATIO);
        last[0] = last[1], last[1] = last[2], last[2] = stirred(hash);
        if (++count < 3) continue;
        uint64_t run = stirred(last[0] * 0x9E3779B97F4A7C15u + last[1] * 0xC2B2AE3D27D4EB4Fu + last[2] * 0x165667B19E3779F9u);
        vote(&votes, run ^ run >> 32);
    }
    count_up(&votes);
    for (int bit = 0; bit < 64; bit++) bits |= (uint64_t)(2 * votes.totals[bit] > votes.runs) << bit;
    PyBuffer_Release(&text);
    return Py_BuildValue("(nL)", count, (long long)(int64_t)bits);
}
