"""The lanes of a frontier: what they weigh, and what is dropped."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from ..nouns import DEFERRED, Lane, Weight
from .queue.lane import Queue
from .queue.schedule import Schedule
from .rows import Rows

Weigh: TypeAlias = Callable[[Lane], Weight | None]  # None: it cannot be told, and the lane stays as it is
LAST = Weight(-1e9, 1.0, most=5)  # of the lane DEFERRED: after all others, and a few at a time


class Lanes:
    """Asks once what a lane weighs, and remembers it."""

    def __init__(self, rows: Rows, schedule: Schedule, weigh: Weigh) -> None:
        self.queues: dict[Lane, Queue] = {}
        self._rows = rows
        self._schedule = schedule
        self._weigh = weigh

    def queue(self, lane: Lane) -> Queue:
        """The queue of a lane, which is weighed if it is new."""
        queue = self.queues.get(lane)
        if queue is None:
            queue = Queue(len(self.queues), lane, self._weight(lane))
            self.queues[lane] = queue
            self._rows.queues.append(queue)
            self._rows.touch(queue)
        return queue

    def reweigh(self, lane: Lane | None) -> int:
        """Ask again for one lane or all; says how many URLs are no longer open for it."""
        names = list(self.queues) if lane is None else [lane] if lane in self.queues else []
        weights = [self._weight(name) for name in names]
        return sum(self._change(self.queues[name], weight) for name, weight in zip(names, weights, strict=True))

    def refuse(self, queue: Queue) -> None:
        """An offer came too late: the lane is gone."""
        queue.dropped += 1
        self._rows.touch(queue)

    def spend(self, queue: Queue) -> None:
        """One lease less until the lane is weighed again."""
        if queue.left < math.inf:
            queue.left -= 1
            self._rows.touch(queue)
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
            closed = self._rows.free(queue)
            queue.dropped += queue.open
            self._schedule.clear(queue)
        self._rows.touch(queue)
        return closed


def checked(lane: Lane, weight: Weight) -> Weight:
    """The same; TypeError or ValueError where it is not what a lane can weigh."""
    if not isinstance(weight, Weight):
        raise TypeError(f"lane {lane} weighs {weight}: it has to be a Weight, as in Weight(shift, scale)")
    if any(map(math.isnan, weight)) or math.inf in weight[:2]:
        raise ValueError(f"lane {lane} weighs {weight}: shift and scale must be numbers below infinity")
    return weight
