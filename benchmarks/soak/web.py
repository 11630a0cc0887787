"""The web that a soak crawls, on one port of loopback: a synthetic web of healthy sites, and every fault of tests/site.

`python -m benchmarks.soak.web PAGES PACE` serves it and prints, as JSON, what a crawl has to know of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from zlib import crc32

from tests.site.server import LINGER
from tests.site.table import CASES
from tests.test_faults import serving

from benchmarks.crash import finite, seeds
from opilio.synth.local_server import Response, port_of, serve

ROOT = Path(__file__).parents[2]
FAULTS = list(CASES.values())
CHANGING = 4  # one page in this many says something new at each visit
EDITIONS = 1000  # then it says what it said first
PIECE = 1 << 16  # bytes
PAUSE = 1 / 32  # seconds after each piece of a fault: a flood fills 2 MB a second, and leaves the machine to the crawl
_FAULT = re.compile(rb"[a-z0-9.-]+\.([a-z0-9-]+)\.test\b", re.IGNORECASE)


class Healthy:
    """The synthetic web without its endless part; one page in four changes with every visit, and each links to a fault."""

    def __init__(self, pages: int) -> None:
        self.web = finite(pages, 11)
        self._visits: Counter[str] = Counter()

    def answer(self, url: str) -> Response:
        status, headers, body = self.web.answer(url)
        if status != 200 or url.endswith("/robots.txt"):
            return status, headers, body
        number = crc32(url.encode())
        fault = FAULTS[number % len(FAULTS)]
        if number % CHANGING == 0:
            self._visits[url] += 1
            body += b"<p>Edition %d.</p>" % (self._visits[url] % EDITIONS)
        return status, headers, body + f'<p><a href="{fault.url}">{fault.name}</a></p>'.encode()


class Switch:
    """Hands each connection on to the server that its first bytes ask for, by the Host header or the name in the TLS hello."""

    def __init__(self, healthy: int, faults: dict[str, int], pace: float) -> None:
        self._healthy, self._faults, self._pace = healthy, faults, pace
        self._next = 0.0  # when the next request may go through

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            first = await reader.read(PIECE)
            found = _FAULT.search(first)
            port = self._faults.get(found[1].decode().lower()) if found else None
            back, on = await asyncio.open_connection("127.0.0.1", port or self._healthy)
            await asyncio.gather(
                self._forward(first, reader, on, every=port is None), _hand(back, writer, PAUSE if port else 0.0)
            )
        writer.close()

    async def _forward(
        self, piece: bytes, reader: asyncio.StreamReader, on: asyncio.StreamWriter, *, every: bool
    ) -> None:
        """What the client says: every piece in its turn where it is a request, the first one alone where TLS speaks."""
        paced = True
        with suppress(OSError):
            while piece:
                if paced:
                    await self._turn()
                on.write(piece)
                await on.drain()
                piece, paced = await reader.read(PIECE), every
        on.close()

    async def _turn(self) -> None:
        """Wait until it is this request's turn: this many a second, evenly."""
        if self._pace:
            self._next = max(self._next + 1 / self._pace, time.monotonic())
            await asyncio.sleep(self._next - time.monotonic())


async def _hand(back: asyncio.StreamReader, writer: asyncio.StreamWriter, pause: float) -> None:
    """What the server says, up to its end, which may be a reset."""
    try:
        while piece := await back.read(PIECE):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)
        writer.close()
    except OSError:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER)
        writer.transport.abort()


async def _serve(pages: int, pace: float) -> None:
    healthy = Healthy(pages)
    with serving() as faults:
        async with await serve(healthy.answer) as server:
            switch = Switch(port_of(server), faults.ports, pace)
            async with await asyncio.start_server(switch.connected, "127.0.0.1", 0, backlog=512) as front:
                told = {"port": port_of(front), "ca_file": faults.ca_file, "seeds": seeds(healthy.web)}
                print(json.dumps(told), flush=True)
                await front.serve_forever()


@contextmanager
def served(pages: int, pace: float) -> Iterator[dict[str, Any]]:
    """Serve it from a process of its own; what a crawl has to know of it."""
    words = [sys.executable, "-m", "benchmarks.soak.web", str(pages), str(pace)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        words, cwd=ROOT, start_new_session=True, stdout=subprocess.PIPE, stderr=quiet, text=True
    ) as process:
        assert process.stdout
        try:
            yield json.loads(process.stdout.readline())
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # the faults are a process of their own


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), float(sys.argv[2])))
