/* Objects of plain classes, whose fields are slots: made by the dozen, and looked through by the dozen. */
#include "layout.h"
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

/* The item of a list; NULL, with an error, where there is none. */
static PyObject *item(PyObject *list, Py_ssize_t number) {
    if (number >= 0 && number < PyList_GET_SIZE(list)) return PyList_GET_ITEM(list, number);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "no such row");
    return NULL;
}

enum { MANY_KIND, MANY_SLOTS, MANY_FIELDS, MANY_NUMBERS, MANY_MADE, WORDS_PACKED, WORDS_WHAT, WORDS_MADE, OF_MANY };

/* A new reference: what one of many links says. */
static PyObject *one_words(PyObject *words, Py_ssize_t number, const Slot *slots) {
    PyObject *made = *field(words, slots[WORDS_MADE]);
    if (PyList_CheckExact(made)) return Py_XNewRef(item(made, number));
    long what = PyLong_AsLong(*field(words, slots[WORDS_WHAT]));
    return what == -1 && PyErr_Occurred() ? NULL : layout_linked_at(*field(words, slots[WORDS_PACKED]), what, number, page_limits());
}

/* A new reference: one of many objects that were not made (batch.py). They may have others of these in their fields, not too deep. */
static PyObject *make_one(PyObject *many, Py_ssize_t number, const Slot *slots, int depth) {
    PyObject *kind = *field(many, slots[MANY_KIND]), *own = *field(many, slots[MANY_SLOTS]), *fields = *field(many, slots[MANY_FIELDS]);
    PyObject *numbers = *field(many, slots[MANY_NUMBERS]), *made = *field(many, slots[MANY_MADE]), *found;
    Slot into[MOST_FIELDS];
    if (PyList_CheckExact(made)) return Py_XNewRef(item(made, number));
    if (!PyType_Check(kind) || !PyTuple_CheckExact(own) || !PyTuple_CheckExact(fields) || depth > 3)
        return PyErr_SetString(PyExc_TypeError, "not many objects"), NULL;
    Py_ssize_t width = PyTuple_GET_SIZE(fields);
    int plain = !PyTuple_GET_SIZE(own);
    if (!plain && !slots_of(own, into, width)) return NULL;
    if (PyList_CheckExact(numbers)) {
        PyObject *place = item(numbers, number);
        number = place ? PyLong_AsSsize_t(place) : -1;
    }
    if (PyErr_Occurred() || !(found = plain ? PyTuple_New(width) : ((PyTypeObject *)kind)->tp_alloc((PyTypeObject *)kind, 0))) return NULL;
    for (Py_ssize_t n = 0; n < width; n++) {
        PyObject *given = PyTuple_GET_ITEM(fields, n), *value;
        if (PyList_CheckExact(given))
            value = Py_XNewRef(item(given, number));
        else if (Py_IS_TYPE(given, slots[MANY_KIND].kind))
            value = make_one(given, number, slots, depth + 1);
        else
            value = Py_IS_TYPE(given, slots[WORDS_PACKED].kind) ? one_words(given, number, slots) : Py_NewRef(given);
        if (!value) return Py_DECREF(found), NULL;
        if (plain)
            PyTuple_SET_ITEM(found, n, value);
        else
            *field(found, into[n]) = value;
    }
    return found;
}

/* made(many, numbers, slots): those of many objects with these numbers. */
PyObject *objects_made(PyObject *module, PyObject *args) {
    PyObject *many, *numbers, *descriptors;
    Slot slots[MOST_FIELDS];
    if (!PyArg_ParseTuple(args, "OO!O", &many, &PyList_Type, &numbers, &descriptors) || !slots_of(descriptors, slots, OF_MANY)) return NULL;
    if (!Py_IS_TYPE(many, slots[MANY_KIND].kind)) return PyErr_SetString(PyExc_TypeError, "not many objects"), NULL;
    PyObject *found = PyList_New(PyList_GET_SIZE(numbers));
    for (Py_ssize_t n = 0; found && n < PyList_GET_SIZE(found); n++) {
        Py_ssize_t number = PyLong_AsSsize_t(PyList_GET_ITEM(numbers, n));
        PyObject *one = PyErr_Occurred() ? NULL : make_one(many, number, slots, 0);
        if (!one) Py_CLEAR(found);
        else PyList_SET_ITEM(found, n, one);
    }
    return found;
}

