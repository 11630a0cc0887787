"""One shard of a crawl among several: it works by what its coordinator allows, and ends when that is gone."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from contextlib import suppress
from pathlib import Path

from ...codec import unpack
from ...config import Config
from ...errors import ConfigError, OpilioError
from ...nouns import Fetcher
from ...store.run import count_relevant, writing
from ...system import durable, steady_clock
from ..label_updates import Following
from ..labels import FILE as LABELS
from ..run import AsyncRun, Run
from . import protocol
from .protocol import Line, Message, Report
from .sockets import SocketLine, connected, framed
from .turns import listed

log = logging.getLogger(__name__)
AWAKE = 1.0  # seconds after which an idle shard looks up, and tells how it stands
RESEND = 4.0  # seconds without a confirmation after which letters are sent again, where messages may get lost
PATIENCE = 10.0  # seconds that the shard of an earlier life, which was killed, may take to let go of its files


def serve(
    folder: Path, config: Config, index: int, end: socket.socket, fetcher: Fetcher | None = None, home: str = ""
) -> None:
    """Be one shard of the crawl in a folder until the parent says stop, or is gone."""
    try:
        run = _opened(folder, _own_part(config), index, fetcher, home)
        try:
            with writing(folder):
                run.until(_on_socket(Worker(run), end))
        finally:
            run.close()
    except OpilioError as error:
        with suppress(OSError):
            end.setblocking(True)
            end.sendall(framed((protocol.FAILED, type(error).__name__, str(error))))


async def _on_socket(worker: Worker, end: socket.socket) -> None:
    line = await connected(end, SocketLine(worker.hear, worker.hang_up))
    await worker.work(line)
    await asyncio.sleep(0)  # so that the line sees that it is closed


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
    """The loop of one shard among several; what is said to it comes by `hear`, what it says goes over its line."""

    def __init__(self, run: AsyncRun) -> None:
        self.run, self.shard, self.store = run, run.shard, run.store
        self._others = [index for index in range(run.part[1]) if index != run.part[0]]
        self._sent = dict.fromkeys(self._others, 0)  # the last letter to each
        self._confirmed = dict.fromkeys(self._others, 0)
        self._waits = dict.fromkeys(self._others, 0.0)  # for a confirmation, since when
        self._labels = Following(run.folder, run.shard, run.topic)
        self._begun = steady_clock.now() - self.store.seconds
        self._cap = self._given = self._dried = 0
        self._relevant = count_relevant(self.store.db)
        self._more = self._idle = self._stopped = False
        self._said: Report | None = None
        self._inbox: list[Message] = []
        self._news = asyncio.Event()

    async def work(self, line: Line) -> None:
        """Crawl until told to stop; what is not committed when the coordinator dies is forgotten."""
        self._line = line
        self.shard.start(self.run.seeds)
        self._tell()
        while not self._stopped:
            self._check_log()
            self._take_in()
            brought = await self._step()
            self._labels.step()
            self._tell()
            if not brought and not self.shard.in_flight:
                await self._rest()
        await self.shard.stop()
        if not self._line.gone:
            self.shard.commit()
            self._tell()
        self._line.close()

    def _check_log(self) -> None:
        """Raise what went wrong where commits are kept besides the disk."""
        if self.store.log and self.store.log.error:
            raise self.store.log.error

    async def _step(self) -> int:
        self.store.seconds = steady_clock.now() - self._begun
        left = 0 if self.store.log and self.store.log.full else max(0, self._cap - self.store.pages)
        if not left and not self.shard.in_flight:
            return 0
        return await self.shard.step(left, steady_clock.now())  # what was sent for is waited for, whatever may be sent

    async def _rest(self) -> None:
        """Nothing to do just now: wait for word from outside, or for a host that may be visited again."""
        if not self.store.mail.all_committed:
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

    def hear(self, message: Message) -> None:
        """A message from outside, taken in before the next step."""
        self._inbox.append(message)
        self.wake()

    def wake(self) -> None:
        """Look up: something has changed."""
        self._news.set()

    def hang_up(self) -> None:
        """Nobody is there any more: stop."""
        self._stopped = True
        self._news.set()

    def _take_in(self) -> None:
        inbox, self._inbox = self._inbox, []
        for kind, *parts in inbox:
            match kind:
                case protocol.LETTERS:
                    self._read(*parts)
                case protocol.SKIP:
                    self._skip(*parts)
                case protocol.CAP:
                    self._cap = parts[0]
                case protocol.GIVE_BACK:
                    self._give_back(*parts)
                case protocol.RECEIVED:
                    self._confirm(*parts)
                case protocol.AGAIN:
                    self._send_again(*parts)
                case protocol.DRY if parts[0] != self._dried:
                    self._dried, self._more = parts[0], self.shard.dry()
                case protocol.LABELS:
                    durable.write(self.run.folder / LABELS, parts[0])
                case protocol.STOP:
                    self._stopped = True

    def _give_back(self, number: int) -> None:
        if number != self._given:
            self._cap, self._given = min(self._cap, self.store.pages + self.shard.in_flight), number

    def _read(self, sender: int, bundles: list[tuple[int, bytes]]) -> None:
        for last, data in bundles:
            says = unpack(data)
            if self.store.mail.receive(sender, last, len(says)):
                self.shard.take_in(says)

    def _confirm(self, receiver: int, received: int) -> None:
        self.store.mail.forget(receiver, received)
        if received > self._confirmed[receiver]:
            self._confirmed[receiver], self._waits[receiver] = received, steady_clock.now()

    def _send_again(self, receiver: int, received: int) -> None:
        """From the first letter on that a shard has not heard; one that was put back to an older state may miss some for ever."""
        self._sent[receiver] = received
        if (gone := self.store.mail.forgotten(receiver)) > received:
            self._line.say(protocol.SKIP, receiver, gone)

    def _skip(self, sender: int, number: int) -> None:
        if lost := self.store.mail.skip(sender, number):
            log.warning(
                "shard %d: %d offers from shard %d are lost, since its state is older than theirs; pages that only these led to "
                "are not fetched", self.run.part[0], lost, sender,
            )  # fmt: skip

    def _tell(self) -> None:
        """Send letters that were committed, and how it stands, if that is not known."""
        for other in self._others:
            self._send(other, self.store.mail.sendable.get(other, 0))
        report = self._report()
        if report != self._said:
            self._line.say(protocol.REPORT, *report)
            self._said = report._replace(brought=[])

    def _send(self, receiver: int, last: int) -> None:
        """Send letters up to this number, if they were not sent, or if too long ago."""
        now = steady_clock.now()
        late = self._line.loses and now - self._waits[receiver] > RESEND
        if late and self._confirmed[receiver] < self._sent[receiver]:
            self._sent[receiver] = self._confirmed[receiver]
        if last > self._sent[receiver]:
            self._line.say(protocol.LETTERS, receiver, self.store.mail.bundles(receiver, self._sent[receiver], last))
            self._sent[receiver], self._waits[receiver] = last, now

    def _prices(self) -> list[float]:
        """Of what it would take next; of nothing while it has its hands full."""
        if self.shard.in_flight >= self.run.config.batch:
            return []
        return sorted(self.shard.frontier.prices(listed(self.run.config.batch), steady_clock.now()), reverse=True)

    def _report(self) -> Report:
        brought, self.shard.arrivals.brought[:] = list(self.shard.arrivals.brought), []
        self._relevant += sum(brought)
        return Report(
            self.store.pages,
            self.store.bytes,
            self.store.seconds,
            self._cap,
            self._given,
            self.run.waiting(),
            self._prices(),
            self.shard.in_flight,
            self._idle,
            self._dried,
            self._more,
            dict(self.store.mail.posted),
            self.store.mail.safe,
            brought,
            self.run.fallen,
            self.shard.page_errors.rule,
            self._relevant,
            self.store.log.behind if self.store.log else 0.0,
        )
