"""Which open offer comes next: lanes by price, in each lane hosts by their best offer, waiting hosts set aside.

Three levels of lazy heaps. An entry is a bound: what it stands for is never higher-priced. `best` looks at the highest bound,
corrects it until it is exact, and has its answer. So a new weight costs one entry for the lane, however many offers and
hosts the lane has, and a worse or vanished offer costs nothing until its turn would come.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count

from ...nouns import Weight
from ..cash_updates import note_move
from ..hosts import WaitingHosts
from .bag import Rank, Value
from .lane import Bag, LazyHeap, Queue, Sleeper
from .lane_heads import Head, Heads

MOVES = 1 << 14  # entries at most that wait to be moved


class Schedule:
    """Finds the highest-priced open offer on a host that may be visited."""

    def __init__(self, bag: Callable[[Queue, int], Bag]) -> None:
        self._bag = bag
        self._heads = LazyHeap()  # of queues and of sleepers that woke
        self._serial = count()
        self.waiting_hosts = WaitingHosts(self._heads, self._serial)
        self.now = -math.inf  # the latest time that it was told
        self._aside: dict[Queue, set[Bag]] = {}
        self.moving: list[Bag] = []  # bags with entries that were moved
        self._moves = 0

    def put(self, queue: Queue, host: int, rank: Rank) -> None:
        """Take in an entry."""
        bag = queue.bags.get(host)
        if bag is None:
            bag = queue.bags[host] = self._bag(queue, host)
        queue.open += 1
        bag.put(rank)
        self._bound(bag, rank)

    def move(self, queue: Queue, host: int, key: int, was: Value, now: Value) -> None:
        """Move an entry from where it was; its bag does so when somebody looks into it, with all that were moved meanwhile."""
        bounds: list[tuple[Bag, Rank]] = []
        note_move(queue.bags[host], (now, key), was, self.moving, bounds)
        self.moved(bounds, 1)

    def moved(self, bounds: list[tuple[Bag, Rank]], moves: int) -> None:
        """So many entries more wait to be moved, and bags may have to be shown for some."""
        self._moves += moves
        if self._moves > MOVES:
            self._move()
        for bag, rank in bounds:
            self._bound(bag, rank)

    def _move(self) -> None:
        moving, self.moving, self._moves = self.moving, [], 0
        for bag in moving:
            if bag.moved:
                bag.move()

    def _bound(self, bag: Bag, rank: Rank) -> None:
        """Show a bag earlier if this entry of it has a higher price than what it is shown for."""
        if bag.sleeper is not None:
            if rank < bag.posted[1:3]:
                self._wait(bag, rank, bag.sleeper)
        elif bag.queue.heads.precedes(rank, bag.number):
            self.post(bag, rank)

    def remove(self, queue: Queue, host: int, rank: Rank) -> None:
        """Take an entry out; an empty bag goes with it."""
        bag = queue.bags[host]
        bag.remove(rank)
        self._removed(bag)

    def pop(self, bag: Bag) -> None:
        """Take the first entry out of the bag that is the best."""
        bag.pop()
        self._removed(bag)
        if (rank := bag.head()) is not None:
            bag.queue.heads.replace(rank)

    def _removed(self, bag: Bag) -> None:
        bag.queue.open -= 1
        if not bag.size:
            del bag.queue.bags[bag.host]
            self._forget(bag)

    def clear(self, queue: Queue) -> None:
        """Empty a lane."""
        for bag in queue.bags.values():
            self._forget(bag)
        queue.bags = {}
        queue.heads = Heads()
        queue.open = 0

    def weigh(self, queue: Queue, weight: Weight) -> None:
        """Give a lane a new weight."""
        for bag in self._aside.pop(queue, ()):
            self._back(bag)  # the price it waited with no longer holds
        queue.weight, queue.left = weight, weight.most
        self.show(queue)

    def show(self, queue: Queue) -> None:
        """Offer a lane's first entry at the lane's present weight; an idle lane is not shown."""
        head = queue.heads.top()
        if head is None or not queue.live:
            queue.posted = None
        else:
            self._show(queue, head)

    def wake(self, now: float) -> None:
        """Let hosts come back whose rest is over; time does not go back behind this."""
        self.now = max(now, self.now)
        self.waiting_hosts.wake(now)

    def best(self, now: float) -> Bag | None:
        """The bag whose head is the highest-priced entry that may be visited."""
        now = max(now, self.now)
        while (top := self._heads.top()) is not None:
            thing = top[-1]
            if isinstance(thing, Sleeper):
                self._release(thing)
                continue
            head = self._head(thing, now)
            if head is None:
                thing.posted = None
                continue
            bag: Bag = thing.heads.bags[head[2]]
            if head[0] == top[1] and head[1] == top[2]:
                return bag
            self._show(thing, head)
            if self._heads.top() is thing.posted:  # it is exact, and still the first
                return bag
        return None

    def coming(self, most: int) -> list[int]:
        """The keys that are likely to be next, if nothing comes between."""
        top = self._heads.top()
        return [] if top is None or isinstance(top[-1], Sleeper) else top[-1].heads.coming(most)

    def ready(self, now: float) -> float | None:
        """The earliest time from now on at which there is a best one."""
        if self.best(now) is not None:
            return now
        while (first := self.waiting_hosts.awaited()) is not None:
            sleeper, until = first
            if self._has_live(sleeper):
                return max(now, until)
            self.waiting_hosts.give_up(sleeper)
        return None

    def post(self, bag: Bag, rank: Rank) -> None:
        """Show a bag in its lane with no higher price than this."""
        queue = bag.queue
        queue.heads.show(rank, bag.number)
        posted = queue.posted
        if posted is None:
            if queue.live:
                self._show(queue, rank)
        elif rank < posted[1:3]:
            self._show(queue, rank)

    def _show(self, queue: Queue, head: Rank | Head) -> None:
        queue.posted = top = (queue.cost(head[0]), head[0], head[1], queue.name, next(self._serial), queue)
        self._heads.push(top)

    def _head(self, queue: Queue, now: float) -> Head | None:
        """The lane's first entry that may be visited, exactly; bags of waiting hosts are set aside on the way."""
        heads, sleepers = queue.heads, self.waiting_hosts.sleepers
        while (head := heads.top()) is not None:
            bag = heads.bags[head[2]]
            assert bag is not None  # it would not be shown
            rank = bag.head()
            if rank is None:
                heads.hide(bag.number)
            elif rank[0] != head[0] or rank[1] != head[1]:
                heads.replace(rank)
            elif (sleeper := sleepers.get(bag.host)) is not None and (sleeper.held or sleeper.until > now):
                self._wait(bag, rank, sleeper)
            else:
                return head
        return None

    def _wait(self, bag: Bag, rank: Rank, sleeper: Sleeper) -> None:
        queue = bag.queue
        bag.sleeper = sleeper
        queue.heads.hide(bag.number)
        bag.posted = entry = (queue.cost(rank[0]), *rank, queue.name, bag)
        self._aside.setdefault(queue, set()).add(bag)
        self.waiting_hosts.wait(sleeper, entry)

    def _release(self, sleeper: Sleeper) -> None:
        """Give the best waiting bag back to its lane, and show the next one."""
        entry = sleeper.waiting.top()
        if entry is not None:
            self._give_back(entry[-1])
        self.waiting_hosts.show(sleeper)

    def _give_back(self, bag: Bag) -> None:
        self._aside[bag.queue].discard(bag)
        self._back(bag)

    def _back(self, bag: Bag) -> None:
        rank, bag.sleeper, bag.posted = bag.posted[1:3], None, None
        self.post(bag, rank)

    def _has_live(self, sleeper: Sleeper) -> bool:
        """Whether a bag that may be taken waits for this host."""
        while (entry := sleeper.waiting.top()) is not None:
            if entry[-1].queue.live:
                return True
            self._give_back(entry[-1])
        return False

    def _forget(self, bag: Bag) -> None:
        if bag.sleeper is not None:
            self._aside[bag.queue].discard(bag)
        bag.posted = bag.sleeper = None
        bag.queue.heads.remove(bag.number)
