"""Offers that are handed out to be fetched, until they are answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from ..nouns import DEFERRED, Lease, Offer
from .changes import Changes
from .deferred import deferred, in_original_lane
from .hosts import Hosts
from .lanes import Lanes
from .merge import Intake
from .queue.lane import Bag, Queue
from .queue.schedule import Schedule
from .rows import ADDRESSES, Row, Rows, host_of

Barren: TypeAlias = Callable[[str], bool]
MOST_DEFERRED = 1000  # offers that are deferred while others are looked for; the rest when it is asked again


class Leases:
    """Takes offers out of the schedule, and knows which are out; `left` are those that were out at a crash."""

    def __init__(
        self, rows: Rows, changes: Changes, schedule: Schedule, lanes: Lanes, hosts: Hosts, intake: Intake
    ) -> None:
        self.left: list[Lease] = []
        self.next_number = 1
        self._rows = rows
        self._changes = changes
        self._schedule = schedule
        self._lanes = lanes
        self._hosts = hosts
        self._intake = intake
        self._out: dict[int, tuple[int, int]] = {}  # addresses by number

    def take(self, most: int, now: float, barren: Barren | None, visits: bool) -> list[Lease]:
        """The next ones; see Frontier."""
        leases, fallen = self._left_over(most, now), 0
        self._rows.expect(self._schedule.coming(most - len(leases)))
        while len(leases) < most and fallen < MOST_DEFERRED and (bag := self._schedule.best(now)) is not None:
            lease = self._lease(bag, now, barren, visits)
            if lease:
                leases.append(lease)
            else:
                fallen += 1
        return leases

    def prices(self, most: int, now: float) -> list[float]:
        """What would be taken now, by its prices."""
        visited, found = set[int](), list[float]()
        for lease in self.left:
            host = host_of(lease.offer.link.url)
            single = self._hosts.has_to_rest(host)
            if self._schedule.waiting_hosts.awake(host, now) and not (single and host in visited):
                visited.add(host)
                found.append(lease.price)
        return [*found, *self._schedule.prices(most - len(found), now, self._hosts.has_to_rest, visited)][:most]

    def ready(self, now: float) -> float | None:
        """The earliest time at which there is something to take; None when there will be nothing as things are."""
        times = [max(now, self._schedule.waiting_hosts.until(host_of(lease.offer.link.url))) for lease in self.left]
        opens = None if now in times else self._schedule.ready(now)
        return min(times if opens is None else [*times, opens], default=None)

    def end(self, lease: Lease) -> tuple[int, int, Row]:
        """Key, host and row of a lease that is no longer out."""
        known = self._out.pop(lease.number) if lease.number in self._out else None
        key, host = known or ADDRESSES[lease.offer.link.url]
        row = self._rows.find(key)
        if row.leased != lease.number:
            raise ValueError(f"lease {lease.number} of {lease.offer.link.url} is not out")
        row.leased = 0
        if self.left:
            self.left = [other for other in self.left if other.number != lease.number]
        self._changes.settle(key, lease.number)
        self._hosts.leave(host)
        return key, host, row

    def _left_over(self, most: int, now: float) -> list[Lease]:
        """Leases from before a crash, in their order; one whose host rests waits, like any other visit."""
        leases: list[Lease] = []
        for lease in list(self.left):
            host = host_of(lease.offer.link.url)
            if len(leases) < most and self._schedule.waiting_hosts.awake(host, now):
                self.left.remove(lease)
                self._hosts.visit(host, now)
                leases.append(lease)
        return leases

    def _lease(self, bag: Bag, now: float, barren: Barren | None, visits: bool) -> Lease | None:
        """The lease of the bag's first offer; None if that belongs to another lane now."""
        key, queue, host = bag.key(), bag.queue, bag.host
        row = self._rows.find(key)
        lease = self._written(row, queue)
        self._schedule.pop(bag)
        for place in row.places:
            if place.queue is not queue:
                self._schedule.remove(place.queue, host, (-self._rows.worth(row, place), key))
        row.places, row.cash = (), 0
        self._intake.open -= 1
        if barren and (moved := self._elsewhere(lease.offer, queue, barren)):
            self._move(key, row, moved, host)
            return None
        row.leased = lease.number
        self._out[lease.number] = key, host
        self.next_number += 1
        self._rows.keep(key, row, host)
        self._changes.lease(key, lease, queue)
        self._lanes.spend(queue)
        if visits:
            self._hosts.visit(host, now)
        return lease

    def _elsewhere(self, offer: Offer, queue: Queue, barren: Barren) -> Offer | None:
        """The offer in the lane to which it belongs, if it is not there: deferred, or back in its original lane."""
        promising = not barren(offer.link.url)
        if queue.name != DEFERRED:
            return None if promising else deferred(offer)
        home = in_original_lane(offer)
        return home if promising or not self._lanes.queue(home.lane).live else None

    def _move(self, key: int, row: Row, offer: Offer, host: int) -> None:
        self._rows.keep(key, row, host)
        self._intake.enter(key, host, replace(offer, again=offer.lane if row.fetched else offer.again))
        self._rows.flush()

    def _written(self, row: Row, queue: Queue) -> Lease:
        place = row.place(queue)
        assert place is not None
        offer, value = self._rows.offer(place), self._rows.worth(row, place)
        if offer.value != value or offer.lane != queue.name:
            offer = replace(offer, value=value, lane=queue.name)
        return Lease(self.next_number, offer, queue.weight, self._rows.known(row))
