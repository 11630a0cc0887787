/* Gifts: the twin of what frontier/cash_updates.py does with offers that only add to the cash of their URLs. */
#include "objects.h"

enum {
    CASH = OF_OFFERS, FETCHED, HOST, LEASED, PLACES, HELD_IN, HELD_AT, NAME, BAGS, HEADS, VALUES, MOVED, SLEEPER, NUMBER,
    FIELDS
};
enum { LANES = 8 }; /* that can be looked at; who has more has to go the long way */

/* What the bags of a lane are shown for, by their numbers. */
typedef struct {
    PyObject *queue;
    Py_buffer values;
} Shown;

typedef struct {
    PyObject *moving, *given, *bounds;
    long moves;
    int shown; /* lanes so far */
    Shown lanes[LANES];
    Slot slots[FIELDS];
} Gifts;

/* The values of a lane, NULL where they are not floats, or with an error. */
static const Py_buffer *values_of(Gifts *gifts, PyObject *queue) {
    for (int n = 0; n < gifts->shown; n++)
        if (gifts->lanes[n].queue == queue) return &gifts->lanes[n].values;
    PyObject *heads = *field(queue, gifts->slots[HEADS]);
    PyObject *values = Py_IS_TYPE(heads, gifts->slots[VALUES].kind) ? *field(heads, gifts->slots[VALUES]) : NULL;
    Shown *lane = gifts->lanes + gifts->shown;
    if (!values || PyList_Check(values) || gifts->shown == LANES) return NULL;
    if (PyObject_GetBuffer(values, &lane->values, PyBUF_SIMPLE) < 0) return NULL;
    lane->queue = queue;
    gifts->shown++;
    return &lane->values;
}

/* Note that an entry belongs elsewhere now; 0 with an error. */
static int move(Gifts *gifts, PyObject *bag, const Py_buffer *values, PyObject *key, double was, double now) {
    PyObject **moved = field(bag, gifts->slots[MOVED]);
    Note entry = {PyLong_AsLongLong(key), was, now};
    if (*moved == Py_None) {
        PyObject *fresh = PyByteArray_FromStringAndSize(NULL, 0);
        if (!fresh || PyList_Append(gifts->moving, bag) < 0) return Py_XDECREF(fresh), 0;
        Py_SETREF(*moved, fresh);
    }
    if (PyErr_Occurred() || !PyByteArray_CheckExact(*moved)) return PyErr_Occurred() ? 0 : (PyErr_SetString(PyExc_TypeError, "not packed"), 0);
    Py_ssize_t size = PyByteArray_GET_SIZE(*moved);
    if (PyByteArray_Resize(*moved, size + (Py_ssize_t)sizeof entry) < 0) return 0;
    memcpy(PyByteArray_AS_STRING(*moved) + size, &entry, sizeof entry);
    gifts->moves++;
    Py_ssize_t number = PyLong_AsSsize_t(*field(bag, gifts->slots[NUMBER]));
    if (number < 0 || number >= values->len / (Py_ssize_t)sizeof(double)) return PyErr_SetString(PyExc_IndexError, "no such bag"), 0;
    if (*field(bag, gifts->slots[SLEEPER]) == Py_None && ((const double *)values->buf)[number] < now) return 1;
    PyObject *bound = Py_BuildValue("(O(dO))", bag, now, key);
    int added = bound && !PyList_Append(gifts->bounds, bound);
    Py_XDECREF(bound);
    return added;
}

/* Whether a place is in this lane and better than a value; -1 with an error. */
static int beyond(const Gifts *gifts, PyObject *place, PyObject *lane, double value) {
    if (!Py_IS_TYPE(place, gifts->slots[HELD_AT].kind)) return 0;
    PyObject *best = *field(place, gifts->slots[HELD_AT]), *queue = *field(place, gifts->slots[HELD_IN]);
    if (!PyFloat_CheckExact(best) || !(value < PyFloat_AS_DOUBLE(best)) || !Py_IS_TYPE(queue, gifts->slots[NAME].kind)) return 0;
    PyObject *name = *field(queue, gifts->slots[NAME]);
    return name == lane ? 1 : PyObject_RichCompareBool(name, lane, Py_EQ);
}

/* Give the row its cash, and move the entry of its place, if it has one; 0 with an error. */
static int add(Gifts *gifts, PyObject *row, PyObject *address, PyObject *bag, const Py_buffer *values, double before, double more) {
    PyObject *cash = PyFloat_FromDouble(before + more), *key = PyTuple_GET_ITEM(address, 0);
    if (!cash) return 0;
    Py_SETREF(*field(row, gifts->slots[CASH]), cash);
    Py_SETREF(*field(row, gifts->slots[HOST]), Py_NewRef(PyTuple_GET_ITEM(address, 1)));
    return !PyDict_SetItem(gifts->given, key, row) && (!bag || move(gifts, bag, values, key, -before, -(before + more)));
}

