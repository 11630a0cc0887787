"""Looking at a frontier on disk without touching it, while a crawl may go on.

What stands in the log is read from end to end where all of it counts: seconds for millions of URLs. A connection to a run
folder of several shards has one for each of them in `shards`; each has a frontier of its own.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..codec import unpack
from ..key_index.by_numpy import Numbers
from ..nouns import Lane, Offer, Weight
from .counts import RunTables, shards
from .disk.offers import Texts, read_offer
from .disk.row_log import Log, newest_of
from .disk.row_log_records import NOTED, Record, float_of, heads
from .rows import host_of, key_of


class Waiting(NamedTuple):
    """One URL in one lane."""

    offer: Offer
    weight: Weight
    ahead: int  # URLs with a higher price
    in_flight: bool = False  # it is being fetched
    rests: float | None = None  # until when its host is left alone


CASH = "cash_of(pages.url)"  # the cash that waits at a page, where cash adds up; `know_keys` first


class Readable(RunTables, Protocol):
    """Tables that can be asked by SQL."""

    def create_function(
        self, name: str, narg: int, func: Callable[..., Any], /, *, deterministic: bool = False
    ) -> None: ...


def know_keys(db: Readable) -> None:
    """Queries on this connection can say key_of(url) and cash_of(url)."""
    logs = [Log(shard) for shard in shards(db)]

    def cash_of(url: str) -> float:
        key = key_of(url)
        found = (log.read([key]) for log in logs)  # a URL is known to one shard at most
        return next((records[key][0].worth for records in found if key in records), 0.0)

    db.create_function("key_of", 1, key_of, deterministic=True)
    db.create_function("cash_of", 1, cash_of)


def waiting(db: RunTables, url: str, ahead_of: Callable[[float], int] | None = None) -> list[Waiting]:
    """Where a URL waits, the highest price first, or the lane it was taken from when it is being fetched; empty when neither.

    `ahead_of` says how many URLs have a higher price, for those who know it without counting.
    """
    count = ahead_of or (lambda price: sum(_ahead(shard, price) for shard in shards(db)))
    return [place for shard in shards(db) for place in _waiting(shard, url, count)]


def _waiting(db: sqlite3.Connection, url: str, count: Callable[[float], int]) -> list[Waiting]:
    key, lanes, until = key_of(url), _lanes(db), _until(db, host_of(url))
    leases = db.execute("SELECT lane, shift, scale, most, value, offer FROM frontier_leases WHERE key = ?", (key,))
    if row := leases.fetchone():
        lane, shift, scale, most, value, data = row
        offer = read_offer(data, value, lanes[lane][0])
        return [Waiting(offer, Weight(shift, scale, most), 0, True, until)]
    texts = Texts(db)
    return [
        Waiting(
            read_offer(texts.read(record.offer), record.worth, lanes[record.lane][0]),
            lanes[record.lane][1],
            count(lanes[record.lane][1].price(record.worth)),
            rests=until,
        )
        for record in _highest_priced(newest_of(db, key), lanes)
    ]


def _highest_priced(records: list[Record], lanes: list[tuple[Lane, Weight]]) -> list[Record]:
    standing = [record for record in records if record.lane >= 0]
    return sorted(standing, key=lambda record: float(lanes[record.lane][1].price(record.worth)), reverse=True)


def _lanes(db: sqlite3.Connection) -> list[tuple[Lane, Weight]]:
    rows = db.execute("SELECT name, shift, scale, most FROM frontier_lanes ORDER BY number")
    return [(tuple(unpack(name)), Weight(*weight)) for name, *weight in rows]


def _ahead(db: sqlite3.Connection, price: float) -> int:
    """How many open URLs have a higher price somewhere."""
    return sum(len(np.unique(keys[costs > price])) for keys, costs in _prices(db, Log(db)))


def prices(db: RunTables) -> Iterator[NDArray[np.float64]]:
    """What the URLs that wait are worth, some at a time, each by its highest-priced lane; parked ones are left out."""
    for keys, costs in chain.from_iterable(_prices(shard, Log(shard)) for shard in shards(db)):
        _, which = np.unique(keys, return_inverse=True)
        highest = np.full(which.max(initial=-1) + 1, -np.inf)
        np.maximum.at(highest, which, costs)
        yield highest[np.isfinite(highest)]


def _prices(db: sqlite3.Connection, log: Log) -> Iterator[tuple[Numbers, NDArray[np.float64]]]:
    """Keys and prices of open places; all places of a URL come together."""
    shifts, scales = np.array([weight[:2] for _, weight in _lanes(db)]).reshape(-1, 2).T
    leased = np.array([key for (key,) in db.execute("SELECT key FROM frontier_leases")], dtype=np.int64)
    for records in log.newest():
        places = records[(records["lane"] >= 0) & ~np.isin(records["key"], leased)]
        yield places["key"], Weight(shifts[places["lane"]], scales[places["lane"]]).price(places["worth"])


def some_urls(db: sqlite3.Connection, most: int) -> list[str]:
    """Some of the URLs that wait, in no order."""
    texts, found = Texts(db), list[str]()
    for records in Log(db).newest():
        numbers = records["offer"][records["lane"] >= 0][: most - len(found)]
        found += [read_offer(texts.read(number), 0.0, ()).link.url for number in numbers.tolist()]
    return found


def notes(db: RunTables) -> Iterator[tuple[Any, ...]]:
    """What was kept with fetched pages, in the order of their keys."""
    for shard in shards(db):
        texts, kept = Texts(shard), list[tuple[int, int, int]]()
        for records in Log(shard).newest():
            records = heads(records)
            kept += zip(*(records[name].tolist() for name in ("key", "kept", "flags")), strict=True)
        for _, number, flags in sorted(kept):
            if flags & NOTED:
                yield (float_of(number),)
            elif number:
                yield unpack(texts.read(number))


def _until(db: sqlite3.Connection, host: int) -> float | None:
    row = db.execute("SELECT until FROM frontier_hosts WHERE host = ?", (host,)).fetchone()
    return row[0] if row else None


def dropped(db: RunTables) -> dict[Lane, int]:
    """The lanes that were given up, with the URLs that were in them."""
    found: Counter[Lane] = Counter()
    for shard in shards(db):
        for name, count in shard.execute("SELECT name, dropped FROM frontier_lanes WHERE dropped"):
            found[tuple(unpack(name))] += count
    return dict(found)
