"""A few hosts on one loopback server that notes when each of them was asked for what."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any, TypeAlias

import pytest

from opilio.fetchers.http.client import Answer, Transport
from opilio.fetchers.http.dns import fixed
from opilio.fetchers.http.settings import TransportSettings
from opilio.fetchers.live import Live, Manners
from opilio.fetchers.manners.pace import PaceSettings
from opilio.nouns import Link, Offer, Page
from opilio.synth.local_server import Response, port_of, serve

Says: TypeAlias = Callable[[str], Response]  # URL in
MISSING: Response = (404, {}, b"")
QUICK = PaceSettings(delay=0.0, slowness=0.0, backoff=0.05, max_rest=0.2)


def page(body: str = "", **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return 200, {"Content-Type": "text/html; charset=utf-8"} | named, f"<html><body>{body}</body></html>".encode()


def text(body: str) -> Response:
    return 200, {"Content-Type": "text/plain"}, body.encode()


def moved(to: str) -> Response:
    return 301, {"Location": to}, b""


class Served:
    """What a test says of URLs (a fixed answer, or a function), and what was asked for."""

    def __init__(self, pages: dict[str, Response] | Says) -> None:
        self._say: Says = pages if callable(pages) else lambda url: pages.get(url, MISSING)
        self.asked: list[tuple[float, str]] = []
        self.sent: list[tuple[float, str]] = []
        self.port = 0

    @property
    def urls(self) -> list[str]:
        return [url for _, url in self.asked]

    def gaps(self) -> dict[str, list[float]]:
        """Seconds between two requests, by host, where they are sent: some of them come to the server late."""
        times = defaultdict(list)
        for when, url in self.sent:
            times[url.split("/")[2]].append(when)
        return {host: [b - a for a, b in pairwise(seen)] for host, seen in times.items()}

    def answer(self, url: str) -> Response:
        self.asked.append((time.monotonic(), url))
        return self._say(url)


@asynccontextmanager
async def serving(served: Served) -> AsyncIterator[Served]:
    get = Transport.get

    def noted(self: Transport, url: str, headers: Mapping[str, str] | None = None) -> Coroutine[Any, Any, Answer]:
        served.sent.append((time.monotonic(), url))
        return get(self, url, headers)

    async with await serve(served.answer) as server:
        served.port = port_of(server)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Transport, "get", noted)
            yield served


def live(served: Served, manners: Manners | None = None, resumed: bool = False) -> Live:
    """A fetcher to which all hosts are on that server; it asks without any delay unless told."""
    settings = TransportSettings(
        user_agent="opilio/1", allow_loopback=True, resolve=fixed("127.0.0.1", served.port), first_byte_seconds=60.0
    )
    return Live(Transport(settings), manners or Manners(pace=QUICK), resumed)


def fetched(pages: dict[str, Response] | Says, *urls: str, manners: Manners | None = None) -> tuple[list[Page], Served]:
    """The pages of some URLs, one after the other."""
    served = Served(pages)

    async def go() -> list[Page]:
        async with serving(served):
            fetcher = live(served, manners)
            try:
                return [await fetcher.fetch(Offer(Link(url))) for url in urls]
            finally:
                await fetcher.close()

    return asyncio.run(go()), served
