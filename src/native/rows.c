/* Rows of the frontier on disk, as far as they are known in memory: the twin of what frontier/disk/rows.py does with one row. */
#include "objects.h"

enum { WHOLE = 0, DONE = 1, TEXT = 3 };                  /* frontier/disk/log.py: what the index says */
enum { IS_FETCHED = 1, IS_START = 2, IS_NOTED = 8 };     /* frontier/disk/log_records.py */
enum { PART = 16 };                                      /* frontier/disk/first_offers.py */
enum { AHEAD = 8 };                                      /* rows that are on their way, and as many that come after them */
enum { CASH, FETCHED, HOST, KEPT, LEASED, NUMBER, PLACES, RECORD, WRITTEN, HELD_NUMBER, HELD, HELD_IN, HELD_AT, FIELDS };

typedef struct {
    int64_t key, host;
    double worth, best;
    int64_t offer, kept;
    int32_t lane, flags;
} Record;

typedef struct {
    double best;
    int32_t lane;
} __attribute__((packed)) First;

typedef struct {
    const int64_t *table; /* key, number, key, number ... */
    uint64_t mask;
    PyObject *tail, *firsts, *leased, *queues;
    Slot slots[FIELDS];
    int sums;
} Known;

/* What the index says of a key, 0 if nothing. */
static int64_t number_of(const Known *known, int64_t key) {
    uint64_t slot = spread(key) & known->mask;
    while (known->table[2 * slot + 1] && known->table[2 * slot] != key) slot = (slot + 1) & known->mask;
    return known->table[2 * slot + 1];
}

static PyObject *item_at(PyObject *dict, int64_t number) {
    PyObject *key = PyLong_FromLongLong(number), *found = key ? PyDict_GetItemWithError(dict, key) : NULL;
    Py_XDECREF(key);
    return found;
}

/* The record of a row that has one, and where it is packed; 0 where it is not at hand. */
static int find_record(const Known *known, int64_t number, Record *record, PyObject **data) {
    *data = NULL;
    if ((number & 3) == TEXT) {
        PyObject *part = item_at(known->firsts, number >> 2 >> PART);
        size_t at = (size_t)(number >> 2 & ((1 << PART) - 1)) * sizeof(First);
        if (!part || !PyByteArray_Check(part) || (size_t)PyByteArray_GET_SIZE(part) < at + sizeof(First)) return 0;
        First first;
        memcpy(&first, PyByteArray_AS_STRING(part) + at, sizeof first);
        *record = (Record){.worth = first.best, .best = first.best, .offer = number >> 2, .lane = first.lane};
        return 1;
    }
    if ((number & 3) != WHOLE) {
        *record = (Record){.lane = -1, .flags = (number & 3) == DONE ? IS_FETCHED : 0};
        return 1;
    }
    PyObject *block = item_at(known->tail, number >> 8);
    size_t at = (size_t)(number >> 2 & 63) * sizeof *record;
    if (!block || !PyBytes_Check(block) || (size_t)PyBytes_GET_SIZE(block) < at + sizeof *record) return 0;
    const char *start = PyBytes_AS_STRING(block) + at;
    memcpy(record, start, sizeof *record);
    if ((size_t)PyBytes_GET_SIZE(block) >= at + 2 * sizeof *record) {
        Record next;
        memcpy(&next, start + sizeof next, sizeof next);
        if (!(next.flags & IS_START)) return 0; /* it stands in more than one lane */
    }
    *data = known->sums && record->lane >= 0 ? PyBytes_FromStringAndSize(start, sizeof *record) : NULL;
    return 1;
}

/* Give a new object a value, which is given away; 0 with an error. */
static int set(PyObject *object, Slot slot, PyObject *value) {
    *field(object, slot) = value;
    return value != NULL;
}

static PyObject *new_place(const Known *known, const Record *record) {
    const Slot *slots = known->slots;
    PyTypeObject *kind = slots[HELD].kind;
    if (record->lane >= PyList_GET_SIZE(known->queues)) return PyErr_SetString(PyExc_IndexError, "no such lane"), NULL;
    PyObject *place = kind->tp_alloc(kind, 0);
    if (place && set(place, slots[HELD_NUMBER], PyLong_FromLongLong(record->offer)) && set(place, slots[HELD], Py_NewRef(Py_None)) &&
        set(place, slots[HELD_IN], Py_NewRef(PyList_GET_ITEM(known->queues, record->lane))) &&
        set(place, slots[HELD_AT], PyFloat_FromDouble(record->best)))
        return place;
    Py_XDECREF(place);
    return NULL;
}

static PyObject *new_places(const Known *known, const Record *record) {
    if (record->lane < 0) return PyTuple_New(0);
    PyObject *place = new_place(known, record), *places = place ? PyTuple_Pack(1, place) : NULL;
    Py_XDECREF(place);
    return places;
}

static PyObject *note_of(const Record *record) {
    if (!(record->flags & IS_NOTED)) return Py_NewRef(Py_None);
    double note;
    memcpy(&note, &record->kept, sizeof note);
    return Py_BuildValue("(d)", note);
}

