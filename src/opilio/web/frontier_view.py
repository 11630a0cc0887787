"""The frontier as people look at it: its lanes, its hosts, and the highest-priced URLs."""

from __future__ import annotations

import math
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..frontier.disk import tables
from ..frontier.disk.offers import Texts, read_offer
from ..frontier.disk.row_log import Log
from ..frontier.disk.row_log_columns import COLUMNS
from ..frontier.disk.row_log_records import Records
from ..frontier.queue.lane import Queue
from ..nouns import Link, Weight
from ..store.reader import reading
from ..urls import host as host_of

LANES, HOSTS, NEXT = 100, 50, 30  # that are shown
READY, RESTING, PARKED = "ready", "waiting (politeness)", "parked"  # states of a host with open URLs


class LaneRow(NamedTuple):
    lane: list[str]
    shift: float | None  # None: the lane is parked
    scale: float
    open: int
    hosts: int
    best: float | None  # the highest price in it
    dropped: int


class HostRow(NamedTuple):
    host: str
    open: int
    best: float | None  # the highest price on it; None: all of it is parked
    rests: float  # seconds for which it is left alone from now on
    delay: float | None  # seconds between two visits, where it has a delay of its own


class NextRow(NamedTuple):
    url: str
    price: float
    lane: list[str]
    anchor: str


class Frontier(NamedTuple):
    """How the frontier stands; the highest-priced first. A URL that waits in two lanes counts twice in `places`."""

    places: int
    lanes: list[LaneRow]
    hosts: list[HostRow]
    next: list[NextRow]
    lane_count: int
    host_count: int
    prices: NDArray[np.float64]  # the highest of each URL, the cheapest first
    host_states: dict[int, str]  # each host with open URLs, by its key: ready, waiting (politeness) or parked

    def ahead_of(self, price: float) -> int:
        """How many URLs have a higher price."""
        return len(self.prices) - int(np.searchsorted(self.prices, price, side="right"))


class Open(NamedTuple):
    """The places of URLs in lanes, with their prices."""

    places: Records
    prices: NDArray[np.float64]
    queues: list[Queue]


def frontier(folder: Path) -> Frontier:
    """What waits in a run folder."""
    with closing(reading(folder)) as db:
        return _joined([_one(shard) for shard in db.shards])


def _one(db: sqlite3.Connection) -> Frontier:
    """What waits in one shard."""
    db.execute("BEGIN")  # all of it as of one moment, while the crawl goes on
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'frontier_texts'").fetchone():
        return Frontier(0, [], [], [], 0, 0, np.empty(0), {})
    waiting = _open(db)
    return Frontier(
        len(waiting.places),
        _lanes(waiting),
        _hosts(db, waiting),
        _next(db, waiting),
        len(waiting.queues),
        len(np.unique(waiting.places["host"])),
        _prices(waiting),
        _host_states(db, waiting),
    )


def _joined(parts: list[Frontier]) -> Frontier:
    """The frontiers of several shards as one: a host belongs to one of them, a lane to all."""
    if len(parts) == 1:
        return parts[0]
    lanes: dict[tuple[str, ...], LaneRow] = {}
    for row in (row for part in parts for row in part.lanes):
        other = lanes.get(tuple(row.lane))
        lanes[tuple(row.lane)] = _sum(row, other) if other else row
    return Frontier(
        sum(part.places for part in parts),
        sorted(lanes.values(), key=lambda row: (-_worth(row.best), -row.open))[:LANES],
        sorted((row for part in parts for row in part.hosts), key=lambda row: (-_worth(row.best), -row.open))[:HOSTS],
        sorted((row for part in parts for row in part.next), key=lambda row: -row.price)[:NEXT],
        max(max(part.lane_count for part in parts), len(lanes)),
        sum(part.host_count for part in parts),
        np.sort(np.concatenate([part.prices for part in parts])),
        {host: state for part in parts for host, state in part.host_states.items()},
    )


def _sum(one: LaneRow, other: LaneRow) -> LaneRow:
    best = one if _worth(one.best) >= _worth(other.best) else other
    return best._replace(open=one.open + other.open, hosts=one.hosts + other.hosts, dropped=one.dropped + other.dropped)


