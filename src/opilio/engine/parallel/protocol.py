"""What the processes of one crawl say to each other: whole messages, in order, over a pair of sockets.

Every worker has one line, to the parent, who hands letters on. Nothing is safe because it was sent: a letter stays with
its sender until the receiver has committed it.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from ...codec import pack, unpack

HEAD = 4  # bytes that say how long a message is
Message: TypeAlias = list[Any]  # its kind, and what belongs to it

# From the parent: what a worker is to do.
CAP = "cap"  # pages that you may have stored, all in all
GIVE_BACK = "give back"  # what you may still fetch: others need it
HEARD = "heard"  # by this shard, up to this number of your letters: forget them
AGAIN = "again"  # this shard has died; it has heard so much, send the rest again
DRY = "dry"  # nothing is left anywhere: end the stage of this number
STOP = "stop"
# Both ways: from this shard, or to it, these bundles.
LETTERS = "letters"
SKIP = "skip"  # letters up to this number, which its sender has no more
# From a worker.
REPORT = "report"
FAILED = "failed"  # kind of error, sentence for the user


class Report(NamedTuple):
    """How a shard stands."""

    pages: int
    bytes: int
    seconds: float
    cap: int  # pages that it may have, as it knows
    given: int  # times that it gave back what it may still fetch
    waiting: int  # URLs
    prices: list[float]  # of the offers taken since the last report
    short: bool  # there was less to take than there was room for
    idle: bool  # nothing to fetch, now or later, unless a letter comes
    dried: int  # the last stage that it ended
    more: bool  # whether that brought something to do
    posted: dict[int, int]  # the last letter to each shard
    heard: dict[int, int]  # the last letter of each shard that is committed
    brought: list[bool]  # of each page since the last report: was it relevant
    fallen: str
    failing: str = ""  # why the crawl has to stop, because too many pages failed


class Line(asyncio.Protocol):
    """One end of a line; `gone` is set when the other end is."""

    def __init__(self, hear: Callable[[Message], None], lost: Callable[[], None]) -> None:
        self._hear, self._lost = hear, lost
        self._rest = bytearray()
        self._transport: asyncio.WriteTransport | None = None
        self.gone = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._rest += data
        start = 0
        while (end := _end(self._rest, start)) <= len(self._rest):
            self._hear(unpack(bytes(self._rest[start + HEAD : end])))
            start = end
        del self._rest[:start]

    def connection_lost(self, error: Exception | None) -> None:
        self.gone = True
        self._lost()

    def say(self, *message: Any) -> None:
        """Send a message; whether it arrives is not known."""
        if self._transport and not self.gone:
            self._transport.write(framed(message))

    def close(self) -> None:
        """Send what was said, and no more."""
        if self._transport:
            self._transport.close()


def _end(data: bytearray, start: int) -> int:
    """Where the message ends that starts there; past the end of the data where that is not known yet."""
    if len(data) < start + HEAD:
        return start + HEAD
    return start + HEAD + int.from_bytes(data[start : start + HEAD], "big")


def framed(message: tuple[Any, ...]) -> bytes:
    data = pack(list(message))
    return len(data).to_bytes(HEAD, "big") + data


async def connected(end: socket.socket, line: Line) -> Line:
    """The line, on one end of a pair of sockets."""
    await asyncio.get_running_loop().create_connection(lambda: line, sock=end)
    return line