/* How many rows a column has; -1 where it is one value for all. */
static Py_ssize_t rows_of_column(Column column) {
    if (!column.list || !PyList_CheckExact(column.list)) return -1;
    return PyList_GET_SIZE(column.outer ? column.outer : column.numbers ? column.numbers : column.list);
}

/* One value of a column; NULL, with an error, where there is no such row. */
static PyObject *at(Column column, Py_ssize_t number) {
    if (!PyList_CheckExact(column.list)) return column.list;
    PyObject *place = column.outer ? item(column.outer, number) : NULL;
    if (place) number = PyLong_AsSsize_t(place);
    place = column.numbers ? item(column.numbers, number) : NULL;
    if (place) number = PyLong_AsSsize_t(place);
    return PyErr_Occurred() ? NULL : item(column.list, number);
}

/* Fields of many objects that were not made, by their numbers, as columns; 0 with an error. */
static int columns_of(PyObject *many, const Slot *slots, Py_ssize_t count, const int *fields, const int *places, Column *columns) {
    int is_many = Py_IS_TYPE(many, slots[COLUMNS].kind);
    PyObject *found = is_many ? *field(many, slots[COLUMNS]) : NULL, *numbers = is_many ? *field(many, slots[NUMBERS]) : NULL;
    if (numbers == Py_None) numbers = NULL;
    for (Py_ssize_t n = 0; n < count; n++) {
        if (!found || !PyTuple_CheckExact(found) || fields[n] >= PyTuple_GET_SIZE(found) || (numbers && !PyList_CheckExact(numbers)))
            return PyErr_SetString(PyExc_TypeError, "neither objects nor many of them"), 0;
        columns[places[n]] = (Column){PyTuple_GET_ITEM(found, fields[n]), numbers, NULL};
    }
    return 1;
}

int offers_of(PyObject *given, const Slot *slots, Offers *offers) {
    enum { OFFER_LINK, OFFER_VALUE, OFFER_LANE, OFFER_NOTE, OFFER_AGAIN, LINK_URL = 0, LINK_SOURCE }; /* in their order in nouns.py */
    static const int OWN[] = {OFFER_LINK, OFFER_VALUE, OFFER_LANE, OFFER_AGAIN}, TO[] = {LINK, VALUE, LANE, AGAIN};
    static const int OF_LINK[] = {LINK_URL, LINK_SOURCE}, LINK_TO[] = {URL, SOURCE};
    *offers = (Offers){.objects = PyList_CheckExact(given) ? given : NULL, .many = -1};
    if (offers->objects) return offers->many = PyList_GET_SIZE(given), 1;
    Column *columns = offers->columns;
    if (!columns_of(given, slots, 4, OWN, TO, columns)) return 0;
    PyObject *links = columns[LINK].list;
    if (!PyList_CheckExact(links)) {
        if (!columns_of(links, slots, 2, OF_LINK, LINK_TO, columns)) return 0;
        columns[URL].outer = columns[SOURCE].outer = columns[LINK].numbers;
        columns[LINK] = (Column){0};
    }
    for (int n = 0; n < COLUMNS; n++) {
        Py_ssize_t count = rows_of_column(columns[n]);
        if (count < 0 || count == offers->many) continue;
        if (offers->many >= 0) return PyErr_SetString(PyExc_ValueError, "columns of different lengths"), 0;
        offers->many = count;
    }
    if (offers->many < 0) PyErr_SetString(PyExc_ValueError, "no column");
    return offers->many >= 0;
}

