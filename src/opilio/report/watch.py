"""Watching a crawl from outside: reads what was committed since the last look, so that looking often costs little."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ..frontier.counts import open_urls, waiting_hosts
from ..nouns import RELEVANT
from ..store.reader import Reading, reading
from ..urls import site
from .refusals import counts as refusal_counts
from .summary import internal, strategy_errors

WINDOW = 200  # pages that "now" means
PACE = 20.0  # seconds that "now" means for the pace
LAST = 8  # pages shown
SLOW = 5.0  # seconds between two looks at figures that cost by the size of the frontier


class Seen(NamedTuple):
    """A page as it went by."""

    number: int
    url: str
    title: str
    status: int
    error: str
    relevance: float | None


class Now(NamedTuple):
    """How a crawl stands."""

    pages: int
    pace: float  # pages a second, over the last looks
    relevant: int
    sites: int  # with relevant pages
    harvest: float  # relevant pages per page fetched, over all
    harvest_now: float  # the same for the last pages
    waiting: int  # URLs in the frontier
    waiting_hosts: int  # hosts that are left alone
    errors: dict[str, int]
    internal_errors: int  # those of them that are mistakes of our own, and those that the strategy made elsewhere
    refused: int
    refused_because: dict[str, int]  # by what stood in the way
    bytes: int
    seconds: float  # that it has worked, from its start on, stops left out
    last: list[Seen]  # the newest last


class Watch:
    """Looks at a run folder again and again; `waiting`, if given, says the size of the frontier at less cost.

    `on_page` is told of every page that a look finds.
    """

    def __init__(self, folder: Path, waiting: Callable[[], int] | None = None) -> None:
        self.folder = folder
        self.on_page: Callable[[Seen], None] = lambda page: None
        self._waiting = waiting
        self._looks: deque[tuple[float, int]] = deque()
        self._frontier: tuple[int, int, dict[str, int]] = (0, 0, {})
        self._looked = float("-inf")
        self.forget()

    def forget(self) -> None:
        """Read everything again at the next look: pages were judged anew."""
        self._pages = self._relevant = self._bytes = 0
        self._numbers: dict[int, int] = {}  # of the last page seen of each shard
        self._sites: set[str] = set()
        self._errors: Counter[str] = Counter()
        self._recent: deque[bool] = deque(maxlen=WINDOW)
        self._last: deque[Seen] = deque(maxlen=LAST)

    def look(self) -> Now:
        """How it stands now."""
        with closing(reading(self.folder)) as db:
            for index, shard in enumerate(db.shards):
                self._read(index, shard)
            seconds = db.execute("SELECT value FROM meta WHERE name = 'seconds'").fetchone()
            waiting, rest, refused = self._sizes(db)
            failed = sum(strategy_errors(db).values())
        return Now(
            self._pages,
            self._pace(),
            self._relevant,
            len(self._sites),
            self._relevant / self._pages if self._pages else 0.0,
            sum(self._recent) / len(self._recent) if self._recent else 0.0,
            self._waiting() if self._waiting else waiting,
            rest,
            dict(self._errors.most_common()),
            internal(self._errors) + failed,
            sum(refused.values()),
            refused,
            self._bytes,
            json.loads(seconds[0]) if seconds else 0.0,
            list(self._last),
        )

    def _read(self, index: int, db: sqlite3.Connection) -> None:
        query = "SELECT number, url, title, status, error, relevance, bytes FROM pages WHERE number > ? ORDER BY number"
        for *row, size in db.execute(query, (self._numbers.get(index, 0),)):
            page = Seen(*row)
            self._numbers[index], good = page.number, (page.relevance or 0.0) >= RELEVANT
            self._pages += 1
            self._bytes += size
            self._recent.append(good)
            self._last.append(page)
            if good:
                self._relevant += 1
                self._sites.add(site(page.url))
            if page.error:
                self._errors[page.error] += 1
            self.on_page(page)

    def _sizes(self, db: Reading) -> tuple[int, int, dict[str, int]]:
        if time.monotonic() - self._looked >= SLOW:
            waiting = 0 if self._waiting else open_urls(db)
            self._frontier = (waiting, waiting_hosts(db, time.time()), refusal_counts(db))
            self._looked = time.monotonic()
        return self._frontier

    def _pace(self) -> float:
        now = time.monotonic()
        self._looks.append((now, self._pages))
        while len(self._looks) > 2 and now - self._looks[1][0] >= PACE:
            self._looks.popleft()
        (begun, before), gone = self._looks[0], now - self._looks[0][0]
        return (self._pages - before) / gone if gone > 0 and now > begun else 0.0
