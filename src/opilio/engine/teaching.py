"""A topic that is taught: what an answer of a person changes among the pages of a crawl, before anything is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ..nouns import RELEVANT, Page
from ..store.reader import Reading, reading
from ..topics.adaptive import Growing
from ..topics.kept_material import opened, press
from .labels import labels
from .questions import Question, in_order
from .stored_pages import copy as stored_copy
from .stored_topic import stored_topic

BEST, OTHERS = 300, 300  # stored pages that are judged again: the most relevant ones, and some of the others
LONGEST = 1_000_000  # characters of a page that are read
SHOWN = 5  # pages of each kind that are named after an answer


class Stored(NamedTuple):
    """A page of a crawl that is judged again after each answer."""

    number: int
    url: str
    title: str
    group: int  # pages that are nearly the same share it
    page: Page
    stands_for: float  # pages of the crawl: 1, or more where only some of them are looked at


class Change(NamedTuple):
    """What an answer changed: how many pages count as relevant, and some that do now, or no longer do."""

    before: int
    after: int
    gained: tuple[Stored, ...] = ()
    lost: tuple[Stored, ...] = ()

    def __str__(self) -> str:
        return f"relevant pages {self.before:,} → {self.after:,}"


class Teaching:
    """The topic of a run folder, and what becomes of its pages with each answer; nothing is stored by it."""

    def __init__(self, folder: Path) -> None:
        self.topic = stored_topic(folder)
        self.answers = labels(folder)
        given = self.topic.given.kept.material()
        self._given = {page.url for page in (*given.positives, *given.negatives)}
        with closing(reading(folder)) as db:
            self.pages = {one.url: one for one in _stored(folder, db, self.answers)}
        self.topic.stale_ = True  # else pages that came since it learned last would count as what an answer did
        self._tell(self.topic, self.answers)
        self.relevance = self._judged(self.topic)

    @property
    def relevant(self) -> int:
        """How many pages of the crawl count as relevant."""
        return self._counted(self.relevance)

    def questions(self, skipped: Container[str] = ()) -> list[Question]:
        """The pages to ask about, in their order; none that is nearly the same as one that was judged or skipped."""
        groups = {one.group for url, one in self.pages.items() if self._known(url) or url in skipped}
        return in_order((page for page in self._unjudged() if page.group not in groups), len(self.answers))

    def doubtful(self) -> list[Question]:
        """The pages that nobody judged, the most doubtful first."""
        return sorted(self._unjudged(), key=lambda page: (abs(page.relevance - RELEVANT), page.number))

    def _known(self, url: str) -> bool:
        return url in self.answers or url in self._given

    def _unjudged(self) -> Iterator[Question]:
        for url, one in self.pages.items():
            if not self._known(url):
                yield Question(one.number, url, one.title, self.relevance[url], one.group)

    def answer(self, url: str, relevant: bool | None) -> Change:
        """Learn that a page is relevant, or not; with None, forget what was said of it."""
        before = self.relevance
        if relevant is None:
            self.answers.pop(url, None)
            self.topic.unlabelled(url)
        else:
            self.answers[url] = relevant
            self._tell(self.topic, {url: relevant})
        self.relevance = self._judged(self.topic)
        return self._change(before, self.relevance)

    def supposed(self, url: str, relevant: bool | None) -> Change:
        """What would change with this answer."""
        topic = self.topic.without(url)
        if relevant is not None:
            self._tell(topic, {url: relevant})
        return self._change(self.relevance, self._judged(topic))

    def without(self, url: str) -> tuple[float, Change]:
        """What a page is judged that people named or judged, as if they had not; and what would change without it."""
        topic = self.topic.without(url)
        material = self.topic.material()
        known = {page.url: page for page in (*material.positives, *material.negatives)}
        page = self.pages[url].page if url in self.pages else known[url]
        return topic.page(page), self._change(self.relevance, self._judged(topic))

    def _tell(self, topic: Growing, answers: Mapping[str, bool]) -> None:
        for url, relevant in answers.items():
            known = topic.told_.get(url)
            if url in self.pages and (known is None or known[0] != relevant):
                topic.labelled(self.pages[url].page, relevant)

    def _judged(self, topic: Growing) -> dict[str, float]:
        return {url: topic.page(one.page) for url, one in self.pages.items()}

    def _counted(self, relevance: dict[str, float]) -> int:
        return round(sum(one.stands_for for url, one in self.pages.items() if relevance[url] >= RELEVANT))

    def _change(self, before: dict[str, float], after: dict[str, float]) -> Change:
        by_growth = sorted(after, key=lambda url: before[url] - after[url])
        gained = [self.pages[url] for url in by_growth if before[url] < RELEVANT <= after[url]]
        lost = [self.pages[url] for url in by_growth[::-1] if after[url] < RELEVANT <= before[url]]
        return Change(self._counted(before), self._counted(after), tuple(gained[:SHOWN]), tuple(lost[:SHOWN]))


def _stored(folder: Path, db: Reading, judged: Mapping[str, bool]) -> Iterator[Stored]:
    """The most relevant pages, some others that stand for the rest, and those that people judged."""
    db.row_factory = sqlite3.Row
    last = "SELECT max(number) AS number, url, relevance FROM pages WHERE relevance IS NOT NULL AND file IS NOT NULL GROUP BY url"
    urls = {row["number"]: row["url"] for row in db.execute(f"SELECT * FROM ({last}) ORDER BY relevance DESC, number")}
    best, others = list(urls)[:BEST], list(urls)[BEST:]
    some = others[:: -(-len(others) // OTHERS) or 1]
    looked = {**dict.fromkeys(best, 1.0), **dict.fromkeys(some, len(others) / max(1, len(some)))}
    judged_pages = {number: 0.0 for number, url in urls.items() if url in judged and number not in looked}
    for number, stands_for in (looked | judged_pages).items():
        row = db.execute("SELECT * FROM pages WHERE number = ?", (number,)).fetchone()
        if page := stored_copy(folder, row):
            group = -number if row["duplicate_group"] is None else row["duplicate_group"]
            small = opened(press(page, LONGEST))  # without the tree, of which there would be hundreds
            yield Stored(number, row["url"], row["title"] or "", group, small, stands_for)