int told(const Offers *offers, Py_ssize_t number, const Slot *slots, Told *found) {
    const Column *columns = offers->columns;
    PyObject *link = NULL;
    if (offers->objects) {
        PyObject *offer = PyList_GET_ITEM(offers->objects, number);
        if (!Py_IS_TYPE(offer, slots[LINK].kind)) return 0;
        *found = (Told){.value = *field(offer, slots[VALUE]), .lane = *field(offer, slots[LANE]), .again = *field(offer, slots[AGAIN])};
        link = *field(offer, slots[LINK]);
    } else {
        *found = (Told){.value = at(columns[VALUE], number), .lane = at(columns[LANE], number), .again = at(columns[AGAIN], number)};
        if (columns[LINK].list) link = at(columns[LINK], number);
    }
    if (link && !Py_IS_TYPE(link, slots[URL].kind)) return 0;
    found->url = link ? *field(link, slots[URL]) : at(columns[URL], number);
    found->source = link ? *field(link, slots[SOURCE]) : at(columns[SOURCE], number);
    return found->value && found->lane && found->again && found->url && found->source;
}

enum { FETCHED = OF_OFFERS, LEASED, PLACES, HELD_IN, HELD_AT, HELD, NAME, FIELDS };

/* What follows a text as msgpack writes it; NULL where none begins here. */
static const Byte *after_text(const Byte *at, const Byte *end, const Byte **text, size_t *size) {
    size_t head = 1;
    if (at >= end) return NULL;
    if (*at >> 5 == 5)
        *size = *at & 31;
    else if (*at == 0xD9 && end - at > 1)
        *size = at[1], head = 2;
    else if (*at == 0xDA && end - at > 2)
        *size = (size_t)at[1] << 8 | at[2], head = 3;
    else
        return NULL; /* longer than any URL */
    *text = at + head;
    return (size_t)(end - at) >= head + *size ? at + head + *size : NULL;
}

/* Whether a source comes after that of an offer as frontier/disk/offers.py packs it; 0 where that cannot be told, -1 with an error. */
static int comes_after(PyObject *source, PyObject *packed) {
    enum { BEFORE = 19 }; /* bytes: fourteen parts, of which two are floats */
    const Byte *at = (const Byte *)PyBytes_AS_STRING(packed), *end = at + PyBytes_GET_SIZE(packed), *held;
    size_t size;
    if (end - at < BEFORE || *at != 0x9E || !PyUnicode_CheckExact(source)) return 0;
    if (!(at = after_text(at + BEFORE, end, &held, &size)) || !after_text(at, end, &held, &size)) return 0;
    Py_ssize_t length;
    const char *given = PyUnicode_AsUTF8AndSize(source, &length); /* in the order of their bytes, as in that of their letters */
    if (!given) return -1;
    int order = memcmp(given, held, (size_t)length < size ? (size_t)length : size);
    return order > 0 || (!order && (size_t)length > size);
}

/* Whether it can be seen at a glance that an offer does not get a place; -1 with an error. */
static int worse(const Told *offer, PyObject *place, const Slot *slots) {
    if (!Py_IS_TYPE(place, slots[HELD].kind)) return 0;
    PyObject *best = *field(place, slots[HELD_AT]), *queue = *field(place, slots[HELD_IN]), *held = *field(place, slots[HELD]);
    if (!PyFloat_CheckExact(best) || !Py_IS_TYPE(queue, slots[NAME].kind)) return 0;
    double given = PyFloat_AS_DOUBLE(offer->value), had = PyFloat_AS_DOUBLE(best);
    if (!(given <= had)) return 0;
    PyObject *name = *field(queue, slots[NAME]);
    int same = offer->lane == name ? 1 : PyObject_RichCompareBool(offer->lane, name, Py_EQ);
    if (same <= 0 || given < had) return same;
    if (PyBytes_CheckExact(held)) return comes_after(offer->source, held);
    PyObject *link = Py_IS_TYPE(held, slots[LINK].kind) ? *field(held, slots[LINK]) : NULL;
    if (!link || !Py_IS_TYPE(link, slots[SOURCE].kind)) return 0;
    return PyObject_RichCompareBool(offer->source, *field(link, slots[SOURCE]), Py_GT);
}

