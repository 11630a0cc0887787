"""The bags of a lane, by the first entry that each is shown for.

What is near is in order; the rest lies in buckets, packed, and each of these is sorted when its turn comes: to sift through
a large heap is to look all over the memory, and so is to look at an object for each bag.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right, insort
from struct import Struct
from typing import TYPE_CHECKING, Any, TypeAlias

from .bag import SPLIT, Rank, Value

if TYPE_CHECKING:
    from .lane import Bag

Head: TypeAlias = tuple[Value, int, int]  # rank and number of the bag
HEAD = Struct("dqq")
PASSED = (
    8  # entries that are kept after their turn, or do not count any more, at least: there may be a lane for each host
)


class Heads:
    """Which bag comes first; a bag is known by its number, and an entry counts if it is what its bag is shown for now."""

    __slots__ = ("_at", "_bounds", "_buckets", "_free", "_keys", "_limit", "_near", "_packs", "bags", "size", "values")

    def __init__(self) -> None:
        self.bags: list[Bag | None] = []
        self.values: Any = array("d")  # by number: what each is shown for, nan if it is not shown
        self.size = 0  # entries, those that do not count too
        self._keys = array("q")
        self._free: list[int] = []  # numbers
        self._near: list[Head] = []
        self._at = 0  # the first of these
        self._bounds: list[Head] = []  # nothing in a bucket comes before its bound
        self._buckets: list[Any] = []
        self._packs = True
        self._limit = 2 * PASSED

    def add(self, bag: Bag) -> int:
        """The number of a new bag, which is not shown."""
        if self._free:
            number = self._free.pop()
            self.bags[number] = bag
            return number
        self.bags.append(bag)
        self.values.append(math.nan)
        self._keys.append(0)
        return len(self.bags) - 1

    def remove(self, number: int) -> None:
        """A bag goes; another one may get its number."""
        self.hide(number)
        self.bags[number] = None
        self._free.append(number)

    def hide(self, number: int) -> None:
        """Show a bag no longer."""
        self.values[number] = math.nan

    def precedes(self, rank: Rank, number: int) -> bool:
        """Whether this comes before what a bag is shown for, or that is not shown."""
        value = self.values[number]
        return not (value < rank[0] or (value == rank[0] and self._keys[number] <= rank[1]))

    def show(self, rank: Rank, number: int) -> None:
        """Show a bag for this."""
        value, key = rank
        self.values[number], self._keys[number] = value, key
        entry, bounds = (value, key, number), self._bounds
        if bounds and entry >= bounds[0]:
            bucket = self._buckets[bisect_right(bounds, entry) - 1]
            if self._packs:
                bucket += HEAD.pack(value, key, number)
            else:
                bucket.append(entry)
        else:
            insort(self._near, entry, self._at)
            if len(self._near) > 2 * SPLIT:
                self._divide()
            elif self._at >= PASSED and 2 * self._at >= len(self._near):
                del self._near[: self._at]
                self._at = 0
        self.size += 1
        if self.size > self._limit:
            self._tidy()

    def replace(self, rank: Rank) -> None:
        """Show the first bag for something else."""
        number = self._near[self._at][2]
        self._at += 1
        self.size -= 1
        self.show(rank, number)

    def top(self) -> Head | None:
        """The first entry that counts, None when there is none."""
        values, keys = self.values, self._keys
        near, at = self._near, self._at
        while True:
            if at == len(near):
                if not self._buckets:
                    return None
                del self._bounds[0]
                near, at = sorted(self._unpacked(self._buckets.pop(0))), 0
                self._near, self._at = near, 0
            head = value, key, number = near[at]
            if values[number] == value and keys[number] == key:
                return head
            at += 1
            self._at = at
            self.size -= 1

    def coming(self, most: int) -> list[int]:
        """The keys of the first entries that count, as far as they are in order."""
        self.top()
        values, first = self.values, self._near[self._at : self._at + most]
        return [key for value, key, number in first if values[number] == value]

    def unpack(self) -> None:
        """Make ready for values that are not floats."""
        if self._packs:
            self._packs = False
            self._buckets = [list(HEAD.iter_unpack(bucket)) for bucket in self._buckets]
            self.values = list(self.values)

    def _unpacked(self, bucket: Any) -> Any:
        return HEAD.iter_unpack(bytes(bucket)) if self._packs else bucket

    def _divide(self) -> None:
        """Keep near what is nearest, and the rest in buckets."""
        near, start = self._near, self._at
        self._near, self._at = near[start : start + SPLIT], 0
        more = [near[at : at + SPLIT] for at in range(start + SPLIT, len(near), SPLIT)]
        self._bounds[:0] = [bucket[0] for bucket in more]
        self._buckets[:0] = (
            [bytearray().join(HEAD.pack(*head) for head in bucket) for bucket in more] if self._packs else more
        )

    def _tidy(self) -> None:
        shown = zip(self.values, self._keys, range(len(self._keys)), strict=True)
        self._near, self._at = sorted(head for head in shown if head[0] == head[0]), 0
        self._bounds, self._buckets = [], []
        self.size = len(self._near)
        self._limit = 2 * (self.size + PASSED)
        self._divide()
