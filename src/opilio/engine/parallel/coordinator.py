"""One crawl in several processes: the parent trains the topic, deals out the budget, hands letters on, and crawls nothing.

A worker that dies is started again; the others send it once more what it had not committed. The parent holds no state
that a crash could take: it is in the shards' databases.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ... import errors
from ...config import Config
from ...fetchers.manners.shared_pace import clear
from ...loop import reached
from ...nouns import RELEVANT, Fetcher
from ...signals import Stop
from ...store.reader import check_states, reading
from ...store.run import lock, writing
from ..prefetched import live
from ..run import SHARED, Run, check_shards, note, now, outcome, prepare, seeds_of, strategy_of
from ..topic import keep, learn
from . import protocol
from .budget import Allowance
from .members import PATIENCE, Member, quiet
from .protocol import Message, Report
from .turns import Turns

if TYPE_CHECKING:
    from ...topics.adaptive import Growing

TICK = 0.2  # seconds between two looks at the clock
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
        self.topic = asyncio.run(_learned(folder, config, fetcher))
        strategy_of(config, self.topic)  # whatever it misses is said before anything starts
        if not (folder / "config.toml").exists():
            prepare(folder, config)
        keep(self.topic, folder)
        self._fetcher, self._home = fetcher, home
        self._lock = lock(folder)
        clear(folder / SHARED)  # times of another start of the machine would mean nothing
        self._members = [Member(index, command) for index in range(config.processes)]
        self._allowance = Allowance(config.max_pages, config.batch, config.processes)
        self._turns = Turns(config.batch, config.processes)
        self._recent: deque[bool] = deque(maxlen=config.limits().window)
        self._stage = 0  # that all shards have ended, or are about to
        self._failed: tuple[str, str] | None = None

    def go(self, watch: Callable[[], None] = lambda: None, stop: Stop | None = None) -> str:
        """Crawl until something ends it; why, in a few words. A stop ends it after the batch under way."""
        with writing(self.folder):
            note(self.folder, started=now(), stopped=None, why=None)
            why = outcome(self.folder, asyncio.run(self._crawl(stop or Stop(), watch)))
            note(self.folder, stopped=now(), why=why, pages=self._total("pages"))
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
        return int(self._total("waiting"))

    @property
    def fallen(self) -> str:
        """Why the strategy does not go by its own method; "" when it does."""
        return next((member.report.fallen for member in self._members if member.report and member.report.fallen), "")

    def close(self) -> None:
        self._lock.close()

    async def _crawl(self, stopped: Stop, watch: Callable[[], None]) -> str:
        self._changed = asyncio.Event()
        if (self.folder / "state.db").exists() and self.config.saturation:
            self._recent.extend(_recent(self.folder, self.config.limits().window))
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
        self._changed.clear()
        for member in self._members:
            if member.gone:
                await self._revive(member)
        if why := self._over():
            return why
        reports = [member.report for member in self._members]
        waits = [self._turns.waits(index, reports) for index in range(len(reports))]
        for index, cap in self._allowance.dealt(reports, waits):
            self._members[index].say(*(protocol.CAP, cap) if cap is not None else (protocol.GIVE_BACK,))
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), TICK)
        return ""

    async def _start(self, member: Member) -> None:
        await member.start(self._hear, self._changed.set)

    async def _revive(self, member: Member) -> None:
        """Start a worker again that died."""
        member.end()
        if self._failed:
            kind, sentence = self._failed
            raise getattr(errors, kind)(sentence)
        member.deaths += 1
        if member.deaths > MOST_DEATHS:
            raise RuntimeError(
                f"shard {member.index} died {member.deaths} times in a row (exit code {member.process.returncode})"
            )
        self._allowance.forget(member.index)
        await self._start(member)

    async def _stop(self, stopped: Stop) -> None:
        """Ask all workers to commit and end; who does not in time, or before the user asks again, is killed: that is safe."""
        for member in self._members:
            member.say(protocol.STOP)
        deadline = time.monotonic() + PATIENCE
        while any(map(_at_work, self._members)) and time.monotonic() < deadline and not stopped.urgent:
            self._changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), TICK)
        for member in self._members:
            member.end()

    def _hear(self, member: Member, message: Message) -> None:
        kind, *told = message
        match kind:
            case protocol.LETTERS | protocol.SKIP:
                self._members[told[0]].say(kind, member.index, told[1])
            case protocol.REPORT:
                self._note(member, Report(*told))
            case protocol.FAILED:
                self._failed = (told[0], told[1])
        self._changed.set()

    def _note(self, member: Member, report: Report) -> None:
        before, member.report = member.report, report
        self._recent.extend(report.brought)
        self._turns.note(member.index, report.prices)
        if before and report.pages > before.pages:
            member.deaths = 0
        for other in self._members:
            if other is not member:
                self._confirm(member, other, before)

    def _confirm(self, member: Member, other: Member, before: Report | None) -> None:
        """Tell the other what this one has heard of its letters; and this one, if it was just started, the same of its own."""
        assert member.report
        heard = member.report.heard.get(other.index, 0)
        if before is None:
            other.say(protocol.AGAIN, member.index, heard)
            if other.report:
                member.say(protocol.HEARD, other.index, other.report.heard.get(member.index, 0))
        if before is None or heard != before.heard.get(other.index, 0):
            other.say(protocol.HEARD, member.index, heard)

    def _over(self) -> str:
        reports = [member.report for member in self._members if member.report]
        if len(reports) < len(self._members):
            return ""
        if failing := next((report.failing for report in reports if report.failing), ""):
            return failing
        seconds = max(report.seconds for report in reports)
        if why := reached(self.config.limits(), self._total("pages"), seconds, self._total("bytes"), self._recent):
            return why
        return self._ended_stage(reports) if quiet(reports) else ""

    def _ended_stage(self, reports: Sequence[Report]) -> str:
        """Let all shards end a stage together; when that brings nothing to any of them, it is over."""
        if all(report.dried == self._stage for report in reports):
            if self._stage and not any(report.more for report in reports):
                return "nothing left to fetch"
            self._stage += 1
        for member in self._members:
            if member.stage != self._stage and member.report and member.report.dried != self._stage:
                member.stage = self._stage
                member.say(protocol.DRY, self._stage)
        return ""

    def _total(self, name: str) -> int:
        return sum(getattr(member.report, name) for member in self._members if member.report)


def _at_work(member: Member) -> bool:
    """Whether a worker may have something to commit."""
    return member.report is not None and not member.gone


async def _learned(folder: Path, config: Config, fetcher: Fetcher | None) -> Growing | None:
    if fetcher:
        return await learn(config, fetcher, folder)
    web = live(config, resumed=(folder / "config.toml").exists())
    try:
        return await learn(config, web, folder)
    finally:
        await web.close()


def _recent(folder: Path, window: int) -> list[bool]:
    with closing(reading(folder)) as db:
        rows = db.execute("SELECT relevance FROM pages ORDER BY number DESC LIMIT ?", (window,)).fetchall()
    return [(relevance or 0.0) >= RELEVANT for (relevance,) in reversed(rows)]
