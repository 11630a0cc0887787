"""The tables of the frontier on disk, and what is read from the small ones when it is opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from ...codec import unpack
from ...nouns import Weight
from ..queue.lane import Queue
from . import row_log

CACHE = 16 * 1024  # kilobytes, at most; four times as much makes takes of a million URLs no cheaper
# Bytes of the database that are read where the system has them, without a copy of each page. They count as resident, so not all.
MAPPED = 1 << 30
TABLES = (
    row_log.TABLE,
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
