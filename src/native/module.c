/* opilio._native: what a profile showed to be too slow in Python. It is optional: without it, the same in Python is used. */
#include "shared.h"

static PyMethodDef METHODS[] = {
    {"open", page_open, METH_VARARGS, "Find the parser, and say what the walk goes by."},
    {"gather", page_gather, METH_VARARGS, "Parse a page and collect everything in one walk over its tree."},
    {"linked", page_linked, METH_VARARGS, "What a page's links say: their own words, their contexts, or their targets."},
    {"opened", page_opened, METH_O, "How many tags begin in a page, at most."},
    {"places", page_places, METH_NOARGS, "How many places of elements are remembered."},
    {"find", words_find, METH_VARARGS, "Look all words of a text up in a table of hashes."},
    {"rows", words_rows, METH_VARARGS, "The same for many texts at once, as they are written."},
    {"sums", words_sums, METH_VARARGS, "What the words of many texts weigh together."},
    {"read", words_read, METH_VARARGS, "The numbers of the words of a page and its links."},
    {"promised", words_promised, METH_VARARGS, "What the contexts and the own words of a page's links weigh."},
    {"bag", words_bag, METH_VARARGS, "Each number once, and how often it is there."},
    {"rate", words_rate, METH_VARARGS, "The score of a text by the weights of its words, and its length."},
    {"fingerprint", words_fingerprint, METH_VARARGS, "The votes of all runs of three words on 64 bits."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "opilio._native", NULL, -1, METHODS, NULL, NULL, NULL, NULL};

uint64_t SECRET = 1;

PyMODINIT_FUNC PyInit__native(void) {
    PyObject *home = PyImport_ImportModule("opilio.secret"), *secret = home ? PyObject_GetAttrString(home, "SECRET") : NULL;
    if (secret) SECRET = PyLong_AsUnsignedLongLong(secret);
    Py_XDECREF(home), Py_XDECREF(secret);
    PyObject *module = PyErr_Occurred() ? NULL : PyModule_Create(&MODULE);
    if (module && PyModule_AddStringConstant(module, "selectolax", SELECTOLAX)) Py_CLEAR(module); /* what setup.py found */
    return module;
}
