"""The tables of the frontier on disk: what is read from them when it is opened, and what is written into the small ones."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from ...codec import pack, unpack
from ...nouns import Lease, Weight
from ..queue.lane import Queue
from . import log
from .offers import offer_bytes

CACHE = 16 * 1024  # kilobytes, at most; four times as much makes takes of a million URLs no cheaper
# Bytes of the database that are read where the system has them, without a copy of each page. They count as resident, so not all.
MAPPED = 1 << 30
TABLES = (
    log.TABLE,
    # Offers, and what was kept with pages; appended, and cleared from the beginning.
    "CREATE TABLE IF NOT EXISTS frontier_texts (id INTEGER PRIMARY KEY, key INTEGER NOT NULL, data BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS frontier_open (id INTEGER PRIMARY KEY, urls INTEGER NOT NULL)",
    """CREATE TABLE IF NOT EXISTS frontier_lanes (
        number INTEGER PRIMARY KEY, name BLOB NOT NULL, shift REAL NOT NULL, scale REAL NOT NULL, most REAL NOT NULL,
        left REAL NOT NULL, dropped INTEGER NOT NULL)""",
    # AUTOINCREMENT remembers the last number when the table is empty again.
    """CREATE TABLE IF NOT EXISTS frontier_leases (
        number INTEGER PRIMARY KEY AUTOINCREMENT, key INTEGER NOT NULL, lane INTEGER NOT NULL, value REAL NOT NULL,
        shift REAL NOT NULL, scale REAL NOT NULL, most REAL NOT NULL, offer BLOB NOT NULL)""",
    "CREATE TABLE IF NOT EXISTS frontier_hosts (host INTEGER PRIMARY KEY, until REAL, noted REAL, delay REAL)",
)


REST = """INSERT INTO frontier_hosts VALUES (?, ?, ?, NULL)
    ON CONFLICT (host) DO UPDATE SET until = excluded.until, noted = excluded.noted"""
DELAY = "INSERT INTO frontier_hosts VALUES (?, NULL, NULL, ?) ON CONFLICT (host) DO UPDATE SET delay = excluded.delay"


class Changes:
    """What changed of leases, lanes and hosts, until it is written."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._leases: dict[int, tuple[int, Lease, Queue]] = {}  # by number
        self._last: tuple[int, Lease, Queue] | None = None  # of these, settled or not: its number is remembered
        self._settled: list[tuple[int]] = []
        self._lanes: dict[int, Queue] = {}
        self._rests: dict[int, tuple[int, float, float]] = {}

    def lease(self, key: int, lease: Lease, queue: Queue) -> None:
        self._last = self._leases[lease.number] = key, lease, queue

    def settle(self, number: int) -> None:
        """A lease that was answered before it was written need not be."""
        if self._leases.pop(number, None) is None:
            self._settled.append((number,))

    def touch(self, queue: Queue) -> None:
        self._lanes[queue.number] = queue

    def rest(self, host: int, until: float, noted: float) -> None:
        self._rests[host] = host, until, noted

    def save(self) -> None:
        """Write all of it."""
        if self._last:
            self._save_leases(self._last)
        if self._settled:
            self._db.executemany("DELETE FROM frontier_leases WHERE number = ?", self._settled)
            self._settled = []
        if self._lanes:
            lanes = [
                (queue.number, pack(list(queue.name)), *map(float, queue.weight), queue.left, queue.dropped)
                for queue in self._lanes.values()
            ]
            self._db.executemany("INSERT OR REPLACE INTO frontier_lanes VALUES (?, ?, ?, ?, ?, ?, ?)", lanes)
            self._lanes = {}
        if self._rests:
            self._db.executemany(REST, self._rests.values())
            self._rests = {}

    def _save_leases(self, last: tuple[int, Lease, Queue]) -> None:
        number = last[1].number
        if number not in self._leases:
            self._leases[number] = last
            self._settled.append((number,))
        rows = [_lease(*lease) for lease in self._leases.values()]
        self._db.executemany("INSERT INTO frontier_leases VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._leases, self._last = {}, None


def _lease(key: int, lease: Lease, queue: Queue) -> tuple[Any, ...]:
    offer = lease.offer
    return (lease.number, key, queue.number, float(offer.value), *map(float, lease.weight), offer_bytes(offer))


def create(db: sqlite3.Connection) -> None:
    """Make the tables that are missing."""
    db.execute(f"PRAGMA cache_size = -{CACHE}")
    db.execute(f"PRAGMA mmap_size = {MAPPED}")
    for statement in TABLES:
        db.execute(statement)


def queues(db: sqlite3.Connection) -> list[Queue]:
    """The lanes by number, with the weights they had; empty still."""
    found = []
    for number, name, shift, scale, most, left, dropped in db.execute("SELECT * FROM frontier_lanes ORDER BY number"):
        queue = Queue(number, tuple(unpack(name)), Weight(shift, scale, most))
        queue.left, queue.dropped = left, dropped
        found.append(queue)
    return found


def rests(db: sqlite3.Connection, now: float) -> Iterable[tuple[int, float]]:
    """Hosts, and until when they rest. A rest that was noted later than now, by a clock that was set back since, begins now."""
    query = "SELECT host, until - max(0, noted - ?) FROM frontier_hosts WHERE until IS NOT NULL"
    return db.execute(query, (now,))


def delays(db: sqlite3.Connection) -> dict[int, float]:
    """The hosts that have a delay of their own."""
    return dict(db.execute("SELECT host, delay FROM frontier_hosts WHERE delay IS NOT NULL"))


def leases(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """The leases that are out, in their order."""
    return db.execute("SELECT * FROM frontier_leases ORDER BY number").fetchall()


def next_number(db: sqlite3.Connection) -> int:
    """The number of the next lease."""
    last = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'frontier_leases'").fetchone()
    return 1 if last is None else last[0] + 1
