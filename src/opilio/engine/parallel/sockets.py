"""Messages between the processes of one crawl on one machine: whole, in order, over a pair of sockets.

Every worker has one line, to the parent, who hands letters on.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from ...codec import pack, unpack
from .protocol import Line, Message

HEAD = 4  # bytes that say how long a message is


class SocketLine(Line, asyncio.Protocol):
    """One end of a line; `gone` is set when the other end is."""

    gone = False

    def __init__(self, hear: Callable[[Message], None], lost: Callable[[], None]) -> None:
        self._hear, self._lost = hear, lost
        self._rest = bytearray()
        self._transport: asyncio.WriteTransport | None = None

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
        if self._transport and not self.gone:
            self._transport.write(framed(message))

    def close(self) -> None:
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


async def connected(end: socket.socket, line: SocketLine) -> SocketLine:
    """The line, on one end of a pair of sockets."""
    await asyncio.get_running_loop().create_connection(lambda: line, sock=end)
    return line
