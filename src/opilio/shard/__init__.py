"""The step and the commit.

A shard owns some sites: one frontier, one strategy, one store. A step takes the best offers, fetches them, stores the
pages, lets the strategy observe them, and commits all of it at once. Offers for sites of another shard are letters.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..batch import Many
from ..errors import PageError
from ..frontier.deferred import in_original_lane
from ..learning.page_likeness import Like
from ..nouns import (
    DEFERRED,
    Fetcher,
    Frontier,
    Lease,
    Lesson,
    Letter,
    Link,
    News,
    Offer,
    Page,
    Posted,
    Say,
    Strategy,
    Topic,
    TopicNews,
)
from ..page_errors import PageErrors
from ..scope import Scope
from ..store.run import RunStore
from .answers import Answers
from .arrivals import Arrivals
from .delivery import Delivery
from .in_flight import SLOW, InFlight
from .saved_state import packed, restore_all
from .sources import Sources

if TYPE_CHECKING:
    from ..store.memory import MemoryStore

# A batch is a tenth of what was fetched so far, five at least, so that what is learned counts at once; or whole from the start.
FIRST, SHARE = 5, 10
Choose: TypeAlias = Callable[[Iterable[Say | Many[Offer]]], Iterable[Say | Many[Offer]]]
FirstBatches: TypeAlias = Literal["strategy", "small", "whole"]
COMMIT = 1.0  # seconds at most between two commits while pages come in
PAUSE = 0.05  # seconds after which the frontier is asked again, while there is room for more
LONG = 10.0  # seconds until anything else may be fetched: then deferred offers need not wait for it


class Shard:
    def __init__(
        self,
        strategy: Strategy,
        frontier: Frontier,
        fetcher: Fetcher,
        store: MemoryStore | RunStore,
        *,
        topic: Topic | None = None,
        like: Like | None = None,
        batch: int = 50,
        first_batches: FirstBatches = "strategy",
        index: int = 0,
        shards: int = 1,
        scope: Scope | None = None,
        page_errors: PageErrors | None = None,
    ) -> None:
        """Without `page_errors`, a page that fails ends a crawl in memory, and is an error of its own in one that lasts."""
        self.strategy, self.frontier, self.store, self.topic = strategy, frontier, store, topic
        self.index, self.scope = index, scope or Scope()
        self.page_errors = errors = page_errors or PageErrors(store.error_log, strict=not store.lasts)
        whole = strategy.whole_batches if first_batches == "strategy" else first_batches == "whole"
        self._batch, self._least = batch, batch if whole else FIRST
        self._short = False  # whether there was less to take than there was room for
        self.answers = Answers(strategy, errors)
        self.arrivals = Arrivals(strategy, topic, like, frontier, store, self.scope, errors)
        self._sources = Sources(strategy, fetcher, store, self.scope, errors)
        self._delivery = Delivery(frontier, store, self.scope, index, shards)
        self._in_flight = InFlight()
        self._fresh, self._committed = 0, -math.inf  # pages since the last commit, and when that was
        if isinstance(store, RunStore):
            restore_all(self._owners(), topic, store)
        self.scope.remember(store.fetched(), judged=topic is not None)

    def start(self, seeds: Sequence[str], pages: Iterable[Page] = ()) -> None:
        """Offer the seeds, unless that was done in an earlier life. Every shard starts from all seeds and keeps its own.

        Pages that are known already, as examples are, are seeds that need not be fetched.
        """
        if self.store.started:
            return
        at_hand = self._sources.know(pages)
        links = [Link(url) for url in dict.fromkeys([*seeds, *at_hand])]
        answer = self.answers.start(links, list(at_hand.values()))
        if self.page_errors.rule:
            raise PageError(self.page_errors.rule)
        own = [say for say in answer if not isinstance(say, Offer) or self._delivery.owns(say.link.url)]
        known = [say for say in own if isinstance(say, Offer) and say.link.url in at_hand]
        self._delivery.apply(known)
        for lease in self.frontier.take(len(known), visits=False):  # before anything is fetched; others in their turn
            self.receive(lease, self._sources.known(lease), 0.0)
        self._delivery.apply(say for say in own if say not in known)
        self.commit()

    async def step(self, most: float, now: float) -> int:
        """Send for the best offers, take in the pages that have come; how many these were.

        Pages that come at once, as those of a recording do, are one batch with one commit.
        """
        wide = min(self._batch, max(self._least, self.store.pages // SHARE))
        out = len(self._in_flight)  # what is not committed counts too: a crash costs one batch at most
        room = int(min(most - out, wide - self._fresh - self._in_flight.quick, self._batch - self._fresh - out))
        part = min(room, self.strategy.most_at_once or room)
        self._send(part, now)
        clock = asyncio.get_running_loop().time  # of the loop, which in a benchmark may be simulated
        asked = clock()
        pages = await self._in_flight.landed(PAUSE if room > 0 else SLOW)
        now += clock() - asked
        for lease, page in pages:
            self.receive(lease, page, now)
        self._fresh += len(pages)
        whole = not self._in_flight and (self._short or part == room)
        if self._fresh and (whole or 2 * self._fresh >= wide or now - self._committed >= COMMIT):
            self.commit()
            self._fresh, self._committed = 0, now
        return len(pages)

    def _send(self, room: int, now: float) -> None:
        """Send for as many pages as there is room for."""
        leases = self.leases(room, now) if room > 0 else []
        self._short = len(leases) < room
        for lease in leases:
            lease = lease._replace(offer=in_original_lane(lease.offer))
            self._in_flight.send(lease, self._sources.page(lease))

    def leases(self, room: int, now: float) -> list[Lease]:
        """What to fetch next; while nothing else can be, some that was deferred."""
        if most := self.answers.reprices():
            self.frontier.reprice(most, now, self.answers.reprice)
        leases = self.frontier.take(room, now, self.scope.barren)
        if leases or self._in_flight.quick:
            return leases
        when = self.frontier.ready(now)
        if (self.in_flight > 0 if when is None else when - now > LONG) and self.look_at_deferred():
            leases = self.frontier.take(room, now, self.scope.barren)
        return leases

    def receive(self, lease: Lease, page: Page, now: float, choose: Choose = iter) -> None:
        """Take in a page that has come; `choose` picks what counts of what the strategy says to it."""
        self._delivery.apply(choose(self.arrivals.take(lease, page, now)))

    def seed(self, links: Sequence[Link]) -> None:
        """Offer further seeds."""
        self._delivery.apply(self.answers.start(links, []))

    @property
    def in_flight(self) -> int:
        """How many pages were sent for and have not come."""
        return len(self._in_flight)

    def cancel(self) -> None:
        """Cancel what is in flight; `stop` also waits until it has ended."""
        self._in_flight.cancel()

    async def stop(self) -> None:
        """Let go of what is in flight: it stays leased, and is handed out again."""
        await self._in_flight.stop()

    def deliver(self, letter: Letter) -> None:
        """A letter from another shard; what came before, or came too early, is dropped and will be sent again."""
        if self.store.mail.receive(letter.sender, letter.number):
            self.take_in([letter.say])

    def take_in(self, says: Sequence[Posted]) -> None:
        """What another shard said; whoever hands it in has seen to it that it counts once."""
        self.frontier.offer([say for say in says if isinstance(say, Offer)])
        for say in says:
            if isinstance(say, News):
                self._delivery.apply(self.answers.hear(say))
            elif isinstance(say, Lesson):
                self._delivery.apply(self.answers.study(say))
            elif isinstance(say, TopicNews) and self.topic:
                self.topic.hear(say)

    def tell_topics(self, news: Iterable[TopicNews]) -> None:
        """Let the topics of all other shards know."""
        for one in news:
            self._delivery.tell_all(one)

    def look_at_deferred(self) -> bool:
        """Let some deferred offers through; whether there are any."""
        self.frontier.reweigh(DEFERRED)
        return self.frontier.ready(math.inf) is not None

    def dry(self) -> bool:
        """Let the strategy end a stage; whether there is something to fetch again."""
        self._delivery.apply(self.answers.dry())
        self.commit()
        return self.frontier.ready(math.inf) is not None or any(True for _ in self.store.mail.letters())

    def commit(self) -> None:
        """Everything since the last commit is kept, or, after a crash, nothing of it."""
        if self.topic:
            self.tell_topics(self.topic.news())
        self.frontier.save()
        self.store.commit(packed(self._owners(), self.topic) if self.store.lasts else {})

    def _owners(self) -> dict[str, object]:
        """Whoever has learned what is saved with each commit; the topic is saved apart."""
        return {
            "strategy": self.strategy,
            "scope": self.scope,
            "hosts": self.scope.new_hosts,
            "errors": self.page_errors,
        }
