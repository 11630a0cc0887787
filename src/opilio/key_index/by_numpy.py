"""Many keys of an index at once, by numpy: where all is compiled, a crawl starts sooner without."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..secret import SECRET

Numbers = NDArray[np.int64]
_FACTOR = np.array(SECRET, np.uint64).view(np.int64)  # both wrap alike
FEW = 16  # keys that have to look far are seen to one by one: there are always some


def find(table: memoryview, keys: Numbers) -> Numbers:
    """The numbers of keys, 0 for those that have none."""
    cells, found = np.frombuffer(table, np.int64), np.zeros(len(keys), dtype=np.int64)
    at, slots = np.arange(len(keys)), _slots(cells, keys)
    while len(at) >= FEW:
        numbers = cells[slots + 1]
        there = cells[slots] == keys[at]
        found[at[there]] = numbers[there]
        on = (numbers != 0) & ~there
        at, slots = at[on], _beside(cells, slots[on])
    for place in at.tolist():
        found[place] = table[_slot(table, int(keys[place])) + 1]
    return found


def entered(table: memoryview, packed_keys: bytes, packed_numbers: bytes) -> int:
    """Give each key its number, but for numbers that are 0; how many were not there."""
    cells, keys, numbers = (np.frombuffer(data, np.int64) for data in (table, packed_keys, packed_numbers))
    keys, numbers, fresh = keys[numbers != 0], numbers[numbers != 0], 0
    slots = _slots(cells, keys)
    while len(keys) >= FEW:
        empty = cells[slots + 1] == 0
        free = empty | (cells[slots] == keys)
        tried, ours = slots[free], np.arange(1, np.count_nonzero(free) + 1)
        cells[tried] = keys[free]  # where two keys meet, the last one gets the slot, both times
        cells[tried + 1] = ours
        fresh += int(np.count_nonzero((cells[tried + 1] == ours) & empty[free]))
        cells[tried + 1] = numbers[free]
        on = cells[slots] != keys
        keys, numbers, slots = keys[on], numbers[on], _beside(cells, slots[on])
    for key, number in zip(keys.tolist(), numbers.tolist(), strict=True):
        slot = _slot(table, key)
        fresh += not table[slot + 1]
        table[slot], table[slot + 1] = key, number
    return fresh


def _slots(cells: Numbers, keys: Numbers) -> Numbers:
    return 2 * (keys * _FACTOR >> 32) & len(cells) - 2


def _beside(cells: Numbers, slots: Numbers) -> Numbers:
    return slots + 2 & len(cells) - 2


def _slot(table: memoryview, key: int) -> int:
    """Where a key is, or would be."""
    last = len(table) - 2
    slot = 2 * (key * SECRET >> 32) & last
    while table[slot + 1] and table[slot] != key:
        slot = slot + 2 & last
    return slot
