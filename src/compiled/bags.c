/* Words of a text that have their numbers: the twins of what learning/words.py and learning/folded.py do with numpy. */
#include "shared.h"

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

/* Count the numbers above 0, and say how many different ones there are; -1 with an error. */
static Py_ssize_t count_all(const int64_t *all, size_t many, size_t *largest) {
    Py_ssize_t different = 0;
    int64_t last = 0;
    for (size_t n = 0; n < many; n++) last = all[n] > last ? all[n] : last;
    if (last >= (int64_t)1 << 32 || !make_counts((size_t)last + 1)) return PyErr_NoMemory(), -1;
    for (size_t n = 0; n < many; n++)
        if (all[n] > 0 && !COUNTS[all[n]]++) {
            SEEN[all[n] / 64] |= (uint64_t)1 << all[n] % 64;
            different++;
        }
    *largest = (size_t)last;
    return different;
}

/* The next number that was counted, from this one on; it must be forgotten before the next is asked for. */
static size_t next_counted(size_t from) {
    size_t word = from / 64;
    while (!SEEN[word]) word++;
    return 64 * word + (size_t)__builtin_ctzll(SEEN[word]);
}

static uint32_t forget_count(size_t number) {
    uint32_t count = COUNTS[number];
    COUNTS[number] = 0;
    SEEN[number / 64] &= SEEN[number / 64] - 1;
    return count;
}

/* bag(numbers): each number above 0 once, in their order, and how often it is there; 8 bytes each. */
PyObject *words_bag(PyObject *module, PyObject *args) {
    Py_buffer numbers;
    if (!PyArg_ParseTuple(args, "y*", &numbers)) return NULL;
    size_t largest, number = 0;
    Py_ssize_t different = count_all(numbers.buf, (size_t)numbers.len / sizeof(int64_t), &largest), size = 8 * different;
    PyObject *found = different < 0 ? NULL : PyBytes_FromStringAndSize(NULL, size), *both = NULL;
    PyObject *counts = different < 0 ? NULL : PyBytes_FromStringAndSize(NULL, size);
    int64_t *to = found && counts ? (int64_t *)PyBytes_AS_STRING(found) : NULL;
    int64_t *often = to ? (int64_t *)PyBytes_AS_STRING(counts) : NULL;
    for (Py_ssize_t place = 0; place < different; place++) {
        number = next_counted(number);
        int64_t count = forget_count(number);
        if (to) to[place] = (int64_t)number, often[place] = count;
    }
    if (to) both = PyTuple_Pack(2, found, counts);
    Py_XDECREF(found), Py_XDECREF(counts);
    PyBuffer_Release(&numbers);
    return both;
}

/* rate(numbers, terms, idf, weights): the weights of the words of a text times what they weigh, and the square of its length.
   `terms` says what it counts that a word is there so often: a word outside the vocabulary, which is number 1; then any other. */
PyObject *words_rate(PyObject *module, PyObject *args) {
    Py_buffer numbers, terms, idf, weights;
    if (!PyArg_ParseTuple(args, "y*y*y*y*", &numbers, &terms, &idf, &weights)) return NULL;
    const double *other = terms.buf, *any = other + terms.len / 2 / (Py_ssize_t)sizeof *other, *rare = idf.buf, *weight = weights.buf;
    size_t many = (size_t)numbers.len / sizeof(int64_t), largest, number = 0;
    double product = 0.0, square = 0.0;
    PyObject *both = NULL;
    Py_ssize_t different = 0;
    if (many * sizeof *other >= (size_t)terms.len / 2)
        PyErr_SetString(PyExc_ValueError, "more words than there are terms");
    else if ((different = count_all(numbers.buf, many, &largest)) >= 0) {
        int fits = (largest + 1) * sizeof *rare <= (size_t)idf.len && (largest + 1) * sizeof *rare <= (size_t)weights.len;
        for (Py_ssize_t place = 0; place < different; place++) {
            number = next_counted(number);
            uint32_t count = forget_count(number);
            if (!fits) continue;
            double value = (number == 1 ? other : any)[count] * rare[number];
            product += value * weight[number];
            square += value * value;
        }
        if (fits)
            both = Py_BuildValue("(dd)", product, square);
        else
            PyErr_SetString(PyExc_IndexError, "a word without a weight");
    }
    PyBuffer_Release(&numbers), PyBuffer_Release(&terms), PyBuffer_Release(&idf), PyBuffer_Release(&weights);
    return both;
}
