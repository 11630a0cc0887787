"""Lanes, leases and hosts as they are written: what changed since the last time, into the small tables."""

from __future__ import annotations

import sqlite3
from typing import Any

from ...codec import pack
from ...nouns import Lease
from ..changes import Changes
from ..queue.lane import Queue
from .offers import offer_bytes

REST = """INSERT INTO frontier_hosts VALUES (?, ?, ?, NULL)
    ON CONFLICT (host) DO UPDATE SET until = excluded.until, noted = excluded.noted"""
DELAY = "INSERT INTO frontier_hosts VALUES (?, NULL, NULL, ?) ON CONFLICT (host) DO UPDATE SET delay = excluded.delay"


class DiskChanges(Changes):
    """Gathers what changed until it is written; `leased` has the leases that are out, by the keys of their URLs."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.leased: dict[int, int] = dict(db.execute("SELECT key, number FROM frontier_leases"))
        self._db = db
        self._leases: dict[int, tuple[int, Lease, Queue]] = {}  # by number
        self._last: tuple[int, Lease, Queue] | None = None  # of these, settled or not: its number is remembered
        self._settled: list[tuple[int]] = []
        self._lanes: dict[int, Queue] = {}
        self._rests: dict[int, tuple[int, float, float]] = {}

    def lane(self, queue: Queue) -> None:
        self._lanes[queue.number] = queue

    def lease(self, key: int, lease: Lease, queue: Queue) -> None:
        self.leased[key] = lease.number
        self._last = self._leases[lease.number] = key, lease, queue

    def settle(self, key: int, number: int) -> None:
        """A lease that was answered before it was written need not be."""
        del self.leased[key]
        if self._leases.pop(number, None) is None:
            self._settled.append((number,))

    def rest(self, host: int, until: float, noted: float) -> None:
        self._rests[host] = host, until, noted

    def delay(self, host: int, seconds: float) -> None:
        self._db.execute(DELAY, (host, seconds))

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
