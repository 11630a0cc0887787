/* Words of a text that have their numbers: the twins of what text/vocabulary.py and topics/folded.py do with numpy. */
#include "shared.h"

/* How often each number is there, and a bit for each that is: all 0 between two calls. */
typedef struct {
    uint32_t *often;
    uint64_t *seen;
    size_t room;
} Counts;

static Counts SPARE; /* taken away by whoever counts, so that no two share it */

static Counts take_counts(void) {
    Counts taken = SPARE;
    SPARE = (Counts){0};
    return taken;
}

static void free_counts(Counts *counts) {
    free(counts->often), free(counts->seen);
    *counts = (Counts){0};
}

static void give_back(Counts *counts) {
    if (SPARE.room) free_counts(counts);
    else SPARE = *counts;
}

static int make_counts(Counts *counts, size_t size) {
    if (size <= counts->room) return 1;
    size = (2 * size + 63) / 64 * 64;
    free_counts(counts);
    *counts = (Counts){calloc(size, sizeof *counts->often), calloc(size / 64, sizeof *counts->seen), size};
    if (counts->often && counts->seen) return 1;
    free_counts(counts);
    return 0;
}

/* Count the numbers above 0, and say how many different ones there are; -1 with an error. */
static Py_ssize_t count_all(Counts *counts, const int64_t *all, size_t many, size_t *largest) {
    Py_ssize_t different = 0;
    int64_t last = 0;
    for (size_t n = 0; n < many; n++) last = all[n] > last ? all[n] : last;
    if (last >= (int64_t)1 << 32 || !make_counts(counts, (size_t)last + 1)) return PyErr_NoMemory(), -1;
    for (size_t n = 0; n < many; n++)
        if (all[n] > 0 && !counts->often[all[n]]++) {
            counts->seen[all[n] / 64] |= (uint64_t)1 << all[n] % 64;
            different++;
        }
    *largest = (size_t)last;
    return different;
}

/* The next number that was counted, from this one on; it must be forgotten before the next is asked for. */
static size_t next_counted(const Counts *counts, size_t from) {
    size_t word = from / 64;
    while (!counts->seen[word]) word++;
    return 64 * word + (size_t)__builtin_ctzll(counts->seen[word]);
}

static uint32_t forget_count(Counts *counts, size_t number) {
    uint32_t count = counts->often[number];
    counts->often[number] = 0;
    counts->seen[number / 64] &= counts->seen[number / 64] - 1;
    return count;
}

/* bag(numbers): each number above 0 once, in their order, and how often it is there; 8 bytes each. */
PyObject *words_bag(PyObject *module, PyObject *args) {
    Py_buffer numbers;
    if (!PyArg_ParseTuple(args, "y*", &numbers)) return NULL;
    size_t largest, number = 0;
    Counts counted = take_counts();
    Py_ssize_t different = count_all(&counted, numbers.buf, (size_t)numbers.len / sizeof(int64_t), &largest), size = 8 * different;
    PyObject *found = different < 0 ? NULL : PyBytes_FromStringAndSize(NULL, size), *both = NULL;
    PyObject *counts = different < 0 ? NULL : PyBytes_FromStringAndSize(NULL, size);
    int64_t *to = found && counts ? (int64_t *)PyBytes_AS_STRING(found) : NULL;
    int64_t *often = to ? (int64_t *)PyBytes_AS_STRING(counts) : NULL;
    for (Py_ssize_t place = 0; place < different; place++) {
        number = next_counted(&counted, number);
        int64_t count = forget_count(&counted, number);
        if (to) to[place] = (int64_t)number, often[place] = count;
    }
    give_back(&counted);
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
    Counts counted = take_counts();
    if (many * sizeof *other >= (size_t)terms.len / 2)
        PyErr_SetString(PyExc_ValueError, "more words than there are terms");
    else if ((different = count_all(&counted, numbers.buf, many, &largest)) >= 0) {
        int fits = (largest + 1) * sizeof *rare <= (size_t)idf.len && (largest + 1) * sizeof *rare <= (size_t)weights.len;
        for (Py_ssize_t place = 0; place < different; place++) {
            number = next_counted(&counted, number);
            uint32_t count = forget_count(&counted, number);
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
    give_back(&counted);
    PyBuffer_Release(&numbers), PyBuffer_Release(&terms), PyBuffer_Release(&idf), PyBuffer_Release(&weights);
    return both;
}
