"""The laws that every strategy keeps. Each takes a maker of fresh strategies and raises Broken when they do not keep it."""

from __future__ import annotations

import ast
import inspect
import sqlite3
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial

from ..batch import Many
from ..codec import UnsavableError, pack, unpack
from ..frontier.disk.frontier import DiskFrontier
from ..frontier.merge import joins
from ..nouns import Lease, Lesson, Link, News, Offer, Page, Posted, Strategy
from ..page_errors import PageErrors
from ..shard import Shard
from ..shard.answers import answer_to
from ..shard.saved_state import learned, restore
from ..urls import canonical
from . import small_web
from .watched_shards import Make, T, Twice, new_shard, overhear, pair, run, spy, visits


class Broken(AssertionError):
    """A strategy breaks a law; the sentence says what it did."""


Law = Callable[[Make], None]
FORBIDDEN = {
    "asyncio", "concurrent", "datetime", "io", "multiprocessing", "os", "pathlib", "requests", "secrets", "shutil", "socket",
    "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip


def hold(kept: bool, otherwise: str) -> None:
    """Not `assert`, which `python -O` leaves out."""
    if not kept:
        raise Broken(otherwise)


def same(one: Sequence[object], other: Sequence[object], how: str) -> None:
    """Two traces must be the same; the first page that differs is named."""
    if one != other:
        place = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
        both = " and ".join(str(trace[place]) if place < len(trace) else "the end" for trace in (one, other))
        raise Broken(f"{how}, page {place + 1} was another one: {both}")


def deterministic(make: Make) -> None:
    """The same seed gives the same trace."""
    same(run([new_shard(make)]), run([new_shard(make)]), "in a second crawl")


def pure(make: Make) -> None:
    """A strategy's file imports nothing that reads clocks, files, networks or threads, and opens nothing."""
    for node in ast.walk(ast.parse(source(type(make())))):
        match node:
            case ast.Import(names):
                modules = {name.name.partition(".")[0] for name in names} & FORBIDDEN
                hold(not modules, f"line {node.lineno} imports {', '.join(modules)}")
            case ast.ImportFrom(module=str(module), level=0):
                hold(module.partition(".")[0] not in FORBIDDEN, f"line {node.lineno} imports from {module}")
            case ast.Call(func=ast.Name(id=name)):
                hold(name not in {"open", "print", "input", "exec", "eval"}, f"line {node.lineno} calls {name}")


def source(kind: type[Strategy]) -> str:
    """The file that a class is in; the class alone where there is no file, as in a notebook."""
    module = inspect.getmodule(kind)
    try:
        whole = module is not None and module.__name__ != "__main__"
        return inspect.getsource(module) if module and whole else textwrap.dedent(inspect.getsource(kind))
    except (OSError, TypeError):
        raise Broken("its source code cannot be read; save it in a file") from None


def state_is_marked(make: Make) -> None:
    """Only attributes that end in `_` change while crawling."""
    shard = new_shard(make)
    before = frozen(shard.strategy)
    run([shard])
    after = frozen(shard.strategy)
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    hold(not changed, f"{', '.join(changed)} changed; what is learned is kept in names that end in _")


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
            same_classes(shard.strategy, fresh)
            frontier = DiskFrontier(db, fresh.weigh, fresh.merge, join=joins(fresh))
            reborn = Shard(fresh, frontier, small_web.fetcher(), shard.store, batch=10, scope=shard.scope)
            same(whole, run([reborn]), f"after a stop at step {steps} and a restore")


def same_classes(saved: Strategy, restored: Strategy) -> None:
    """What is restored must be of the classes it was of, or code that works before a stop fails after it."""
    before, after = learned(saved), learned(restored)
    for name in before:
        kinds = [type(state[name]).__name__ for state in (before, after)]
        hold(
            kinds[0] == kinds[1],
            f"{name} is a {kinds[0]}, and a {kinds[1]} when it is restored; see opilio.codec.saved",
        )


def same_on_disk(make: Make) -> None:
    """The memory frontier and the disk frontier give the same trace."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        same(run([new_shard(make)]), run([new_shard(make, partial(DiskFrontier, db))]), "with a frontier on disk")


def letters_twice(make: Make, kind: type[Shard] = Twice) -> None:
    """Every letter delivered twice changes nothing: neither the trace nor what each page had gathered."""
    same(gathered(pair(make, Shard)), gathered(pair(make, kind)), "with every letter delivered twice")


def gathered(shards: list[Shard]) -> list[tuple[str, float]]:
    run(shards)
    return [(visit.url, visit.lease.offer.value) for shard in shards for visit in visits(shard)]


def overheard(make: Make, kind: type[T]) -> list[T]:
    """What the shards of a crawl told each other, of one kind."""
    shards, found = pair(make, Shard), list[T]()
    for shard in shards:
        overhear(shard, found, kind)
    run(shards)
    return found


def hears_twice(make: Make) -> None:
    """A fact heard twice leaves a strategy as it was after the first time."""
    for news in overheard(make, News):
        listener = make()
        list(listener.hear(news))
        once = pack(learned(listener))
        offers = [say for say in listener.hear(news) if isinstance(say, Offer)]
        hold(not offers, f"it made offers again when it heard {news} again")
        hold(pack(learned(listener)) == once, f"it learned from {news} again when it heard it again")


def lessons_are_plain(make: Make) -> None:
    """What other shards learn from can be sent to them, and who studies it makes no offers."""
    listener = make()
    for lesson in overheard(make, Lesson):
        try:
            sent = unpack(pack(lesson))
        except UnsavableError as error:
            raise Broken(f"{lesson} cannot be sent: {error}") from None
        hold(sent == lesson, f"{lesson} comes to other shards as {sent}")
        offers = [say for say in listener.study(sent) if isinstance(say, Offer)]
        hold(not offers, f"it made offers when it studied {lesson}")


def once_each(make: Make) -> None:
    """No URL is fetched twice, unless through an `again` lane."""
    shard = new_shard(make)
    run([shard])
    first = Counter(canonical(visit.url) for visit in visits(shard) if not fetched_before(visit.lease))
    twice = [url for url, count in first.items() if count > 1]
    hold(not twice, f"fetched more than once: {', '.join(twice[:3])}")


def fetched_before(lease: Lease) -> bool:
    return lease.offer.again is not None and lease.offer.lane == lease.offer.again


def nothing_lost(make: Make, kind: type[Shard] = Shard) -> None:
    """Of two shards, each gets every offer that the other has for it, once, and visits it unless its lane waits."""
    shards = pair(make, kind)
    posted: list[list[Posted]] = [[], []]
    arrived: list[Counter[Offer]] = [Counter(), Counter()]
    for index, shard in enumerate(shards):
        spy(shard, posted, arrived[index])
    run(shards, 10_000)
    for index, shard in enumerate(shards):
        offers = Counter(say for say in posted[index] if isinstance(say, Offer))
        hold(offers == offers & arrived[index], f"offers did not arrive: {[*(offers - arrived[index])][:3]}")
        hold(len(posted[index]) == shard.store.mail.received(1 - index), "letters were not heard")
        waiting = sum(lane.open + lane.dropped for lane in shard.frontier.lanes())
        missing = {offer.link.url for offer in offers} - {visit.url for visit in visits(shard)}
        hold(len(missing) <= waiting, f"never visited, although no lane waits: {sorted(missing)[:3]}")


def sane_offers(make: Make) -> None:
    """Offers lead to links of the page, failed pages lead nowhere new, and nothing raises on an empty page."""
    seed = small_web.seeds()[0]
    page = small_web.page(seed)
    empty = Page(Offer(Link(seed)), seed, 200)
    broken = Page(Offer(Link(seed)), seed, error="timeout")
    for seen, allowed in ((page, {link.url for link in page.links}), (empty, set()), (broken, set())):
        strange = offered(make(), seen) - allowed - {seed}
        hold(not strange, f"{', '.join(sorted(strange)[:3])} is offered, and is not among the links of the page")


def offered(strategy: Strategy, page: Page) -> set[str]:
    """The URLs that a strategy offers when it has begun and sees this page first; what it raises is a PageError."""
    with PageErrors(None, strict=True).isolated(page, "observe"):
        list(strategy.start([Link(page.url)], ()))
        parts = answer_to(strategy, page)
        says = [say for part in parts for say in (part if isinstance(part, Many) else (part,))]
        return {say.link.url for say in says if isinstance(say, Offer)}
    return set()


LAWS = [
    deterministic, pure, state_is_marked, folds, same_on_disk, letters_twice, hears_twice, lessons_are_plain, once_each,
    nothing_lost, sane_offers,
]  # fmt: skip
