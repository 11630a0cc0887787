"""One crawl in one process: makes the run folder, goes on with it, says why it stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import ExitStack, aclosing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

from .. import registry
from ..config import Config
from ..errors import ConfigError
from ..fetchers.live import Live
from ..fetchers.manners.may_send import Gate
from ..fetchers.manners.shared_pace import Shared
from ..frontier.disk.frontier import DiskFrontier
from ..learning.page_likeness import Like
from ..loop import steps
from ..nouns import Fetcher, Strategy, Topic
from ..page_errors import PageErrors
from ..scope import Scope
from ..shard import Shard
from ..shard.answers import joining, weighing
from ..store.commit_log import CommitLog
from ..store.damage import readable
from ..store.run import RunStore, writing
from ..system import steady_clock
from ..system.signals import Stop
from ..urls import canonical, site
from .judged_again import judge_again
from .label_updates import Following
from .live_crawl import Recalling, check_scope, live
from .run_folder import note, note_stop, now, outcome, prepare, saturated_at
from .topic import keep, learn
from .wanted_type import wanted_type

# What to do when a strategy needs something that a crawl was not given.
REMEDIES = {
    "topic": "say what the pages should be about (--topic WORDS or --example URL)",
    "truth": "only `opilio bench` can run it; choose another one of `opilio strategies`",
    "example": "show a page of the type that is wanted (--like URL)",
    "like": "show a page of the type that is wanted (--like URL)",
    "words": "say what the pages should be about (--topic WORDS or --example URL)",
    "tag": "name the tag to start from (--strategy '{}(tag=TAG)' or --topic WORDS)",
}

SHARED = "shared"  # the file in which the processes of a crawl agree on when an address may be asked again


class Place(NamedTuple):
    """Where a shard runs, if that is one of many machines."""

    shared: Path  # the file in which the processes of this machine agree on when an address may be asked again
    log: CommitLog | None = None  # where commits go besides the disk
    gate: Gate | None = None  # that requests have to pass


class AsyncRun:
    """A run folder and the crawl in it, on the event loop of its caller."""

    def __init__(
        self,
        folder: Path,
        config: Config,
        fetcher: Fetcher | None = None,
        home: str = "",
        part: tuple[int, int] = (0, 1),
        place: Place | None = None,
    ) -> None:
        """Pages come from the fetcher, or, without one, from the web; `part` says which of how many shards this is."""
        self.folder, self.config, self.part = folder, config, part
        self.seeds = seeds_of(config, home)
        self._place = place or Place(folder / SHARED)
        shared = Shared(self._place.shared) if part[1] > 1 and not fetcher else None
        self._source = fetcher or live(config, (folder / "config.toml").exists(), shared, self._place.gate)
        self._live = self._source if isinstance(self._source, Live) else None

    async def begin(self) -> None:
        """Learn the topic, make the run folder or open it; after an error, `end` is still to be called."""
        with readable(self.folder):
            await self._begin(self._source)

    async def _begin(self, fetcher: Fetcher) -> None:
        config, made = self.config, (self.folder / "config.toml").exists()
        if made:
            self._open()
        source = Recalling(fetcher, self.store if made else None) if self._live else fetcher
        self.topic = await learn(config, source, self.folder)
        like = await wanted_type(config, source)
        if isinstance(source, Recalling):
            source.crawling = True
        strategy = strategy_of(config, self.topic, like)
        if not made:
            prepare(self.folder, config)
            self._open()
        keep(self.topic, self.folder)
        delay, alone = (config.delay, config.fetch_per_host == 1) if self._live else (0.0, False)
        errors = PageErrors(self.store.error_log)
        weigh = weighing(strategy, errors)
        frontier = DiskFrontier(
            self.store.db, weigh, strategy.merge, delay, alone, True, steady_clock.now(), joining(strategy, errors)
        )
        scope = Scope(config.bounds())
        index, shards = self.part
        if self.topic:
            self.topic.shards = shards
        self.shard = Shard(
            strategy,
            frontier,
            source,
            self.store,
            topic=self.topic,
            like=like if config.like else None,
            batch=config.batch,
            index=index,
            shards=shards,
            scope=scope,
            page_errors=errors,
        )

    def _open(self) -> None:
        self.store = RunStore(self.folder, *self.part, log=self._place.log)
        if self._live:
            self._live.attach(self.store.db, self.store.find, self.store.note)

    async def crawl(self, watch: Callable[[], None] = lambda: None, stop: Stop | None = None) -> str:
        """Crawl until something ends it; why, in a few words. A stop ends it after the current batch."""
        why = "interrupted"
        with writing(self.folder):
            try:
                async with aclosing(self.steps(stop)) as going:
                    async for why in going:
                        if why:
                            break
                        watch()
            except asyncio.CancelledError:
                self.note_end("interrupted")
                raise
            return self.note_end(why)

    async def steps(self, stop: Stop | None = None) -> AsyncGenerator[str, None]:
        """Crawl step by step: "" after each, and at last what ended it. `note_end` is for the caller, who may leave early."""
        labels = Following(self.folder, self.shard, self.topic)
        self.shard.start(self.seeds)
        note(self.folder, started=now(), stopped=None, why=None)
        limits = limited(self.config, self.topic).limits()._replace(saturated_at=saturated_at(self.folder))
        async with aclosing(steps([self.shard], limits, stop=stop or Stop())) as going:
            async for why in going:
                if not why:
                    labels.step()
                yield why

    def note_end(self, why: str) -> str:
        """Commit, and put into the manifest why the crawl ended; returned as users read it."""
        self.shard.commit()
        if why != "interrupted" and not self.config.like:  # who stops a crawl does not want to wait
            judge_again(self.shard, self.topic)
        why = outcome(self.folder, why)
        note_stop(self.folder, why, self.store.pages)
        return why

    def waiting(self) -> int:
        """How many URLs wait."""
        return len(self.shard.frontier)

    @property
    def fallen(self) -> str:
        """Why the strategy does not go by its own method; "" when it does."""
        return self.shard.answers.why()

    def follow_labels(self) -> None:
        """Learn from all that people said of pages, and let the frontier follow, without fetching anything."""
        labels = Following(self.folder, self.shard, self.topic)
        while labels.step():
            pass
        self.shard.commit()

    def close_store(self) -> None:
        """Let go of the run folder, so that another crawl can go on in it."""
        if "store" in vars(self):  # it may have failed before
            self.store.close()

    def abandon(self) -> None:
        """End a crawl between two steps without waiting for what is in flight; its connections are still to be closed."""
        self.shard.cancel()
        self.note_end("interrupted")
        self.close_store()

    async def end(self) -> None:
        """Let go of the run folder and of all connections."""
        self.close_store()
        await self.close_connections()

    async def close_connections(self) -> None:
        """Let go of all connections."""
        if self._live:
            await self._live.close()


class Run(AsyncRun):
    """The same with an event loop of its own."""

    def __init__(
        self,
        folder: Path,
        config: Config,
        fetcher: Fetcher | None = None,
        home: str = "",
        part: tuple[int, int] = (0, 1),
    ) -> None:
        super().__init__(folder, config, fetcher, home, part)
        self._loop = asyncio.Runner()  # one for all that follows: connections belong to it
        with ExitStack() as undo:
            undo.callback(self.close)
            self._loop.run(self.begin())
            undo.pop_all()

    def go(self, watch: Callable[[], None] = lambda: None, stop: Stop | None = None) -> str:
        """Crawl until something ends it; why, in a few words. A stop ends it after the current batch."""
        return self._loop.run(self.crawl(watch, stop))

    def until(self, done: Coroutine[Any, Any, None]) -> None:
        """Do something where the crawl's connections belong."""
        self._loop.run(done)

    def close(self) -> None:
        self._loop.run(self.end())
        self._loop.close()


