/* Objects of plain classes, whose fields are slots: made by the dozen, and looked through by the dozen. */
#include "objects.h"
#include <math.h>
#include <structmember.h>

int slots_of(PyObject *descriptors, Slot *slots, Py_ssize_t many) {
    if (!PyTuple_Check(descriptors) || PyTuple_GET_SIZE(descriptors) != many || many > MOST_FIELDS) {
        PyErr_SetString(PyExc_TypeError, "not as many slots as fields");
        return 0;
    }
    for (Py_ssize_t n = 0; n < many; n++) {
        PyObject *one = PyTuple_GET_ITEM(descriptors, n);
        if (!Py_IS_TYPE(one, &PyMemberDescr_Type) || ((PyMemberDescrObject *)one)->d_member->type != T_OBJECT_EX) {
            PyErr_SetString(PyExc_TypeError, "not a slot");
            return 0;
        }
        slots[n] = (Slot){PyDescr_TYPE(one), ((PyMemberDescrObject *)one)->d_member->offset};
    }
    return 1;
}

/* How many rows the columns have; -1, with an error, where they do not agree or there is none. */
static Py_ssize_t rows_in(PyObject *fields) {
    Py_ssize_t count = -1;
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(fields); n++) {
        PyObject *one = PyTuple_GET_ITEM(fields, n);
        if (!PyList_CheckExact(one)) continue;
        if (count >= 0 && PyList_GET_SIZE(one) != count) {
            PyErr_SetString(PyExc_ValueError, "columns of different lengths");
            return -1;
        }
        count = PyList_GET_SIZE(one);
    }
    if (count < 0) PyErr_SetString(PyExc_ValueError, "no column");
    return count;
}

/* made(kind, slots, fields): objects of a class; of each field a list with one value for each, or one value for all. */
PyObject *objects_made(PyObject *module, PyObject *args) {
    PyTypeObject *kind;
    PyObject *descriptors, *fields;
    Slot slots[MOST_FIELDS];
    if (!PyArg_ParseTuple(args, "O!OO!", &PyType_Type, &kind, &descriptors, &PyTuple_Type, &fields)) return NULL;
    Py_ssize_t width = PyTuple_GET_SIZE(fields), count = rows_in(fields);
    if (count < 0 || !slots_of(descriptors, slots, width)) return NULL;
    PyObject *found = PyList_New(count);
    for (Py_ssize_t row = 0; found && row < count; row++) {
        PyObject *one = kind->tp_alloc(kind, 0);
        if (!one) {
            Py_CLEAR(found);
            break;
        }
        for (Py_ssize_t n = 0; n < width; n++) {
            PyObject *given = PyTuple_GET_ITEM(fields, n);
            *field(one, slots[n]) = Py_NewRef(PyList_CheckExact(given) ? PyList_GET_ITEM(given, row) : given);
        }
        PyList_SET_ITEM(found, row, one);
    }
    return found;
}

enum { VALUE, LANE, AGAIN, LINK, URL, SOURCE, FETCHED, LEASED, PLACES, HELD_IN, HELD_AT, HELD, NAME, FIELDS };

/* Whether it can be seen at a glance that an offer does not get a place; -1 with an error. */
static int worse(PyObject *offer, PyObject *place, const Slot *slots) {
    if (!Py_IS_TYPE(place, slots[HELD].kind)) return 0;
    PyObject *best = *field(place, slots[HELD_AT]), *queue = *field(place, slots[HELD_IN]), *held = *field(place, slots[HELD]);
    if (!PyFloat_CheckExact(best) || !Py_IS_TYPE(queue, slots[NAME].kind)) return 0;
    double given = PyFloat_AS_DOUBLE(*field(offer, slots[VALUE])), had = PyFloat_AS_DOUBLE(best);
    if (!(given <= had)) return 0;
    PyObject *lane = *field(offer, slots[LANE]), *name = *field(queue, slots[NAME]);
    int same = lane == name ? 1 : PyObject_RichCompareBool(lane, name, Py_EQ);
    if (same <= 0 || given < had) return same;
    if (!Py_IS_TYPE(held, slots[LINK].kind)) return 0;
    PyObject *link = *field(offer, slots[LINK]), *other = *field(held, slots[LINK]);
    if (!Py_IS_TYPE(link, slots[SOURCE].kind) || !Py_IS_TYPE(other, slots[SOURCE].kind)) return 0;
    return PyObject_RichCompareBool(*field(link, slots[SOURCE]), *field(other, slots[SOURCE]), Py_GT);
}

/* Whether an offer changes nothing, as can be seen from the row of its URL; -1 with an error. */
static int idle(PyObject *offer, PyObject *row, const Slot *slots) {
    PyObject *value = *field(offer, slots[VALUE]);
    if (!PyFloat_CheckExact(value) || !isfinite(PyFloat_AS_DOUBLE(value))) return 0; /* somebody will say what is wrong */
    if (row == Py_None) return *field(offer, slots[AGAIN]) == Py_None;
    if (!Py_IS_TYPE(row, slots[PLACES].kind)) return 0;
    int done = PyObject_IsTrue(*field(row, slots[FETCHED]));
    if (!done) done = PyObject_IsTrue(*field(row, slots[LEASED]));
    if (done) return done < 0 ? -1 : *field(offer, slots[AGAIN]) == Py_None;
    PyObject *places = *field(row, slots[PLACES]);
    return PyTuple_CheckExact(places) && PyTuple_GET_SIZE(places) == 1 ? worse(offer, PyTuple_GET_ITEM(places, 0), slots) : 0;
}

