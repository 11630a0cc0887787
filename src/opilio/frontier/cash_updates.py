"""Cash updates: offers that add to the cash of a URL and change nothing else, as most do where values add up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..batch import column, picked
from ..nouns import Lane, Offer
from .queue.bag import Rank
from .queue.lane import Bag
from .rows import ADDRESSES, Place, Row


class Given(NamedTuple):
    """What came of some offers."""

    rest: list[Offer]  # more is to be done for these, or their rows are not cached, and for later ones of their URLs
    rows: dict[int, Row]  # by key: they have more cash now
    bounds: list[tuple[Bag, Rank]]  # entries that their bags may have to be shown for
    moves: int  # entries that were moved


def given(offers: Sequence[Offer], rows: dict[int, Any], moving: list[Bag]) -> Given:
    """Give URLs their cash, if that can be done at a glance; bags that have entries to move from now on are added to `moving`."""
    found, rest, waiting, moves = Given([], {}, [], 0), list[int](), set[int](), 0
    for number, ((key, host), row, value, lane, again) in enumerate(_columns(offers, rows)):
        place = _place(row, value, lane, again) if type(row) is Row and key not in waiting else None
        if place is None:
            rest.append(number)
            waiting.add(key)
            continue
        before, row.cash = row.cash, row.cash + value
        row.host, found.rows[key] = host, row
        if place:
            moves += 1
            note_move(place.queue.bags[host], (-row.cash, key), -before, moving, found.bounds)
    return found._replace(rest=picked(offers, rest), moves=moves)


def _columns(offers: Sequence[Offer], rows: dict[int, Any]) -> Iterator[tuple[Any, Any, float, Lane, Lane | None]]:
    """The address and the row of each offer's URL, and what counts of the offer, which need not be made for that."""
    find, addresses = rows.get, [ADDRESSES[url] for url in column(column(offers, "link"), "url")]
    told = (column(offers, name) for name in ("value", "lane", "again"))
    return zip(addresses, [find(key) for key, _ in addresses], *told, strict=True)


def _place(row: Row, value: float, lane: Lane | None, again: Lane | None) -> Place | tuple[()] | None:
    """The only place of a row that an offer adds to, () if it adds to none; None where it may get a place itself."""
    if row.fetched:
        lane = again
    if row.leased or type(value) is not float or type(row.cash) is not float:
        return None
    if not row.places:
        return () if lane is None else None
    place = row.places[0]
    fits = place.queue.name == lane and type(place.value) is float and value < place.value
    return place if fits and len(row.places) == 1 else None


def note_move(bag: Bag, rank: Rank, was: Any, moving: list[Bag], bounds: list[tuple[Bag, Rank]]) -> None:
    """Note that an entry belongs elsewhere now."""
    now, key = rank
    if bag.displace(key, was, now):
        moving.append(bag)
    if bag.sleeper is not None or not bag.queue.heads.values[bag.number] < now:
        bounds.append((bag, rank))
