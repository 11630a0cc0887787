"""Which of many offers may change something: most are for URLs that were fetched, or have had a better one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from .. import native
from ..batch import picked
from ..nouns import Offer
from .disk.offers import source_of
from .native_fields import OFFERS
from .queue.lane import Queue
from .rows import ADDRESSES, Place, Row

T = TypeVar("T")
# What the compiled one looks at, in its order.
LOOKED_AT: tuple[tuple[type, str], ...] = (
    *OFFERS,
    *((Row, name) for name in ("fetched", "leased", "places")),
    *((Place, name) for name in ("queue", "value", "offer")),
    (Queue, "name"),
)
SLOTS = tuple(getattr(kind, name) for kind, name in LOOKED_AT)


def telling(says: Sequence[T], rows: dict[int, Row] | dict[int, Row | bytes | None]) -> list[T]:
    """What was said, without the offers that change nothing: told by the rows at hand, where values do not add up.

    None in the place of a row: the URL was fetched, and there is nothing else to know of it.
    """
    if native.functions:
        found = native.functions.telling(says, ADDRESSES, rows, SLOTS)
        return picked(says, found)
    return [
        say for say in says if not (isinstance(say, Offer) and _idle(say, rows.get(ADDRESSES[say.link.url][0], b"")))
    ]


def _idle(offer: Offer, row: Row | bytes | None) -> bool:
    if not math.isfinite(offer.value):
        return False  # somebody will say what is wrong
    if row is None or (isinstance(row, Row) and (row.fetched or row.leased)):
        return offer.again is None
    return isinstance(row, Row) and len(row.places) == 1 and _is_worse(offer, row.places[0])


def _is_worse(offer: Offer, place: Place) -> bool:
    """Whether it can be seen at a glance that an offer does not get a place."""
    value, held = offer.value, place.offer
    if value > place.value or offer.lane != place.queue.name:
        return False
    return bool(value < place.value) or (held is not None and offer.link.source > source_of(held))
