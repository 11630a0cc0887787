"""One crawl in several processes: the parent trains the topic, deals out the budget, hands letters on, and crawls nothing.

A worker that dies is started again; the others send it again what it had not committed. The parent holds no state
that a crash could take: it is in the shards' databases.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from ...config import Config
from ...fetchers.manners.shared_pace import clear
from ...learning.page_likeness import Like
from ...nouns import Fetcher
from ...store.lock import lock
from ...store.reader import begun, check_states, reading
from ...store.run import relevant, writing
from ...system.signals import Stop
from ..live_crawl import live
from ..run import SHARED, Run, limited, seeds_of, strategy_of
from ..run_folder import check_shards, note, note_stop, now, outcome, prepare, saturated_at
from ..topic import keep, learn
from ..wanted_type import wanted_type
from . import protocol
from .coordinator import Coordinator
from .members import PATIENCE, ProcessMember

if TYPE_CHECKING:
    from ...topics.adaptive import Growing

MOST_DEATHS = 3  # of one worker in a row, without a page in between


class Processes:
    """A run folder and the crawl in it, by several processes. It has the face of Run."""

    def __init__(
        self, folder: Path, config: Config, command: Sequence[str], fetcher: Fetcher | None = None, home: str = ""
    ) -> None:
        """`command`, with a shard's index and the number of a socket behind it, starts a worker (see `worker.serve`)."""
        self.folder, self.config = folder, config
        seeds_of(config, home)
        check_shards(folder, config)
        check_states(folder)
        self.topic = asyncio.run(learned(folder, config, fetcher))
        strategy_of(
            config, self.topic, asyncio.run(_shown(folder, config, fetcher))
        )  # whatever it misses is said before anything starts
        if not (folder / "config.toml").exists():
            prepare(folder, config)
        keep(self.topic, folder)
        self._fetcher, self._home = fetcher, home
        self._lock = lock(folder)
        clear(folder / SHARED)  # times of another start of the machine would mean nothing
        self._members = [ProcessMember(index, command) for index in range(config.processes)]
        self._coordinator = Coordinator(limited(config, self.topic), self._members)

    def go(self, watch: Callable[[], None] = lambda: None, stop: Stop | None = None) -> str:
        """Crawl until something ends it; why, in a few words. A stop ends it after the current batch."""
        with writing(self.folder):
            note(self.folder, started=now(), stopped=None, why=None)
            why = outcome(self.folder, asyncio.run(self._crawl(stop or Stop(), watch)))
            note_stop(self.folder, why, self._coordinator.pages)
        return why

    def follow_labels(self) -> None:
        """Learn from all that people said of pages, and let the frontiers follow, without fetching anything."""
        for index in range(self.config.processes):
            with closing(
                Run(self.folder, self.config, self._fetcher, self._home, (index, self.config.processes))
            ) as run:
                run.follow_labels()
                self.topic = run.topic

    def waiting(self) -> int:
        """How many URLs wait."""
        return self._coordinator.open_urls

    @property
    def fallen(self) -> str:
        """Why the strategy does not go by its own method; "" when it does."""
        return self._coordinator.fallen

    def close(self) -> None:
        self._lock.close()

    async def _crawl(self, stopped: Stop, watch: Callable[[], None]) -> str:
        if self.config.saturation and begun(self.folder):
            before, recent = saturated_at(self.folder), self._coordinator.recent
            recent.found = 0 if before else recent.found
            with closing(reading(self.folder)) as db:
                recent.extend(relevant(db, before))
        try:
            for member in self._members:
                await self._start(member)
            while not (why := "interrupted" if stopped() else await self._turn()):
                if all(member.report for member in self._members):  # before, there may be nothing to look at
                    watch()
        finally:
            await self._stop(stopped)
        return why

    async def _turn(self) -> str:
        """See to everything that has come up; why the crawl is over, or ""."""
        for member in self._members:
            if member.gone:
                await self._revive(member)
        return await self._coordinator.turn()

    async def _start(self, member: ProcessMember) -> None:
        await member.start(self._coordinator.hear, self._coordinator.changed.set)

    async def _revive(self, member: ProcessMember) -> None:
        """Start a worker again that died."""
        member.end()
        self._coordinator.check()
        member.deaths += 1
        if member.deaths > MOST_DEATHS:
            raise RuntimeError(
                f"shard {member.index} died {member.deaths} times in a row (exit code {member.process.returncode})"
            )
        self._coordinator.allowance.forget(member.index)
        await self._start(member)

    async def _stop(self, stopped: Stop) -> None:
        """Ask all workers to commit and end; who does not in time, or before the user asks again, is killed: that is safe."""
        for member in self._members:
            member.say(protocol.STOP)
        deadline = time.monotonic() + PATIENCE
        while any(map(_at_work, self._members)) and time.monotonic() < deadline and not stopped.urgent:
            await self._coordinator.wait()
        for member in self._members:
            member.end()


def _at_work(member: ProcessMember) -> bool:
    """Whether a worker may have something to commit."""
    return member.report is not None and not member.gone


async def learned(folder: Path, config: Config, fetcher: Fetcher | None) -> Growing | None:
    """The topic of a crawl, by whatever pages it has to be learned from."""
    if fetcher:
        return await learn(config, fetcher, folder)
    web = live(config, resumed=(folder / "config.toml").exists())
    try:
        return await learn(config, web, folder)
    finally:
        await web.close()


async def _shown(folder: Path, config: Config, fetcher: Fetcher | None) -> Like | None:
    """The pages that the wanted ones are like."""
    if fetcher or not (config.like or config.examples):
        return await wanted_type(config, fetcher) if fetcher else None
    web = live(config, resumed=(folder / "config.toml").exists())
    try:
        return await wanted_type(config, web)
    finally:
        await web.close()