/* A row that is not leased; `data` is given away. */
static PyObject *new_row(const Known *known, const Record *record, PyObject *data) {
    const Slot *slots = known->slots;
    PyTypeObject *kind = slots[CASH].kind;
    int64_t kept = record->flags & IS_NOTED ? 0 : record->kept;
    long written = (record->lane >= 0 ? 5 : 0) | (kept ? 2 : 0); /* frontier/disk/writer.py: figures */
    PyObject *row = kind->tp_alloc(kind, 0);
    if (!data) data = PyBytes_FromStringAndSize(NULL, 0);
    if (!row) {
        Py_XDECREF(data);
        return NULL;
    }
    if (set(row, slots[RECORD], data) && set(row, slots[CASH], known->sums ? PyFloat_FromDouble(record->worth) : PyLong_FromLong(0)) &&
        set(row, slots[FETCHED], PyBool_FromLong(record->flags & IS_FETCHED)) && set(row, slots[HOST], PyLong_FromLong(0)) &&
        set(row, slots[KEPT], note_of(record)) && set(row, slots[LEASED], PyLong_FromLong(0)) &&
        set(row, slots[NUMBER], PyLong_FromLongLong(kept)) && set(row, slots[WRITTEN], PyLong_FromLong(written)) &&
        set(row, slots[PLACES], new_places(known, record)))
        return row;
    Py_DECREF(row);
    return NULL;
}

/* Have the row of a key at hand, or note that it is unknown, or that it must be read; 0 with an error. */
static int load(const Known *known, PyObject *key, PyObject *rows, PyObject *unknown, PyObject *unread) {
    int64_t number = number_of(known, PyLong_AsLongLong(key));
    if (PyErr_Occurred()) return 0;
    if (!number) return !PySet_Add(unknown, key);
    Record record;
    PyObject *data;
    int leased = PyDict_Contains(known->leased, key);
    if (leased || !find_record(known, number, &record, &data)) return leased >= 0 && !PyErr_Occurred() && !PyList_Append(unread, key);
    PyObject *row = PyErr_Occurred() ? NULL : new_row(known, &record, data);
    int done = row && !PyDict_SetItem(rows, key, row);
    Py_XDECREF(row);
    return done;
}

/* loaded(keys, rows, unknown, table, tail, firsts, leased, queues, slots, sums): put those rows at hand that memory has all of, in one
   lane at most and not leased; add keys that nothing is known of to `unknown`; say which are left to be read. */
PyObject *rows_loaded(PyObject *module, PyObject *args) {
    PyObject *keys, *rows, *unknown, *slots;
    Py_buffer table;
    Known known;
    if (!PyArg_ParseTuple(args, "O!O!O!y*O!O!O!O!Op", &PyList_Type, &keys, &PyDict_Type, &rows, &PySet_Type, &unknown, &table, &PyDict_Type,
                          &known.tail, &PyDict_Type, &known.firsts, &PyDict_Type, &known.leased, &PyList_Type, &known.queues, &slots, &known.sums))
        return NULL;
    known.table = table.buf, known.mask = (uint64_t)table.len / 16 - 1;
    PyObject *unread = slots_of(slots, known.slots, FIELDS) ? PyList_New(0) : NULL;
    for (Py_ssize_t n = 0; unread && n < PyList_GET_SIZE(keys); n++) {
        int64_t key = PyLong_AsLongLong(PyList_GET_ITEM(keys, n));
        __builtin_prefetch(known.table + 2 * (spread(key) & known.mask));
    }
    for (Py_ssize_t n = 0; unread && n < PyList_GET_SIZE(keys); n++)
        if (PyErr_Occurred() || !load(&known, PyList_GET_ITEM(keys, n), rows, unknown, unread)) Py_CLEAR(unread);
    PyBuffer_Release(&table);
    return unread;
}

/* The next row of a dict, NULL after the last. */
static PyObject *next_row(PyObject *rows, Py_ssize_t *at, PyObject **key) {
    PyObject *row;
    return PyDict_Next(rows, at, key, &row) ? row : NULL;
}

/* Have one that comes at hand soon, and what the one in the middle of the way to it holds. */
static void expect(PyObject *rows, const Slot *slots, Py_ssize_t *near, Py_ssize_t *far) {
    PyObject *key, *row = next_row(rows, near, &key);
    if (row && Py_IS_TYPE(row, slots->kind)) soon(*field(row, slots[0])), soon(*field(row, slots[1]));
    soon(next_row(rows, far, &key));
}

/* Append the record of a row with the cash that it has now, or add the row to the others; 0 with an error. */
static int renew(PyObject *key, PyObject *row, const Slot *slots, Record **end, PyObject *others) {
    if (!Py_IS_TYPE(row, slots->kind)) return PyErr_SetString(PyExc_TypeError, "not a row"), 0;
    PyObject *data = *field(row, slots[0]), *cash = *field(row, slots[1]);
    if (!data || !cash || !PyBytes_Check(data) || PyBytes_GET_SIZE(data) != sizeof(Record)) return !PyDict_SetItem(others, key, row);
    memcpy(*end, PyBytes_AS_STRING(data), sizeof(Record));
    (*end)++->worth = PyFloat_AsDouble(cash);
    return !PyErr_Occurred();
}

/* richer(rows, slots): the records of those rows that still have one, with the cash that they have now; and the other rows. */
PyObject *rows_richer(PyObject *module, PyObject *args) {
    PyObject *rows, *descriptors, *key, *row;
    Slot slots[2];
    Py_ssize_t at = 0, near = 0, far = 0;
    if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &rows, &descriptors) || !slots_of(descriptors, slots, 2)) return NULL;
    Record *records = PyMem_Malloc((size_t)PyDict_GET_SIZE(rows) * sizeof *records + 1), *end = records;
    PyObject *others = records ? PyDict_New() : PyErr_NoMemory();
    for (int n = 0; n < AHEAD; n++) soon(next_row(rows, &far, &key));
    for (int n = 0; n < AHEAD; n++) expect(rows, slots, &near, &far);
    while (others && (row = next_row(rows, &at, &key))) {
        expect(rows, slots, &near, &far);
        if (!renew(key, row, slots, &end, others)) Py_CLEAR(others);
    }
    PyObject *found = others ? Py_BuildValue("y#N", (char *)records, (Py_ssize_t)((char *)end - (char *)records), others) : NULL;
    PyMem_Free(records);
    return found;
}
