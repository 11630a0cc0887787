/* Texts: the twins of what makes the main text in html/document.py, and of what text/vocabulary.py does with words. */
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

/* Add what `known` has for a word; 0 with an error. */
static int add_known(Bytes *made, PyObject *known, const Byte *word, size_t size) {
    PyObject *form = PyBytes_FromStringAndSize((const char *)word, (Py_ssize_t)size);
    PyObject *found = form ? PyObject_GetItem(known, form) : NULL;
    int added = found && PyBytes_Check(found);
    if (added && !append(made, PyBytes_AS_STRING(found), (size_t)PyBytes_GET_SIZE(found))) PyErr_NoMemory(), added = 0;
    if (found && !PyBytes_Check(found)) PyErr_SetString(PyExc_TypeError, "a word is bytes");
    Py_XDECREF(form), Py_XDECREF(found);
    return added;
}

/* spelled(text, odd, known): the words of a text between spaces, and instead of those that have a byte for which `odd` is not 0,
   what `known` has for them. */
PyObject *texts_spelled(PyObject *module, PyObject *args) {
    Py_buffer text, odd;
    PyObject *known, *found = NULL;
    if (!PyArg_ParseTuple(args, "y*y*O", &text, &odd, &known)) return NULL;
    const Byte *at = text.buf, *end = at + text.len, *flags = odd.buf, *kept = at; /* kept: what is not copied yet */
    Bytes made = {0};
    int going = odd.len == 256;
    if (!going) PyErr_SetString(PyExc_ValueError, "not a flag for each byte");
    while (going && at < end) {
        const Byte *word = at;
        Byte strange = 0;
        for (; at < end && *at != ' '; at++) strange |= flags[*at];
        if (strange) {
            going = append(&made, kept, (size_t)(word - kept)) && add_known(&made, known, word, (size_t)(at - word));
            kept = at;
        }
        at++;
    }
    if (going && kept < end) going = append(&made, kept, (size_t)(end - kept));
    if (going)
        found = PyBytes_FromStringAndSize((const char *)made.data, (Py_ssize_t)made.size);
    else if (!PyErr_Occurred())
        PyErr_NoMemory();
    free(made.data);
    PyBuffer_Release(&text), PyBuffer_Release(&odd);
    return found;
}
