"""Which open offer comes next: lanes by price, in each lane hosts by their best offer, resting hosts set aside.

Three levels of lazy heaps. An entry is a bound: what it stands for is never dearer. `best` looks at the dearest bound,
corrects it until it is exact, and has its answer. So a new weight costs one entry for the lane, however many offers and
hosts the lane has, and a worse or vanished offer costs nothing until its turn would come.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from heapq import heappop, heappush, heapreplace
from itertools import count
from typing import Any

from ..nouns import Weight
from .piles import Rank, Value
from .queues import Bag, LazyHeap, Queue, Sleeper

MOVES = 1 << 14  # entries at most that wait to be moved


class Schedule:
    """Finds the dearest open offer on a host that may be visited."""

    def __init__(self, bag: Callable[[Queue, int], Bag]) -> None:
        self.sleepers: dict[int, Sleeper] = {}
        self._bag = bag
        self._heads = LazyHeap()  # of queues and of sleepers that woke
        self._serial = count()
        self._wakes: list[tuple[float, int]] = []
        self._awaited: list[tuple[float, int]] = []  # hosts that bags wait for, and no later than they wake
        self._now = -math.inf
        self._aside: dict[Queue, set[Bag]] = {}
        self._moving: list[Bag] = []  # bags with entries that were moved
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
        bag = queue.bags[host]
        moved = bag.moved
        if moved is None:
            moved = bag.moved = {}
            self._moving.append(bag)
        pending = moved.get(key)
        moved[key] = (was, now) if pending is None else (pending[0], now)
        self._moves += 1
        if self._moves > MOVES:
            self._move()
        posted = bag.posted
        if posted is None or bag.sleeper is not None or now <= posted[0]:
            self._bound(bag, (now, key))

    def _move(self) -> None:
        moving, self._moving, self._moves = self._moving, [], 0
        for bag in moving:
            if bag.moved:
                bag.move()

    def _bound(self, bag: Bag, rank: Rank) -> None:
        """Show a bag earlier if this entry of it is dearer than what it is shown for."""
        posted = bag.posted
        if posted is None:
            self.post(bag, rank)
        elif bag.sleeper is not None:
            if rank < posted[1:3]:
                self._wait(bag, rank, bag.sleeper)
        elif rank < posted[:2]:
            self.post(bag, rank)

    def remove(self, queue: Queue, host: int, rank: Rank) -> None:
        """Take an entry out; an empty bag goes with it."""
        bag = queue.bags[host]
        queue.open -= 1
        bag.remove(rank)
        if not bag.size:
            del queue.bags[host]
            self._forget(bag)

    def clear(self, queue: Queue) -> None:
        """Empty a lane."""
        for bag in queue.bags.values():
            self._forget(bag)
        queue.bags = {}
        queue.heads = LazyHeap()
        queue.open = 0

    def weigh(self, queue: Queue, weight: Weight) -> None:
        """Give a lane a new weight."""
        for bag in self._aside.pop(queue, ()):
            bag.sleeper = None
            self.post(bag, bag.posted[1:3])  # the price it waited with no longer holds
        queue.weight, queue.left = weight, weight.most
        self.show(queue)

    def show(self, queue: Queue) -> None:
        """Offer a lane's first entry at the lane's present weight; an idle lane is not shown."""
        head = queue.heads.top()
        if head is None or not queue.live:
            queue.posted = None
        else:
            self._show(queue, head)

    def rest(self, host: int, until: float) -> None:
        """Leave a host alone until then."""
        sleeper = self.sleepers.get(host)
        if sleeper is None:
            sleeper = self.sleepers[host] = Sleeper(host)
        sleeper.until = max(sleeper.until, until)
        sleeper.posted = None
        if not sleeper.queued:
            sleeper.queued = True
            heappush(self._wakes, (sleeper.until, host))

    def hold(self, host: int) -> None:
        """Leave a host alone until it is released."""
        sleeper = self.sleepers.get(host)
        if sleeper is None:
            sleeper = self.sleepers[host] = Sleeper(host)
        sleeper.held, sleeper.posted = True, None

    def release(self, host: int) -> None:
        """A host that was held may be visited again, once it has rested."""
        sleeper = self.sleepers.get(host)
        if sleeper is not None and sleeper.held:
            sleeper.held = False
            self.rest(host, sleeper.until)
            self._await(sleeper)

    def awake(self, host: int, now: float) -> bool:
        """Whether a host may be visited."""
        sleeper = self.sleepers.get(host)
        return sleeper is None or not (sleeper.held or sleeper.until > now)

    def until(self, host: int) -> float:
        """How long a host rests."""
        sleeper = self.sleepers.get(host)
        return -math.inf if sleeper is None else sleeper.until

    def wake(self, now: float) -> None:
        """Let hosts come back whose rest is over; time does not go back behind this."""
        self._now = max(now, self._now)
        wakes = self._wakes
        while wakes and wakes[0][0] <= now:
            host = heappop(wakes)[1]
            sleeper = self.sleepers[host]
            sleeper.queued = False
            if sleeper.until > now:
                self.rest(host, sleeper.until)
            elif not sleeper.held:
                self._show_sleeper(sleeper)

    def best(self, now: float) -> Bag | None:
        """The bag whose head is the dearest entry that may be visited."""
        now = max(now, self._now)
        while (top := self._heads.top()) is not None:
            thing = top[-1]
            if isinstance(thing, Sleeper):
                self._release(thing)
                continue
            head = self._head(thing, now)
            if head is None:
                thing.posted = None
            elif head[0] == top[1] and head[1] == top[2]:
                bag: Bag = head[2]
                return bag
            else:
                self._show(thing, head)
        return None

    def ready(self, now: float) -> float | None:
        """The earliest time from now on at which there is a best one."""
        if self.best(now) is not None:
            return now
        while self._awaited:
            until, host = self._awaited[0]
            sleeper = self.sleepers.get(host)
            if sleeper is None or sleeper.held or not self._has_live(sleeper):
                heappop(self._awaited)
                if sleeper is not None:
                    sleeper.awaited = False
            elif sleeper.until > until:
                heapreplace(self._awaited, (sleeper.until, host))
            else:
                return max(now, until)
        return None

    def _await(self, sleeper: Sleeper) -> None:
        if not sleeper.awaited:
            sleeper.awaited = True
            heappush(self._awaited, (sleeper.until, sleeper.host))

    def post(self, bag: Bag, rank: Rank) -> None:
        """Show a bag in its lane as no dearer than this."""
        queue = bag.queue
        bag.posted = head = (*rank, bag)
        queue.heads.push(head)
        posted = queue.posted
        if posted is None:
            if queue.live:
                self._show(queue, head)
        elif rank < posted[1:3]:
            self._show(queue, head)

    def _show(self, queue: Queue, head: tuple[Value, int, Bag]) -> None:
        queue.posted = top = (queue.cost(head[0]), head[0], head[1], queue.name, next(self._serial), queue)
        self._heads.push(top)

    def _head(self, queue: Queue, now: float) -> Any:
        """The lane's first entry that may be visited, exactly; bags of resting hosts are set aside on the way."""
        while (head := queue.heads.top()) is not None:
            bag: Bag = head[2]
            rank = bag.head()
            if rank is None:
                bag.posted = None
            elif rank[0] != head[0] or rank[1] != head[1]:
                bag.posted = (*rank, bag)
                queue.heads.replace(bag.posted)
            elif (sleeper := self.sleepers.get(bag.host)) is not None and (sleeper.held or sleeper.until > now):
                self._wait(bag, rank, sleeper)
            else:
                return head
        return None

    def _wait(self, bag: Bag, rank: Rank, sleeper: Sleeper) -> None:
        queue = bag.queue
        bag.sleeper = sleeper
        bag.posted = entry = (queue.cost(rank[0]), *rank, queue.name, bag)
        self._aside.setdefault(queue, set()).add(bag)
        sleeper.waiting.push(entry)
        self._await(sleeper)
        if sleeper.posted is not None and entry[:4] < sleeper.posted[:4]:
            self._post_sleeper(sleeper, entry)

    def _show_sleeper(self, sleeper: Sleeper) -> None:
        """Show the best bag that waits for a host that woke; a host that nothing waits for is forgotten."""
        entry = sleeper.waiting.top()
        if entry is None:
            sleeper.posted = None
            del self.sleepers[sleeper.host]
        else:
            self._post_sleeper(sleeper, entry)

    def _post_sleeper(self, sleeper: Sleeper, entry: tuple[Any, ...]) -> None:
        sleeper.posted = top = (*entry[:4], next(self._serial), sleeper)
        self._heads.push(top)

    def _release(self, sleeper: Sleeper) -> None:
        """Give the best waiting bag back to its lane, and show the next one."""
        entry = sleeper.waiting.top()
        if entry is not None:
            self._give_back(entry[-1])
        self._show_sleeper(sleeper)

    def _give_back(self, bag: Bag) -> None:
        self._aside[bag.queue].discard(bag)
        bag.sleeper = None
        self.post(bag, bag.posted[1:3])

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
