"""Gifts: offers that add to the cash of a URL and change nothing else, as most do where values add up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import native
from ..batch import picked
from ..nouns import Offer
from .native_fields import OFFERS
from .queue.bag import Pile, Rank
from .queue.lane import Bag, Queue
from .queue.lane_heads import Heads
from .rows import ADDRESSES, Place, Row

# What the compiled one looks at, in its order.
LOOKED_AT: tuple[tuple[type, str], ...] = (
    *OFFERS,
    *((Row, name) for name in ("cash", "fetched", "host", "leased", "places")),
    *((Place, name) for name in ("queue", "value")),
    *((Queue, name) for name in ("name", "bags", "heads")),
    (Heads, "values"),
    (Pile, "moved"),
    *((Bag, name) for name in ("sleeper", "number")),
)
SLOTS = tuple(getattr(kind, name) for kind, name in LOOKED_AT)


class Given(NamedTuple):
    """What came of some offers."""

    rest: list[Offer]  # more is to be done for these, or their rows are not at hand, and for later ones of their URLs
    rows: dict[int, Row]  # by key: they have more cash now
    bounds: list[tuple[Bag, Rank]]  # entries that their bags may have to be shown for
    moves: int  # entries that were moved


def given(offers: Sequence[Offer], rows: dict[int, Any], moving: list[Bag]) -> Given:
    """Give URLs their cash, if that can be done at a glance; bags that have entries to move from now on are added to `moving`."""
    if native.functions:
        rest, *done = native.functions.given(offers, ADDRESSES, rows, moving, SLOTS)
        return Given(picked(offers, rest), *done)
    found, moves, waiting = Given([], {}, [], 0), 0, set[int]()
    for offer in offers:
        key, host = ADDRESSES[offer.link.url]
        row = None if key in waiting else rows.get(key)
        place = _place(offer, row) if type(row) is Row and not row.leased and type(row.cash) is float else None
        if type(row) is not Row or place is None:
            found.rest.append(offer)
            waiting.add(key)
            continue
        before, row.cash = row.cash, row.cash + offer.value
        row.host, found.rows[key] = host, row
        if place:
            moves += 1
            note_move(place.queue.bags[host], (-row.cash, key), -before, moving, found.bounds)
    return found._replace(moves=moves)


def _place(offer: Offer, row: Row) -> Place | tuple[()] | None:
    """The only place of a row that an offer adds to, () if it adds to none; None where it may get a place itself."""
    lane = offer.again if row.fetched else offer.lane
    if not row.places:
        return () if lane is None and type(offer.value) is float else None
    place = row.places[0]
    plain = len(row.places) == 1 and type(offer.value) is float and type(place.value) is float
    return place if plain and offer.value < place.value and place.queue.name == lane else None


def note_move(bag: Bag, rank: Rank, was: Any, moving: list[Bag], bounds: list[tuple[Bag, Rank]]) -> None:
    """Note that an entry belongs elsewhere now."""
    now, key = rank
    if bag.displace(key, was, now):
        moving.append(bag)
    if bag.sleeper is not None or not bag.queue.heads.values[bag.number] < now:
        bounds.append((bag, rank))
