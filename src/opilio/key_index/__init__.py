"""64-bit keys and a number for each, in one table of fixed slots: by millions, a dict has no room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from struct import pack

from ..secret import SECRET

SMALLEST = 1 << 10  # slots
FEW = 1 << 14  # keys that are entered one by one: a short crawl needs no numpy
STRIDE = 1 << 20  # keys that are moved at a time, so that moving needs little memory


class Index:
    """A hash table with linear probing: 16 bytes a slot, at most three quarters full, and fewer than 2^32 slots.

    Keys are hashes already, but of URLs, which somebody may choose: where they belong is a secret. No number is 0: that is an
    empty slot.
    """

    def __init__(self, slots: int = SMALLEST) -> None:
        self._count = 0
        self._make(slots)

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int]]) -> Index:
        """Made of keys and numbers; of a key that comes twice, the last number stays."""
        made, rows = cls(), iter(rows)
        while some := dict(islice(rows, STRIDE >> 4)):
            made.set(some)
        return made

    def _make(self, slots: int) -> None:
        self._mask = slots - 1
        self.table = memoryview(bytearray(16 * slots)).cast("q")  # key, number, key, number ...

    def __len__(self) -> int:
        return self._count

    def __deepcopy__(self, memo: dict[int, object]) -> Index:
        """A table of its own with the same keys: memory that is looked at cannot be copied by itself."""
        copied = Index(self._mask + 1)
        copied.table[:], copied._count = self.table, self._count
        return copied

    def get(self, key: int) -> int:
        """The number of a key, 0 when it has none."""
        cells, last = self.table, 2 * self._mask
        slot = 2 * (key * SECRET >> 32) & last
        while cells[slot + 1] and cells[slot] != key:
            slot = slot + 2 & last
        return cells[slot + 1]

    def set(self, numbers: Mapping[int, int]) -> None:
        """Set some."""
        plain = f"{len(numbers)}q"
        self.fill(pack(plain, *numbers), pack(plain, *numbers.values()))

    def fill(self, keys: bytes, numbers: bytes) -> None:
        """Set many, 8 bytes each; of a key that comes twice, the last number stays."""
        while 4 * (self._count + (len(keys) >> 3)) > 3 * self._mask:
            self._grow()
        self._count += self._enter(keys, numbers)

    def _enter(self, keys: bytes, numbers: bytes) -> int:
        if len(keys) <= 8 * FEW:
            return self._enter_each(memoryview(keys).cast("q"), memoryview(numbers).cast("q"))
        from .by_numpy import entered  # a new crawl starts sooner without numpy

        return entered(self.table, keys, numbers)

    def _enter_each(self, keys: Iterable[int], numbers: Iterable[int]) -> int:
        cells, last, fresh = self.table, 2 * self._mask, 0
        for key, number in zip(keys, numbers, strict=True):
            if number:
                slot = 2 * (key * SECRET >> 32) & last
                while cells[slot + 1] and cells[slot] != key:
                    slot = slot + 2 & last
                fresh += not cells[slot + 1]
                cells[slot], cells[slot + 1] = key, number
        return fresh

    def _grow(self) -> None:
        old = self.table
        self._make(2 * (self._mask + 1))
        for start in range(0, len(old), 2 * STRIDE):
            some = old[start : start + 2 * STRIDE]
            self._enter(some[::2].tobytes(), some[1::2].tobytes())  # empty slots stay empty: they have the number 0
