/* Words by their hashes: the twins of text/word_lookup.py and of the fingerprint in store/duplicates.py.

   The hash of a word is the sum of byte * r^place modulo 2^64, places counted from 1; r is secret for tables in memory, and the
   ratio below for fingerprints, which are written to disk. */
#include "layout.h"

#define RATIO 0x9E3779B97F4A7C15u

/* A word that is known, and its number; a hash of 0 is none. */
typedef struct {
    uint64_t hash;
    int64_t number;
} Slot;

/* find(text, table, shift): the numbers of the words, 8 bytes each, and (number of the word, hash, start, end) of those
   that are not in the table. Words are parted by spaces. */
PyObject *words_find(PyObject *module, PyObject *args) {
    Py_buffer text, table;
    int shift;
    if (!PyArg_ParseTuple(args, "y*y*i", &text, &table, &shift)) return NULL;
    const Byte *at = text.buf, *end = at + text.len;
    const Slot *known = table.buf;
    size_t mask = (size_t)table.len / sizeof *known - 1, count = 0;
    PyObject *missing = PyList_New(0), *found = PyBytes_FromStringAndSize(NULL, 4 * (text.len + 1) + 8), *both = NULL;
    if (!missing || !found) goto end;
    int64_t *into = (int64_t *)PyBytes_AS_STRING(found);
    while (at < end) {
        while (at < end && *at == ' ') at++;
        if (at == end) break;
        const Byte *start = at;
        uint64_t hash = 0, power = 1;
        for (; at < end && *at != ' '; at++) hash += *at * (power *= SECRET);
        size_t place = (size_t)(hash >> shift);
        while (known[place].hash && known[place].hash != hash) place = (place + 1) & mask;
        into[count] = known[place].number;
        if (!known[place].hash) {
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
    PyBuffer_Release(&text), PyBuffer_Release(&table);
    return both;
}

#define FEW 32 /* words of a text that the next one may begin with */

/* A search for the words of many texts: what it goes by, and what was found. */
typedef struct {
    const Slot *known;
    size_t mask;
    int shift;
    const Byte *parted; /* what becomes of each byte: a space, another letter, 0 for those that need the long way */
    Bytes found;        /* int64_t: numbers of words */
    Bytes starts;       /* int64_t: where the texts start among these */
    PyObject *missing;
    const Byte *last, *end;    /* the text before */
    size_t places[FEW], count; /* of its words in it, if these are few */
} Search;

/* Note a word that is not in the table; 0 with an error. */
static int miss(Search *search, uint64_t hash, const Byte *first, const Byte *end) {
    PyObject *key = PyLong_FromUnsignedLongLong(hash), *word = PyBytes_FromStringAndSize(NULL, end - first);
    for (char *to = word ? PyBytes_AS_STRING(word) : NULL; to && first < end; first++) *to++ = (char)search->parted[*first];
    int added = key && word && !PyDict_SetItem(search->missing, key, word);
    Py_XDECREF(key), Py_XDECREF(word);
    return added;
}

static void note_place(Search *search, size_t place) {
    if (search->count < FEW) search->places[search->count] = place;
    search->count++;
}

/* The contexts of neighbouring links overlap: where a text begins with the last words of the one before, those are known.
   How many bytes that are; there is room for all words of the text. */
static size_t look_back(Search *search, const Byte *text, const Byte *end, size_t start) {
    size_t size = (size_t)(end - text), many = search->count;
    search->count = 0;
    for (size_t n = 0; n < many && many <= FEW; n++) {
        size_t place = search->places[n], same = (size_t)(search->end - search->last) - place;
        if (same > size || memcmp(search->last + place, text, same)) continue;
        if (same < size && search->parted[text[same]] != ' ') continue;
        append(&search->found, (int64_t *)search->found.data + start - (many - n), (many - n) * sizeof(int64_t));
        for (; n < many; n++) note_place(search, search->places[n] - place);
        return same;
    }
    return 0;
}

/* The hash of the word that begins here; `at` goes to its end, and becomes NULL where it needs the long way. */
static uint64_t hash_of(const Byte **at, const Byte *end, const Byte *parted) {
    uint64_t hash = 0, power = 1;
    const Byte *next = *at;
    for (Byte letter; next < end && (letter = parted[*next]) != ' '; next++) {
        if (!letter) return *at = NULL, 0;
        hash += letter * (power *= SECRET);
    }
    return *at = next, hash;
}

/* The words of a text from here on; 0 with an error, -1 where it has letters that need the long way. */
static int look_on(Search *search, const Byte *text, const Byte *at, const Byte *end) {
    const Slot *known = search->known;
    if (!make_room(&search->found, ((size_t)(end - at) / 2 + 2) * sizeof known->number)) return PyErr_NoMemory(), 0;
    while (at < end) {
        if (search->parted[*at] == ' ') {
            at++;
            continue;
        }
        const Byte *first = at;
        uint64_t hash = hash_of(&at, end, search->parted);
        if (!at) return -1;
        size_t place = (size_t)(hash >> search->shift);
        while (known[place].hash && known[place].hash != hash) place = (place + 1) & search->mask;
        if (!known[place].hash && !miss(search, hash, first, at)) return 0;
        append(&search->found, &known[place].number, sizeof known->number);
        note_place(search, (size_t)(first - text));
    }
    return 1;
}

/* All words of a text, the mark before it; as above. */
static int look_through(Search *search, int64_t mark, const Byte *text, const Byte *end) {
    int64_t start = (int64_t)(search->found.size / sizeof start);
    if (!append(&search->starts, &start, sizeof start) || !make_room(&search->found, ((size_t)(end - text) / 2 + 2) * sizeof mark))
        return PyErr_NoMemory(), 0;
    append(&search->found, &mark, sizeof mark);
    int done = look_on(search, text, text + look_back(search, text, end, (size_t)start), end);
    search->last = text, search->end = end;
    return done;
}

/* The words of all texts of a list; as above. */
static int look_through_all(Search *search, PyObject *texts, int64_t mark) {
    int going = search->missing || (search->missing = PyDict_New());
    for (Py_ssize_t n = 0; going == 1 && n < PyList_GET_SIZE(texts); n++) {
        Py_ssize_t size = 0;
        const char *text = PyUnicode_AsUTF8AndSize(PyList_GET_ITEM(texts, n), &size);
        if (!text) {
            PyErr_Clear(); /* half of a pair of surrogates */
            return -1;
        }
        going = look_through(search, mark, (const Byte *)text, (const Byte *)text + size);
    }
    return going;
}

static const char *data_of(const Bytes *bytes) { return bytes->data ? (const char *)bytes->data : ""; }

static void forget(Search *search) {
    free(search->found.data), free(search->starts.data);
    Py_XDECREF(search->missing);
}

/* rows(texts, parted, mark, table, shift): the numbers of the words of all texts, before each text the mark; where the texts
   start; words that are not in the table by their hashes. None where there are letters that need the long way. */
PyObject *words_rows(PyObject *module, PyObject *args) {
    PyObject *texts, *made = NULL;
    Py_buffer parted, table;
    long long mark;
    Search search = {0};
    if (!PyArg_ParseTuple(args, "O!y*Ly*i", &PyList_Type, &texts, &parted, &mark, &table, &search.shift)) return NULL;
    search.known = table.buf, search.mask = (size_t)table.len / sizeof *search.known - 1, search.parted = parted.buf;
    int done = look_through_all(&search, texts, mark);
    if (done == 1)
        made = Py_BuildValue("(y#y#O)", data_of(&search.found), (Py_ssize_t)search.found.size, data_of(&search.starts),
                             (Py_ssize_t)search.starts.size, search.missing);
    else if (done == -1)
        made = Py_NewRef(Py_None);
    forget(&search);
    PyBuffer_Release(&parted), PyBuffer_Release(&table);
    return made;
}

/* What the words of each text weigh together, one after the other; NULL with an error. */
static PyObject *weighed(const Search *search, const double *weights, size_t many) {
    size_t count = search->starts.size / sizeof(int64_t), all = search->found.size / sizeof(int64_t);
    const int64_t *starts = (const int64_t *)search->starts.data, *numbers = (const int64_t *)search->found.data;
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof *weights));
    if (!made) return NULL;
    double *sums = (double *)PyBytes_AS_STRING(made);
    for (size_t text = 0; text < count; text++) {
        double sum = 0.0;
        size_t end = text + 1 < count ? (size_t)starts[text + 1] : all;
        for (size_t n = (size_t)starts[text]; n < end; n++)
            if (numbers[n] > 0 && (size_t)numbers[n] < many) sum += weights[numbers[n]];
        sums[text] = sum;
    }
    return made;
}

