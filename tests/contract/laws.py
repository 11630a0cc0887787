"""The laws that every strategy keeps. Each takes a maker of fresh strategies and fails with an AssertionError."""

from __future__ import annotations

import ast
import asyncio
import inspect
import itertools
import math
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial

from opilio.codec import pack, unpack
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.frontier.memory import MemoryFrontier
from opilio.loop import Limits, crawl
from opilio.nouns import Frontier, Lease, Letter, Link, News, Offer, Page, Strategy
from opilio.shard import Shard, learned, restore
from opilio.store.memory import MemoryStore, Visit
from opilio.urls import canonical
from tests import small_web

Make = Callable[[], Strategy]
Law = Callable[[Make], None]
BUDGET = 90
FORBIDDEN = {
    "asyncio", "concurrent", "datetime", "io", "multiprocessing", "os", "pathlib", "requests", "secrets", "shutil", "socket",
    "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip


def new_shard(
    make: Make, frontier_of: Callable[..., Frontier] = MemoryFrontier, index: int = 0, shards: int = 1
) -> Shard:
    strategy = make()
    frontier = frontier_of(strategy.weigh, strategy.merge)
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


def deterministic(make: Make) -> None:
    """The same seed gives the same trace."""
    assert run([new_shard(make)]) == run([new_shard(make)])


def pure(make: Make) -> None:
    """A strategy's file imports nothing that reads clocks, files, networks or threads, and opens nothing."""
    tree = ast.parse(inspect.getsource(inspect.getmodule(type(make()))))  # type: ignore[arg-type]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert not {name.name.split(".")[0] for name in node.names} & FORBIDDEN
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            assert (node.module or "").split(".")[0] not in FORBIDDEN
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"open", "print", "input", "exec", "eval"}


def state_is_marked(make: Make) -> None:
    """Only attributes that end in `_` change while crawling."""
    shard = new_shard(make)
    before = frozen(shard.strategy)
    run([shard])
    assert before == frozen(shard.strategy)


def frozen(strategy: Strategy) -> dict[str, str]:
    return {name: repr(value) for name, value in vars(strategy).items() if not name.endswith("_")}


def folds(make: Make) -> None:
    """Stop at any cut, save, restore into a fresh strategy, go on: as if it had never stopped."""
    whole = run([new_shard(make)])
    for steps in (1, 3, 6):
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
            shard = new_shard(make, partial(DiskFrontier, db))
            run([shard], steps=steps)
            fresh = make()
            restore(fresh, unpack(pack(learned(shard.strategy))))
            shard.strategy, shard.frontier = fresh, DiskFrontier(db, fresh.weigh, fresh.merge)
            assert run([shard]) == whole


def same_on_disk(make: Make) -> None:
    """The memory frontier and the disk frontier give the same trace."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        assert run([new_shard(make, partial(DiskFrontier, db))]) == run([new_shard(make)])


class Twice(Shard):
    """A shard to which every letter comes twice."""

    def deliver(self, letter: Letter) -> None:
        super().deliver(letter)
        super().deliver(letter)


def pair(make: Make, kind: type[Shard]) -> list[Shard]:
    shards = []
    for index in range(2):
        strategy = make()
        frontier = MemoryFrontier(strategy.weigh, strategy.merge)
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


def letters_twice(make: Make, kind: type[Shard] = Twice) -> None:
    """Every letter delivered twice changes nothing: neither the trace nor what each page had gathered."""
    assert gathered(pair(make, kind)) == gathered(pair(make, Shard))


def gathered(shards: list[Shard]) -> list[tuple[str, float]]:
    run(shards)
    return [(visit.url, visit.lease.offer.value) for shard in shards for visit in visits(shard)]


def hears_twice(make: Make) -> None:
    """A fact heard twice leaves a strategy as it was after the first time."""
    shards = pair(make, Shard)
    told: list[News] = []
    for shard in shards:
        overhear(shard, told)
    run(shards)
    for news in told:
        listener = make()
        list(listener.hear(news))
        once = pack(learned(listener))
        assert not [say for say in listener.hear(news) if isinstance(say, Offer)]
        assert pack(learned(listener)) == once


def overhear(shard: Shard, told: list[News]) -> None:
    post = shard.store.post

    def noting(receiver: int, say: Offer | News) -> None:
        if isinstance(say, News):
            told.append(say)
        post(receiver, say)

    shard.store.post = noting  # type: ignore[method-assign]


def once_each(make: Make) -> None:
    """No URL is fetched twice, unless through an `again` lane."""
    shard = new_shard(make)
    run([shard])
    first = Counter(canonical(visit.url) for visit in visits(shard) if not fetched_before(visit.lease))
    assert max(first.values()) == 1


def fetched_before(lease: Lease) -> bool:
    return lease.offer.again is not None and lease.offer.lane == lease.offer.again


class Deaf(Shard):
    """A shard that throws away every third letter after noting that it heard it."""

    def deliver(self, letter: Letter) -> None:
        if letter.number % 3 == 0:
            self.store.hear(letter.sender, letter.number)
        else:
            super().deliver(letter)


def nothing_lost(make: Make, kind: type[Shard] = Shard) -> None:
    """Of two shards, each gets every offer that the other has for it, once, and visits it unless its lane waits."""
    shards = pair(make, kind)
    posted: list[list[Offer | News]] = [[], []]
    arrived: list[Counter[Offer]] = [Counter(), Counter()]
    for index, shard in enumerate(shards):
        spy(shard, posted, arrived[index])
    run(shards, 10_000)
    for index, shard in enumerate(shards):
        offers = Counter(say for say in posted[index] if isinstance(say, Offer))
        assert offers == offers & arrived[index]
        assert len(posted[index]) == shard.store.heard(1 - index)
        waiting = sum(lane.open + lane.dropped for lane in shard.frontier.lanes())
        missing = {offer.link.url for offer in offers} - {visit.url for visit in visits(shard)}
        assert len(missing) <= waiting


def spy(shard: Shard, posted: list[list[Offer | News]], arrived: Counter[Offer]) -> None:
    """Note what a shard posts to others, and what comes to its frontier."""
    post, offer = shard.store.post, shard.frontier.offer

    def noting_post(receiver: int, say: Offer | News) -> None:
        posted[receiver].append(say)
        post(receiver, say)

    def noting_offer(offers: Iterable[Offer]) -> None:
        taken = list(offers)
        arrived.update(taken)
        offer(taken)

    shard.store.post = noting_post  # type: ignore[method-assign]
    shard.frontier.offer = noting_offer  # type: ignore[method-assign]


def sane_offers(make: Make) -> None:
    """Offers lead to links of the page, failed pages lead nowhere new, and nothing raises on an empty page."""
    strategy = make()
    seed = small_web.seeds()[0]
    list(strategy.start([Link(seed)], ()))
    page = small_web.page(seed)
    urls = {link.url for link in page.links} | {seed}
    assert {say.link.url for say in strategy.observe(page) if isinstance(say, Offer)} <= urls
    broken = Page(Offer(Link(seed)), seed, error="timeout")
    assert {say.link.url for say in make().observe(broken) if isinstance(say, Offer)} <= {seed}


LAWS = [
    deterministic, pure, state_is_marked, folds, same_on_disk, letters_twice, hears_twice, once_each, nothing_lost, sane_offers,
]  # fmt: skip
