"""Which open offer comes next: lanes by price, in each lane hosts by their best offer, waiting hosts set aside.

Three levels of lazy heaps. An entry is a bound: what it stands for is never higher-priced. `best` looks at the highest bound,
corrects it until it is exact, and has its answer. So a new weight costs one entry for the lane, however many offers and
hosts the lane has, and a worse or vanished offer costs nothing until its turn would come.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection

from ...nouns import Weight
from .bag import Rank, Value
from .lane import Bag, Queue, Sleeper
from .lane_heads import Head
from .lanes_by_price import LanesByPrice
from .moves import Moves
from .waiting_bags import WaitingBags
from .waiting_hosts import WaitingHosts

LOOKED = 2  # times as many entries are looked at as prices are asked for


class Schedule:
    """Finds the highest-priced open offer on a host that may be visited."""

    def __init__(self) -> None:
        self.moves = Moves()
        self.now = -math.inf  # the latest time that it was told
        self._lanes = LanesByPrice()
        self.waiting_hosts = WaitingHosts(self._lanes)
        self._waiting_bags = WaitingBags(self.waiting_hosts, self._lanes)

    def put(self, queue: Queue, host: int, rank: Rank) -> None:
        """Take in an entry."""
        bag = queue.bag(host)
        queue.open += 1
        bag.put(rank)
        self._bound(bag, rank)

    def restore(self, queue: Queue) -> None:
        """Take in a lane with bags that were filled."""
        queue.open = sum(bag.size for bag in queue.bags.values())
        for bag in queue.bags.values():
            if (rank := bag.head()) is not None:
                self._lanes.show_bag(bag, rank)

    def move(self, queue: Queue, host: int, key: int, was: Value, now: Value) -> None:
        """Move an entry from where it was."""
        self.moves.note(queue.bags[host], (now, key), was)
        self.moved()

    def moved(self) -> None:
        """Entries were noted in `moves`: show the bags of some earlier."""
        for bag, rank in self.moves.bounds():
            self._bound(bag, rank)

    def _bound(self, bag: Bag, rank: Rank) -> None:
        """Show a bag earlier if this entry of it has a higher price than what it is shown for."""
        if bag.sleeper is not None:
            if rank < bag.posted[1:3]:
                self._waiting_bags.wait(bag, rank, bag.sleeper)
        elif bag.queue.heads.precedes(rank, bag.number):
            self._lanes.show_bag(bag, rank)

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
            self._waiting_bags.forget(bag)
            bag.queue.heads.remove(bag.number)

    def clear(self, queue: Queue) -> None:
        """Empty a lane."""
        for bag in queue.bags.values():
            self._waiting_bags.forget(bag)
        queue.clear()

    def weigh(self, queue: Queue, weight: Weight) -> None:
        """Give a lane a new weight."""
        self._waiting_bags.give_back_all(queue)
        queue.weight, queue.left = weight, weight.most
        self._lanes.show_lane(queue)

    def wake(self, now: float) -> None:
        """Let hosts come back whose rest is over; time does not go back behind this."""
        self.now = max(now, self.now)
        self.waiting_hosts.wake(now)

    def best(self, now: float) -> Bag | None:
        """The bag whose head is the highest-priced entry that may be visited."""
        now, heap = max(now, self.now), self._lanes.heap
        while (top := heap.top()) is not None:
            thing = top[-1]
            if isinstance(thing, Sleeper):
                self._waiting_bags.give_back_best(thing)
                continue
            head = self._head(thing, now)
            if head is None:
                thing.posted = None
                continue
            bag: Bag = thing.heads.bags[head[2]]
            if head[0] == top[1] and head[1] == top[2]:
                return bag
            self._lanes.show(thing, head)
            if heap.top() is thing.posted:  # it is exact, and still the first
                return bag
        return None

    def coming(self, most: int) -> list[int]:
        """The keys that are likely to be next, if nothing comes between."""
        return self._lanes.coming(most)

    def prices(self, most: int, now: float, single: Callable[[int], bool], visited: Collection[int]) -> list[float]:
        """What the next entries cost, of a `single` host one at most; they are taken out to see, and put back."""
        found, out = list[float](), list[tuple[Queue, int, Rank]]()
        urls, hosts, used = set[int](), set(visited), Counter[Queue]()
        while len(found) < most and len(out) < LOOKED * most and (bag := self.best(now)) is not None:
            queue, host, (value, key) = bag.queue, bag.host, bag.near[0]
            out.append((queue, host, (value, key)))
            self.pop(bag)
            if key in urls or (host in hosts and single(host)) or used[queue] >= queue.left:
                continue
            urls.add(key)
            hosts.add(host)
            used[queue] += 1
            found.append(-queue.cost(value))
        for entry in out:
            self.put(*entry)
        return found

    def ready(self, now: float) -> float | None:
        """The earliest time from now on at which there is a best one."""
        if self.best(now) is not None:
            return now
        until = self._waiting_bags.ready()
        return None if until is None else max(now, until)

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
                self._waiting_bags.wait(bag, rank, sleeper)
            else:
                return head
        return None