/* sums(texts, parted, table, shift, weights): what the words of each text weigh together, 8 bytes each, and what is missing,
   as above; nothing weighs what is in no vocabulary. */
PyObject *words_sums(PyObject *module, PyObject *args) {
    PyObject *texts, *sums, *made = NULL;
    Py_buffer parted, table, weights;
    Search search = {0};
    if (!PyArg_ParseTuple(args, "O!y*y*iy*", &PyList_Type, &texts, &parted, &table, &search.shift, &weights)) return NULL;
    search.known = table.buf, search.mask = (size_t)table.len / sizeof *search.known - 1, search.parted = parted.buf;
    int done = look_through_all(&search, texts, 0);
    if (done == 1 && (sums = weighed(&search, weights.buf, (size_t)weights.len / sizeof(double))))
        made = Py_BuildValue("(NO)", sums, search.missing);
    else if (done == -1)
        made = Py_NewRef(Py_None);
    forget(&search);
    PyBuffer_Release(&parted), PyBuffer_Release(&table), PyBuffer_Release(&weights);
    return made;
}

/* Numbers among those that were found; `many` is NOT_YET before somebody looks. */
typedef struct {
    uint32_t first, many;
} Run;

enum { NOT_YET = UINT32_MAX };

/* A page and its links: of each word, and of what each link says itself, the numbers. */
typedef struct {
    Search search;
    View view;
    size_t count;
    Py_ssize_t links;
    Run *words, *owns;
} Page;