/* Give a row what is offered; 0 where there is more to do, -1 with an error. */
static int give(Gifts *gifts, const Told *offer, PyObject *row, PyObject *address) {
    const Slot *slots = gifts->slots;
    PyObject *value = offer->value;
    if (!PyFloat_CheckExact(value) || !Py_IS_TYPE(row, slots[CASH].kind) || !PyFloat_CheckExact(*field(row, slots[CASH]))) return 0;
    int leased = PyObject_IsTrue(*field(row, slots[LEASED])), fetched = PyObject_IsTrue(*field(row, slots[FETCHED]));
    if (leased || fetched < 0) return leased > 0 ? 0 : -1;
    PyObject *lane = fetched ? offer->again : offer->lane, *places = *field(row, slots[PLACES]), *bag = NULL;
    double before = PyFloat_AS_DOUBLE(*field(row, slots[CASH])), more = PyFloat_AS_DOUBLE(value);
    if (!PyTuple_CheckExact(places) || PyTuple_GET_SIZE(places) > 1) return 0;
    const Py_buffer *values = NULL;
    if (PyTuple_GET_SIZE(places)) {
        int standing = beyond(gifts, PyTuple_GET_ITEM(places, 0), lane, more);
        if (standing <= 0) return standing;
        PyObject *queue = *field(PyTuple_GET_ITEM(places, 0), slots[HELD_IN]);
        bag = PyDict_GetItemWithError(*field(queue, slots[BAGS]), PyTuple_GET_ITEM(address, 1));
        if (!bag) return PyErr_Occurred() ? -1 : (PyErr_SetString(PyExc_KeyError, "no bag for a host"), -1);
        values = Py_IS_TYPE(bag, slots[NUMBER].kind) ? values_of(gifts, queue) : NULL;
        if (!values) return PyErr_Occurred() ? -1 : 0;
    } else if (lane != Py_None)
        return 0;
    return add(gifts, row, address, bag, values, before, more) ? 1 : -1;
}

/* The addresses of some offers, which are new references, and their rows; NULL for those that are not at hand. 0 with an error. */
static int find_rows(const Offers *offers, PyObject *addresses, PyObject *rows, const Slot *slots, PyObject **at, PyObject **row) {
    Py_ssize_t many = offers->many;
    Told one;
    for (Py_ssize_t n = 0; n < many; n++) at[n] = told(offers, n, slots, &one) ? one.url : NULL;
    if (!addresses_of(at, many, addresses)) return 0;
    for (Py_ssize_t n = 0; n < many; n++) {
        if (at[n] && !(PyTuple_CheckExact(at[n]) && PyTuple_GET_SIZE(at[n]) == 2)) Py_CLEAR(at[n]);
        if (at[n]) soon(PyTuple_GET_ITEM(at[n], 0));
    }
    for (Py_ssize_t n = 0; n < many; n++) row[n] = at[n] ? soon(PyDict_GetItemWithError(rows, PyTuple_GET_ITEM(at[n], 0))) : NULL;
    for (Py_ssize_t n = 0; n < many; n++)
        if (row[n] && Py_IS_TYPE(row[n], slots[PLACES].kind)) soon(*field(row[n], slots[PLACES]));
    return !PyErr_Occurred();
}

/* given(offers, addresses, rows, moving, slots): what is left to do, rows that have more cash, bounds, and how many entries wait anew. */
PyObject *gifts_given(PyObject *module, PyObject *args) {
    PyObject *said, *addresses, *rows, *slots, *rest = PyList_New(0), *waiting = PySet_New(NULL); /* URLs of the rest: cash adds up in order */
    Offers offers = {0};
    Told one;
    Gifts gifts = {.given = PyDict_New(), .bounds = PyList_New(0)};
    int going = rest && waiting && gifts.given && gifts.bounds &&
                PyArg_ParseTuple(args, "OO!O!O!O", &said, &PyDict_Type, &addresses, &PyDict_Type, &rows, &PyList_Type,
                                 &gifts.moving, &slots) &&
                slots_of(slots, gifts.slots, FIELDS) && offers_of(said, gifts.slots, &offers);
    Py_ssize_t many = offers.many;
    PyObject **found = PyMem_Calloc((size_t)(2 * many + 1), sizeof *found);
    if (!found) PyErr_NoMemory();
    going = going && found && find_rows(&offers, addresses, rows, gifts.slots, found, found + many);
    for (Py_ssize_t n = 0; going && n < many; n++) {
        int is_offer = told(&offers, n, gifts.slots, &one), waits = is_offer && PyList_GET_SIZE(rest) ? PySet_Contains(waiting, one.url) : 0;
        int done = is_offer && found[many + n] && !waits ? give(&gifts, &one, found[many + n], found[n]) : 0;
        going = waits >= 0 && (done > 0 || (!done && add_number(rest, n) && (!is_offer || waits || !PySet_Add(waiting, one.url))));
    }
    for (int n = 0; n < gifts.shown; n++) PyBuffer_Release(&gifts.lanes[n].values);
    for (Py_ssize_t n = 0; found && n < many; n++) Py_XDECREF(found[n]);
    PyMem_Free(found);
    Py_XDECREF(waiting);
    if (going) return Py_BuildValue("(NNNl)", rest, gifts.given, gifts.bounds, gifts.moves);
    Py_XDECREF(rest), Py_XDECREF(gifts.given), Py_XDECREF(gifts.bounds);
    return NULL;
}
