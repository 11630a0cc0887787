"""What the schedule is made of: bags of offers, the lanes they stand in, and hosts that sleep."""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from itertools import chain
from typing import Any

from ...nouns import Lane, Weight
from .bag import SPLIT, Packed, Pile, Value
from .lane_heads import Heads

STALE = 16  # entries that do not count, at least, before they are dropped: there is a heap for each host that rests


class LazyHeap:
    """Entries end in the thing they stand for; one that is no longer that thing's `posted` does not count.

    What is near is in order, the rest lies in buckets, and each of these is sorted when its turn comes: to sift through a
    large heap is to look all over the memory.
    """

    __slots__ = ("bounds", "buckets", "limit", "near", "size")

    def __init__(self) -> None:
        self.near: list[Any] = []
        self.bounds: list[Any] = []  # nothing in a bucket comes before its bound
        self.buckets: list[list[Any]] = []
        self.size = 0
        self.limit = STALE

    def push(self, entry: Any) -> None:
        bounds = self.bounds
        if bounds and entry >= bounds[0]:
            self.buckets[bisect_right(bounds, entry) - 1].append(entry)
        else:
            insort(self.near, entry)
            if len(self.near) > 2 * SPLIT:
                self._divide()
        self.size += 1
        if self.size > self.limit:
            self._tidy()

    def top(self) -> Any:
        """The first entry that counts, None when there is none."""
        near = self.near
        while near or self.buckets:
            if not near:
                del self.bounds[0]
                near = self.near = sorted(self.buckets.pop(0))
            elif near[0][-1].posted is near[0]:
                return near[0]
            else:
                del near[0]
                self.size -= 1
        return None

    def _divide(self) -> None:
        """Keep near what is nearest, and the rest in buckets."""
        near, self.near = self.near, self.near[:SPLIT]
        more = [near[at : at + SPLIT] for at in range(SPLIT, len(near), SPLIT)]
        self.buckets[:0] = more
        self.bounds[:0] = [bucket[0] for bucket in more]

    def _tidy(self) -> None:
        entries = chain(self.near, *self.buckets)
        self.near = sorted(entry for entry in entries if entry[-1].posted is entry)
        self.bounds, self.buckets = [], []
        self.size = len(self.near)
        self.limit = 2 * self.size + STALE
        self._divide()


class Bag(Pile):
    """The open offers of one lane on one host."""

    __slots__ = ("host", "number", "posted", "queue", "sleeper")

    def __init__(self, queue: Queue, host: int, ranks: Any = Packed) -> None:
        super().__init__(ranks)
        self.queue = queue
        self.host = host
        self.number = queue.heads.add(self)
        self.posted: Any = None  # among the sleeper's waiting
        self.sleeper: Sleeper | None = None

    def __lt__(self, other: object) -> bool:
        return False  # two entries that differ in the bag alone stand for the same URL: either order will do


class Queue:
    """A lane: its weight, and its bags by host."""

    __slots__ = ("_ranks", "bags", "dropped", "heads", "left", "name", "number", "open", "posted", "weight")

    def __init__(self, number: int, name: Lane, weight: Weight) -> None:
        self.number = number
        self.name = name
        self.weight = weight
        self.left = weight.most
        self.open = 0
        self.dropped = 0
        self.bags: dict[int, Bag] = {}
        self.heads = Heads()
        self.posted: Any = None
        self._ranks: Any = Packed  # what bags hold entries in

    def bag(self, host: int) -> Bag:
        """The bag of a host, an empty one if it is new."""
        bag = self.bags.get(host)
        if bag is None:
            bag = self.bags[host] = Bag(self, host, self._ranks)
        return bag

    def unpack(self) -> None:
        """Make ready for values that are not floats, and are not rounded."""
        self._ranks = list
        self.heads.unpack()
        for bag in self.bags.values():
            bag.unpack()

    def clear(self) -> None:
        """Forget all entries."""
        self.bags, self.open = {}, 0
        self.heads = Heads()
        if self._ranks is not Packed:
            self.heads.unpack()

    @property
    def gone(self) -> bool:
        return self.weight.scale < 0

    @property
    def live(self) -> bool:
        return self.weight.scale >= 0 and self.weight.shift > -math.inf and self.left > 0

    def cost(self, negative: Value) -> float:
        """Minus the price, from minus the value: heaps put the smallest first."""
        return -float(self.weight.price(-negative))


class Sleeper:
    """A host that rests, or rested, with the bags that came up meanwhile.

    When it wakes, only the best of them is shown, and the next when that one has gone back to its lane: one host with a
    hundred thousand lanes must not cost a hundred thousand steps per visit.
    """

    __slots__ = ("awaited", "held", "host", "posted", "queued", "until", "waiting")

    def __init__(self, host: int) -> None:
        self.host = host
        self.until = -math.inf
        self.held = False  # a visit is in progress, and it is to be the only one
        self.queued = False  # in the schedule's list of wakes
        self.awaited = False  # in its list of hosts that bags wait for
        self.waiting = LazyHeap()
        self.posted: Any = None
