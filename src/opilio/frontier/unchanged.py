"""Which of many offers may change something: most are for URLs that were fetched, or have had a better one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any, TypeAlias, TypeVar

from ..batch import Many, column, picked
from ..nouns import Lane, Offer
from .disk.offers import source_of
from .rows import Place, Row, keys_of

T = TypeVar("T")
Cached: TypeAlias = Mapping[
    int, Row | bytes | None
]  # None: the URL was fetched, and there is nothing else to know of it
UNKNOWN = b""


def changing(says: Sequence[T], rows: Cached) -> list[T]:
    """What was said, without the offers that change nothing, as far as cached rows tell; where values do not add up."""
    if isinstance(says, Many):
        return says.picked(_changing_numbers(says, rows))
    offers: list[Any] = [say for say in says if isinstance(say, Offer)]
    left: list[T] = picked(offers, _changing_numbers(offers, rows))
    if len(offers) == len(says):
        return left
    kept = set(map(id, left))
    return [say for say in says if not isinstance(say, Offer) or id(say) in kept]


def _changing_numbers(offers: Sequence[Any], rows: Cached) -> list[int]:
    """By columns: most offers need not be made to see that they change nothing, nor a call for each of them."""
    links, values, again = column(offers, "link"), column(offers, "value"), column(offers, "again")
    known = map(rows.get, keys_of(column(links, "url")), repeat(UNKNOWN))
    all_finite = math.isfinite(sum(values))
    found = []
    columns = zip(known, column(links, "source"), values, column(offers, "lane"), again, strict=True)
    for number, (row, source, value, lane, then) in enumerate(columns):
        if all_finite or math.isfinite(value):
            if row is None or (type(row) is Row and (row.fetched or row.leased)):
                if then is None:
                    continue
            elif type(row) is Row and _has_better(row.places, source, value, lane):
                continue
        found.append(number)
    return found


def _has_better(places: Sequence[Place], source: str, value: float, lane: Lane) -> bool:
    """Whether the only place of a URL has a better offer than this one."""
    if len(places) != 1:
        return False
    place = places[0]
    if not value <= place.value or lane != place.queue.name:
        return False
    return bool(value < place.value) or (place.offer is not None and source > source_of(place.offer))
