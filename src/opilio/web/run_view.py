"""One run as it is watched: however many people look, its tables are read once a second at most, and only what is new."""

from __future__ import annotations

import sqlite3
import threading
import time
from array import array
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np

from ..engine.labels import labels
from ..engine.questions import questions
from ..engine.stored_topic import stored_topic
from ..errors import OpilioError
from ..frontier.rows import host_of
from ..report.best_pages import best_pages
from ..report.harvest import Course
from ..report.watch import Now, Watch
from ..report.web_map import Map, web_map
from ..store.reader import reading
from ..topics.deciding import Deciding, deciding
from ..urls import site
from .cache import Stale
from .frontier_view import Frontier, frontier

PAUSE = 0.9  # seconds between two looks
AGAIN = 90.0  # seconds after new labels in which pages may be judged anew
EACH = 2.0  # seconds between two readings of everything in that time
SHARE = 0.1  # of the time, at most, that these readings take
WATCHED = 0.01  # of the time, at most, that each thing takes that is found anew as long as somebody watches
ASKED = 200  # questions that are known in advance
FACETS = 50  # sites, languages ... that are shown
BINS = 50  # of relevance
BEST = 10  # pages that are shown with their snippets
KINDS = ("language", "genre", "page_type")


class View:
    """What the dashboard knows of one run folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.skipped: set[int] = set()  # pages that nobody wants to judge
        self.frontier: Stale[Frontier] = Stale(lambda: frontier(folder), 5.0, WATCHED)
        self.questions = Stale(lambda: questions(folder, ASKED + len(labels(folder))), 5.0)
        self.deciding: Stale[list[Deciding]] = Stale(lambda: _deciding(folder), 10.0)
        self.best = Stale(lambda: best_pages(folder, BEST), 5.0, WATCHED)
        self._maps: dict[int, Stale[Map]] = {}
        self._watch = Watch(folder)
        self._lock = threading.Lock()
        self._now: Now | None = None
        self._looked = self._began = float("-inf")
        self._labels: str | None = None
        self._until = float("-inf")
        self._cost = 0.0
        self._forget()

    def now(self) -> Now:
        """How the run stands, at most a second ago."""
        with self._lock:
            if self._now is None or time.monotonic() - self._looked > PAUSE:
                self._now = self._look()
                self._looked = time.monotonic()
            return self._now

    def ahead_of(self, price: float) -> int:
        """How many waiting URLs have a higher price."""
        return self.frontier.get().ahead_of(price)

    def course(self) -> Course:
        """Relevance and time of every page."""
        self.now()
        with self._lock:
            return Course.of(np.array(self._relevance), np.array(self._time))

    def hosts(self) -> dict[str, int]:
        """How many hosts are in which state; those that have nothing left are done."""
        self.now()
        states = self.frontier.get().host_states
        done = len(self._hosts - states.keys())
        return {**Counter(states.values()), "nothing left": done}

    def map(self, most: int) -> Map:
        """The sites and the links between them, this many at most."""
        with self._lock:
            known = self._maps.setdefault(most, Stale(lambda: _map(self.folder, most), 30.0))
        return known.get()

    def kinds(self) -> dict[str, dict[str, int]]:
        """The sites, languages, genres and page types that there are with their pages, the most frequent first."""
        self.now()
        with self._lock:
            return {name: dict(counter.most_common(FACETS)) for name, counter in self._kinds.items()}

    def histogram(self) -> list[int]:
        """How many judged pages there are, by relevance."""
        self.now()
        with self._lock:
            values, judged = np.array(self._relevance), np.array(self._judged, np.bool_)
        counts: list[int] = np.histogram(values[judged], BINS, (0.0, 1.0))[0].tolist()
        return counts

    def _forget(self) -> None:
        self._watch.forget()
        self._relevance, self._time = array("d"), array("d")
        self._judged = array("b")
        self._kinds: dict[str, Counter[str]] = {name: Counter() for name in ("site", *KINDS)}
        self._hosts: set[int] = set()  # by the keys that the frontier has for them
        self._last: dict[int, int] = {}  # the last page read of each shard
        self._began = time.monotonic()

    def _look(self) -> Now:
        with closing(reading(self.folder)) as db:
            if self._is_judged_anew(db):
                self._forget()
            before = time.monotonic()
            for index, shard in enumerate(db.shards):
                self._read(index, shard)
        now = self._watch.look()
        self._cost = max(self._cost / 2, time.monotonic() - before)
        return now

    def _is_judged_anew(self, db: sqlite3.Connection) -> bool:
        """Labels change what was thought of older pages, a few at a time; so for a while everything is read again."""
        row = db.execute("SELECT value FROM meta WHERE name = 'labels'").fetchone()
        stamp, clock = row[0] if row else "", time.monotonic()
        if self._labels is not None and stamp != self._labels:
            self._until = clock + AGAIN
        self._labels = stamp
        return clock < self._until and clock - self._began > max(EACH, self._cost / SHARE)

    def _read(self, index: int, db: sqlite3.Connection) -> None:
        columns = f"number, url, relevance, time, {', '.join(KINDS)}"
        query = f"SELECT {columns} FROM pages WHERE number > ? ORDER BY number"
        for number, url, relevance, when, *kinds in db.execute(query, (self._last.get(index, 0),)):
            self._last[index] = number
            self._hosts.add(host_of(url))
            self._relevance.append(relevance or 0.0)
            self._judged.append(relevance is not None)
            self._kinds["site"][site(url)] += 1
            self._time.append(when)
            for name, kind in zip(KINDS, kinds, strict=True):
                if kind:
                    self._kinds[name][kind] += 1


def _map(folder: Path, most: int) -> Map:
    with closing(reading(folder)) as db:
        return web_map(db, most)


def _deciding(folder: Path) -> list[Deciding]:
    """The words that the topic judges by; none where there is no topic."""
    try:
        return deciding(stored_topic(folder))
    except OpilioError:
        return []
