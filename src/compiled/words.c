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

/* The table of known words, and what was found. */
typedef struct {
    const uint64_t *known;
    const int64_t *numbers;
    size_t mask;
    int shift;
    Bytes found;  /* int64_t */
    Bytes starts; /* int64_t */
    Bytes word;
    PyObject *missing;
} Search;

/* Look a word up that has this hash; 0 with an error. */
static int look_up(Search *search, uint64_t hash) {
    size_t place = (size_t)(hash >> search->shift);
    while (search->known[place] && search->known[place] != hash) place = (place + 1) & search->mask;
    if (!append(&search->found, search->numbers + place, sizeof *search->numbers)) return PyErr_NoMemory(), 0;
    if (search->known[place]) return 1;
    PyObject *key = PyLong_FromUnsignedLongLong(hash);
    PyObject *word = PyBytes_FromStringAndSize((const char *)search->word.data, (Py_ssize_t)search->word.size);
    int added = key && word && !PyDict_SetItem(search->missing, key, word);
    Py_XDECREF(key), Py_XDECREF(word);
    return added;
}

/* All words of a text; 0 with an error, -1 where it has letters that need the long way. */
static int look_through(Search *search, const Byte *at, const Byte *end, const Byte *parted) {
    while (at < end) {
        Byte letter = parted[*at];
        if (letter == ' ') {
            at++;
            continue;
        }
        uint64_t hash = 0, power = 1;
        const Byte *start = at;
        if (!make_room(&search->word, (size_t)(end - at))) return PyErr_NoMemory(), 0;
        for (; at < end && (letter = parted[*at]) != ' '; at++) {
            if (!letter) return -1;
            search->word.data[at - start] = letter;
            hash += letter * (power *= RATIO);
        }
        search->word.size = (size_t)(at - start);
        int looked = look_up(search, hash);
        search->word.size = 0;
        if (!looked) return 0;
    }
    return 1;
}

/* rows(texts, parted, mark, keys, values, shift): the numbers of the words of all texts, before each text the mark; where
   the texts start; words that are not in the table by their hashes. `parted` says what becomes of each byte: a space, itself
   or its lower case, or 0 for letters that need the long way: then None. */
PyObject *words_rows(PyObject *module, PyObject *args) {
    PyObject *texts, *made = NULL;
    Py_buffer parted, keys, values;
    long long mark;
    Search search = {0};
    if (!PyArg_ParseTuple(args, "O!y*Ly*y*i", &PyList_Type, &texts, &parted, &mark, &keys, &values, &search.shift)) return NULL;
    search.known = keys.buf, search.numbers = values.buf;
    search.mask = (size_t)keys.len / sizeof *search.known - 1;
    search.missing = PyDict_New();
    int64_t first = mark;
    int going = search.missing != NULL;
    for (Py_ssize_t n = 0; going == 1 && n < PyList_GET_SIZE(texts); n++) {
        Py_ssize_t size = 0;
        const char *text = PyUnicode_AsUTF8AndSize(PyList_GET_ITEM(texts, n), &size);
        int64_t start = (int64_t)(search.found.size / sizeof start);
        if (!text) {
            PyErr_Clear(); /* half of a pair of surrogates */
            going = -1;
        } else if (!append(&search.found, &first, sizeof first) || !append(&search.starts, &start, sizeof start))
            PyErr_NoMemory(), going = 0;
        else
            going = look_through(&search, (const Byte *)text, (const Byte *)text + size, parted.buf);
    }
    if (going == 1)
        made = Py_BuildValue("(y#y#O)", search.found.data ? (char *)search.found.data : "", (Py_ssize_t)search.found.size,
                             search.starts.data ? (char *)search.starts.data : "", (Py_ssize_t)search.starts.size,
                             search.missing);
    else if (going == -1)
        made = Py_NewRef(Py_None);
    free(search.found.data), free(search.starts.data), free(search.word.data);
    Py_XDECREF(search.missing);
    PyBuffer_Release(&parted), PyBuffer_Release(&keys), PyBuffer_Release(&values);
    return made;
}

