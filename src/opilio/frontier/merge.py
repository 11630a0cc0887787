"""How offers to the same URL become one."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from ..nouns import Lane, Offer
from .lanes import Lanes
from .piles import Value
from .queues import Queue
from .rows import Place, Row, Rows, host_of
from .schedule import Schedule


class Intake:
    """Takes offers into rows, and rows into the schedule; `open` counts the URLs that are in it."""

    def __init__(self, rows: Rows, schedule: Schedule, lanes: Lanes) -> None:
        self.open = 0
        self._rows = rows
        self._schedule = schedule
        self._lanes = lanes

    def enter(self, key: int, offer: Offer) -> None:
        """One offer; a URL that is leased or was fetched only goes where the offer says `again`."""
        row = self._rows.row(key)
        lane = offer.again if row.fetched or row.leased else offer.lane
        if self._rows.sums:
            self._add(key, row, offer, lane)
        elif lane is not None:
            self._raise(key, row, offer, self._lanes.queue(lane))

    def renew(self, key: int, offer: Offer, sources: Container[str]) -> None:
        """Another value for a place that there is; see Frontier."""
        row, queue = self._rows.row(key), self._lanes.queues.get(offer.lane)
        place = row.place(queue) if queue and not row.leased and not self._rows.sums else None
        if place is None or (offer.value <= place.value and self._rows.offer(place).link.source not in sources):
            return
        before, place.value, place.offer = place.value, offer.value, offer
        host = host_of(offer.link.url)
        self._rows.keep(key, row, host)
        if before != offer.value:
            self._put(key, row, place, host, before)

    def reopen(self, key: int, row: Row, host: int) -> None:
        """What was offered during a lease takes its places."""
        waiting, row.places = row.places, ()
        for place in waiting:
            if place.queue.gone:
                self._lanes.refuse(place.queue)
            else:
                row.places += (place,)
                self._put(key, row, place, host, None)
        self._rows.keep(key, row, host)

    def _raise(self, key: int, row: Row, offer: Offer, queue: Queue) -> None:
        """Merge "max": the best offer of each lane stays."""
        if queue.gone and not row.leased:
            self._lanes.refuse(queue)
            return
        place = row.place(queue)
        before = None if place is None else place.value
        place = self._better(row, queue, place, offer)
        if place is not None:
            host = host_of(offer.link.url)
            self._rows.keep(key, row, host)
            if before != offer.value and not row.leased:
                self._put(key, row, place, host, before)

    def _add(self, key: int, row: Row, offer: Offer, lane: Lane | None) -> None:
        """Merge "sum": one total, with which the URL stands in all of its lanes."""
        before, places = row.cash, row.places
        row.cash += offer.value
        if lane is not None:
            queue = self._lanes.queue(lane)
            if queue.gone and not row.leased:
                self._lanes.refuse(queue)
            else:
                self._better(row, queue, row.place(queue), offer)
        host = host_of(offer.link.url)
        self._rows.keep(key, row, host)
        for place in () if row.leased else row.places:
            self._put(key, row, place, host, before if place in places else None)

    def _better(self, row: Row, queue: Queue, place: Place | None, offer: Offer) -> Place | None:
        """The place, if it is this offer that has it now."""
        if place is None:
            place = Place(queue, offer.value, offer)
            row.places += (place,)
        elif offer.value > place.value or (offer.value == place.value and _precedes(offer, self._rows.offer(place))):
            place.value, place.offer = offer.value, offer
        else:
            return None
        return place

    def _put(self, key: int, row: Row, place: Place, host: int, before: Value | None) -> None:
        if before is None and len(row.places) == 1:
            self.open += 1
        rank = (-self._rows.worth(row, place), key)
        self._schedule.put(place.queue, host, rank, None if before is None else (-before, key))


def _precedes(offer: Offer, old: Offer) -> bool:
    """An order among offers of equal value, so that it does not matter which came first."""
    if offer.link.source != old.link.source:
        return offer.link.source < old.link.source
    return offer != old and _order(offer) < _order(old)


def _order(offer: Offer) -> tuple[Any, ...]:
    link, again = offer.link, offer.again
    texts = (link.anchor, link.context, link.path)
    return (*texts, link.image, link.rel, repr(offer.note), again or (), again is None, offer.hops, offer.tries)
