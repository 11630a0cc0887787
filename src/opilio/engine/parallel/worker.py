"""One shard of a crawl, in a process of its own: it works by what its parent allows, and dies with it."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from contextlib import suppress
from pathlib import Path

from ... import steady_clock
from ...codec import unpack
from ...config import Config
from ...errors import ConfigError, OpilioError
from ...nouns import Fetcher
from ...store.run import writing
from ..label_updates import Following
from ..run import Run
from . import protocol
from .protocol import Line, Message, Report

log = logging.getLogger(__name__)
AWAKE = 1.0  # seconds after which an idle shard looks up, and tells how it stands
PATIENCE = 10.0  # seconds that the shard of an earlier life, which was killed, may take to let go of its files


def serve(
    folder: Path, config: Config, index: int, end: socket.socket, fetcher: Fetcher | None = None, home: str = ""
) -> None:
    """Be one shard of the crawl in a folder until the parent says stop, or is gone."""
    try:
        run = _opened(folder, _own_part(config), index, fetcher, home)
        try:
            with writing(folder):
                run.until(Worker(run).work(end))
        finally:
            run.close()
    except OpilioError as error:
        with suppress(OSError):
            end.setblocking(True)
            end.sendall(protocol.framed((protocol.FAILED, type(error).__name__, str(error))))


def _own_part(config: Config) -> Config:
    """What the processes share in equal parts."""
    return config.model_copy(update={"fetch_connections": max(1, config.fetch_connections // config.processes)})


def _opened(folder: Path, config: Config, index: int, fetcher: Fetcher | None, home: str) -> Run:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return Run(folder, config, fetcher, home, (index, config.processes))
        except ConfigError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


class Worker:
    """The loop of one shard among several."""

    def __init__(self, run: Run) -> None:
        self.run, self.shard, self.store = run, run.shard, run.store
        self._others = [index for index in range(run.part[1]) if index != run.part[0]]
        self._sent = dict.fromkeys(self._others, 0)
        self._labels = Following(run.folder, run.shard, run.topic)
        self._begun = steady_clock.now() - self.store.seconds
        self._cap = self._given = self._dried = 0
        self._more = self._idle = self._stopped = False
        self._said: Report | None = None
        self._inbox: list[Message] = []
        self._news = asyncio.Event()

    async def work(self, end: socket.socket) -> None:
        """Crawl until told to stop; what is not committed when the parent dies is forgotten."""
        self._line = await protocol.connected(end, Line(self._hear, self._hang_up))
        self.shard.start(self.run.seeds)
        self._tell()
        while not self._stopped:
            self._take_in()
            brought = await self._step()
            self._labels.step()
            self._tell()
            if not brought and not self.shard.busy:
                await self._rest()
        await self.shard.stop()
        if not self._line.gone:
            self.shard.commit()
            self._tell()
        self._line.close()
        await asyncio.sleep(0)  # so that the line sees it

    async def _step(self) -> int:
        self.store.seconds = steady_clock.now() - self._begun
        left = self._cap - self.store.pages
        return await self.shard.step(left, steady_clock.now()) if left > 0 else 0

    async def _rest(self) -> None:
        """Nothing to do just now: wait for word from outside, or for a host that may be visited again."""
        if any(self.store.heard(other) != self.store.safe.get(other, 0) for other in self._others):
            self.shard.commit()
        now, wait = steady_clock.now(), AWAKE
        if self.store.pages < self._cap:
            when = self.shard.frontier.ready(now)
            self._idle = when is None and not self.shard.look_at_deferred()
            wait = AWAKE if self._idle else min(AWAKE, (when or now) - now)
        self._tell()
        if wait > 0 and not self._inbox:
            self._news.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), wait)
        self._idle = False

    def _hear(self, message: Message) -> None:
        self._inbox.append(message)
        self._news.set()

    def _hang_up(self) -> None:
        self._stopped = True
        self._news.set()

    def _take_in(self) -> None:
        inbox, self._inbox = self._inbox, []
        for kind, *told in inbox:
            match kind:
                case protocol.LETTERS:
                    self._read(*told)
                case protocol.SKIP:
                    self._skip(*told)
                case protocol.CAP:
                    self._cap = told[0]
                case protocol.GIVE_BACK:
                    self._cap = min(self._cap, self.store.pages + self.shard.under_way)
                    self._given += 1
                case protocol.HEARD:
                    self.store.forget(*told)
                case protocol.AGAIN:
                    self._send_again(*told)
                case protocol.DRY:
                    self._dried, self._more = told[0], self.shard.dry()
                case protocol.STOP:
                    self._stopped = True

    def _read(self, sender: int, bundles: list[tuple[int, bytes]]) -> None:
        for last, data in bundles:
            says = unpack(data)
            if self.store.hear(sender, last, len(says)):
                self.shard.take_in(says)

    def _send_again(self, receiver: int, heard: int) -> None:
        """From the first letter on that a shard has not heard; one that was put back to an older state may miss some for ever."""
        self._sent[receiver] = heard
        if (gone := self.store.forgotten(receiver)) > heard:
            self._line.say(protocol.SKIP, receiver, gone)

    def _skip(self, sender: int, number: int) -> None:
        if lost := self.store.skip(sender, number):
            log.warning(
                "shard %d: %d offers from shard %d are lost, since its state is older than theirs; pages that only these led to "
                "are not fetched", self.run.part[0], lost, sender,
            )  # fmt: skip

    def _tell(self) -> None:
        """Send letters that were committed, and how it stands, if that is not known."""
        for other in self._others:
            if self.store.posted.get(other, 0) > self._sent[other]:
                bundles = self.store.bundles(other, self._sent[other])
                self._line.say(protocol.LETTERS, other, bundles)
                self._sent[other] = self.store.posted[other]
        report = self._report()
        if report != self._said:
            self._line.say(protocol.REPORT, *report)
            self._said = report._replace(brought=[], prices=[])

    def _report(self) -> Report:
        brought, self.shard.brought[:] = list(self.shard.brought), []
        prices = list(self.shard.prices)
        self.shard.prices.clear()
        return Report(
            self.store.pages,
            self.store.bytes,
            self.store.seconds,
            self._cap,
            self._given,
            self.run.waiting(),
            prices,
            self.shard.short,
            self._idle,
            self._dried,
            self._more,
            dict(self.store.posted),
            self.store.safe,
            brought,
            self.run.fallen,
            self.shard.page_errors.rule,
        )
