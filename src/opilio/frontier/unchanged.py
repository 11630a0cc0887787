"""Which of many offers may change something: most are for URLs that were fetched, or have had a better one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from ..batch import Many, column
from ..nouns import Lane, Offer
from .disk.offers import source_of
from .rows import ADDRESSES, Row

T = TypeVar("T")
Cached: TypeAlias = Mapping[
    int, Row | bytes | None
]  # None: the URL was fetched, and there is nothing else to know of it
UNKNOWN = b""


def changing(says: Sequence[T], rows: Cached) -> list[T]:
    """What was said, without the offers that change nothing, as far as cached rows tell; where values do not add up."""
    if isinstance(says, Many):
        return says.picked(_changing_numbers(says, rows))
    return [say for say in says if not (isinstance(say, Offer) and _is_idle(say, rows))]


def _changing_numbers(offers: Many[Any], rows: Cached) -> list[int]:
    """The same by columns: most offers need not be made to see that they change nothing."""
    links, find = column(offers, "link"), rows.get
    known = [find(key, UNKNOWN) for key, _ in map(ADDRESSES.__getitem__, column(links, "url"))]
    told = (column(links, "source"), *(column(offers, name) for name in ("value", "lane", "again")))
    return [
        number
        for number, (row, source, value, lane, again) in enumerate(zip(known, *told, strict=True))
        if row is UNKNOWN or not _changes_nothing(row, source, value, lane, again)
    ]


def _is_idle(offer: Offer, rows: Cached) -> bool:
    row = rows.get(ADDRESSES[offer.link.url][0], UNKNOWN)
    return _changes_nothing(row, offer.link.source, offer.value, offer.lane, offer.again)


def _changes_nothing(row: Row | bytes | None, source: str, value: float, lane: Lane, again: Lane | None) -> bool:
    if row is None or (type(row) is Row and (row.fetched or row.leased)):
        return again is None and math.isfinite(value)  # what is not finite is refused later, with a reason
    if type(row) is not Row or len(row.places) != 1:
        return False
    place = row.places[0]
    if not value <= place.value or lane != place.queue.name or not math.isfinite(value):
        return False
    return bool(value < place.value) or (place.offer is not None and source > source_of(place.offer))
