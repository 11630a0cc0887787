"""The lanes of a frontier: what they weigh, and what is dropped."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import islice
from typing import TypeAlias

from ..nouns import DEFERRED, Lane, Weight
from .changes import Changes
from .queue.lane import Bag, Queue
from .queue.schedule import Schedule
from .rows import Rows

Weigh: TypeAlias = Callable[[Lane], Weight | None]  # None: it cannot be told, and the lane stays as it is
MANY = 1024  # rows that are changed together when a lane is given up
LAST = Weight(-1e9, 1.0, most=5)  # of the lane DEFERRED: after all others, and a few at a time


class Lanes:
    """Asks once what a lane weighs, and remembers it."""

    def __init__(self, rows: Rows, changes: Changes, schedule: Schedule, weigh: Weigh) -> None:
        self.queues: dict[Lane, Queue] = {}
        self._rows = rows
        self._changes = changes
        self._schedule = schedule
        self._weigh = weigh
        self._floats = True  # all values so far

    def queue(self, lane: Lane) -> Queue:
        """The queue of a lane, which is weighed if it is new."""
        queue = self.queues.get(lane)
        if queue is None:
            queue = Queue(len(self.queues), lane, self._weight(lane))
            if not self._floats:
                queue.unpack()
            self.queues[lane] = queue
            self._rows.queues.append(queue)
            self._changes.lane(queue)
        return queue

    def unpack(self) -> None:
        """From now on values may be other numbers than floats, and are not rounded."""
        if self._floats:
            self._floats = False
            for queue in self.queues.values():
                queue.unpack()

    def reweigh(self, lane: Lane | None) -> int:
        """Ask again for one lane or all; says how many URLs are no longer open for it."""
        names = list(self.queues) if lane is None else [lane] if lane in self.queues else []
        weights = [self._weight(name) for name in names]
        return sum(self._change(self.queues[name], weight) for name, weight in zip(names, weights, strict=True))

    def refuse(self, queue: Queue) -> None:
        """An offer came too late: the lane is gone."""
        queue.dropped += 1
        self._changes.lane(queue)

    def spend(self, queue: Queue) -> None:
        """One lease less until the lane is weighed again."""
        if queue.left < math.inf:
            queue.left -= 1
            self._changes.lane(queue)
            if not queue.live:
                queue.posted = None

    def _weight(self, lane: Lane) -> Weight:
        weight = LAST if lane == DEFERRED else self._weigh(lane)
        if weight is None:
            return self.queues[lane].weight if lane in self.queues else Weight()
        return checked(lane, weight)

    def _change(self, queue: Queue, weight: Weight) -> int:
        closed = 0
        self._schedule.weigh(queue, weight)
        if queue.gone:
            closed = sum(self._give_up(queue, bag) for bag in queue.bags.values())
            queue.dropped += queue.open
            self._schedule.clear(queue)
        self._changes.lane(queue)
        return closed

    def _give_up(self, queue: Queue, bag: Bag) -> int:
        """Void every place of a lane that is gone, on one host; says how many URLs are no longer open."""
        closed, ranks = 0, iter(bag)
        while keys := [rank[1] for rank in islice(ranks, MANY)]:
            self._rows.load(keys)
            for key in keys:
                row = self._rows.row(key)
                row.places = tuple(place for place in row.places if place.queue is not queue)
                self._rows.keep(key, row, bag.host)
                closed += not row.places
            self._rows.flush()
        return closed


def checked(lane: Lane, weight: Weight) -> Weight:
    """The same; TypeError or ValueError where it is not what a lane can weigh."""
    if not isinstance(weight, Weight):
        raise TypeError(f"lane {lane} weighs {weight}: it has to be a Weight, as in Weight(shift, scale)")
    if any(map(math.isnan, weight)) or math.inf in weight[:2]:
        raise ValueError(f"lane {lane} weighs {weight}: shift and scale must be numbers below infinity")
    return weight
