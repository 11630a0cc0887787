"""64-bit keys and a number for each, in one table of fixed slots: by millions, a dict has no room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from . import compiled

Numbers = NDArray[np.int64]
SMALLEST = 1 << 10  # slots
MANY = 16  # keys that are worth an array
FEW = 32  # of these, those that have to look far are set one by one: there are always some
STRIDE = 1 << 20  # keys that are moved at a time, so that moving needs little memory


class Index:
    """A hash table with linear probing: 16 bytes a slot, at most three quarters full. Keys are hashes already.

    No number is 0: that is an empty slot.
    """

    def __init__(self, slots: int = SMALLEST) -> None:
        self._count = 0
        self._make(slots)

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int]]) -> Index:
        """Made of keys and numbers; of a key that comes twice, the last number stays."""
        made, rows = cls(), iter(rows)
        while some := list(islice(rows, STRIDE >> 4)):
            made.fill(*np.array(some, dtype=np.int64).T)
        return made

    def _make(self, slots: int) -> None:
        self._mask = slots - 1
        self.table = np.zeros(2 * slots, dtype=np.int64)  # key, number, key, number ...
        self._cells = self.table.data

    def __len__(self) -> int:
        return self._count

    def get(self, key: int) -> int:
        """The number of a key, 0 when it has none."""
        cells, last = self._cells, 2 * self._mask
        slot = 2 * key & last
        while cells[slot + 1] and cells[slot] != key:
            slot = slot + 2 & last
        return cells[slot + 1]

    def set(self, numbers: Mapping[int, int]) -> None:
        """Set some."""
        count = len(numbers)
        if count < MANY:
            self._make_room(count)
            self._set(numbers.items())
        else:
            keys, values = numbers.keys(), numbers.values()
            self.fill(np.fromiter(keys, np.int64, count), np.fromiter(values, np.int64, count))

    def _set(self, numbers: Iterable[tuple[int, int]]) -> None:
        cells, last, new = self._cells, 2 * self._mask, 0
        for key, number in numbers:
            slot = 2 * key & last
            while cells[slot + 1] and cells[slot] != key:
                slot = slot + 2 & last
            if not cells[slot + 1]:
                new += 1
                cells[slot] = key
            cells[slot + 1] = number
        self._count += new

    def _make_room(self, more: int) -> None:
        while 4 * (self._count + more) > 3 * self._mask:
            self._grow()

    def find(self, keys: Numbers) -> Numbers:
        """The numbers of many keys."""
        if compiled.functions:
            return np.frombuffer(compiled.functions.numbers(self.table, np.ascontiguousarray(keys)), np.int64)
        found = np.zeros(len(keys), dtype=np.int64)
        at, slots = np.arange(len(keys)), self._slots(keys)
        while len(at) >= FEW:
            numbers = self.table[slots + 1]
            there = self.table[slots] == keys[at]
            found[at[there]] = numbers[there]
            on = (numbers != 0) & ~there
            at, slots = at[on], self._beside(slots[on])
        for place in at.tolist():
            found[place] = self.get(int(keys[place]))
        return found

    def fill(self, keys: Numbers, numbers: Numbers) -> None:
        """Set many; of a key that comes twice, the last number stays."""
        self._make_room(len(keys))
        if compiled.functions:
            keys, numbers = np.ascontiguousarray(keys), np.ascontiguousarray(numbers)
            self._count += compiled.functions.entered(self.table, keys, numbers)
        else:
            self._fill(keys, numbers)

    def _fill(self, keys: Numbers, numbers: Numbers) -> None:
        table, slots = self.table, self._slots(keys)
        while len(keys) >= FEW:
            empty = table[slots + 1] == 0
            free = empty | (table[slots] == keys)
            tried, ours = slots[free], np.arange(1, np.count_nonzero(free) + 1)
            table[tried] = keys[free]  # where two keys meet, the last one gets the slot, both times
            table[tried + 1] = ours
            self._count += int(np.count_nonzero((table[tried + 1] == ours) & empty[free]))
            table[tried + 1] = numbers[free]
            on = table[slots] != keys
            keys, numbers, slots = keys[on], numbers[on], self._beside(slots[on])
        self._set(zip(keys.tolist(), numbers.tolist(), strict=True))

    def _slots(self, keys: Numbers) -> Numbers:
        return 2 * (keys & self._mask)

    def _beside(self, slots: Numbers) -> Numbers:
        return (slots + 2) & (2 * self._mask)

    def _grow(self) -> None:
        old, self._count = self.table, 0
        self._make(2 * (self._mask + 1))
        for start in range(0, len(old), 2 * STRIDE):
            keys, numbers = old[start : start + 2 * STRIDE].reshape(-1, 2).T
            used = numbers != 0
            self.fill(keys[used], numbers[used])
