"""The shards of a crawl as their coordinator knows them."""

from __future__ import annotations

import socket
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from ...system import steady_clock
from ...system.signals import held
from .protocol import Message, Report
from .sockets import SocketLine, connected

PATIENCE = 10.0  # seconds that a worker may take to commit and to end
HANGS = 5.0  # seconds for which a shard may leave offers lying that it may fetch; then others no longer wait for them


class Member(ABC):
    """A shard, wherever it runs."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.report: Report | None = None  # None: it has not come to life yet
        self.stage = 0  # that it was last asked to end
        self.deaths = 0  # in a row, without a page in between
        self._moved = 0.0  # when it last fetched something, or had nothing that it might fetch

    def note(self, report: Report) -> None:
        """What it reports."""
        before, self.report = self.report, report
        if not before or not _stands_still(before, report):
            self._moved = steady_clock.now()

    def offering(self) -> Report | None:
        """Its report; without its offers when it hangs, that is, has died, is out of reach or cannot work."""
        if self.report and steady_clock.now() - self._moved > HANGS:
            return self.report._replace(prices=[])
        return self.report

    @abstractmethod
    def say(self, *message: Any) -> None:
        """Send it a message; whether it arrives is not known."""

    @property
    @abstractmethod
    def gone(self) -> bool:
        """Whether it has died."""


def _stands_still(before: Report, report: Report) -> bool:
    """Whether a shard has fetched nothing between two reports although it has offers, and leave to fetch them."""
    sent = report.pages + report.in_flight
    return bool(report.prices) and sent < report.cap and sent == before.pages + before.in_flight


class ProcessMember(Member):
    """A shard in a process that its parent has started."""

    def __init__(self, index: int, command: Sequence[str]) -> None:
        super().__init__(index)
        self.command = command
        self.line: SocketLine | None = None

    async def start(self, hear: Callable[[Member, Message], None], lost: Callable[[], None]) -> None:
        ours, theirs = socket.socketpair()
        self.report, self.stage = None, 0
        with theirs:
            words = [*self.command, str(self.index), str(theirs.fileno())]
            with held():  # Ctrl-C and the like are for the parent to hear, who tells its workers
                self.process = subprocess.Popen(words, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        self.line = await connected(ours, SocketLine(lambda message: hear(self, message), lost))

    def say(self, *message: Any) -> None:
        if self.line:
            self.line.say(*message)

    @property
    def gone(self) -> bool:
        return self.line is None or self.line.gone

    def end(self) -> None:
        """Let go of its process: one whose line is gone ends by itself soon, any other is killed."""
        if not self.line:
            return
        try:
            self.process.wait(PATIENCE if self.gone else 0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.line.close()


def quiet(reports: Sequence[Report]) -> bool:
    """Whether no shard has anything to do or ever will: all idle, and no letter on its way.

    The reports are of different moments. But a shard that is idle wakes by a letter alone, and the first one to wake after
    its report would have been woken by a letter that its sender, idle too, had not posted yet.
    """
    return all(report.idle for report in reports) and all(
        report.posted.get(other, 0) == reports[other].received.get(index, 0)
        for index, report in enumerate(reports)
        for other in range(len(reports))
        if other != index
    )
