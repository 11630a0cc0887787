"""A crawl follows what people say of pages, running or resumed.

The topic learns from every label at once. Then the frontier follows: the stored pages that matter most, the judged ones
first, then by relevance, are read again, some between two steps of the crawl, and a copy of the strategy says what their
links are worth now. Only URLs that wait are judged anew; nothing is opened, fetched or learned twice.
"""

from __future__ import annotations

import copy
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ..errors import UnreadableError
from ..nouns import Lane, Offer, Page, Strategy, TopicNews
from ..registry import takes
from ..shard import Shard
from ..shard.known import Asking
from ..store.reader import reading
from ..store.run import LAST, RunStore
from .labels import FILE, labels
from .stored_pages import copy as stored_copy
from .topic import relearned

if TYPE_CHECKING:
    from ..topics.adaptive import Growing

MOST = 2000  # stored pages whose links are judged anew after labels came
JUDGED = 20_000  # stored pages that are judged anew themselves, the most relevant first
TURN = 0.5  # seconds that this may take between two steps of the crawl

Best: TypeAlias = dict[tuple[str, Lane], Offer]  # by URL and lane


class Following:
    """Brings what people said into a crawl; `step` is called between its steps, as often as one likes."""

    def __init__(self, folder: Path, shard: Shard, topic: Growing | None) -> None:
        self.folder, self.shard, self.topic = folder, shard, topic
        self.trouble = ""  # what is wrong with the file; the crawl goes on without it
        self._seen: tuple[int, int] | None = None  # the file, when it was last looked at
        self._pages = 0  # of other machines that people have judged, when these were last looked at
        self._again: Iterator[None] = iter(())

    def step(self) -> bool:
        """Take up new labels, or go on reading pages again; whether there is more to do."""
        if (self._changed() or self._heard_of_pages()) and (fresh := self._fresh()):
            self._take(fresh)
            self._again = self._reread(list(fresh))
        return next(self._again, self) is not self

    def _changed(self) -> bool:
        try:
            status = (self.folder / FILE).stat()
        except FileNotFoundError:
            return False
        before, self._seen = self._seen, (status.st_mtime_ns, status.st_size)
        return self._seen != before

    def _heard_of_pages(self) -> bool:
        """Whether pages have come from other machines of which labels speak."""
        before, self._pages = self._pages, len(self.topic.judged_) if self.topic else 0
        return self._pages != before

    def _fresh(self) -> dict[str, bool | None]:
        """The labels that the crawl has not heard of; None for what was taken back."""
        self.trouble, known = "", followed_labels(self._store)
        try:
            current = labels(self.folder)
        except UnreadableError as error:  # somebody edits it just now, perhaps
            self.trouble = str(error)
            return {}
        gone: dict[str, bool | None] = dict.fromkeys(url for url in known if url not in current)
        return gone | {url: relevant for url, relevant in current.items() if known.get(url) != relevant}

    def _take(self, fresh: Mapping[str, bool | None]) -> None:
        judged = {url: relevant for url, relevant in fresh.items() if relevant is not None}
        gone = fresh.keys() - judged.keys()
        if self.topic:
            for url in gone:
                self.topic.unlabelled(url)
            pages = {url: self._judged(url) for url in judged}
            relearned(self.topic, [(page, judged[url]) for url, page in pages.items() if page])
            if self._store.elsewhere:  # what is on another machine will be heard of
                judged = {url: relevant for url, relevant in judged.items() if pages[url]}
        still = {url: relevant for url, relevant in followed_labels(self._store).items() if url not in gone}
        known = json.dumps(still | judged)
        self._store.db.execute("INSERT OR REPLACE INTO meta VALUES ('labels', ?)", (known,))

    def _reread(self, first: list[str]) -> Iterator[None]:
        """Judge pages anew, and with them what they link to: some at each step."""
        strategy = _apart(self.shard)
        known, sources = followed_labels(self._store), set[str]()
        best: Best = {}
        changed: Best = {}
        ends = time.monotonic() + TURN
        for place, row in enumerate(self._rows(first)):
            links = strategy if place < MOST + len(first) else None
            if page := stored_copy(self.folder, row):
                with self.shard.page_errors.isolated(page, "judge") as doing:
                    self._judge(row["number"], page, known.get(row["url"]))
                    sources.add(page.url)
                    doing("observe")
                    changed |= _better(best, _offers(links, page, self.shard)) if links else {}
            if time.monotonic() > ends:
                self.shard.frontier.renew(changed.values(), sources)
                yield
                changed, ends = {}, time.monotonic() + TURN
        self.shard.frontier.renew(changed.values(), sources)
        self.shard.frontier.reweigh()
        self.shard.commit()

    def _rows(self, first: list[str]) -> Iterator[sqlite3.Row]:
        yield from filter(None, map(self._row, first))
        query = (
            "SELECT number FROM pages WHERE relevance IS NOT NULL AND file IS NOT NULL ORDER BY relevance DESC LIMIT ?"
        )
        best = [number for (number,) in self._store.db.execute(query, (JUDGED,))]
        yield from filter(None, (self._store.row("number = ?", number) for number in best))

    def _judged(self, url: str) -> Page | None:
        """The page at a URL, whichever shard has it: every topic learns from all labels."""
        from ..topics.kept_material import opened, press  # a crawl without a topic does without

        if own := self._row(url):
            page = stored_copy(self.folder, own)
            if page and self._store.elsewhere:
                self.shard.tell_topics([TopicNews(press(page), judged=True)])
            return page
        if self._store.elsewhere:
            assert self.topic
            pressed = self.topic.judged_.get(url)
            return opened(pressed) if pressed else None
        return self._of_another_shard(url) if self._store.shards > 1 else None

    def _of_another_shard(self, url: str) -> Page | None:
        """On this machine."""
        with closing(reading(self.folder)) as db:
            db.row_factory = sqlite3.Row
            found: sqlite3.Row | None = db.execute(f"SELECT * FROM pages WHERE {LAST}", (url,)).fetchone()
        return stored_copy(self.folder, found) if found else None

    def _row(self, url: str) -> sqlite3.Row | None:
        return self._store.row(LAST, url)

    def _judge(self, number: int, page: Page, relevant: bool | None) -> None:
        if self.topic:
            relevance = self.topic.page(page) if relevant is None else float(relevant)
            self._store.db.execute("UPDATE pages SET relevance = ? WHERE number = ?", (relevance, number))

    @property
    def _store(self) -> RunStore:
        assert isinstance(self.shard.store, RunStore)
        return self.shard.store


def followed_labels(store: RunStore) -> dict[str, bool]:
    """The labels that the crawl in this store has followed."""
    row = store.db.execute("SELECT value FROM meta WHERE name = 'labels'").fetchone()
    found: dict[str, bool] = json.loads(row[0]) if row else {}
    return found


def _apart(shard: Shard) -> Strategy | None:
    """A strategy to ask that learns for itself alone; None where values do not come from the topic, or add up."""
    strategy = shard.strategy
    if strategy.merge == "sum" or shard.topic is None or not takes(type(strategy), "topic"):
        return None
    return copy.deepcopy(strategy, {id(shard.topic): shard.topic})


def _offers(strategy: Strategy, page: Page, shard: Shard) -> list[Offer]:
    page.known = Asking(shard.frontier)
    page.kept = page.known(page.url)
    return [say for say in strategy.observe(page) if isinstance(say, Offer)]


def _better(best: Best, offers: list[Offer]) -> Best:
    """The best offers so far of the URLs that were offered now."""
    touched: Best = {}
    for offer in offers:
        key = (offer.link.url, offer.lane)
        if key not in best or offer.value > best[key].value:
            best[key] = offer
        touched[key] = best[key]
    return touched
