"""Shards over the small web that laws look at: what they visit, post and get, and letters that come twice or never."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from ..frontier.memory import MemoryFrontier
from ..frontier.merge import joins
from ..loop import Limits, crawl
from ..nouns import Frontier, Letter, Offer, Posted, Strategy
from ..shard import Shard
from ..store.memory import MemoryStore, Visit
from . import small_web

T = TypeVar("T")
Make = Callable[[], Strategy]
BUDGET = 90


def new_shard(
    make: Make, frontier_of: Callable[..., Frontier] = MemoryFrontier, index: int = 0, shards: int = 1
) -> Shard:
    strategy = make()
    frontier = frontier_of(strategy.weigh, strategy.merge, join=joins(strategy))
    made = Shard(
        strategy,
        frontier,
        small_web.fetcher(),
        MemoryStore(index),
        batch=10,
        index=index,
        shards=shards,
    )
    made.start(small_web.seeds())
    return made


def run(shards: Sequence[Shard], budget: float = BUDGET, steps: float = math.inf) -> list[str]:
    count = itertools.count()
    asyncio.run(crawl(shards, Limits(pages=budget), stop=lambda: next(count) >= steps))
    return [visit.url for shard in shards for visit in visits(shard)]


def visits(shard: Shard) -> list[Visit]:
    assert isinstance(shard.store, MemoryStore)
    return shard.store.visits


class Twice(Shard):
    """A shard to which every letter comes twice."""

    def deliver(self, letter: Letter) -> None:
        super().deliver(letter)
        super().deliver(letter)


def pair(make: Make, kind: type[Shard]) -> list[Shard]:
    shards = []
    for index in range(2):
        strategy = make()
        frontier = MemoryFrontier(strategy.weigh, strategy.merge, join=joins(strategy))
        shards.append(
            kind(strategy, frontier, small_web.fetcher(), MemoryStore(index), batch=10, index=index, shards=2)
        )
        shards[-1].start(small_web.seeds())
    return shards


class Gullible(Shard):
    """A shard to which every letter comes twice, and which believes it both times."""

    def deliver(self, letter: Letter) -> None:
        super().deliver(letter)
        if isinstance(letter.say, Offer):
            self.frontier.offer([letter.say])


class Deaf(Shard):
    """A shard that throws away every third letter after noting that it heard it."""

    def deliver(self, letter: Letter) -> None:
        if letter.number % 3 == 0:
            self.store.mail.receive(letter.sender, letter.number)
        else:
            super().deliver(letter)


def overhear(shard: Shard, posted: list[T], kind: type[T]) -> None:
    """Note what of a kind a shard posts to others."""
    post = shard.store.mail.post

    def noting(receiver: int, say: Posted) -> None:
        if isinstance(say, kind):
            posted.append(say)
        post(receiver, say)

    shard.store.mail.post = noting  # type: ignore[method-assign]


def spy(shard: Shard, posted: list[list[Posted]], arrived: Counter[Offer]) -> None:
    """Note what a shard posts to others, and what comes to its frontier."""
    post, offer = shard.store.mail.post, shard.frontier.offer

    def noting_post(receiver: int, say: Posted) -> None:
        posted[receiver].append(say)
        post(receiver, say)

    def noting_offer(offers: Iterable[Offer]) -> None:
        taken = list(offers)
        arrived.update(taken)
        offer(taken)

    shard.store.mail.post = noting_post  # type: ignore[method-assign]
    shard.frontier.offer = noting_offer  # type: ignore[method-assign]
