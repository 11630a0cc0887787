"""Offers in, leases out, answers back: what the memory frontier and the disk frontier share."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Literal, TypeAlias

from ..batch import Many, column
from ..nouns import DEFERRED, Frontier, Lane, LaneState, Lease, Offer, Say
from .hosts import Hosts
from .lanes import Lanes, Weigh
from .merge import Intake, Join
from .queue.bag import Value
from .queue.lane import Bag, Queue
from .queue.schedule import Schedule
from .rows import ADDRESSES, Place, Row, Rows, host_key, host_of
from .unchanged import changing

Merge: TypeAlias = Literal["max", "sum", "join"]
Barren: TypeAlias = Callable[[str], bool]
FLOATS = frozenset([float])
MOST_DEFERRED = 1000  # offers that are deferred while others are looked for; the rest when it is asked again


class Ledger(Frontier):
    """A frontier over rows, wherever they live."""

    def __init__(self, rows: Rows, weigh: Weigh, delay: float, alone: bool, join: Join | None) -> None:
        self._rows = rows
        self._schedule = Schedule(rows.bag)
        self._lanes = Lanes(rows, self._schedule, weigh)
        self._hosts = Hosts(rows, self._schedule, delay, alone)
        self._intake = Intake(rows, self._schedule, self._lanes, join)
        self._number = 1
        self._left: list[Lease] = []  # over from a crash
        self._out: dict[int, tuple[int, int]] = {}  # the addresses of leases that are not

    def offer(self, offers: Iterable[Offer]) -> None:
        batch = self._fitted(offers)
        check_finite(batch)
        self._intake.enter_all(batch)
        self._rows.flush()

    def changing(self, says: list[Say | Many[Offer]]) -> list[Say | Many[Offer]]:
        if self._rows.sums or self._intake.joins:
            return says
        if not any(type(say) is Many for say in says):
            return changing(says, self._rows.cached)
        batches = (say if isinstance(say, Many) else [say] for say in says)
        return [say for batch in batches for say in changing(batch, self._rows.cached)]

    def _fitted(self, offers: Iterable[Offer]) -> Sequence[Offer]:
        """The offers with values as the rows can hold them."""
        batch = offers if isinstance(offers, Many) else list(offers)
        return batch if FLOATS.issuperset(map(type, column(batch, "value"))) else self._fitting(batch)

    def _fitting(self, batch: Sequence[Offer]) -> Sequence[Offer]:
        """Offers whose values are not all floats, with values as the rows can hold them."""
        return batch

    def renew(self, offers: Iterable[Offer], sources: Container[str]) -> None:
        batch = [offer for offer in self._fitted(offers) if math.isfinite(offer.value)]
        addresses = [ADDRESSES[offer.link.url] for offer in batch]
        self._rows.load([key for key, _ in addresses])
        for (key, host), offer in zip(addresses, batch, strict=True):
            self._intake.renew(key, host, offer, sources)
        self._rows.flush()

    def reprice(self, most: int, now: float, price: Callable[[Sequence[Offer]], Sequence[float]]) -> None:
        if self._rows.sums:
            return
        self._schedule.wake(now)
        self._rows.expect(self._schedule.coming(most))
        taken = list(islice(self._highest(now), most))
        values = price([offer for *_, offer in taken])
        for (key, host, row, place, offer), value in zip(taken, values, strict=True):
            self._intake.put_back(key, host, row, place, replace(offer, value=value))
        self._rows.flush()

    def _highest(self, now: float) -> Iterator[tuple[int, int, Row, Place, Offer]]:
        """Take offers out of the schedule, the highest-priced first; who does so puts them back."""
        while (bag := self._schedule.best(now)) is not None and bag.queue.name != DEFERRED:
            key, host = bag.key(), bag.host
            row = self._rows.find(key)
            place = row.place(bag.queue)
            assert place is not None
            self._schedule.pop(bag)
            yield key, host, row, place, self._rows.offer(place)

    def reweigh(self, lane: Lane | None = None) -> None:
        self._intake.open -= self._lanes.reweigh(lane)
        self._rows.flush()

    def take(self, most: int, now: float = 0.0, barren: Barren | None = None, visits: bool = True) -> list[Lease]:
        self._schedule.wake(now)
        leases, fallen = self._leftover(most, now), 0
        self._rows.expect(self._schedule.coming(most - len(leases)))
        while len(leases) < most and fallen < MOST_DEFERRED and (bag := self._schedule.best(now)) is not None:
            lease = self._lease(bag, now, barren, visits)
            if lease:
                leases.append(lease)
            else:
                fallen += 1
        self._rows.flush()
        return leases

    def settle(self, lease: Lease, kept: tuple[Any, ...] | None = None) -> None:
        key, host, row = self._end(lease)
        row.fetched = True
        if kept is not None:
            row.kept, row.number = kept, 0
        self._intake.reopen(key, host, row)
        self._rows.flush()

    def give_back(self, lease: Lease, tried: bool = True) -> None:
        key, host, row = self._end(lease)
        offer, again = lease.offer, lease.offer.lane if row.fetched else lease.offer.again
        self._intake.reopen(key, host, row)
        self._intake.enter(key, host, replace(offer, again=again, tries=offer.tries + tried))
        self._rows.flush()

    def known(self, url: str) -> tuple[Any, ...] | None:
        return self._rows.known(self._rows.find(ADDRESSES[url][0]))

    def known_all(self, urls: Sequence[str]) -> Sequence[tuple[Any, ...] | None]:
        return self._rows.known_all(list(urls))

    def ready(self, now: float) -> float | None:
        times = [max(now, self._schedule.waiting_hosts.until(host_of(lease.offer.link.url))) for lease in self._left]
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
        return self._rows.find(ADDRESSES[url][0]).cash

    def total(self) -> Value:
        """The credit of all URLs together."""
        return self._rows.total()

    def _end(self, lease: Lease) -> tuple[int, int, Row]:
        """Key, host and row of a lease that is no longer out."""
        known = self._out.pop(lease.number) if lease.number in self._out else None
        key, host = known or ADDRESSES[lease.offer.link.url]
        row = self._rows.find(key)
        if row.leased != lease.number:
            raise ValueError(f"lease {lease.number} of {lease.offer.link.url} is not out")
        row.leased = 0
        if self._left:
            self._left = [other for other in self._left if other.number != lease.number]
        self._rows.settle(key, lease.number)
        self._hosts.leave(host)
        return key, host, row

    def _leftover(self, most: int, now: float) -> list[Lease]:
        """Leases from before a crash, in their order; one whose host rests waits, like any other visit."""
        leases: list[Lease] = []
        for lease in list(self._left):
            host = host_of(lease.offer.link.url)
            if len(leases) < most and self._schedule.waiting_hosts.awake(host, now):
                self._left.remove(lease)
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
        self._number += 1
        self._rows.keep(key, row, host)
        self._rows.lease(key, lease, queue)
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
        return Lease(self._number, offer, queue.weight, self._rows.known(row))


def check_finite(batch: Sequence[Offer]) -> None:
    """ValueError that says which value is not finite."""
    if math.isfinite(sum(column(batch, "value"))):
        return
    for offer in batch:  # sums can be infinite where no value is
        if not math.isfinite(offer.value):
            raise ValueError(f"{offer.link.url} is offered at {offer.value}: a value must be finite")


def deferred(offer: Offer) -> Offer:
    """The offer in the last lane; its note remembers where it was."""
    return replace(offer, lane=DEFERRED, note=(offer.lane, offer.note))


def in_original_lane(offer: Offer) -> Offer:
    """An offer as its strategy made it, wherever it has fallen to."""
    return replace(offer, lane=tuple(offer.note[0]), note=tuple(offer.note[1])) if offer.lane == DEFERRED else offer
