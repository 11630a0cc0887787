"""The loop: step the shards until something ends the crawl, and say what did."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from .nouns import Fetcher, Page, Strategy, Topic
from .page_errors import PageErrors
from .saturation import LEAST, Saturation
from .scope import Scope
from .scope.bounds import Bounds
from .shard import FirstBatches, Shard
from .shard.answers import joining, weighing
from .system import steady_clock
from .system.gc_pause import rarely_collecting

if TYPE_CHECKING:
    from .store.memory import Visit

T = TypeVar("T")


class Limits(NamedTuple):
    """When a crawl is over; what is not given does not end it."""

    pages: float = math.inf
    seconds: float = math.inf
    bytes: float = math.inf
    saturation: float = 0.0  # stop when a smaller share than this of the last pages was relevant
    window: int = LEAST  # pages that saturation looks back on, at least
    saturated_at: int = 0  # pages that were there when it was saturated before: they no longer count


async def crawl(
    shards: Sequence[Shard],
    limits: Limits,
    *,
    clock: Callable[[], float] = steady_clock.now,
    stop: Callable[[], bool] = lambda: False,
    watch: Callable[[], None] = lambda: None,
) -> str:
    """Step the shards in turn until something ends the crawl; says what did."""
    async with aclosing(steps(shards, limits, clock=clock, stop=stop)) as going:
        async for why in going:
            if why:
                break
            watch()
    return why


async def steps(
    shards: Sequence[Shard],
    limits: Limits,
    *,
    clock: Callable[[], float] = steady_clock.now,
    stop: Callable[[], bool] = lambda: False,
) -> AsyncGenerator[str, None]:
    """Step the shards in turn: "" after each round, and at last what ended the crawl. Whoever leaves early closes it."""
    with rarely_collecting():
        try:
            async for why in _steps(shards, limits, clock, stop):
                yield why
        finally:  # whatever ended it, nothing is in flight when it is over
            for shard in shards:
                await shard.stop()


async def _steps(
    shards: Sequence[Shard], limits: Limits, clock: Callable[[], float], stop: Callable[[], bool]
) -> AsyncGenerator[str, None]:
    begun = clock() - max(shard.store.seconds for shard in shards)
    recent = _recent(shards, limits)
    while True:
        for shard in shards:
            shard.store.seconds = clock() - begun
        if why := _over(shards, limits, recent, stop):
            yield why
            return
        brought = 0
        for shard in shards:
            left = limits.pages - sum(other.store.pages for other in shards)
            brought += await shard.step(left, clock()) if left > 0 else 0
            recent.extend(shard.arrivals.brought)
            shard.arrivals.brought.clear()
        moved = exchange(shards)
        yield ""
        if brought or moved or any(shard.in_flight for shard in shards):
            continue
        if (wait := _next_visit(shards, clock())) is not None:
            await asyncio.sleep(min(wait, 1.0))
        elif any(shard.look_at_deferred() for shard in shards):
            continue
        elif not any([shard.dry() for shard in shards]):  # noqa: C419 every shard has to be asked
            yield _failing(shards) or "nothing left to fetch"
            return


def exchange(shards: Sequence[Shard]) -> bool:
    """Carry letters between shards of one process; a letter is forgotten once its receiver has committed it."""
    if len(shards) == 1:
        return False  # there is nobody to write to
    receivers = set()
    for sender in shards:
        for letter in sender.store.mail.letters():
            shards[letter.receiver].deliver(letter)
            receivers.add(letter.receiver)
    for index in sorted(receivers):
        shards[index].commit()
    for sender in shards:
        for index in sorted(receivers):
            sender.store.mail.forget(index, shards[index].store.mail.received(sender.index))
    return bool(receivers)


def _over(shards: Sequence[Shard], limits: Limits, recent: Saturation, stop: Callable[[], bool]) -> str:
    if failing := _failing(shards):
        return failing
    pages, size = sum(shard.store.pages for shard in shards), sum(shard.store.bytes for shard in shards)
    return "interrupted" if stop() else reached(limits, pages, shards[0].store.seconds, size, recent)


def _failing(shards: Sequence[Shard]) -> str:
    """Why the crawl has to stop, if exceptions have become the rule."""
    return next((shard.page_errors.rule for shard in shards if shard.page_errors.rule), "")


def reached(limits: Limits, pages: int, seconds: float, size: int, recent: Saturation) -> str:
    """The limit that a crawl has come to; "" when it has come to none."""
    if pages >= limits.pages:
        return f"page limit: {limits.pages:.0f}"
    if seconds >= limits.seconds:
        return f"time limit: {limits.seconds:.0f} s"
    if size >= limits.bytes:
        return f"byte limit: {limits.bytes:.0f}"
    return recent.why()


def _recent(shards: Sequence[Shard], limits: Limits) -> Saturation:
    recent = Saturation(limits.saturation, limits.window)
    if limits.saturated_at:
        recent.found = 0  # it has found enough before
    for shard in shards if limits.saturation else ():
        recent.extend(shard.store.relevant(limits.saturated_at))
    return recent


def _next_visit(shards: Sequence[Shard], now: float) -> float | None:
    times = [when for shard in shards if (when := shard.frontier.ready(now)) is not None]
    return max(0.0, min(times) - now) if times else None


def apart(work: Callable[[], T], interrupted: Callable[[], None] = lambda: None) -> T:
    """Do work that needs an event loop of its own: in another thread where one is running in this one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    from concurrent.futures import ThreadPoolExecutor  # most programs do without

    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(work)
        try:
            return done.result()
        except KeyboardInterrupt:  # the block waits until the work has stopped
            interrupted()
            raise


def trace(
    strategy: Strategy,
    fetcher: Fetcher,
    seeds: Sequence[str],
    budget: int,
    batch: int = 50,
    topic: Topic | None = None,
    known: Sequence[Page] = (),
    first_batches: FirstBatches = "strategy",
    bounds: Bounds | None = None,
) -> list[Visit]:
    """The pages that a strategy visits, in order: a crawl in memory. Known pages are where it starts, too, at no cost."""
    from .frontier.memory import MemoryFrontier  # these two: other crawls start sooner without
    from .store.memory import MemoryStore

    store, errors = MemoryStore(), PageErrors(None, strict=True)
    frontier = MemoryFrontier(weighing(strategy, errors), strategy.merge, join=joining(strategy, errors))
    shard = Shard(
        strategy,
        frontier,
        fetcher,
        store,
        topic=topic,
        batch=batch,
        first_batches=first_batches,
        scope=Scope(bounds or Bounds()),
        page_errors=errors,
    )
    shard.start(seeds, known)
    apart(lambda: asyncio.run(crawl([shard], Limits(pages=budget))))
    return store.visits
