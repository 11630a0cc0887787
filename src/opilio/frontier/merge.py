"""How offers to the same URL become one."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import reduce
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from ..nouns import DEFERRED, Lane, Offer, Strategy
from .cash_updates import given
from .lanes import Lanes
from .queue.lane import Queue
from .queue.schedule import Schedule
from .rows import ADDRESSES, Place, Row, Rows
from .unchanged import changing

# Of each URL the offer that is held, if there is one, and what came after it: the offer that stands from now on, with its price.
Join: TypeAlias = Callable[[Sequence[Sequence[Offer]]], Sequence[Offer]]


class Group(NamedTuple):
    """Offers for one URL in one lane, that which is held first."""

    key: int
    host: int
    row: Row
    queue: Queue
    place: Place | None  # where one is held
    offers: list[Offer]


class Intake:
    """Takes offers into rows, and rows into the schedule; `open` counts the URLs that are in it."""

    def __init__(self, rows: Rows, schedule: Schedule, lanes: Lanes, join: Join | None = None) -> None:
        self.open = 0
        self._join = join
        self._unjoined: list[Offer] = []
        self._rows = rows
        self._schedule = schedule
        self._lanes = lanes

    @property
    def joins(self) -> bool:
        """Whether every offer to an open URL changes what is held."""
        return self._join is not None

    def enter(self, key: int, host: int, offer: Offer) -> None:
        """One offer; a URL that is leased or was fetched only goes where the offer says `again`."""
        row = self._rows.row(key)
        lane = offer.again if row.fetched or row.leased else offer.lane
        if self._rows.sums:
            self._add(key, host, row, offer, lane)
        elif self._join:
            self._join_all([offer], self._join)
        elif lane is not None:
            self._raise(key, host, row, offer, self._lanes.queue(lane))

    def enter_all(self, offers: Sequence[Offer]) -> None:
        """Many."""
        if self._rows.sums:
            self._add_all(offers)
        elif self._join:
            self._unjoined += offers
        else:
            self._raise_all(offers)

    def join_all(self) -> set[int]:
        """Merge "join": what was offered is joined when somebody looks, and priced together; keys of what has new prices."""
        offers, self._unjoined = self._unjoined, []
        return self._join_all(offers, self._join) if offers and self._join else set()

    def _join_all(self, offers: Sequence[Offer], join: Join) -> set[int]:
        groups = list(self._grouped(offers))
        for (key, host, row, queue, place, _), offer in zip(
            groups, join([group.offers for group in groups]), strict=True
        ):
            if place is None:
                self._raise(key, host, row, offer, queue)
            else:
                self._replace(key, host, row, place, offer)
        return {group.key for group in groups}

    def _grouped(self, offers: Sequence[Offer]) -> Iterable[Group]:
        """Offers by their places; what is deferred stays by itself, for its note is not that of the strategy."""
        self._rows.expect([ADDRESSES[offer.link.url][0] for offer in offers])
        groups: dict[tuple[int, Queue], Group] = {}
        for offer in offers:
            key, host = ADDRESSES[offer.link.url]
            row = self._rows.row(key)
            lane = offer.again if row.fetched or row.leased else offer.lane
            if lane == DEFERRED:
                self._raise(key, host, row, offer, self._lanes.queue(lane))
            elif lane is not None:
                queue = self._lanes.queue(lane)
                if (key, queue) not in groups:
                    place = row.place(queue)
                    held = [self._rows.offer(place)] if place else []
                    groups[key, queue] = Group(key, host, row, queue, place, held)
                groups[key, queue].offers.append(offer)
        return groups.values()

    def _raise_all(self, offers: Sequence[Offer]) -> None:
        """Merge "max": most offers are for URLs that were fetched, or have had a better one, and change nothing."""
        keys = [ADDRESSES[offer.link.url][0] for offer in offers]
        self._rows.load(keys)
        batch = changing(offers, self._rows.cached)
        self._rows.compare(batch)
        for offer in batch:
            self.enter(*ADDRESSES[offer.link.url], offer)

    def _add_all(self, offers: Sequence[Offer]) -> None:
        """Merge "sum": most offers are for URLs that have had a larger one, and change nothing but their total."""
        if rest := self._give(offers):
            self._rows.load([ADDRESSES[offer.link.url][0] for offer in rest])
            for offer in self._give(rest):
                self.enter(*ADDRESSES[offer.link.url], offer)

    def _give(self, offers: Sequence[Offer]) -> list[Offer]:
        """Add what is offered to the cash of the cached rows; those offers for which there is more to do."""
        rest, richer = given(offers, self._rows.cached, self._schedule.moves)
        self._rows.changed(richer)
        self._schedule.moved()
        return rest

    def renew(self, key: int, host: int, offer: Offer, sources: Container[str]) -> None:
        """Another value for a place that there is; see Frontier."""
        row, queue = self._rows.row(key), self._lanes.queues.get(offer.lane)
        fixed = self._rows.sums or self._join is not None
        place = row.place(queue) if queue and not row.leased and not fixed else None
        if place is None or (offer.value <= place.value and self._rows.offer(place).link.source not in sources):
            return
        self._replace(key, host, row, place, offer)

    def _replace(self, key: int, host: int, row: Row, place: Place, offer: Offer) -> None:
        """Give a place to another offer."""
        before = place.value
        place.fill(offer)
        self._rows.keep(key, row, host)
        if before != offer.value and not row.leased:
            self._schedule.move(place.queue, host, key, -before, -offer.value)

    def reopen(self, key: int, host: int, row: Row) -> None:
        """What was offered during a lease takes its places."""
        waiting, row.places = row.places, ()
        for place in waiting:
            if place.queue.gone:
                self._lanes.refuse(place.queue)
            else:
                row.places += (place,)
                self._put(key, host, row, place)
        self._rows.keep(key, row, host)

    def _raise(self, key: int, host: int, row: Row, offer: Offer, queue: Queue) -> None:
        """Merge "max": the best offer of each lane stays."""
        if queue.gone and not row.leased:
            self._lanes.refuse(queue)
            return
        place = row.place(queue)
        before = None if place is None else place.value
        place = self._better(row, queue, place, offer)
        if place is not None:
            self._rows.keep(key, row, host)
            if before is None:
                self._put(key, host, row, place)
            elif before != offer.value and not row.leased:
                self._schedule.move(queue, host, key, -before, -offer.value)

    def _add(self, key: int, host: int, row: Row, offer: Offer, lane: Lane | None) -> None:
        """Merge "sum": one total, with which the URL stands in all of its lanes."""
        before, places = row.cash, row.places
        row.cash = cash = before + offer.value
        if lane is not None:
            queue = self._lanes.queues.get(lane) or self._lanes.queue(lane)
            place = places[0] if places and places[0].queue is queue else row.place(queue)
            if place is None and queue.gone and not row.leased:
                self._lanes.refuse(queue)
            elif place is None or offer.value >= place.value:
                self._better(row, queue, place, offer)
        self._rows.keep(key, row, host)
        if row.leased:
            return
        for place in places:
            self._schedule.move(place.queue, host, key, -before, -cash)
        for place in row.places[len(places) :]:
            self._put(key, host, row, place)

    def _better(self, row: Row, queue: Queue, place: Place | None, offer: Offer) -> Place | None:
        """The place, if it is this offer that has it now."""
        if place is None:
            place = Place(queue, offer.value, offer)
            row.places += (place,)
        elif offer.value > place.value or (offer.value == place.value and _precedes(offer, self._rows.offer(place))):
            place.fill(offer)
        else:
            return None
        return place

    def _put(self, key: int, host: int, row: Row, place: Place) -> None:
        if not row.leased:
            self.open += len(row.places) == 1
            self._schedule.put(place.queue, host, (-self._rows.worth(row, place), key))


def joins(strategy: Strategy) -> Join:
    """As a strategy joins and prices."""

    def join(groups: Sequence[Sequence[Offer]]) -> Sequence[Offer]:
        offers = [reduce(strategy.join, group) for group in groups]
        return [offer.worth(value) for offer, value in zip(offers, prices(strategy, offers), strict=True)]

    return join


def prices(strategy: Strategy, offers: Sequence[Offer]) -> Sequence[float]:
    """What a strategy says that offers are worth now; ValueError where that is not a number for each."""
    found = strategy.reprice(offers)
    if len(found) != len(offers) or not all(map(isfinite, found)):
        raise ValueError("reprice has to return a finite value for each offer")
    return found


def _precedes(offer: Offer, old: Offer) -> bool:
    """An order among offers of equal value, so that it does not matter which came first."""
    if offer.link.source != old.link.source:
        return offer.link.source < old.link.source
    return offer != old and _order(offer) < _order(old)


def _order(offer: Offer) -> tuple[Any, ...]:
    link, again = offer.link, offer.again
    texts, counts = (link.anchor, link.context, link.path), (offer.hops, offer.tries, offer.depth)
    return (*texts, link.image, link.rel, repr(offer.note), again or (), again is None, *counts)
