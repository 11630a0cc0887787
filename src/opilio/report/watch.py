"""Watching a crawl from outside: reads what was committed since the last look, so that looking often costs little."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import closing
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from ..engine.topic import FILE as TOPIC_FILE
from ..frontier.counts import open_urls, waiting_hosts
from ..nouns import RELEVANT
from ..store.reader import JUDGED_AGAIN, Reading, reading
from ..urls import site
from .best_pages import topic_of
from .headline import HUNDRED, headline, headline_unjudged
from .refusals import counts as refusal_counts
from .summary import asked, internal, strategy_errors

WINDOW = 200  # pages that "now" means
PACE = 20.0  # seconds that "now" means for the pace
LAST = 8  # pages shown
SLOW = 5.0  # seconds between two looks at figures that cost by the size of the frontier
FEWEST = 200  # pages before anything is said of what is left
SHARE = 0.01  # of the time, at most, that estimates of what is left take


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
    refused_because: dict[str, int]  # by kind of reason
    bytes: int
    seconds: float  # that it has worked, from its start on, stops left out
    last: list[Seen]  # the newest last
    last_hundred: int  # relevant ones among the last hundred pages
    left: float | None  # relevant ones among the URLs that wait, as estimated now and then; None: it cannot be told
    headline: str  # all of it in one sentence


class Watch:
    """Looks at a run folder again and again; `waiting`, if given, says the size of the frontier at less cost.

    `on_page` is told of every page that a look finds, once, however often stored pages are judged anew.
    """

    def __init__(self, folder: Path, waiting: Callable[[], int] | None = None) -> None:
        self.folder = folder
        self.on_page: Callable[[Seen], None] = lambda page: None
        self._waiting = waiting
        self._judged_again: dict[int, str] = {}  # of each shard, when its pages were judged again
        self._announced: dict[int, int] = {}  # of each shard, the last page that on_page was told of
        self._looks: deque[tuple[float, int]] = deque()
        self._frontier: tuple[int, int, dict[str, int]] = (0, 0, {})
        self._looked = float("-inf")
        self._left: float | None = None
        self._estimate_due = float("-inf")
        self.forget()

    def forget(self) -> None:
        """Read everything again at the next look: pages were judged anew."""
        self._pages = self._relevant = self._bytes = 0
        self._numbers: dict[int, int] = {}  # of the last page seen of each shard
        self._sites: set[str] = set()
        self._all_sites: set[str] = set()
        self._topic: str | None = None
        self._like: list[str] = []
        self._is_judged = False
        self._errors: Counter[str] = Counter()
        self._recent: deque[bool] = deque(maxlen=WINDOW)
        self._last: deque[Seen] = deque(maxlen=LAST)

    def look(self) -> Now:
        """How it stands now."""
        with closing(reading(self.folder)) as db:
            for index, shard in enumerate(db.shards):
                self._heed(index, shard)
            found = (self._new(index, shard) for index, shard in enumerate(db.shards))
            for _, index, *row, size in merge(*found, key=itemgetter(0)):  # in the order of time
                self._see(index, Seen(*row), size)
            seconds = db.execute("SELECT value FROM meta WHERE name = 'seconds'").fetchone()
            waiting, rest, refused = self._sizes(db)
            failed = sum(strategy_errors(db).values())
            self._estimate(db)
        recent = list(self._recent)
        return Now(
            pages=self._pages,
            pace=self._pace(),
            relevant=self._relevant,
            sites=len(self._sites),
            harvest=self._relevant / self._pages if self._pages else 0.0,
            harvest_now=sum(recent) / len(recent) if recent else 0.0,
            waiting=self._waiting() if self._waiting else waiting,
            waiting_hosts=rest,
            errors=dict(self._errors.most_common()),
            internal_errors=internal(self._errors) + failed,
            refused=sum(refused.values()),
            refused_because=refused,
            bytes=self._bytes,
            seconds=json.loads(seconds[0]) if seconds else 0.0,
            last=list(self._last),
            last_hundred=sum(recent[-HUNDRED:]),
            left=self._left,
            headline=self._headline(sum(recent[-HUNDRED:])),
        )

    def _heed(self, index: int, db: sqlite3.Connection) -> None:
        """Where stored pages were judged again since the last look, all of them are read again."""
        found = db.execute("SELECT value FROM meta WHERE name = ?", (JUDGED_AGAIN,)).fetchone()
        if found and self._judged_again.get(index) != found[0]:
            self._judged_again[index] = found[0]
            self.forget()

    def _headline(self, last_hundred: int) -> str:
        if self._topic is None:
            self._topic, self._like = topic_of(self.folder), asked(self.folder).get("like", [])
            self._is_judged = bool(self._like) or (self.folder / TOPIC_FILE).exists()
        if not self._is_judged:
            return headline_unjudged(self._pages, len(self._all_sites))
        return headline(self._pages, self._relevant, self._topic, last_hundred, self._left, self._like)

    def _estimate(self, db: Reading) -> None:
        """What is left, found anew when that costs little beside the time that went by."""
        begun = time.monotonic()
        if begun < self._estimate_due or self._pages < FEWEST:
            return
        from .estimate import by_price  # numpy: a crawl starts sooner without it

        found = by_price(db)
        self._left = found.value if found else None
        ended = time.monotonic()
        self._estimate_due = ended + max(SLOW, (ended - begun) / SHARE)

    def _new(self, index: int, db: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
        columns = "time, ?, number, url, title, status, error, relevance, bytes"
        query = f"SELECT {columns} FROM pages WHERE number > ? ORDER BY number"
        return db.execute(query, (index, self._numbers.get(index, 0)))

    def _see(self, index: int, page: Seen, size: int) -> None:
        self._numbers[index], good = page.number, (page.relevance or 0.0) >= RELEVANT
        self._pages += 1
        self._bytes += size
        self._recent.append(good)
        self._last.append(page)
        self._all_sites.add(site(page.url))
        if good:
            self._relevant += 1
            self._sites.add(site(page.url))
        if page.error:
            self._errors[page.error] += 1
        if page.number > self._announced.get(index, 0):
            self._announced[index] = page.number
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
