"""A small HTTP/1.1 server on loopback: all hosts on one port, told apart by the Host header.

A browser or curl reaches it with `curl --connect-to ::127.0.0.1:PORT http://some-host.example/`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import TypeAlias

Response: TypeAlias = tuple[int, dict[str, str], bytes]  # status, headers, body
MOST_HEAD = 1 << 16  # bytes of a request's head; more is refused
_TARGET = re.compile(r"(?:http://(?P<host>[^/?#]+))?(?P<path>/[^\s#]*)")
_HOST = re.compile(r"[a-z0-9._-]+(?::\d{1,5})?")
_BAD: Response = (400, {"Content-Type": "text/plain"}, b"bad request\n")
PHRASES = {status.value: status.phrase for status in HTTPStatus}
_METHODS = ("GET", "HEAD")


async def serve(answer: Callable[[str], Response], port: int = 0, address: str = "127.0.0.1") -> asyncio.Server:
    """Listen on loopback (port 0: any free one) and answer http://host/path for whatever host is asked for."""
    return await asyncio.get_running_loop().create_server(lambda: _Connection(answer), address, port)


def port_of(server: asyncio.Server) -> int:
    """The port that a server listens on."""
    number: int = server.sockets[0].getsockname()[1]
    return number


class _Connection(asyncio.Protocol):
    """One client; requests are answered in the order in which they come, several may be sent at once."""

    def __init__(self, answer: Callable[[str], Response]) -> None:
        self._answer = answer
        self._pending = b""
        self._skip = 0  # bytes of a request's body that are still to come; nobody reads them
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def pause_writing(self) -> None:
        # A client that asks and does not read must not fill our memory.
        self._paused = True
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        self._paused = False
        self._transport.resume_reading()
        self._work()

    def data_received(self, data: bytes) -> None:
        self._pending += data
        self._work()

    def _work(self) -> None:
        while not self._paused and not self._transport.is_closing():
            skipped = min(self._skip, len(self._pending))
            self._pending, self._skip = self._pending[skipped:], self._skip - skipped
            head, end, rest = self._pending.partition(b"\r\n\r\n")
            if not end or len(head) > MOST_HEAD:
                if len(self._pending) > MOST_HEAD:
                    self._say(_BAD, "GET", False)
                return
            self._pending = rest
            self._request(head.lstrip(b"\r\n").decode("latin-1"))

    def _request(self, head: str) -> None:
        line, _, rest = head.partition("\r\n")
        method, target, version = [*line.split(" "), "", "", ""][:3]
        headers = _headers(rest)
        url = _url(target, headers.get("host", ""))
        length = headers.get("content-length", "0")
        if not url or version not in ("HTTP/1.1", "HTTP/1.0") or not re.fullmatch(r"[0-9]{1,12}", length):
            return self._say(_BAD, "GET", False)
        self._skip = int(length)
        connection = headers.get("connection", "").lower()
        keep = (
            connection != "close"
            and (version == "HTTP/1.1" or connection == "keep-alive")
            and "transfer-encoding" not in headers
        )
        if method in _METHODS:
            return self._say(self._answer(url), method, keep)
        return self._say((405, {"Allow": ", ".join(_METHODS)}, b""), method, keep)

    def _say(self, response: Response, method: str, keep: bool) -> None:
        status, headers, body = response
        phrase = PHRASES.get(status, "Unknown")
        hidden = ("content-length", "transfer-encoding", "content-encoding", "connection", "keep-alive")
        lines = [f"{name}: {value}" for name, value in headers.items() if name.lower() not in hidden]
        lines += [f"Content-Length: {len(body)}", f"Connection: {'keep-alive' if keep else 'close'}"]
        head = "\r\n".join([f"HTTP/1.1 {status} {phrase}", *lines]) + "\r\n\r\n"
        self._transport.write(head.encode("utf-8", "replace") + (b"" if method == "HEAD" else body))
        if not keep:
            self._transport.close()


def _headers(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.split("\r\n"))
    return {name.strip().lower(): value.strip() for name, colon, value in pairs if colon}


def _url(target: str, host: str) -> str:
    """http://host/path, or "" for a request that makes no sense; the port we listen on is no part of it."""
    found = _TARGET.fullmatch(target)
    name = ((found["host"] if found else "") or host).lower()
    if not found or not _HOST.fullmatch(name):
        return ""
    return f"http://{name.partition(':')[0]}{found['path']}"
