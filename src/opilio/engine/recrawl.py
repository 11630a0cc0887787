"""Visits the pages of a run again, those first that have most likely changed, and says what became of each.

Every visit is a version of its own: a row and a WARC record, a response where the page is another one now, else a revisit.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from .. import html
from ..errors import ConfigError
from ..fetchers.live import Live
from ..fetchers.to_page import answered
from ..html.announced import Announced
from ..html.content import FEED
from ..html.sitemap import Sitemap, listing
from ..nouns import Document, Lease, Link, Offer, Page, Topic, Weight
from ..page_errors import PageErrors
from ..scope.bounds import Bounds
from ..shard.delivery import shard_of
from ..store.lock import lock
from ..store.manifest import known_facts
from ..store.reader import ALL, write_united
from ..store.run import RunStore, writing
from ..store.warc import Response
from ..system.signals import Stop
from ..urls import host
from .change_rate import Visit, chances
from .live_crawl import live
from .run_folder import configured
from .stored_topic import stored_topic
from .topic import FILE

AT_ONCE = 32  # hosts
BATCH = 50  # pages of a commit
MOST_WAITS = 20  # of one page for its host
MOST_NEW = 10_000  # pages that were linked since
GONE = (404, 410)
# The last visit to each page brought it; those that are gone, failed or redirect are left alone.
BROUGHT = "status IN (200, 304) AND error = '' AND location = ''"
VISITS = f"""SELECT url, time, coalesce(digest, '') FROM pages WHERE {BROUGHT} AND url IN
    (SELECT url FROM pages GROUP BY url HAVING max(number) AND {BROUGHT}) ORDER BY number"""  # of the row with the maximum


@dataclass
class Outcome:
    """What became of the pages, by URL."""

    unchanged: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # with the reason

    @property
    def visited(self) -> int:
        return sum(map(len, (self.unchanged, self.changed, self.new, self.gone, self.failed)))


def recrawl(
    folder: Path, most: int | None = None, stop: Stop | None = None, tick: Callable[[int, int], None] | None = None
) -> Outcome:
    """Visit pages of a run again, at most this many, and pages that they link to now and did not before."""
    config = configured(folder)
    if config.corpus:
        raise ConfigError(f"{folder}: this is a crawl of recorded pages ({config.corpus}), which never change")
    topic = stored_topic(folder) if (folder / FILE).is_file() else None
    with writing(folder), closing(Stores(folder)) as stores:
        visits = Visits(stores, live(config, resumed=True), topic, config.bounds(), stop or Stop(), tick)
        outcome = asyncio.run(visits.all(most))
    if (folder / ALL).is_file():
        write_united(folder)
    return outcome


class Stores:
    """What a run folder holds, of one shard or of several: each page is with the shard that owns its site."""

    def __init__(self, folder: Path) -> None:
        count = known_facts(folder).get("processes", 1)
        with ExitStack() as undo:
            if count > 1:  # each shard has a lock of its own beside that of the folder
                undo.enter_context(closing(lock(folder)))
            self.all = [undo.enter_context(closing(RunStore(folder, index, count))) for index in range(count)]
            self._held = undo.pop_all()

    def close(self) -> None:
        self._held.close()

    def of(self, url: str) -> RunStore:
        return self.all[shard_of(url, len(self.all))]

    def find(self, url: str) -> Response | None:
        """What was stored for a URL, at its last visit."""
        return self.of(url).find(url)

    def note(self, page: Page) -> None:
        """Keep an answer that is no page."""
        self.of(page.url).note(page)

    def visits(self) -> Iterator[Visit]:
        return (Visit._make(row) for store in self.all for row in store.db.execute(VISITS))

    def commit(self) -> None:
        for store in self.all:
            store.commit({})


class Visits:
    """The visits of one recrawl."""

    def __init__(
        self,
        stores: Stores,
        fetcher: Live,
        topic: Topic | None,
        bounds: Bounds,
        stop: Stop,
        tick: Callable[[int, int], None] | None,
    ) -> None:
        self._stores, self._fetcher, self._topic = stores, fetcher, topic
        self._bounds, self._stop, self._tick = bounds, stop, tick
        self._errors = PageErrors(stores.all[0].error_log)
        self._found: dict[str, Link] = {}  # pages that are linked now and were not before
        self._number = 0
        self.outcome = Outcome()

    async def all(self, most: int | None) -> Outcome:
        self._fetcher.attach(self._stores.all[0].db, self._stores.find, self._stores.note)
        try:
            urls = list(chances(self._stores.visits(), time.time()))
            self._budget = most if most is not None else len(urls) + MOST_NEW
            known = [Link(url) for url in urls[: self._budget]]
            await self._visit(known)
            await self._visit(list(islice(self._unknown(), max(0, self._budget - len(known)))))
        finally:
            await self._fetcher.close()
            self._stores.commit()
        return self.outcome

    def _unknown(self) -> Iterator[Link]:
        for url, link in islice(self._found.items(), MOST_NEW):
            if not self._stores.of(url).row("url = ?", url) and not self._bounds.reason(url):
                yield link

    async def _visit(self, links: Sequence[Link]) -> None:
        """Each host in a task of its own, in the order of its pages."""
        hosts: dict[str, deque[Link]] = defaultdict(deque)
        for link in links:
            hosts[host(link.url)].append(link)
        gate = asyncio.Semaphore(AT_ONCE)
        await asyncio.gather(*(self._visit_host(queue, gate, len(links)) for queue in hosts.values()))

    async def _visit_host(self, queue: deque[Link], gate: asyncio.Semaphore, total: int) -> None:
        while queue and not self._stop():
            async with gate:
                await self._page(queue.popleft())
            if self._tick:
                self._tick(self.outcome.visited, total)

    async def _page(self, link: Link) -> None:
        before = self._stores.find(link.url)
        offer = Offer(link, again=() if before else None)
        page = await self._fetched(offer)
        if page.refused:
            self.outcome.failed[link.url] = page.error
            return
        relevance = None
        with self._errors.isolated(page):
            old = answered(offer, *before, _document) if before else None
            self._judge(page, old)
            relevance = self._topic.page(page) if self._topic and page.document and not page.location else None
        self._number += 1
        self._stores.of(page.url).add(Lease(self._number, offer, Weight(), ()), page, relevance)
        if self._number % BATCH == 0:
            self._stores.commit()

    async def _fetched(self, offer: Offer) -> Page:
        """The page, when its host is ready for it."""
        page = Page(offer, offer.link.url)
        for _ in range(MOST_WAITS):
            with self._errors.isolated(page, "fetch"):
                page = await self._fetcher.fetch(offer)
            if not page.later or self._stop():
                break
            await asyncio.sleep(page.rest)
        return page

    def _judge(self, page: Page, old: Page | None) -> None:
        """Note what became of a page, and what it links to that it did not link to before."""
        outcome, url = self.outcome, page.url
        if page.status in GONE:
            outcome.gone.append(url)
        elif page.error:
            outcome.failed[url] = page.error
        elif not old:
            outcome.new.append(url)
        elif _differ(page, old):
            outcome.changed.append(url)
        else:
            outcome.unchanged.append(url)
        if old and not page.error:
            linked = {link.url for link in old.links}
            added = (link for link in page.links if link.url not in linked and FEED not in link.rel)
            self._found.update((link.url, link) for link in added)


def _document(body: bytes, url: str, content_type: str, announced: Announced) -> Document:
    """What is stored of a page, read as it was when it came."""
    most = listing(body, content_type)
    return Sitemap(body, url, content_type, most) if most else html.Document(body, url, content_type, announced)


def _differ(page: Page, old: Page) -> bool:
    """Whether a reader would call it another page; of feeds and sitemaps, whether they list other pages."""
    if page.location != old.location:
        return True
    if isinstance(page.document, Sitemap):
        return [link.url for link in page.links] != [link.url for link in old.links]
    return (page.title, page.main) != (old.title, old.main)
