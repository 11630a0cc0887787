"""Cash updates: offers that add to the cash of a URL and change nothing else, as most do where values add up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from ..batch import column, picked
from ..nouns import Lane, Offer
from .queue.bag import Rank
from .queue.lane import Bag
from .rows import ADDRESSES, Row


class Given(NamedTuple):
    """What came of some offers."""

    rest: list[Offer]  # more is to be done for these, or their rows are not cached, and for later ones of their URLs
    rows: dict[int, Row]  # by key: they have more cash now
    bounds: list[tuple[Bag, Rank]]  # entries that their bags may have to be shown for
    moves: int  # entries that were moved


def given(offers: Sequence[Offer], rows: dict[int, Any], moving: list[Bag]) -> Given:
    """Give URLs their cash, if that can be done at a glance; bags that have entries to move from now on are added to `moving`."""
    found, rest, waiting, moves = Given([], {}, [], 0), list[int](), set[int](), 0
    richer = found.rows
    for number, ((key, host), row, value, lane, again) in enumerate(_columns(offers, rows)):
        # A call for each link would cost more than all that is done here.
        if type(row) is Row and type(value) is float is type(row.cash) and not row.leased and key not in waiting:
            wanted, places, before = again if row.fetched else lane, row.places, row.cash
            if len(places) == 1:
                place = places[0]
                if place.queue.name == wanted and type(place.value) is float and value < place.value:
                    row.cash = cash = before + value
                    row.host, richer[key] = host, row
                    moves += 1
                    note_move(place.queue.bags[host], (-cash, key), -before, moving, found.bounds)
                    continue
            elif not places and wanted is None:
                row.cash, row.host, richer[key] = before + value, host, row
                continue
        rest.append(number)
        waiting.add(key)
    return found._replace(rest=picked(offers, rest), moves=moves)


def _columns(offers: Sequence[Offer], rows: dict[int, Any]) -> Iterator[tuple[Any, Any, float, Lane, Lane | None]]:
    """The address and the row of each offer's URL, and what counts of the offer, which need not be made for that."""
    addresses = list(map(ADDRESSES.__getitem__, column(column(offers, "link"), "url")))
    columns = (column(offers, name) for name in ("value", "lane", "again"))
    return zip(addresses, map(rows.get, map(itemgetter(0), addresses)), *columns, strict=True)


def note_move(bag: Bag, rank: Rank, was: Any, moving: list[Bag], bounds: list[tuple[Bag, Rank]]) -> None:
    """Note that an entry belongs elsewhere now."""
    now, key = rank
    if bag.displace(key, was, now):
        moving.append(bag)
    if bag.sleeper is not None or not bag.queue.heads.values[bag.number] < now:
        bounds.append((bag, rank))
