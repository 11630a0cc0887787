"""The loop and the commit.

A shard owns some sites: one frontier, one strategy, one store. A step takes the best offers, fetches them, stores the
pages, lets the strategy observe them, and commits all of it at once. Offers for sites of another shard are letters.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .fetchers.answer import answered
from .frontier.memory import MemoryFrontier
from .nouns import (
    RELEVANT,
    Fetcher,
    Frontier,
    Keep,
    Lease,
    Letter,
    Link,
    News,
    Offer,
    Page,
    Reweigh,
    Say,
    Strategy,
    Topic,
)
from .packing import pack, unpack
from .scope import Scope
from .store.memory import MemoryStore, Visit
from .store.run import RunStore
from .urls import digest, host, site

MOST_TRIES = 3  # of a URL whose host says: come back later
FIRST, SHARE = 5, 10  # a batch is a tenth of what was fetched so far, but five at least: what is learned counts at once
COMMIT = 1.0  # seconds at most between two commits while pages come in
PAUSE = 0.05  # seconds after which the frontier is asked again, while there is room for more
MOST_HOPS = 5  # redirects in a row; RFC 9309 asks for five at least, browsers stop at twenty


@dataclass(frozen=True, slots=True)
class Limits:
    """When a crawl is over; what is not given does not end it."""

    pages: float = math.inf
    seconds: float = math.inf
    bytes: float = math.inf
    saturation: float = 0.0  # stop when a smaller share than this of the last `window` pages was relevant
    window: int = 1000


class Shard:
    def __init__(
        self,
        strategy: Strategy,
        frontier: Frontier,
        fetcher: Fetcher,
        store: MemoryStore | RunStore,
        *,
        topic: Topic | None = None,
        batch: int = 50,
        index: int = 0,
        shards: int = 1,
        scope: Scope | None = None,
    ) -> None:
        self.strategy, self.frontier, self.fetcher, self.store = strategy, frontier, fetcher, store
        self.topic, self.batch, self.index, self.shards = topic, batch, index, shards
        self.scope = scope or Scope()
        self.brought: list[bool] = []  # of each page since it was last looked at: was it relevant
        self._under_way: dict[asyncio.Task[Page], Lease] = {}
        self._landed: list[asyncio.Task[Page]] = []
        self._wake: Callable[[], None] = lambda: None
        self._fresh, self._committed = 0, -math.inf  # pages since the last commit, and when that was
        self._restore()

    def start(self, seeds: Sequence[str], pages: Iterable[Page] = ()) -> None:
        """Offer the seeds, unless that was done in an earlier life. Every shard starts from all seeds and keeps its own."""
        if self.store.started:
            return
        says = self.strategy.start([Link(url) for url in seeds], pages)
        self._apply(say for say in says if not isinstance(say, Offer) or self._owner(say) == self.index)
        self.commit()

    async def step(self, most: float, now: float) -> int:
        """Send for the best offers, take in the pages that have come; how many these were.

        Pages that come at once, as those of a recording do, are one batch with one commit.
        """
        wide = min(self.batch, max(FIRST, self.store.pages // SHARE))
        # What is not committed counts too: a crash costs one batch at most.
        room = int(min(most, wide - self._fresh)) - len(self._under_way)
        for lease in self.frontier.take(room, now) if room > 0 else ():
            self._send(lease)
        asked = time.monotonic()
        await self._arrivals(PAUSE if room > 0 else COMMIT)
        now += time.monotonic() - asked
        landed, self._landed = self._landed, []
        pages = sorted(((self._under_way.pop(task), task.result()) for task in landed), key=lambda pair: pair[0].number)
        for lease, page in pages:
            self._receive(lease, page, now)
        self._fresh += len(pages)
        if self._fresh and (not self._under_way or 2 * self._fresh >= wide or now - self._committed >= COMMIT):
            self.commit()
            self._fresh, self._committed = 0, now
        return len(pages)

    @property
    def busy(self) -> bool:
        """Whether pages are under way."""
        return bool(self._under_way)

    async def stop(self) -> None:
        """Let go of what is under way: it stays leased, and is handed out again."""
        tasks = list(self._under_way)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._under_way, self._landed = {}, []

    def deliver(self, letter: Letter) -> None:
        """A letter from another shard; what came before, or came too early, is dropped and will be sent again."""
        if not self.store.hear(letter.sender, letter.number):
            return
        if isinstance(letter.say, News):
            self._apply(self.strategy.hear(letter.say))
        else:
            self.frontier.offer([letter.say])

    def dry(self) -> bool:
        """Let the strategy end a stage; whether there is something to fetch again."""
        self._apply(self.strategy.dry())
        self.commit()
        return self.frontier.ready(math.inf) is not None or any(True for _ in self.store.letters())

    def commit(self) -> None:
        """Everything since the last commit is kept, or, after a crash, nothing of it."""
        state = {"strategy": pack(learned(self.strategy)), "scope": pack(learned(self.scope))}
        if self.topic:
            # each by itself: a topic that learns keeps pages, and what did not change is not written again
            state |= {f"topic {name}": pack(value) for name, value in learned(self.topic).items()}
        self.store.commit(state)

    def _send(self, lease: Lease) -> None:
        task = asyncio.create_task(self._fetch(lease))
        self._under_way[task] = lease
        task.add_done_callback(self._land)

    def _land(self, task: asyncio.Task[Page]) -> None:
        self._landed.append(task)
        self._wake()

    async def _arrivals(self, most: float) -> None:
        """Wait for a page, so many seconds at most; those that come together are taken in together."""
        if not self._under_way or self._landed:
            return
        landed = asyncio.Event()
        self._wake = landed.set
        timer = asyncio.get_running_loop().call_later(most, landed.set)
        await landed.wait()
        timer.cancel()

    async def _fetch(self, lease: Lease) -> Page:
        url = lease.offer.link.url
        stored = self.store.find(url) if self._recalls(lease) else None
        if stored:
            return answered(lease.offer, *stored)
        if why := self.scope.full(url):
            return Page(lease.offer, url, error=why, refused=True)
        self.scope.count(url)
        page = await self.fetcher.fetch(lease.offer)
        if page.refused:
            self.scope.count(url, -1)
        return page

    def _recalls(self, lease: Lease) -> bool:
        return self.strategy.recall and lease.kept is not None

    def _receive(self, lease: Lease, page: Page, now: float) -> None:
        page.kept, page.known = lease.kept, Known(self.frontier, page)
        self._heed(page, now)
        later = page.rest > 0 and bool(page.error) and lease.offer.tries < MOST_TRIES
        if page.refused:
            if not later:
                self.store.refuse(lease, page)
        elif not self._recalls(lease):
            relevance = self.topic.page(page) if self.topic and page.document else None
            self.store.add(lease, page, relevance)
            if self.topic and relevance is not None:
                self.topic.observe(page, relevance)
            self.brought.append((relevance or 0.0) >= RELEVANT)
            self.scope.saw(page, relevance, None if self.topic else self.store.new_text)
        if later:
            self.frontier.give_back(lease)
            return
        says = [_follow(lease.offer, page)] if page.location else list(self.strategy.observe(page))
        kept = next((say.note for say in says if isinstance(say, Keep)), None)
        self.frontier.settle(lease, kept)
        if kept is not None:
            self.store.keep(lease.offer.link.url, kept)
        self._apply(self.scope.silence(page, says))

    def _heed(self, page: Page, now: float) -> None:
        """What its host asks for."""
        if page.delay is not None:
            self.frontier.set_delay(host(page.url), page.delay)
        if page.rest:
            self.frontier.rest(host(page.url), now + page.rest)

    def _apply(self, says: Iterable[Say]) -> None:
        mine: list[Offer] = []
        for say in self.scope.keep(says):
            match say:
                case Offer() if self._owner(say) == self.index:
                    mine.append(say)
                case Offer():
                    self.store.post(self._owner(say), say)
                case News():
                    for other in range(self.shards):
                        if other != self.index:
                            self.store.post(other, say)
                case Reweigh(lane):
                    self.frontier.offer(mine)
                    mine = []
                    self.frontier.reweigh(lane)
        self.frontier.offer(mine)

    def _owner(self, offer: Offer) -> int:
        return digest(site(offer.link.url)) % self.shards if self.shards > 1 else 0

    def _restore(self) -> None:
        for name, owner in (("strategy", self.strategy), ("scope", self.scope)):
            if saved := self.store.state(name):
                restore(owner, unpack(saved))
        for name in learned(self.topic) if self.topic else ():
            if saved := self.store.state(f"topic {name}"):
                setattr(self.topic, name, unpack(saved))
        self.scope.remember(self.store.fetched(), judged=self.topic is not None)


def learned(thing: object) -> dict[str, Any]:
    """What a strategy or topic has learned: its attributes that end in `_`."""
    return {name: value for name, value in vars(thing).items() if name.endswith("_")}


def restore(thing: object, state: dict[str, Any]) -> None:
    for name, value in state.items():
        setattr(thing, name, value)


def _follow(offer: Offer, page: Page) -> Offer:
    """A redirect is the same offer for the new URL; one too many leads back to where it is known, and so nowhere."""
    url = page.location if offer.hops < MOST_HOPS else offer.link.url
    return replace(offer, link=replace(offer.link, url=url), hops=offer.hops + 1)


class Known:
    """What is known of URLs; who asks for one link of a page mostly asks for all, so these are looked up together."""

    def __init__(self, frontier: Frontier, page: Page) -> None:
        self._frontier, self._page = frontier, page
        self._links: dict[str, tuple[Any, ...] | None] | None = None

    def __call__(self, url: str) -> tuple[Any, ...] | None:
        if self._links is None:
            self._links = self._frontier.known_all(link.url for link in self._page.links)
        return self._links[url] if url in self._links else self._frontier.known(url)


async def crawl(
    shards: Sequence[Shard],
    limits: Limits,
    *,
    clock: Callable[[], float] = time.time,
    stop: Callable[[], bool] = lambda: False,
    watch: Callable[[], None] = lambda: None,
) -> str:
    """Step the shards in turn until something ends the crawl; says what did."""
    begun = clock() - max(shard.store.seconds for shard in shards)
    recent = _recent(shards, limits.window)
    while True:
        for shard in shards:
            shard.store.seconds = clock() - begun
        if why := _over(shards, limits, recent, stop):
            for shard in shards:
                await shard.stop()
            return why
        brought = 0
        for shard in shards:
            left = limits.pages - sum(other.store.pages for other in shards)
            brought += await shard.step(left, clock()) if left > 0 else 0
            recent.extend(shard.brought)
            shard.brought.clear()
        moved = exchange(shards)
        watch()
        if brought or moved or any(shard.busy for shard in shards):
            continue
        if (wait := _next_visit(shards, clock())) is not None:
            await asyncio.sleep(min(wait, 1.0))
        elif not any([shard.dry() for shard in shards]):  # noqa: C419 every shard has to be asked
            return "nothing left to fetch"


def exchange(shards: Sequence[Shard]) -> bool:
    """Carry letters between shards of one process; a letter is forgotten once its receiver has committed it."""
    receivers = set()
    for sender in shards:
        for letter in sender.store.letters():
            shards[letter.receiver].deliver(letter)
            receivers.add(letter.receiver)
    for index in sorted(receivers):
        shards[index].commit()
    for sender in shards:
        for index in sorted(receivers):
            sender.store.forget(index, shards[index].store.heard(sender.index))
    return bool(receivers)


def _over(shards: Sequence[Shard], limits: Limits, recent: deque[bool], stop: Callable[[], bool]) -> str:
    if stop():
        return "interrupted"
    if sum(shard.store.pages for shard in shards) >= limits.pages:
        return f"page limit: {limits.pages:.0f}"
    if shards[0].store.seconds >= limits.seconds:
        return f"time limit: {limits.seconds:.0f} s"
    if sum(shard.store.bytes for shard in shards) >= limits.bytes:
        return f"byte limit: {limits.bytes:.0f}"
    if len(recent) == limits.window and sum(recent) < limits.saturation * limits.window:
        return f"saturation: {sum(recent)} of the last {limits.window} pages were relevant"
    return ""


def _recent(shards: Sequence[Shard], window: int) -> deque[bool]:
    return deque((flag for shard in shards for flag in shard.store.recent(window)), maxlen=window)


def _next_visit(shards: Sequence[Shard], now: float) -> float | None:
    times = [when for shard in shards if (when := shard.frontier.ready(now)) is not None]
    return max(0.0, min(times) - now) if times else None


def trace(
    strategy: Strategy, fetcher: Fetcher, seeds: Sequence[str], budget: int, batch: int = 50, topic: Topic | None = None
) -> list[Visit]:
    """The pages that a strategy visits, in order: a crawl in memory."""
    store = MemoryStore()
    frontier = MemoryFrontier(strategy.weigh, strategy.merge)
    shard = Shard(strategy, frontier, fetcher, store, topic=topic, batch=batch)
    shard.start(seeds)
    asyncio.run(crawl([shard], Limits(pages=budget)))
    return store.visits
