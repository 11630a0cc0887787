"""The highest-priced offers are priced again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

from ..nouns import DEFERRED, Offer
from .queue.schedule import Schedule
from .rows import Place, Row, Rows

Price: TypeAlias = Callable[[Sequence[Offer]], Sequence[float]]  # what offers are worth now
NOTABLE = 1e-3  # a change of price that is smaller is not worth writing


class Taken(NamedTuple):
    """An offer that was taken out of the schedule, to be put back."""

    key: int
    host: int
    row: Row
    place: Place
    offer: Offer


def reprice(rows: Rows, schedule: Schedule, most: int, now: float, price: Price, fresh: Collection[int]) -> None:
    """Ask what the highest-priced offers are worth, but for those that were priced just now: `fresh` has their keys."""
    taken = list(islice(_highest(rows, schedule, now), most))
    values = iter(price([one.offer for one in taken if one.key not in fresh]))
    for one in taken:
        if one.key not in fresh:
            _give(rows, one, next(values))
        schedule.put(one.place.queue, one.host, (-one.place.value, one.key))


def _highest(rows: Rows, schedule: Schedule, now: float) -> Iterator[Taken]:
    """Take offers out of the schedule, the highest-priced first; who does so puts them back."""
    while (bag := schedule.best(now)) is not None and bag.queue.name != DEFERRED:
        key, host = bag.key(), bag.host
        row = rows.find(key)
        place = row.place(bag.queue)
        assert place is not None
        schedule.pop(bag)
        yield Taken(key, host, row, place, rows.offer(place))


def _give(rows: Rows, one: Taken, value: float) -> None:
    """Give a place what its offer is worth now."""
    if abs(value - one.place.value) > NOTABLE * abs(one.place.value):
        one.place.fill(one.offer.worth(value))
        rows.keep(one.key, one.row, one.host)
