"""Offers in, leases out, answers back: what the memory frontier and the disk frontier share."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from ..nouns import Frontier, Lane, LaneState, Lease, Offer
from .hosts import Hosts
from .lanes import Lanes, Weigh
from .merge import Intake
from .piles import Value
from .queues import Bag, Queue
from .rows import Row, Rows, host_key, host_of, key_of
from .schedule import Schedule

Merge: TypeAlias = Literal["max", "sum"]


class Ledger(Frontier):
    """A frontier over rows, wherever they live."""

    def __init__(self, rows: Rows, weigh: Weigh, delay: float, alone: bool) -> None:
        self._rows = rows
        self._schedule = Schedule(rows.bag)
        self._lanes = Lanes(rows, self._schedule, weigh)
        self._hosts = Hosts(rows, self._schedule, delay, alone)
        self._intake = Intake(rows, self._schedule, self._lanes)
        self._number = 1
        self._left: list[Lease] = []  # over from a crash

    def offer(self, offers: Iterable[Offer]) -> None:
        batch = list(offers)
        for offer in batch:
            if not math.isfinite(offer.value):
                raise ValueError(f"{offer.link.url} is offered at {offer.value}: a value must be finite")
        keys = [key_of(offer.link.url) for offer in batch]
        self._rows.load(keys)
        for key, offer in zip(keys, batch, strict=True):
            self._intake.enter(key, offer)
        self._rows.flush()

    def renew(self, offers: Iterable[Offer], sources: Container[str]) -> None:
        batch = [offer for offer in offers if math.isfinite(offer.value)]
        keys = [key_of(offer.link.url) for offer in batch]
        self._rows.load(keys)
        for key, offer in zip(keys, batch, strict=True):
            self._intake.renew(key, offer, sources)
        self._rows.flush()

    def reweigh(self, lane: Lane | None = None) -> None:
        self._intake.open -= self._lanes.reweigh(lane)
        self._rows.flush()

    def take(self, most: int, now: float = 0.0) -> list[Lease]:
        self._schedule.wake(now)
        leases = self._leftover(most, now)
        while len(leases) < most and (bag := self._schedule.best(now)) is not None:
            leases.append(self._lease(bag, now))
        self._rows.flush()
        return leases

    def settle(self, lease: Lease, kept: tuple[Any, ...] | None = None) -> None:
        key, row = self._end(lease)
        row.fetched = True
        row.kept = row.kept if kept is None else kept
        self._intake.reopen(key, row, host_of(lease.offer.link.url))
        self._rows.flush()

    def give_back(self, lease: Lease) -> None:
        key, row = self._end(lease)
        offer = lease.offer
        self._intake.reopen(key, row, host_of(offer.link.url))
        self._intake.enter(key, replace(offer, again=offer.lane if row.fetched else offer.again, tries=offer.tries + 1))
        self._rows.flush()

    def known(self, url: str) -> tuple[Any, ...] | None:
        return self._rows.known(self._find(url)[1])

    def known_all(self, urls: Iterable[str]) -> dict[str, tuple[Any, ...] | None]:
        keys = {url: key_of(url) for url in urls}
        self._rows.load(list(keys.values()))
        return {url: self._rows.known(self._rows.row(key)) for url, key in keys.items()}

    def ready(self, now: float) -> float | None:
        times = [max(now, self._schedule.until(host_of(lease.offer.link.url))) for lease in self._left]
        opens = None if now in times else self._schedule.ready(now)
        return min(times if opens is None else [*times, opens], default=None)

    def lanes(self) -> Iterator[LaneState]:
        for queue in self._lanes.queues.values():
            yield LaneState(queue.name, queue.weight, queue.open, queue.dropped)

    def __len__(self) -> int:
        return self._intake.open

    def rest(self, host: str, until: float) -> None:
        """Do not visit a host before then; a longer rest that it has already stays."""
        self._hosts.rest(host_key(host), until)

    def set_delay(self, host: str, seconds: float) -> None:
        """From its next visit on, let a host rest this long after each."""
        self._hosts.set_delay(host_key(host), seconds)

    def credit(self, url: str) -> Value:
        """What a URL gathered since it was last taken, whatever its state; 0 where values are not summed."""
        return self._find(url)[1].cash

    def total(self) -> Value:
        """The credit of all URLs together."""
        return self._rows.total()

    def _find(self, url: str) -> tuple[int, Row]:
        key = key_of(url)
        self._rows.load([key])
        return key, self._rows.row(key)

    def _end(self, lease: Lease) -> tuple[int, Row]:
        """Key and row of a lease that is no longer out."""
        url = lease.offer.link.url
        key, row = self._find(url)
        if row.leased != lease.number:
            raise ValueError(f"lease {lease.number} of {url} is not out")
        row.leased = 0
        if self._left:
            self._left = [other for other in self._left if other.number != lease.number]
        self._rows.settle(key, lease.number)
        self._hosts.leave(host_of(url))
        return key, row

    def _leftover(self, most: int, now: float) -> list[Lease]:
        """Leases from before a crash, in their order; one whose host rests waits, like any other visit."""
        leases: list[Lease] = []
        for lease in list(self._left):
            host = host_of(lease.offer.link.url)
            if len(leases) < most and self._schedule.awake(host, now):
                self._left.remove(lease)
                self._hosts.visit(host, now)
                leases.append(lease)
        return leases

    def _lease(self, bag: Bag, now: float) -> Lease:
        rank = bag.head()
        assert rank is not None
        key, queue, host = rank[1], bag.queue, bag.host
        self._rows.load([key])
        row = self._rows.row(key)
        lease = self._written(row, queue)
        for place in row.places:
            self._schedule.remove(place.queue, host, (-self._rows.worth(row, place), key))
        row.places, row.cash, row.leased = (), 0, lease.number
        self._intake.open -= 1
        self._rows.keep(key, row, host)
        self._rows.lease(key, lease, queue)
        self._lanes.spend(queue)
        self._hosts.visit(host, now)
        return lease

    def _written(self, row: Row, queue: Queue) -> Lease:
        place = row.place(queue)
        assert place is not None
        offer, value = self._rows.offer(place), self._rows.worth(row, place)
        if offer.value != value or offer.lane != queue.name:
            offer = replace(offer, value=value, lane=queue.name)
        self._number += 1
        return Lease(self._number - 1, offer, queue.weight, self._rows.known(row))
