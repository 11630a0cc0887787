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
from .store.memory import MemoryStore, Visit
from .store.run import RunStore
from .urls import digest, site

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
    ) -> None:
        self.strategy, self.frontier, self.fetcher, self.store = strategy, frontier, fetcher, store
        self.topic, self.batch, self.index, self.shards = topic, batch, index, shards
        self.brought: list[bool] = []  # of each page since it was last looked at: was it relevant
        self._restore()

    def start(self, seeds: Sequence[str], pages: Iterable[Page] = ()) -> None:
        """Offer the seeds, unless that was done in an earlier life. Every shard starts from all seeds and keeps its own."""
        if self.store.started:
            return
        says = self.strategy.start([Link(url) for url in seeds], pages)
        self._apply(say for say in says if not isinstance(say, Offer) or self._owner(say) == self.index)
        self.commit()

    async def step(self, most: float, now: float) -> int:
        """One batch from frontier to commit; how many pages it brought."""
        leases = self.frontier.take(int(min(most, self.batch)), now)
        pages = await asyncio.gather(*map(self._fetch, leases))
        for lease, page in zip(leases, pages, strict=True):
            self._receive(lease, page)
        if leases:
            self.commit()
        return len(leases)

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
        state = {"strategy": pack(learned(self.strategy))}
        if self.topic:
            state["topic"] = pack(learned(self.topic))
        self.store.commit(state)

    async def _fetch(self, lease: Lease) -> Page:
        stored = self.store.find(lease.offer.link.url) if self._recalls(lease) else None
        return answered(lease.offer, *stored) if stored else await self.fetcher.fetch(lease.offer)

    def _recalls(self, lease: Lease) -> bool:
        return self.strategy.recall and lease.kept is not None

    def _receive(self, lease: Lease, page: Page) -> None:
        page.kept, page.known = lease.kept, self.frontier.known
        if not self._recalls(lease):
            relevance = self.topic.page(page) if self.topic and page.document else None
            self.store.add(lease, page, relevance)
            self.brought.append((relevance or 0.0) >= RELEVANT)
        says = [_follow(lease.offer, page)] if page.location else list(self.strategy.observe(page))
        kept = next((say.note for say in says if isinstance(say, Keep)), None)
        self.frontier.settle(lease, kept)
        self._apply(says)

    def _apply(self, says: Iterable[Say]) -> None:
        mine: list[Offer] = []
        for say in says:
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
        for name, owner in (("strategy", self.strategy), ("topic", self.topic)):
            if saved := self.store.state(name):
                restore(owner, unpack(saved))


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
            return why
        brought = 0
        for shard in shards:
            left = limits.pages - sum(other.store.pages for other in shards)
            brought += await shard.step(left, clock()) if left > 0 else 0
            recent.extend(shard.brought)
            shard.brought.clear()
        moved = exchange(shards)
        watch()
        if brought or moved:
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
