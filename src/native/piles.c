/* Piles of ranks, 16 bytes each: the twin of Pile.move in frontier/queue/bag.py, for piles without buckets that are far. */
#include "shared.h"

typedef struct {
    double value;
    int64_t key;
} Rank;

typedef struct {
    Rank was, now;
} Move;

static int precedes(const Rank *one, const Rank *other) {
    return one->value < other->value || (one->value == other->value && one->key < other->key);
}

/* The moves of some notes, one for each key, and where they are: -1 where there is none. Says how many. */
static size_t read_moves(const Note *notes, size_t count, Move *moves, int32_t *table, size_t mask) {
    size_t found = 0;
    memset(table, -1, (mask + 1) * sizeof *table);
    for (size_t n = 0; n < count; n++) {
        size_t place = spread(notes[n].key) & mask;
        while (table[place] >= 0 && moves[table[place]].was.key != notes[n].key) place = (place + 1) & mask;
        if (table[place] < 0) {
            table[place] = (int32_t)found;
            moves[found++].was = (Rank){notes[n].was, notes[n].key};
        }
        moves[table[place]].now = (Rank){notes[n].now, notes[n].key};
    }
    return found;
}

static int is_moved(const Rank *rank, const Move *moves, const int32_t *table, size_t mask) {
    for (size_t place = spread(rank->key) & mask; table[place] >= 0; place = (place + 1) & mask) {
        const Rank *was = &moves[table[place]].was;
        if (was->key == rank->key) return was->value == rank->value;
    }
    return 0;
}

/* Copy the ranks that stay where they are; says how many. */
static size_t copy_standing(PyObject *from, Rank *to, const Move *moves, const int32_t *table, size_t mask) {
    const Rank *ranks = (const Rank *)PyByteArray_AS_STRING(from);
    size_t count = (size_t)PyByteArray_GET_SIZE(from) / sizeof *ranks, kept = 0;
    for (size_t n = 0; n < count; n++)
        if (!is_moved(ranks + n, moves, table, mask)) to[kept++] = ranks[n];
    return kept;
}

/* Put one among those that are near and in order. */
static void insert(Rank *near, size_t count, const Rank *rank) {
    size_t place = count;
    while (place && precedes(rank, near + place - 1)) place--;
    memmove(near + place + 1, near + place, (count - place) * sizeof *near);
    near[place] = *rank;
}

static int fill(PyObject *to, const Rank *ranks, size_t count) {
    if (PyByteArray_Resize(to, (Py_ssize_t)(count * sizeof *ranks)) < 0) return 0;
    memcpy(PyByteArray_AS_STRING(to), ranks, count * sizeof *ranks);
    return 1;
}

/* moved(near, rest, moves, most): take the ranks out of both that were moved, and put them in where they belong, as Pile.put does;
   no more than `most` come near. */
PyObject *piles_moved(PyObject *module, PyObject *args) {
    PyObject *near, *rest, *moved;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "O!O!O!n", &PyByteArray_Type, &near, &PyByteArray_Type, &rest, &PyByteArray_Type, &moved, &most)) return NULL;
    size_t count = (size_t)PyByteArray_GET_SIZE(moved) / sizeof(Note), mask = 7, all = (size_t)(PyByteArray_GET_SIZE(near) + PyByteArray_GET_SIZE(rest));
    while (mask < 2 * count) mask = 2 * mask + 1;
    Move *moves = calloc(count + 1, sizeof *moves);
    int32_t *table = malloc((mask + 1) * sizeof *table);
    Rank *first = malloc(all + (count + 1) * sizeof *first), *others = malloc(all + (count + 1) * sizeof *others);
    int done = moves && table && first && others;
    if (!done) PyErr_NoMemory();
    if (done) {
        count = read_moves((const Note *)PyByteArray_AS_STRING(moved), count, moves, table, mask);
        size_t firsts = copy_standing(near, first, moves, table, mask), behind = copy_standing(rest, others, moves, table, mask);
        for (size_t n = 0; n < count; n++) {
            const Rank *rank = &moves[n].now;
            if (behind && !(firsts && precedes(rank, first + firsts - 1))) {
                others[behind++] = *rank;
                continue;
            }
            insert(first, firsts++, rank);
            if (firsts > (size_t)most) others[behind++] = first[--firsts];
        }
        done = fill(near, first, firsts) && fill(rest, others, behind);
    }
    free(moves), free(table), free(first), free(others);
    if (!done) return NULL;
    Py_RETURN_NONE;
}
