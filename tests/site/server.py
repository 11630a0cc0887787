"""Serves the faults on loopback, from a thread of its own: one listener for HTTP, one for each kind of TLS."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
import tempfile
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self
from weakref import WeakKeyDictionary

from .case import Case, Do, Endless, Script, answer
from .certificates import contexts
from .table import CASES

NOT_FOUND = (answer(b"<p>no such fault", first="HTTP/1.1 404 Not Found"), Do.KEEP)
HEALTHY = (answer(b"<html><title>well</title><p>all is well</p></html>", "Connection: keep-alive"), Do.KEEP)
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
LINGER = struct.pack("ii", 1, 0)


class Asked(NamedTuple):
    """One request as the server saw it."""

    time: float
    host: str
    path: str


class Site:
    """Every host `*.DOOR.test` is behind the listener of that name; `healthy.http.test` does nothing wrong."""

    def __init__(self) -> None:
        self.ports: dict[str, int] = {}
        self.asked: list[Asked] = []
        self._folder = tempfile.TemporaryDirectory(prefix="opilio-site-")
        self.ca_file = str(Path(self._folder.name, "ca.pem"))
        self._named: WeakKeyDictionary[ssl.SSLObject, str] = WeakKeyDictionary()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(60), "the site did not come up"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()
        self._folder.cleanup()

    def port(self, host: str) -> int:
        """The port behind which a host is."""
        return self.ports.get(host.split(".")[-2] if host.endswith(".test") else "http", self.ports["http"])

    async def _main(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        doors: dict[str, ssl.SSLContext | None] = {"http": None, "raw": None, **contexts(Path(self.ca_file))}
        servers = [await self._listen(door, context) for door, context in doors.items()]
        with socket.socket() as mute:  # nobody listens, and nobody else can take the port
            mute.bind(("127.0.0.1", 0))
            self.ports["closed"] = mute.getsockname()[1]
            self._ready.set()
            await self._over.wait()
        for server in servers:
            server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _listen(self, door: str, context: ssl.SSLContext | None) -> asyncio.Server:
        if door == "http2" and context:
            context.sni_callback = self._note_name
        serve = partial(self._serve, door)
        server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context, limit=1 << 20)
        self.ports[door] = server.sockets[0].getsockname()[1]
        return server

    def _note_name(self, connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        self._named[connection] = (name or "").partition(".")[0]

    async def _serve(self, door: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                while await _play(await self._script(door, reader, writer), reader, writer):
                    pass
        except asyncio.CancelledError:
            pass  # the site closes
        finally:
            self._tasks.discard(task)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _script(self, door: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Script:
        """What is to be done for the next request."""
        if door == "raw":
            return CASES[_server_name(await reader.read(4096))].script
        if door == "http2":  # the path is packed, so the name in the TLS greeting has to do
            await reader.readexactly(len(PREFACE))
            return CASES[self._named.pop(writer.get_extra_info("ssl_object"))].script
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path = head.split(" ", 2)[1]
        host = head.lower().partition("\r\nhost:")[2].partition("\r\n")[0].strip()
        self.asked.append(Asked(time.time(), host, path))
        if host.startswith("healthy."):
            return HEALTHY if path != "/robots.txt" else NOT_FOUND
        found: Case | None = CASES.get(path.removeprefix("/"))
        return found.script if found else NOT_FOUND


async def _play(script: Script, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Do what the script says; whether the connection stays open for another request."""
    for step in script:
        match step:
            case bytes():
                writer.write(step)
                await writer.drain()
            case float():
                await asyncio.sleep(step)
            case Endless(piece, pause):
                await _without_end(piece, pause, writer)
            case Do.KEEP:
                return True
            case Do.RESET:
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER)
                writer.transport.abort()
            case Do.HALF_CLOSE:
                writer.write_eof()
                await reader.read()
            case Do.HANG:
                while await reader.read(65536):
                    pass
    return False


async def _without_end(piece: bytes, pause: float, writer: asyncio.StreamWriter) -> None:
    while not writer.is_closing():
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(pause)


def _server_name(hello: bytes) -> str:
    """The case that a TLS client hello names as its host."""
    return next(name for name, case in CASES.items() if case.door == "raw" and f"{name}.raw.test".encode() in hello)