def _worth(price: float | None) -> float:
    return -math.inf if price is None else price


def _prices(waiting: Open) -> NDArray[np.float64]:
    keys, which = np.unique(waiting.places["key"], return_inverse=True)
    best = np.full(len(keys), -math.inf)
    np.maximum.at(best, which, waiting.prices)
    return np.sort(best)


def _open(db: sqlite3.Connection) -> Open:
    queues = tables.queues(db)
    leased = np.array([key for (key,) in db.execute("SELECT key FROM frontier_leases")], dtype=np.int64)
    parts = [records[records["lane"] >= 0] for records in Log(db).newest()]
    places = np.concatenate([np.empty(0, COLUMNS), *parts])
    places = places[~np.isin(places["key"], leased)]
    shifts, scales = np.array([queue.weight[:2] for queue in queues], float).reshape(-1, 2).T
    return Open(places, Weight(shifts[places["lane"]], scales[places["lane"]]).price(places["worth"]), queues)


def _lanes(waiting: Open) -> list[LaneRow]:
    lanes, count = waiting.places["lane"], len(waiting.queues)
    sizes, best = np.bincount(lanes, minlength=count), np.full(count, -math.inf)
    np.maximum.at(best, lanes, waiting.prices)
    names, which = np.unique(waiting.places["host"], return_inverse=True)
    pairs = np.unique(lanes.astype(np.int64) * len(names) + which)
    hosts = np.bincount(pairs // max(1, len(names)), minlength=count)
    return [
        LaneRow(
            list(waiting.queues[number].name),
            _finite(waiting.queues[number].weight.shift),
            waiting.queues[number].weight.scale,
            int(sizes[number]),
            int(hosts[number]),
            _finite(best[number]),
            waiting.queues[number].dropped,
        )
        for number in np.lexsort((-sizes, -best))[:LANES].tolist()
    ]


def _hosts(db: sqlite3.Connection, waiting: Open) -> list[HostRow]:
    names, firsts, which = np.unique(waiting.places["host"], return_index=True, return_inverse=True)
    once = np.unique(waiting.places["key"], return_index=True)[1]  # of a URL that waits in two lanes
    sizes, best = np.bincount(which[once], minlength=len(names)), np.full(len(names), -math.inf)
    np.maximum.at(best, which, waiting.prices)
    rests, delays, now = dict(tables.rests(db, math.inf)), tables.delays(db), time.time()
    return [
        HostRow(
            host_of(_link(db, waiting, firsts[at]).url),
            int(sizes[at]),
            _finite(best[at]),
            max(0.0, rests.get(int(names[at]), 0.0) - now),
            delays.get(int(names[at])),
        )
        for at in np.lexsort((-sizes, -best))[:HOSTS]
    ]


def _host_states(db: sqlite3.Connection, waiting: Open) -> dict[int, str]:
    names, which = np.unique(waiting.places["host"], return_inverse=True)
    best = np.full(len(names), -math.inf)
    np.maximum.at(best, which, waiting.prices)
    now = time.time()
    resting = {host for host, until in tables.rests(db, math.inf) if until > now}
    states = {host: RESTING if host in resting else READY for host in names.tolist()}
    return states | dict.fromkeys(names[best == -math.inf].tolist(), PARKED)


def _next(db: sqlite3.Connection, waiting: Open) -> list[NextRow]:
    rows: dict[int, NextRow] = {}
    for at in np.argsort(-waiting.prices, kind="stable"):
        place, price = waiting.places[at], float(waiting.prices[at])
        if len(rows) == NEXT or not math.isfinite(price):
            break
        if int(place["key"]) not in rows:
            link = _link(db, waiting, at)
            rows[int(place["key"])] = NextRow(link.url, price, list(waiting.queues[place["lane"]].name), link.anchor)
    return list(rows.values())


def _link(db: sqlite3.Connection, waiting: Open, at: int) -> Link:
    return read_offer(Texts(db).read(int(waiting.places["offer"][at])), 0.0, ()).link


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
