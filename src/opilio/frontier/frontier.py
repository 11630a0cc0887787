"""Offers in, leases out, answers back: what the memory frontier and the disk frontier share."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from ..batch import Many, column
from ..nouns import Frontier, Lane, LaneState, Lease, Offer, Say
from .changes import Changes
from .hosts import Hosts
from .lanes import Lanes, Weigh
from .leases import Barren, Leases
from .merge import Intake, Join
from .queue.bag import Value
from .queue.schedule import Schedule
from .repricing import Price, reprice
from .rows import ADDRESSES, Rows, host_key
from .unchanged import changing

Merge: TypeAlias = Literal["max", "sum", "join"]
FLOATS = frozenset([float])


class RowFrontier(Frontier):
    """A frontier over rows, wherever they live."""

    def __init__(
        self, rows: Rows, changes: Changes, weigh: Weigh, delay: float, alone: bool, join: Join | None
    ) -> None:
        self._rows = rows
        self._schedule = Schedule()
        self._lanes = Lanes(rows, changes, self._schedule, weigh)
        self._hosts = Hosts(changes, self._schedule, delay, alone)
        self._intake = Intake(rows, self._schedule, self._lanes, join)
        self._leases = Leases(rows, changes, self._schedule, self._lanes, self._hosts, self._intake)

    @abstractmethod
    def _fit(self, batch: Sequence[Offer]) -> Sequence[Offer]:
        """The offers with values as the rows can hold them."""

    def offer(self, offers: Iterable[Offer]) -> None:
        batch = self._fit(offers if isinstance(offers, Many) else list(offers))
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

    def renew(self, offers: Iterable[Offer], sources: Container[str]) -> None:
        batch = [offer for offer in self._fit(list(offers)) if math.isfinite(offer.value)]
        addresses = [ADDRESSES[offer.link.url] for offer in batch]
        self._rows.load([key for key, _ in addresses])
        for (key, host), offer in zip(addresses, batch, strict=True):
            self._intake.renew(key, host, offer, sources)
        self._rows.flush()

    def reprice(self, most: int, now: float, price: Price) -> None:
        if self._rows.sums:
            return
        self._schedule.wake(now)
        fresh = self._intake.join_all()
        self._rows.expect(self._schedule.coming(most))
        reprice(self._rows, self._schedule, most, now, price, fresh)
        self._rows.flush()

    def reweigh(self, lane: Lane | None = None) -> None:
        self._intake.open -= self._lanes.reweigh(lane)
        self._rows.flush()

    def take(self, most: int, now: float = 0.0, barren: Barren | None = None, visits: bool = True) -> list[Lease]:
        self._schedule.wake(now)
        self._intake.join_all()
        leases = self._leases.take(most, now, barren, visits)
        self._rows.flush()
        return leases

    def prices(self, most: int, now: float) -> list[float]:
        self._schedule.wake(now)
        self._intake.join_all()
        return self._leases.prices(most, now)

    def settle(self, lease: Lease, kept: tuple[Any, ...] | None = None) -> None:
        key, host, row = self._leases.end(lease)
        row.fetched = True
        if kept is not None:
            row.kept, row.number = kept, 0
        self._intake.reopen(key, host, row)
        self._rows.flush()

    def give_back(self, lease: Lease, tried: bool = True) -> None:
        key, host, row = self._leases.end(lease)
        offer, again = lease.offer, lease.offer.lane if row.fetched else lease.offer.again
        self._intake.reopen(key, host, row)
        self._intake.enter(key, host, replace(offer, again=again, tries=offer.tries + tried))
        self._rows.flush()

    def known_all(self, urls: Sequence[str]) -> Sequence[tuple[Any, ...] | None]:
        return self._rows.known_all(list(urls))

    def ready(self, now: float) -> float | None:
        self._intake.join_all()
        return self._leases.ready(now)

    def lanes(self) -> Iterator[LaneState]:
        self._intake.join_all()
        for queue in self._lanes.queues.values():
            yield LaneState(queue.name, queue.weight, queue.open, queue.dropped)

    def __len__(self) -> int:
        self._intake.join_all()
        return self._intake.open

    def rest(self, host: str, until: float) -> None:
        """Do not visit a host before then; a longer rest that it has already stays."""
        self._hosts.rest(host_key(host), until)
        self._rows.flush()

    def set_delay(self, host: str, seconds: float) -> None:
        """From its next visit on, let a host rest this long after each."""
        self._hosts.set_delay(host_key(host), seconds)

    def credit(self, url: str) -> Value:
        """What a URL gathered since it was last taken, whatever its state; 0 where values are not summed."""
        return self._rows.find(ADDRESSES[url][0]).cash

    def total(self) -> Value:
        """The credit of all URLs together."""
        return self._rows.total()


def all_floats(batch: Sequence[Offer]) -> bool:
    """Whether all values are."""
    return FLOATS.issuperset(map(type, column(batch, "value")))


def check_finite(batch: Sequence[Offer]) -> None:
    """ValueError that says which value is not finite."""
    if math.isfinite(sum(column(batch, "value"))):
        return
    for offer in batch:  # sums can be infinite where no value is
        if not math.isfinite(offer.value):
            raise ValueError(f"{offer.link.url} is offered at {offer.value}: a value must be finite")
