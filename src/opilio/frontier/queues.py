"""What the schedule is made of: bags of offers, the lanes they stand in, and hosts that sleep."""

from __future__ import annotations

import math
from heapq import heapify, heappop, heappush, heapreplace
from typing import Any

from ..nouns import Lane, Weight
from .piles import Packed, Pile, Value


class LazyHeap:
    """Entries end in the thing they stand for; one that is no longer that thing's `posted` does not count."""

    __slots__ = ("entries", "limit")

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self.limit = 64

    def push(self, entry: Any) -> None:
        heappush(self.entries, entry)
        if len(self.entries) > self.limit:
            self.entries = [entry for entry in self.entries if entry[-1].posted is entry]
            heapify(self.entries)
            self.limit = 2 * len(self.entries) + 64

    def replace(self, entry: Any) -> None:
        """Put an entry in the place of the first."""
        heapreplace(self.entries, entry)

    def top(self) -> Any:
        """The first entry that counts, None when there is none."""
        entries = self.entries
        while entries and entries[0][-1].posted is not entries[0]:
            heappop(entries)
        return entries[0] if entries else None


class Bag(Pile):
    """The open offers of one lane on one host."""

    __slots__ = ("host", "posted", "queue", "sleeper")

    def __init__(self, queue: Queue, host: int) -> None:
        super().__init__()
        self.queue = queue
        self.host = host
        self.posted: Any = None  # in the queue's heads, or among the sleeper's waiting
        self.sleeper: Sleeper | None = None

    def __lt__(self, other: object) -> bool:
        return False  # two entries that differ in the bag alone stand for the same URL: either order will do


class PackedBag(Bag):
    """A bag for values that are floats."""

    __slots__ = ()
    ranks = Packed


class Queue:
    """A lane: its weight, and its bags by host."""

    __slots__ = ("bags", "dropped", "heads", "left", "name", "number", "open", "posted", "weight")

    def __init__(self, number: int, name: Lane, weight: Weight) -> None:
        self.number = number
        self.name = name
        self.weight = weight
        self.left = weight.most
        self.open = 0
        self.dropped = 0
        self.bags: dict[int, Bag] = {}
        self.heads = LazyHeap()
        self.posted: Any = None

    @property
    def gone(self) -> bool:
        return self.weight.scale < 0

    @property
    def live(self) -> bool:
        return self.weight.scale >= 0 and self.weight.shift > -math.inf and self.left > 0

    def cost(self, negative: Value) -> float:
        """Minus the price, from minus the value: heaps put the smallest first."""
        return -float(self.weight.shift - self.weight.scale * negative)


class Sleeper:
    """A host that rests, or rested, with the bags that came up meanwhile.

    When it wakes, only the best of them is shown, and the next when that one has gone back to its lane: one host with a
    hundred thousand lanes must not cost a hundred thousand steps per visit.
    """

    __slots__ = ("awaited", "held", "host", "posted", "queued", "until", "waiting")

    def __init__(self, host: int) -> None:
        self.host = host
        self.until = -math.inf
        self.held = False  # a visit is under way, and it is to be the only one
        self.queued = False  # in the schedule's list of wakes
        self.awaited = False  # in its list of hosts that bags wait for
        self.waiting = LazyHeap()
        self.posted: Any = None
