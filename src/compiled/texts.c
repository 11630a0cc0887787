/* Texts: the twin of what makes the main text in html/document.py. */
#include "shared.h"

/* Add the characters from start to end, if there are any lines in them; 0 with an error. */
static int add_part(PyObject *parts, PyObject *text, Py_ssize_t start, Py_ssize_t end) {
    if (start < 0) return 1;
    PyObject *part = PyUnicode_Substring(text, start, end);
    int added = part && !PyList_Append(parts, part);
    Py_XDECREF(part);
    return added;
}

/* kept_lines(text, keep): the lines of a text whose byte in `keep` is not 0. */
PyObject *texts_kept_lines(PyObject *module, PyObject *args) {
    PyObject *text, *made = NULL;
    Py_buffer keep;
    if (!PyArg_ParseTuple(args, "Uy*", &text, &keep)) return NULL;
    PyObject *parts = PyList_New(0), *gap = PyUnicode_FromString("\n");
    Py_ssize_t size = PyUnicode_GET_LENGTH(text), start = 0, first = -1; /* first: where the lines begin that go together */
    int going = parts && gap;
    for (Py_ssize_t line = 0; going && line < keep.len && start <= size; line++) {
        Py_ssize_t end = PyUnicode_FindChar(text, '\n', start, size, 1);
        if (end < 0) end = size;
        if (((const Byte *)keep.buf)[line])
            first = first < 0 ? start : first;
        else
            going = add_part(parts, text, first, start - 1), first = -1;
        start = end + 1;
    }
    if (going && add_part(parts, text, first, start - 1)) made = PyUnicode_Join(gap, parts);
    Py_XDECREF(parts), Py_XDECREF(gap);
    PyBuffer_Release(&keep);
    return made;
}
