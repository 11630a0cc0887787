"""CPU time of one request over loopback: 20 KB pages, connections kept open, 32 requests in flight at a time.

    python -m benchmarks.fetch [--requests N] [--at-once N] [--bytes N] [--tls] [--gzip]

The server is a process of its own, so that only the client's time is counted: `time.process_time`, user and system. The
line "bare" is the same client library without limits, guard and record of the wire: what the transport adds to it is the
difference.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import multiprocessing
import os
import ssl
import tempfile
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from pathlib import Path

import pycurl
import trustme

from opilio.fetchers.http.access import Access
from opilio.fetchers.http.client import Transport
from opilio.fetchers.http.dns import fixed
from opilio.fetchers.http.settings import TransportSettings

WARM_UP = 320
Get = Callable[[str], Awaitable[bytes]]


class Fixed(asyncio.Protocol):
    """Says the same to every request, and costs as little as it can."""

    def __init__(self, said: bytes) -> None:
        self._said = said

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._transport.write(self._said * data.count(b"\r\n\r\n"))


def _serve(said: bytes, tls: ssl.SSLContext | None, ready: Connection) -> None:
    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(lambda: Fixed(said), "127.0.0.1", 0, ssl=tls)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def _said(size: int, packed: bool) -> bytes:
    words = b" ".join(b"word%d" % (n * n % 9973) for n in range(size))[:size]
    body, field = (gzip.compress(words), "Content-Encoding: gzip\r\n") if packed else (words, "")
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{field}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def _spent(get: Get, scheme: str, requests: int, at_once: int) -> float:
    """CPU seconds of this many requests, spread over as many hosts as are asked at once."""

    async def some(number: int, count: int) -> None:
        for page in range(count):
            assert await get(f"{scheme}://host{number}.example/page/{page}")

    await asyncio.gather(*(some(number, WARM_UP // at_once) for number in range(at_once)))
    begun = time.process_time()
    await asyncio.gather(*(some(number, requests // at_once) for number in range(at_once)))
    return (time.process_time() - begun) / (requests // at_once * at_once)


async def _ours(port: int, scheme: str, ca_file: str, requests: int, at_once: int) -> float:
    settings = TransportSettings(
        allow_loopback=True, resolve=fixed("127.0.0.1", port), access=Access(certificates=ca_file)
    )
    transport = Transport(settings)

    async def get(url: str) -> bytes:
        return (await transport.get(url)).body

    spent = await _spent(get, scheme, requests, at_once)
    await transport.close()
    return spent


async def _bare(port: int, scheme: str, ca_file: str, requests: int, at_once: int) -> float:
    multi = pycurl.AsyncCurlMulti()
    spare: list[pycurl.Curl] = []

    async def get(url: str) -> bytes:
        curl, body = spare.pop() if spare else pycurl.Curl(), list[bytes]()
        curl.setopt(pycurl.URL, url)
        curl.setopt(pycurl.CONNECT_TO, [f"::127.0.0.1:{port}"])
        curl.setopt(pycurl.ACCEPT_ENCODING, "gzip")
        curl.setopt(pycurl.BUFFERSIZE, 1 << 17)
        curl.setopt(pycurl.WRITEFUNCTION, body.append)
        if ca_file:
            curl.setopt(pycurl.CAINFO, ca_file)
        await multi.perform(curl)
        spare.append(curl)
        return b"".join(body)

    spent = await _spent(get, scheme, requests, at_once)
    await multi.aclose()
    return spent


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--requests", type=int, default=16_000)
    parser.add_argument("--at-once", type=int, default=32)
    parser.add_argument("--bytes", type=int, default=20_000)
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--gzip", action="store_true")
    return parser.parse_args()


def _tls(hosts: int, folder: Path) -> tuple[ssl.SSLContext, str]:
    authority, context = trustme.CA(), ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(*(f"host{number}.example" for number in range(hosts))).configure_cert(context)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    return context, str(folder / "ca.pem")


def main() -> None:
    options = _options()
    said = _said(options.bytes, options.gzip)
    with tempfile.TemporaryDirectory() as folder:
        tls, ca_file = _tls(options.at_once, Path(folder)) if options.tls else (None, "")
        here, there = multiprocessing.Pipe()
        server = multiprocessing.get_context("fork").Process(target=_serve, args=(said, tls, there), daemon=True)
        server.start()
        place = (here.recv(), "https" if options.tls else "http", ca_file, options.requests, options.at_once)
        print(
            f"{options.requests} requests of {options.bytes} bytes, {options.at_once} at once, {os.cpu_count()} cores"
        )
        for name, run in (("bare", _bare), ("opilio", _ours)):
            print(f"{name:8} {asyncio.run(run(*place)) * 1e6:6.0f} µs CPU a request")
        server.terminate()
        server.join()


if __name__ == "__main__":
    main()