/* Whether an offer changes nothing, as can be seen from the row of its URL; -1 with an error. */
static int idle(const Told *offer, PyObject *row, const Slot *slots) {
    if (!PyFloat_CheckExact(offer->value) || !isfinite(PyFloat_AS_DOUBLE(offer->value))) return 0; /* somebody will say what is wrong */
    if (row == Py_None) return offer->again == Py_None;
    if (!Py_IS_TYPE(row, slots[PLACES].kind)) return 0;
    int done = PyObject_IsTrue(*field(row, slots[FETCHED]));
    if (!done) done = PyObject_IsTrue(*field(row, slots[LEASED]));
    if (done) return done < 0 ? -1 : offer->again == Py_None;
    PyObject *places = *field(row, slots[PLACES]);
    return PyTuple_CheckExact(places) && PyTuple_GET_SIZE(places) == 1 ? worse(offer, PyTuple_GET_ITEM(places, 0), slots) : 0;
}

/* URLs whose addresses were asked for of late, by where they are in memory: the same few strings come again and again, and so they
   are found without looking at them. */
enum { ASKED_BITS = 14 };
static struct {
    PyObject *url, *address;
} ASKED[1 << ASKED_BITS];

static size_t asked_at(PyObject *url) { return (size_t)((uintptr_t)url * 0x9E3779B97F4A7C15u >> (64 - ASKED_BITS)); }

int addresses_of(PyObject **found, Py_ssize_t many, PyObject *addresses) {
    for (Py_ssize_t n = 0; n < many; n++)
        if (found[n]) soon(ASKED + asked_at(found[n]));
    for (Py_ssize_t n = 0; n < many; n++) {
        if (!found[n]) continue;
        size_t at = asked_at(found[n]);
        if (ASKED[at].url != found[n]) {
            PyObject *address = PyDict_GetItemWithError(addresses, found[n]);
            if (address) {
                Py_XSETREF(ASKED[at].url, Py_NewRef(found[n]));
                Py_XSETREF(ASKED[at].address, Py_NewRef(address));
            }
            found[n] = Py_XNewRef(address);
        } else
            found[n] = Py_NewRef(ASKED[at].address);
    }
    return !PyErr_Occurred();
}

/* The rows of some URLs, which are in `found` before; NULL for those that are not at hand. 0 with an error. */
static int rows_of(PyObject **found, Py_ssize_t many, PyObject *addresses, PyObject *rows) {
    int going = addresses_of(found, many, addresses);
    for (Py_ssize_t n = 0; n < many; n++) {
        if (found[n] && !(PyTuple_CheckExact(found[n]) && PyTuple_GET_SIZE(found[n]))) Py_CLEAR(found[n]);
        if (found[n]) soon(PyTuple_GET_ITEM(found[n], 0));
    }
    for (Py_ssize_t n = 0; n < many; n++) {
        PyObject *address = found[n];
        if (address) found[n] = soon(PyDict_GetItemWithError(rows, PyTuple_GET_ITEM(address, 0)));
        Py_XDECREF(address);
    }
    return going && !PyErr_Occurred();
}

/* noted(urls, addresses, rows, slots): what was kept with fetched URLs, None for others, and the numbers of those for which that is
   not at hand. */
