"""All lanes by the price of their first entry, and among them the hosts whose wait is over."""

from __future__ import annotations

from itertools import count
from typing import Any

from .bag import Rank
from .lane import Bag, LazyHeap, Queue, Sleeper
from .lane_heads import Head


class LanesByPrice:
    """A lazy heap of bounds: nothing that an entry stands for has a higher price than the entry."""

    def __init__(self) -> None:
        self.heap = LazyHeap()
        self._serial = count()

    def show_bag(self, bag: Bag, rank: Rank) -> None:
        """Show a bag in its lane with no higher price than this."""
        queue = bag.queue
        queue.heads.show(rank, bag.number)
        posted = queue.posted
        if posted is None:
            if queue.live:
                self.show(queue, rank)
        elif rank < posted[1:3]:
            self.show(queue, rank)

    def show_lane(self, queue: Queue) -> None:
        """Show a lane for its first entry at the lane's present weight; an idle lane is not shown."""
        head = queue.heads.top()
        if head is None or not queue.live:
            queue.posted = None
        else:
            self.show(queue, head)

    def show(self, queue: Queue, head: Rank | Head) -> None:
        """Show a lane for this entry."""
        queue.posted = top = (queue.cost(head[0]), head[0], head[1], queue.name, next(self._serial), queue)
        self.heap.push(top)

    def show_host(self, sleeper: Sleeper, entry: tuple[Any, ...]) -> None:
        """Show a host that woke for an entry that waits for it."""
        sleeper.posted = top = (*entry[:4], next(self._serial), sleeper)
        self.heap.push(top)

    def coming(self, most: int) -> list[int]:
        """The keys that are likely to be next, if nothing comes between."""
        top = self.heap.top()
        return [] if top is None or isinstance(top[-1], Sleeper) else top[-1].heads.coming(most)
