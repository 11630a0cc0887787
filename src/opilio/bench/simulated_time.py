"""A crawl against a simulated clock: the crawler's own loop and frontier, a web that takes its time, and nobody who waits.

The event loop jumps to the next moment at which something happens, so that hours pass in seconds, and pass the same each time.
Strategies see no clock: what changes for them is which hosts may be visited, and how many pages come between two decisions.
"""

from __future__ import annotations

import asyncio
import math
import re
import selectors
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..errors import ConfigError, unknown
from ..frontier.memory import MemoryFrontier
from ..frontier.merge import joins
from ..loop import Limits, apart, crawl
from ..nouns import Fetcher, Offer, Page, Strategy, Topic
from ..scope import Scope
from ..scope.bounds import Bounds
from ..shard import FirstBatches, Shard
from ..store.memory import MemoryStore

EXAMPLE = "delay=1,fetch=0.5,connections=10"


class Clock(NamedTuple):
    """How long things take, in seconds; as polite as a crawl is where nothing else is said."""

    delay: float = 1.0  # from one visit to a host to the next
    fetch: float = 0.5  # from the request to the page
    connections: int = 10  # pages in flight at once: few, since recorded webs are small


def parse_clock(text: str) -> Clock:
    """The clock that a user describes, as in "delay=2,connections=10"; what is not named is as usual."""
    named = {}
    for part in text.split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        if name not in Clock._fields:
            raise ConfigError(f"--clock: {unknown('setting', name, Clock._fields)}")
        if not re.fullmatch(r"\d+" if name == "connections" else r"\d+(\.\d+)?|\.\d+", value):
            raise ConfigError(f'--clock: {name} = "{value}" is not a number; write for example {EXAMPLE}')
        named[name] = int(value) if name == "connections" else float(value)
    return checked(Clock(**named))  # type: ignore[arg-type]


def checked(clock: Clock) -> Clock:
    """The same; ConfigError when no time would pass, or no page could come."""
    if clock.connections < 1 or clock.delay < 0 or clock.fetch <= 0 or not math.isfinite(clock.delay + clock.fetch):
        raise ConfigError(
            f"--clock: {clock} is not possible; fetch must be above 0, delay 0 or more, connections 1 or more"
        )
    return clock


class Arrival(NamedTuple):
    """One fetch, and when its page had come, in seconds since the crawl began."""

    url: str
    seconds: float


def timed_trace(
    strategy: Strategy,
    fetcher: Fetcher,
    seeds: Sequence[str],
    clock: Clock,
    *,
    pages: float = math.inf,
    seconds: float = math.inf,
    topic: Topic | None = None,
    known: Sequence[Page] = (),
    first_batches: FirstBatches = "strategy",
    bounds: Bounds | None = None,
) -> list[Arrival]:
    """What a strategy visits, and when, until it has this many pages or the time is up."""
    store, arrivals = MemoryStore(), list[float]()
    frontier = MemoryFrontier(strategy.weigh, strategy.merge, clock.delay, True, joins(strategy))
    slow, batch = Slow(fetcher, clock.fetch), clock.connections
    scope = Scope(bounds or Bounds())
    shard = Shard(strategy, frontier, slow, store, topic=topic, batch=batch, first_batches=first_batches, scope=scope)
    shard.start(seeds, known)
    apart(lambda: _run(shard, Limits(pages, seconds + clock.fetch), arrivals))  # what comes at the last moment counts
    timed = [Arrival(visit.url, when) for visit, when in zip(store.visits, arrivals, strict=True)]
    return [arrival for arrival in timed if arrival.seconds <= seconds]


def _run(shard: Shard, limits: Limits, arrivals: list[float]) -> None:
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        clock = runner.get_loop().time
        shard.arrivals.on_page = lambda page: arrivals.append(clock())
        runner.run(crawl([shard], limits, clock=clock))


class Slow(Fetcher):
    """Another fetcher's pages, after a while."""

    def __init__(self, fetcher: Fetcher, seconds: float) -> None:
        self._fetcher, self._seconds = fetcher, seconds

    async def fetch(self, offer: Offer) -> Page:
        await asyncio.sleep(self._seconds)
        return await self._fetcher.fetch(offer)


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop that begins at 0 and does not wait; for work that neither reads nor writes sockets."""

    def __init__(self) -> None:
        self._passed = 0.0
        super().__init__(_Skipping(self._pass))

    def time(self) -> float:
        return self._passed

    def _pass(self, seconds: float) -> None:
        self._passed += seconds


class _Skipping(selectors.DefaultSelector):
    """Asked to wait, it lets the clock go on and looks what is there."""

    def __init__(self, let_pass: Callable[[float], None]) -> None:
        super().__init__()
        self._let_pass = let_pass

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("a simulated crawl waits for something that no clock brings")
        self._let_pass(max(0.0, timeout))
        found: list[tuple[selectors.SelectorKey, int]] = super().select(0)
        return found