def seeds_of(config: Config, home: str) -> list[str]:
    """The URLs that a crawl starts from, checked."""
    wanted = [canonical(url) for url in config.like]
    homes = [home if site(home) == site(url) else urljoin(url, "/") for url in wanted]
    seeds = [canonical(url) for url in config.seeds] or homes or ([home] if home else [])
    if not seeds:
        raise ConfigError("no seeds given, and the corpus has no home page; name a page to start from (--seed URL)")
    seeds = list(dict.fromkeys([*seeds, *wanted]))
    check_scope(config, seeds)
    return seeds


def seeks_topic(config: Config, topic: Topic | None) -> bool:
    """Whether relevance says what a crawl finds: not where a strategy looks for a page type by an example, or for a tag."""
    kind = registry.kind_of(config.strategy)
    if config.like:
        return True
    return topic is not None and not registry.takes(kind, "example") and not registry.takes(kind, "tag")


def limited(config: Config, topic: Topic | None) -> Config:
    """The same; what seeks no topic cannot be saturated."""
    return config if seeks_topic(config, topic) else config.model_copy(update={"saturation": 0.0})


def strategy_of(config: Config, topic: Topic | None, like: Like | None = None) -> Strategy:
    given: dict[str, Any] = {"seed": config.seed}
    if like and like.pages:
        given["example"] = like.pages[0]
    if like and config.like:
        given["like"] = like
    if topic:
        given |= {"topic": topic, "words": config.topic}
    if config.topic:
        given["tag"] = config.topic
    try:
        return registry.make(config.strategy, given)
    except registry.Missing as error:
        raise ConfigError(f"{error}; {REMEDIES[error.need].format(error.strategy)}") from None