/* Begin with a page of which nothing is known yet; 0 with an error. */
static int begin(Page *page, PyObject *packed, const Py_buffer *parted, const Py_buffer *table) {
    page->search.known = table->buf, page->search.mask = (size_t)table->len / sizeof *page->search.known - 1;
    page->search.parted = parted->buf;
    if (!layout_view(&page->view, packed)) return 0;
    page->links = page->view.many, page->count = page->view.words;
    size_t many = page->count + (size_t)page->links;
    if (!(page->words = PyMem_New(Run, many + 1))) return PyErr_NoMemory(), 0;
    memset(page->words, 255, (many + 1) * sizeof *page->words);
    page->owns = page->words + page->count;
    return (page->search.missing = PyDict_New()) != NULL;
}

static void end(Page *page) {
    PyMem_Free(page->words);
    layout_view_end(&page->view);
    forget(&page->search);
}

/* Look up the words of a text; as `look_on`. */
static int look_up(Page *page, const Byte *text, size_t size, Run *run) {
    run->first = (uint32_t)(page->search.found.size / sizeof(int64_t));
    int done = size ? look_on(&page->search, text, text, text + size) : 1;
    run->many = (uint32_t)(page->search.found.size / sizeof(int64_t)) - run->first;
    return done;
}

static int look_up_word(Page *page, size_t number) {
    size_t size;
    const Byte *text = layout_word(&page->view, number, &size);
    return page->words[number].many == NOT_YET ? look_up(page, text, size, page->words + number) : 1;
}

static int look_up_own(Page *page, Py_ssize_t link) {
    const Byte *text;
    size_t size;
    if (page->owns[link].many != NOT_YET) return 1;
    if (!layout_own(&page->view, link, &text, &size)) return PyErr_NoMemory(), 0;
    return look_up(page, text, size, page->owns + link);
}

/* Put the mark before what comes now; 0 with an error. */
static int put_mark(Search *search, int64_t mark) {
    int64_t start = (int64_t)(search->found.size / sizeof start);
    if (append(&search->starts, &start, sizeof start) && append(&search->found, &mark, sizeof mark)) return 1;
    return PyErr_NoMemory(), 0;
}

/* The words of a page, and of those links that are asked for; as `look_on`. */
static int look_through_page(Page *page, int64_t mark, PyObject *wanted) {
    int done = put_mark(&page->search, mark);
    for (size_t n = 0; done == 1 && n < page->count; n++) done = look_up_word(page, n);
    Py_ssize_t many = wanted == Py_None ? page->links : PyList_GET_SIZE(wanted);
    for (Py_ssize_t n = 0; done == 1 && n < many; n++) {
        Py_ssize_t link = wanted == Py_None ? n : PyLong_AsSsize_t(PyList_GET_ITEM(wanted, n));
        if (link < 0 || link >= page->links) return PyErr_Occurred() ? 0 : (PyErr_SetString(PyExc_IndexError, "no such link"), 0);
        done = put_mark(&page->search, mark);
        page->owns[link].many = NOT_YET; /* should one be asked for twice */
        if (done == 1) done = look_up_own(page, link);
    }
    return done;
}

/* read(texts, packed, wanted, parted, mark, table, shift): as `rows` of some texts, the text of a page, and the own words of all its
   links or of those wanted; before what is missing, where the numbers of each word and link are. */
