"""Where the newest version of each URL's row lies: 64-bit keys and a number for each, in one table of fixed slots."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
SMALLEST = 1 << 10  # slots
STRIDE = 1 << 20  # keys that are moved at a time, so that moving needs little memory


class Index:
    """A hash table with linear probing: 16 bytes a slot, at most three quarters full. Keys are hashes already.

    No number is 0: that is an empty slot.
    """

    def __init__(self, slots: int = SMALLEST) -> None:
        self._count = 0
        self._make(slots)

    def _make(self, slots: int) -> None:
        self._mask = slots - 1
        self._table = np.zeros(2 * slots, dtype=np.int64)  # key, number, key, number ...
        self._cells = self._table.data

    def __len__(self) -> int:
        return self._count

    def get(self, key: int) -> int:
        """The number of a key, 0 when it has none."""
        return int(self._cells[self._slot(key) + 1])

    def set(self, key: int, number: int) -> None:
        cells, slot = self._cells, self._slot(key)
        if not cells[slot + 1]:
            self._count += 1
            cells[slot] = key
        cells[slot + 1] = number
        if 4 * self._count > 3 * self._mask:
            self._grow()

    def _slot(self, key: int) -> int:
        """Where a key is, or would be."""
        cells, last = self._cells, 2 * self._mask
        slot = 2 * key & last
        while cells[slot + 1] and cells[slot] != key:
            slot = slot + 2 & last
        return slot

    def find(self, keys: Numbers) -> Numbers:
        """The numbers of many keys."""
        found = np.zeros(len(keys), dtype=np.int64)
        at, slots = np.arange(len(keys)), self._slots(keys)
        while len(at):
            numbers = self._table[slots + 1]
            there = self._table[slots] == keys[at]
            found[at[there]] = numbers[there]
            on = (numbers != 0) & ~there
            at, slots = at[on], self._beside(slots[on])
        return found

    def fill(self, keys: Numbers, numbers: Numbers) -> None:
        """Set many; of a key that comes twice, the last number stays."""
        while 4 * (self._count + len(keys)) > 3 * self._mask:
            self._grow()
        slots = self._slots(keys)
        while len(keys):
            free = (self._table[slots + 1] == 0) | (self._table[slots] == keys)
            wanted = np.unique(slots[free & (self._table[slots + 1] == 0)])
            self._table[slots[free]] = keys[free]
            self._table[slots[free] + 1] = numbers[free]  # where two keys meet, the last one gets the slot, twice
            self._count += len(wanted)
            on = self._table[slots] != keys
            keys, numbers, slots = keys[on], numbers[on], self._beside(slots[on])

    def _slots(self, keys: Numbers) -> Numbers:
        return 2 * (keys & self._mask)

    def _beside(self, slots: Numbers) -> Numbers:
        return (slots + 2) & (2 * self._mask)

    def _grow(self) -> None:
        old, self._count = self._table, 0
        self._make(2 * (self._mask + 1))
        for start in range(0, len(old), 2 * STRIDE):
            keys, numbers = old[start : start + 2 * STRIDE].reshape(-1, 2).T
            used = numbers != 0
            self.fill(keys[used], numbers[used])
