"""Bags on hosts that may not be visited: they are out of their lanes, and wait with their host."""

from __future__ import annotations

from .bag import Rank
from .lane import Bag, Queue, Sleeper
from .lanes_by_price import LanesByPrice
from .waiting_hosts import WaitingHosts


class WaitingBags:
    """Sets bags aside, and gives them back to their lanes: one at a time when a host wakes, or all of a lane."""

    def __init__(self, hosts: WaitingHosts, lanes: LanesByPrice) -> None:
        self._hosts = hosts
        self._lanes = lanes
        self._by_lane: dict[Queue, set[Bag]] = {}

    def wait(self, bag: Bag, rank: Rank, sleeper: Sleeper) -> None:
        """Let a bag wait, with the price of this entry."""
        queue = bag.queue
        bag.sleeper = sleeper
        queue.heads.hide(bag.number)
        bag.posted = entry = (queue.cost(rank[0]), *rank, queue.name, bag)
        self._by_lane.setdefault(queue, set()).add(bag)
        self._hosts.wait(sleeper, entry)

    def give_back_best(self, sleeper: Sleeper) -> None:
        """Give the best bag of a host that woke back to its lane, and show the next one."""
        entry = sleeper.waiting.top()
        if entry is not None:
            self._give_back(entry[-1])
        self._hosts.show(sleeper)

    def give_back_all(self, queue: Queue) -> None:
        """Give all bags back to their lane: the price they waited with no longer holds."""
        for bag in self._by_lane.pop(queue, ()):
            self._show(bag)

    def forget(self, bag: Bag) -> None:
        """A bag is empty, or its lane is."""
        if bag.sleeper is not None:
            self._by_lane[bag.queue].discard(bag)
        bag.posted = bag.sleeper = None

    def ready(self) -> float | None:
        """The earliest time at which a host wakes that something waits for which may be taken."""
        while (first := self._hosts.awaited()) is not None:
            sleeper, until = first
            if self._has_live(sleeper):
                return until
            self._hosts.give_up(sleeper)
        return None

    def _has_live(self, sleeper: Sleeper) -> bool:
        """Whether a bag that may be taken waits for this host."""
        while (entry := sleeper.waiting.top()) is not None:
            if entry[-1].queue.live:
                return True
            self._give_back(entry[-1])
        return False

    def _give_back(self, bag: Bag) -> None:
        self._by_lane[bag.queue].discard(bag)
        self._show(bag)

    def _show(self, bag: Bag) -> None:
        rank, bag.sleeper, bag.posted = bag.posted[1:3], None, None
        self._lanes.show_bag(bag, rank)