PyObject *words_read(PyObject *module, PyObject *args) {
    PyObject *title, *packed, *wanted, *made = NULL;
    Py_buffer parted, table;
    long long mark;
    Page page = {0};
    if (!PyArg_ParseTuple(args, "O!OOy*Ly*i", &PyList_Type, &title, &packed, &wanted, &parted, &mark, &table, &page.search.shift)) return NULL;
    int done = (wanted == Py_None || PyList_CheckExact(wanted)) && begin(&page, packed, &parted, &table);
    if (done) done = look_through_all(&page.search, title, mark);
    if (done == 1) done = look_through_page(&page, mark, wanted);
    if (done == 1)
        made = Py_BuildValue("(y#y#y#O)", data_of(&page.search.found), (Py_ssize_t)page.search.found.size, data_of(&page.search.starts),
                             (Py_ssize_t)page.search.starts.size, (const char *)page.words,
                             (Py_ssize_t)((page.count + (size_t)page.links) * sizeof *page.words), page.search.missing);
    else if (done == -1)
        made = Py_NewRef(Py_None);
    else if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "not a list of links");
    end(&page);
    PyBuffer_Release(&parted), PyBuffer_Release(&table);
    return made;
}

/* Take over what `read` found; 0 with an error. */
static int go_on(Page *page, const Py_buffer *numbers, const Py_buffer *runs) {
    size_t many = page->count + (size_t)page->links, there = (size_t)numbers->len / sizeof(int64_t);
    if (!runs->len) return 1;
    if ((size_t)runs->len != many * sizeof *page->words) return PyErr_SetString(PyExc_ValueError, "not what was read of this page"), 0;
    if (!append(&page->search.found, numbers->buf, there * sizeof(int64_t))) return PyErr_NoMemory(), 0;
    memcpy(page->words, runs->buf, (size_t)runs->len);
    for (const Run *run = page->words; run < page->words + many; run++)
        if (run->many != NOT_YET && (size_t)run->first + run->many > there)
            return PyErr_SetString(PyExc_ValueError, "not what was read of this page"), 0;
    return 1;
}

static double weight_of(const Page *page, Run run, const Py_buffer *weights, double sum) {
    const int64_t *numbers = (const int64_t *)page->search.found.data + run.first;
    size_t many = (size_t)weights->len / sizeof(double);
    for (uint32_t n = 0; n < run.many; n++)
        if (numbers[n] > 0 && (size_t)numbers[n] < many) sum += ((const double *)weights->buf)[numbers[n]];
    return sum;
}

static int weigh_context(Page *page, Py_ssize_t link, const Py_buffer *weights, double *sum) {
    size_t from, to;
    int done = 1;
    *sum = 0.0;
    if (!layout_range(&page->view, link, page_limits(), &from, &to)) {
        PyObject *context = layout_context(&page->view, link, page_limits());
        Py_ssize_t length = 0;
        const char *text = context ? PyUnicode_AsUTF8AndSize(context, &length) : NULL;
        Run run;
        done = text ? look_up(page, (const Byte *)text, (size_t)length, &run) : 0;
        if (done == 1) *sum = weight_of(page, run, weights, 0.0);
        return Py_XDECREF(context), done;
    }
    for (; done == 1 && from < to; from++)
        if ((done = look_up_word(page, from)) == 1) *sum = weight_of(page, page->words[from], weights, *sum);
    return done;
}

/* promised(packed, parted, table, shift, weights, numbers, runs): what the contexts of a page's links weigh, 8 bytes each, then what
   their own words weigh, and what is missing, as above; None where there are letters that need the long way. The last two are what
   `read` found of the page, or empty. */
PyObject *words_promised(PyObject *module, PyObject *args) {
    PyObject *packed, *sums = NULL, *made = NULL;
    Py_buffer parted, table, weights, numbers, runs;
    Page page = {0};
    if (!PyArg_ParseTuple(args, "Oy*y*iy*y*y*", &packed, &parted, &table, &page.search.shift, &weights, &numbers, &runs)) return NULL;
    int done = begin(&page, packed, &parted, &table) && go_on(&page, &numbers, &runs) &&
               (sums = PyBytes_FromStringAndSize(NULL, 16 * page.links));
    double *into = done ? (double *)PyBytes_AS_STRING(sums) : NULL;
    for (Py_ssize_t n = 0; done == 1 && n < page.links; n++) {
        done = weigh_context(&page, n, &weights, into + n);
        if (done == 1 && (done = look_up_own(&page, n)) == 1) into[page.links + n] = weight_of(&page, page.owns[n], &weights, 0.0);
    }
    if (done == 1) made = PyTuple_Pack(2, sums, page.search.missing);
    else if (done == -1) made = Py_NewRef(Py_None);
    Py_XDECREF(sums);
    end(&page);
    PyBuffer_Release(&parted), PyBuffer_Release(&table), PyBuffer_Release(&weights), PyBuffer_Release(&numbers), PyBuffer_Release(&runs);
    return made;
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