PyObject *objects_noted(PyObject *module, PyObject *args) {
    enum { FETCHED, KEPT, NUMBER, FIELDS };
    PyObject *urls, *addresses, *rows, *descriptors, *missing = PyList_New(0), *nothing = PyTuple_New(0);
    Slot slots[MOST_FIELDS];
    int going = missing && nothing &&
                PyArg_ParseTuple(args, "O!O!O!O", &PyList_Type, &urls, &PyDict_Type, &addresses, &PyDict_Type, &rows, &descriptors) &&
                slots_of(descriptors, slots, FIELDS);
    Py_ssize_t many = going ? PyList_GET_SIZE(urls) : 0;
    PyObject **known = PyMem_New(PyObject *, many + 1), *found = going && known ? PyList_New(many) : NULL;
    for (Py_ssize_t n = 0; found && n < many; n++) known[n] = PyList_GET_ITEM(urls, n);
    if (found && !rows_of(known, many, addresses, rows)) Py_CLEAR(found);
    for (Py_ssize_t n = 0; found && n < many; n++) {
        PyObject *row = known[n] && Py_IS_TYPE(known[n], slots[KEPT].kind) ? known[n] : NULL, *kept = Py_None;
        int fetched = row ? PyObject_IsTrue(*field(row, slots[FETCHED])) : 0, there = 0, stored = 0;
        if (fetched > 0) {
            kept = *field(row, slots[KEPT]);
            there = PyObject_IsTrue(kept), stored = kept == Py_None ? PyObject_IsTrue(*field(row, slots[NUMBER])) : 0;
            if (!there) kept = nothing;
        }
        PyList_SET_ITEM(found, n, Py_NewRef(kept));
        if (fetched < 0 || there < 0 || stored < 0 || ((!row || stored) && !add_number(missing, n))) Py_CLEAR(found);
    }
    PyMem_Free(known);
    Py_XDECREF(nothing);
    if (found) return Py_BuildValue("(NN)", found, missing);
    Py_XDECREF(missing);
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

/* telling(says, addresses, rows, slots): the numbers of what was said, without the offers that change nothing. */
PyObject *objects_telling(PyObject *module, PyObject *args) {
    PyObject *says, *addresses, *rows, *descriptors;
    Slot slots[MOST_FIELDS];
    Offers offers;
    Told one;
    if (!PyArg_ParseTuple(args, "OO!O!O", &says, &PyDict_Type, &addresses, &PyDict_Type, &rows, &descriptors)) return NULL;
    if (!slots_of(descriptors, slots, FIELDS) || !offers_of(says, slots, &offers)) return NULL;
    PyObject **known = PyMem_New(PyObject *, offers.many), *found = known ? PyList_New(0) : PyErr_NoMemory();
    for (Py_ssize_t n = 0; found && n < offers.many; n++) known[n] = told(&offers, n, slots, &one) ? one.url : NULL;
    if (found && !rows_of(known, offers.many, addresses, rows)) Py_CLEAR(found);
    for (Py_ssize_t n = 0; found && n < offers.many; n++) {
        int nothing = known[n] && told(&offers, n, slots, &one) ? idle(&one, known[n], slots) : 0;
        if (nothing < 0 || (!nothing && !add_number(found, n))) Py_CLEAR(found);
    }
    PyMem_Free(known);
    return found;
}

/* Note in a table of numbers, counted from 1, where a name is first; -1 with an error, else the place of the same name before, or this. */
static Py_ssize_t first_of(PyObject *names, Py_ssize_t number, uint32_t *table, size_t mask) {
    PyObject *name = PyList_GET_ITEM(names, number);
    Py_hash_t hash = PyObject_Hash(name);
    if (hash == -1) return -1;
    size_t at = (size_t)hash & mask;
    for (; table[at]; at = (at + 1) & mask) {
        PyObject *other = PyList_GET_ITEM(names, table[at] - 1);
        int same = other == name ? 1 : PyObject_RichCompareBool(other, name, Py_EQ);
        if (same) return same < 0 ? -1 : (Py_ssize_t)table[at] - 1;
    }
    table[at] = (uint32_t)number + 1;
    return number;
}

/* firsts(names): the numbers of those that were not there before, and of the others, each with that of the first; None where all differ. */
PyObject *objects_firsts(PyObject *module, PyObject *names) {
    if (!PyList_CheckExact(names)) return PyErr_Format(PyExc_TypeError, "not a list");
    size_t many = (size_t)PyList_GET_SIZE(names), room = 16;
    while (room < 2 * many) room *= 2;
    uint32_t *table = PyMem_Calloc(room, sizeof *table);
    PyObject *places = PyList_New(0), *again = PyList_New(0), *found = NULL;
    int going = table && places && again;
    for (size_t n = 0; going && n < many; n++) {
        Py_ssize_t first = first_of(names, (Py_ssize_t)n, table, room - 1);
        if (first == (Py_ssize_t)n) {
            going = add_number(places, first);
            continue;
        }
        PyObject *pair = first < 0 ? NULL : Py_BuildValue("(nn)", (Py_ssize_t)n, first);
        going = pair && !PyList_Append(again, pair);
        Py_XDECREF(pair);
    }
    if (going) found = PyList_GET_SIZE(again) ? PyTuple_Pack(2, places, again) : Py_NewRef(Py_None);
    else if (!PyErr_Occurred()) PyErr_NoMemory();
    PyMem_Free(table);
    Py_XDECREF(places), Py_XDECREF(again);
    return found;
}
