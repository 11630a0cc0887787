"""The robots.txt of every origin: fetched when first needed, kept for a day, and with the run for the next start.

A copy is used for 24 hours. An answer of 4xx allows everything. While the file cannot be had (5xx, 429, no answer) an
older copy counts; without one nothing is allowed, until it has been so for thirty days: then everything is. Other files that
speak for a whole origin are kept in the same way.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from weakref import WeakValueDictionary

from ...system import steady_clock
from ...urls import canonical
from ..http.address_guard import origin_of
from ..http.client import Answer
from .robots import MOST_BYTES, Robots

FRESH = 24 * 3600.0
GRACE = 30 * 24 * 3600.0
MOST_HOPS = 5
KEPT = 2000  # files in memory
TABLE = """CREATE TABLE IF NOT EXISTS {} (
    origin TEXT PRIMARY KEY, body BLOB, got REAL, error TEXT, failing REAL, retry REAL) WITHOUT ROWID"""

Get = Callable[[str], Awaitable[tuple[Answer, float]]]  # an answer, and the seconds its host wants to be left alone


@dataclass(slots=True)
class Rules:
    """What is known of the robots.txt of an origin; times are those of the steady clock."""

    body: bytes | None = None  # b"" allows everything; None: never had it
    got: float = 0.0  # when that was
    error: str = ""  # why it could not be had the last time
    failing: float = 0.0  # since when; 0: it could be had
    retry: float = 0.0  # not before then
    refused: bool = False  # by the guard: the origin is none that we go to
    robots: Robots | None = None  # the body, read

    @property
    def known(self) -> Robots | None:
        """What it says; None when that is not known, and so nothing is allowed."""
        if self.robots is None and (self.body is not None or self._given_up):
            self.robots = Robots(self.body or b"")
        return self.robots

    @property
    def _given_up(self) -> bool:
        return bool(self.failing) and not self.refused and steady_clock.now() - self.failing >= GRACE

    def due(self, now: float) -> bool:
        """Whether it is time to fetch it; also when that was in the future, for then the clock was wrong."""
        if self.failing:
            return not self.failing <= now < self.retry
        return not self.got <= now < self.got + FRESH


class Rulebook:
    """Finds the rules for a URL; `get` fetches, and must not raise."""

    def __init__(self, get: Get, path: str = "/robots.txt", table: str = "robots") -> None:
        self._get, self._path, self._table = get, path, table
        self._known: OrderedDict[str, Rules] = OrderedDict()
        self._db: sqlite3.Connection | None = None
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def attach(self, db: sqlite3.Connection) -> None:
        """Keep the files in a database too, inside the transactions of whoever commits there."""
        db.execute(TABLE.format(self._table))
        self._db = db
        for origin, rules in self._known.items():
            self._write(origin, rules)

    def cached(self, url: str) -> Rules | None:
        """The rules for a canonical URL, if they need not be fetched."""
        origin = origin_of(url)
        known = self._known.get(origin)
        if not known or known.due(steady_clock.now()):
            return None
        self._known.move_to_end(origin)
        return known

    async def find(self, url: str) -> Rules:
        """The rules for a canonical URL."""
        if known := self.cached(url):
            return known
        origin = origin_of(url)
        door = self._doors.get(origin) or self._doors.setdefault(origin, asyncio.Lock())
        async with door:
            rules = self._known.get(origin) or self._read(origin)
            if rules.due(steady_clock.now()):
                await self._fetch(origin, rules)
                self._write(origin, rules)
        self._known[origin] = rules
        self._known.move_to_end(origin)
        if len(self._known) > KEPT:
            self._known.popitem(last=False)
        return rules

    async def _fetch(self, origin: str, rules: Rules) -> None:
        answer, rest, hops = await self._followed(origin + self._path)
        now = steady_clock.now()
        if answer.refused and not hops:
            rules.refused, rules.error, rules.failing, rules.retry = True, answer.error, now, now + FRESH
        elif answer.status >= 500 or answer.status == 429 or not answer.status or answer.error not in ("", "too large"):
            rules.error = answer.error or f"http {answer.status}"
            rules.failing, rules.retry = rules.failing or now, now + max(rest, 1.0)
        else:
            rules.body = answer.body[: MOST_BYTES + 1] if 200 <= answer.status < 300 else b""
            rules.got, rules.error, rules.failing, rules.robots = now, "", 0.0, None

    async def _followed(self, url: str) -> tuple[Answer, float, int]:
        """The answer at the end of the redirects; after too many of them the last one, which allows everything."""
        hops = 0
        while True:
            answer, rest = await self._get(url)
            target = canonical(answer.headers.get("location", "") or "no:where", url)
            if not 300 <= answer.status < 400 or not target or hops == MOST_HOPS:
                return answer, rest, hops
            url, hops = target, hops + 1

    def _read(self, origin: str) -> Rules:
        query = f"SELECT body, got, error, failing, retry FROM {self._table} WHERE origin = ?"
        row = self._db.execute(query, (origin,)).fetchone() if self._db else None
        return Rules(*row) if row else Rules()

    def _write(self, origin: str, rules: Rules) -> None:
        if self._db and not rules.refused:
            row = (origin, rules.body, rules.got, rules.error, rules.failing, rules.retry)
            self._db.execute(f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?, ?, ?, ?, ?)", row)