/* The rows of some URLs, which are in `found` before; NULL for those that are not at hand. 0 with an error. */
static int rows_of(PyObject **found, Py_ssize_t many, PyObject *addresses, PyObject *rows) {
    for (Py_ssize_t n = 0; n < many; n++) soon(found[n]);
    for (Py_ssize_t n = 0; n < many; n++)
        if (found[n]) found[n] = soon(PyDict_GetItemWithError(addresses, found[n]));
    for (Py_ssize_t n = 0; n < many; n++)
        if (found[n]) found[n] = PyTuple_CheckExact(found[n]) ? soon(PyTuple_GetItem(found[n], 0)) : NULL;
    for (Py_ssize_t n = 0; n < many; n++)
        if (found[n]) found[n] = soon(PyDict_GetItemWithError(rows, found[n]));
    return !PyErr_Occurred();
}

/* looked_up(urls, addresses, rows): the rows of URLs, None for those that are not at hand. */
PyObject *objects_looked_up(PyObject *module, PyObject *args) {
    PyObject *urls, *addresses, *rows;
    if (!PyArg_ParseTuple(args, "O!O!O!", &PyList_Type, &urls, &PyDict_Type, &addresses, &PyDict_Type, &rows)) return NULL;
    Py_ssize_t many = PyList_GET_SIZE(urls);
    PyObject **known = PyMem_New(PyObject *, many), *found = known ? PyList_New(many) : PyErr_NoMemory();
    for (Py_ssize_t n = 0; found && n < many; n++) known[n] = PyList_GET_ITEM(urls, n);
    if (found && !rows_of(known, many, addresses, rows)) Py_CLEAR(found);
    for (Py_ssize_t n = 0; found && n < many; n++) PyList_SET_ITEM(found, n, Py_NewRef(known[n] ? known[n] : Py_None));
    PyMem_Free(known);
    return found;
}

/* The URL of an offer, NULL for anything else. */
static PyObject *url_of(PyObject *say, const Slot *slots) {
    PyObject *link = Py_IS_TYPE(say, slots[LINK].kind) ? *field(say, slots[LINK]) : NULL;
    return link && Py_IS_TYPE(link, slots[URL].kind) ? *field(link, slots[URL]) : NULL;
}

/* telling(says, addresses, rows, slots): says without the offers that change nothing. */
PyObject *objects_telling(PyObject *module, PyObject *args) {
    PyObject *says, *addresses, *rows, *descriptors;
    Slot slots[MOST_FIELDS];
    if (!PyArg_ParseTuple(args, "O!O!O!O", &PyList_Type, &says, &PyDict_Type, &addresses, &PyDict_Type, &rows, &descriptors))
        return NULL;
    if (!slots_of(descriptors, slots, FIELDS)) return NULL;
    PyObject **known = PyMem_New(PyObject *, PyList_GET_SIZE(says)), *found = known ? PyList_New(0) : PyErr_NoMemory();
    for (Py_ssize_t n = 0; found && n < PyList_GET_SIZE(says); n++) known[n] = url_of(PyList_GET_ITEM(says, n), slots);
    if (found && !rows_of(known, PyList_GET_SIZE(says), addresses, rows)) Py_CLEAR(found);
    for (Py_ssize_t n = 0; found && n < PyList_GET_SIZE(says); n++) {
        PyObject *say = PyList_GET_ITEM(says, n);
        int nothing = known[n] ? idle(say, known[n], slots) : 0;
        if (nothing > 0) continue;
        if (nothing < 0 || PyList_Append(found, say)) Py_CLEAR(found);
    }
    PyMem_Free(known);
    return found;
}

/* remembered(names, first, second): what one of two dicts has for each name, and the numbers of those that neither has. */
PyObject *objects_remembered(PyObject *module, PyObject *args) {
    PyObject *names, *first, *second;
    if (!PyArg_ParseTuple(args, "O!O!O!", &PyList_Type, &names, &PyDict_Type, &first, &PyDict_Type, &second)) return NULL;
    Py_ssize_t many = PyList_GET_SIZE(names);
    PyObject **known = PyMem_New(PyObject *, many), *found = known ? PyList_New(many) : PyErr_NoMemory();
    PyObject *missing = PyList_New(0);
    for (Py_ssize_t n = 0; found && n < many; n++) {
        known[n] = PyDict_GetItemWithError(first, PyList_GET_ITEM(names, n));
        if (!known[n] && !PyErr_Occurred()) known[n] = PyDict_GetItemWithError(second, PyList_GET_ITEM(names, n));
        if (!soon(known[n]) && PyErr_Occurred()) Py_CLEAR(found);
    }
    for (Py_ssize_t n = 0; found && missing && n < many; n++) {
        PyList_SET_ITEM(found, n, Py_NewRef(known[n] ? known[n] : Py_None));
        if (known[n]) continue;
        PyObject *number = PyLong_FromSsize_t(n);
        if (!number || PyList_Append(missing, number)) Py_CLEAR(missing);
        Py_XDECREF(number);
    }
    PyMem_Free(known);
    if (found && missing) return Py_BuildValue("(NN)", found, missing);
    Py_XDECREF(found), Py_XDECREF(missing);
    return NULL;
}
