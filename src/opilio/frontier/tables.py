"""The tables of the frontier on disk, and what is read from them when it is opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from ..nouns import Weight
from ..packing import unpack
from .queues import Queue

CACHE = 128 * 1024  # kilobytes, at most
TABLES = (
    """CREATE TABLE IF NOT EXISTS frontier_urls (
        key INTEGER PRIMARY KEY, fetched INTEGER NOT NULL, cash REAL NOT NULL, kept BLOB)""",
    # Rows are appended, so that only the two small indexes are written in random places.
    # host is NULL while the URL is leased; worth is the value for the price, best that of the offer alone.
    """CREATE TABLE IF NOT EXISTS frontier_places (
        id INTEGER PRIMARY KEY, key INTEGER NOT NULL, lane INTEGER NOT NULL, host INTEGER,
        worth REAL NOT NULL, best REAL NOT NULL, offer BLOB NOT NULL)""",
    "CREATE UNIQUE INDEX IF NOT EXISTS frontier_places_by_key ON frontier_places (key, lane)",
    "CREATE INDEX IF NOT EXISTS frontier_places_by_rank ON frontier_places (lane, host, worth DESC, key)",
    """CREATE TABLE IF NOT EXISTS frontier_lanes (
        number INTEGER PRIMARY KEY, name BLOB NOT NULL, shift REAL NOT NULL, scale REAL NOT NULL, most REAL NOT NULL,
        left REAL NOT NULL, dropped INTEGER NOT NULL)""",
    # AUTOINCREMENT remembers the last number when the table is empty again.
    """CREATE TABLE IF NOT EXISTS frontier_leases (
        number INTEGER PRIMARY KEY AUTOINCREMENT, key INTEGER NOT NULL, lane INTEGER NOT NULL, value REAL NOT NULL,
        shift REAL NOT NULL, scale REAL NOT NULL, most REAL NOT NULL, offer BLOB NOT NULL)""",
    "CREATE TABLE IF NOT EXISTS frontier_hosts (host INTEGER PRIMARY KEY, until REAL, delay REAL)",
)


def create(db: sqlite3.Connection) -> None:
    """Make the tables that are missing."""
    db.execute(f"PRAGMA cache_size = -{CACHE}")  # keys are hashes: pages are needed in no order, again and again
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


def bags(db: sqlite3.Connection) -> Iterable[tuple[int, int, float, int, int]]:
    """Lane, host, highest value, smallest key and size of every bag."""
    return db.execute(
        """SELECT lane, host, max(worth), min(key), count(*) FROM frontier_places
        WHERE host IS NOT NULL GROUP BY lane, host"""
    )


def rests(db: sqlite3.Connection) -> Iterable[tuple[int, float]]:
    """Hosts, and until when they rest."""
    return db.execute("SELECT host, until FROM frontier_hosts WHERE until IS NOT NULL")


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


def open_urls(db: sqlite3.Connection) -> int:
    """How many URLs are open."""
    query = "SELECT count(DISTINCT key) FROM frontier_places WHERE host IS NOT NULL"
    found: int = db.execute(query).fetchone()[0]
    return found


def total(db: sqlite3.Connection) -> float:
    """All cash: that of open URLs is in their places, each of which has all of it."""
    query = """SELECT coalesce(sum(cash), 0) FROM (SELECT cash FROM frontier_urls UNION ALL
        SELECT max(worth) FROM frontier_places WHERE host IS NOT NULL GROUP BY key)"""
    found: float = db.execute(query).fetchone()[0]
    return found
