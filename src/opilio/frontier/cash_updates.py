"""Cash updates: offers that add to the cash of a URL and change nothing else, as most do where values add up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from ..batch import column, picked
from ..nouns import Lane, Offer
from .queue.moves import Moves
from .rows import ADDRESSES, Row


class Given(NamedTuple):
    """What came of some offers."""

    rest: list[Offer]  # more is to be done for these, or their rows are not cached, and for later ones of their URLs
    rows: dict[int, Row]  # by key: they have more cash now


def given(offers: Sequence[Offer], rows: dict[int, Any], moves: Moves) -> Given:
    """Give URLs their cash, if that can be done at a glance; their entries that belong elsewhere now are noted in `moves`."""
    rest, richer, waiting = list[int](), dict[int, Row](), set[int]()
    for number, ((key, host), row, value, lane, again) in enumerate(_columns(offers, rows)):
        # A call for each link would cost more than all that is done here.
        if type(row) is Row and type(value) is float is type(row.cash) and not row.leased and key not in waiting:
            wanted, places, before = again if row.fetched else lane, row.places, row.cash
            if len(places) == 1:
                place = places[0]
                if place.queue.name == wanted and type(place.value) is float and value < place.value:
                    row.cash = cash = before + value
                    row.host, richer[key] = host, row
                    moves.note(place.queue.bags[host], (-cash, key), -before)
                    continue
            elif not places and wanted is None:
                row.cash, row.host, richer[key] = before + value, host, row
                continue
        rest.append(number)
        waiting.add(key)
    return Given(picked(offers, rest), richer)


def _columns(offers: Sequence[Offer], rows: dict[int, Any]) -> Iterator[tuple[Any, Any, float, Lane, Lane | None]]:
    """The address and the row of each offer's URL, and what counts of the offer, which need not be made for that."""
    addresses = list(map(ADDRESSES.__getitem__, column(column(offers, "link"), "url")))
    columns = (column(offers, name) for name in ("value", "lane", "again"))
    return zip(addresses, map(rows.get, map(itemgetter(0), addresses)), *columns, strict=True)