static uint32_t *COUNTS; /* how often each number is there: all 0 between two calls */
static uint64_t *SEEN;   /* a bit for each */
static size_t COUNTED;

static int make_counts(size_t size) {
    if (size <= COUNTED) return 1;
    size = (2 * size + 63) / 64 * 64;
    free(COUNTS), free(SEEN);
    COUNTS = calloc(size, sizeof *COUNTS);
    SEEN = calloc(size / 64, sizeof *SEEN);
    COUNTED = COUNTS && SEEN ? size : 0;
    return COUNTED != 0;
}

/* bag(numbers): each number above 0 once, in their order, and how often it is there; 8 bytes each. */
PyObject *words_bag(PyObject *module, PyObject *args) {
    Py_buffer numbers;
    if (!PyArg_ParseTuple(args, "y*", &numbers)) return NULL;
    const int64_t *all = numbers.buf;
    size_t many = (size_t)numbers.len / sizeof *all, different = 0;
    int64_t largest = 0;
    for (size_t n = 0; n < many; n++) largest = all[n] > largest ? all[n] : largest;
    PyObject *found = NULL, *counts = NULL, *both = NULL;
    if (largest >= (int64_t)1 << 32 || !make_counts((size_t)largest + 1)) {
        PyErr_NoMemory();
        goto end;
    }
    for (size_t n = 0; n < many; n++)
        if (all[n] > 0 && !COUNTS[all[n]]++) {
            SEEN[all[n] / 64] |= (uint64_t)1 << all[n] % 64;
            different++;
        }
    found = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(different * sizeof *all));
    counts = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(different * sizeof *all));
    int64_t *to = found ? (int64_t *)PyBytes_AS_STRING(found) : NULL, *often = counts ? (int64_t *)PyBytes_AS_STRING(counts) : NULL;
    for (size_t word = 0, place = 0; word <= (size_t)largest / 64; word++)
        for (; SEEN[word]; SEEN[word] &= SEEN[word] - 1, place++) {
            size_t number = 64 * word + (size_t)__builtin_ctzll(SEEN[word]);
            if (to && often) to[place] = (int64_t)number, often[place] = COUNTS[number];
            COUNTS[number] = 0;
        }
    if (found && counts) both = PyTuple_Pack(2, found, counts);
end:
    Py_XDECREF(found), Py_XDECREF(counts);
    PyBuffer_Release(&numbers);
    return both;
}

#define STIR 0xFF51AFD7ED558CCDu

static uint64_t stirred(uint64_t value) { return (value ^ value >> 32) * STIR; }

#define PLACES 32 /* longer words are few */

static uint64_t SPREAD[256];    /* eight counters of a byte each, one for each bit of every byte */
static Byte LETTERS[256];       /* lower case; a space for what parts words */
static uint64_t POWERS[PLACES]; /* of the ratio */

static void fill_tables(void) {
    if (SPREAD[255]) return;
    for (int byte = 0; byte < 256; byte++) {
        for (int bit = 0; bit < 8; bit++) SPREAD[byte] |= (uint64_t)(byte >> bit & 1) << 8 * bit;
        LETTERS[byte] = (Byte)(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte == '\n' ? ' ' : byte);
    }
    for (uint64_t place = 0, power = RATIO; place < PLACES; place++, power *= RATIO) POWERS[place] = power;
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

/* fingerprint(text): how many words there are, and the 64 bits as a signed number. The case of letters of ASCII makes no
   difference. */
PyObject *words_fingerprint(PyObject *module, PyObject *args) {
    Py_buffer text;
    if (!PyArg_ParseTuple(args, "y*", &text)) return NULL;
    const Byte *at = text.buf, *end = at + text.len;
    uint64_t last[3] = {0}, bits = 0;
    Votes votes = {0};
    Py_ssize_t count = 0;
    fill_tables();
    while (at < end) {
        uint64_t hash = 0, power = 1;
        const Byte *start = at;
        for (Byte letter; at < end && (letter = LETTERS[*at]) != ' '; at++)
            hash += letter * (power = at - start < PLACES ? POWERS[at - start] : power * RATIO);
        if (at++ == start) continue;
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
