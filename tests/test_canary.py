"""Every spelling of a forbidden address, in every role in which one can come to a crawl: nobody visits the canary.

A carrier hands the addresses out: pages, redirects, robots.txt files and sitemaps on loopback, at the one address that the
guard of these crawls lets through. All else is the fetcher, the shard and the store as a crawl has them.
"""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

from opilio.fetchers.http.address_guard import Guard
from opilio.fetchers.http.client import Transport
from opilio.fetchers.http.dns import Place
from opilio.fetchers.http.settings import TransportSettings
from opilio.fetchers.live import MOST_SITEMAPS, Live, Manners
from opilio.fetchers.manners.pace import PaceSettings
from opilio.frontier.memory import MemoryFrontier
from opilio.loop import Limits, crawl
from opilio.nouns import Link, Offer
from opilio.report.refusals import kind
from opilio.shard import Shard
from opilio.store.reader import reading
from opilio.store.run import RunStore
from opilio.strategies.breadth_first import BreadthFirst
from opilio.synth.local_server import Response, port_of, serve
from opilio.urls import canonical

from .polite_web import MISSING, moved, page, text
from .test_guard import ADDRESSES, SPELLINGS, Canary, _at, listening

DOOR = "127.9.9.9"
HOME = "http://carrier.test/"
SITEMAP = "http://carrier.test/sitemap.xml"


class Ajar(Guard):
    """The guard, with one address more that may be connected to: the carrier's."""

    def address(self, address: str) -> str:
        return "" if address == DOOR else super().address(address)


class Carrier:
    """Says every spelling in every role; paths tell the roles apart."""

    def __init__(self, canary: Canary) -> None:
        self.canary, self.port = canary, 0

    def urls(self, role: str) -> list[str]:
        """The URLs as they are written."""
        return [
            f"http://{_at(spelling, self.canary.port)}/{role}/{number}" for number, spelling in enumerate(SPELLINGS)
        ]

    def named(self) -> list[str]:
        """Sitemaps that robots.txt names, as many as are read."""
        return [url for url in self.urls("sitemap") if url.isascii()][: MOST_SITEMAPS - 1]

    def answer(self, url: str) -> Response:
        if found := re.fullmatch(r"http://r(\d+)\.robots\.test/robots\.txt", url):
            return moved(self.urls("robots")[int(found[1])])
        if found := re.fullmatch(rf"{HOME}go/(\d+)", url):
            return moved(self.urls("redirect")[int(found[1])])
        if url == SITEMAP:
            entries = "".join(f"<url><loc>{html.escape(url)}</loc></url>" for url in self.urls("entry"))
            indexes = "".join(f"<sitemap><loc>{html.escape(url)}</loc></sitemap>" for url in self.urls("index"))
            return 200, {"Content-Type": "text/xml; charset=utf-8"}, f"<urlset>{entries}{indexes}</urlset>".encode()
        if url == f"{HOME}robots.txt":
            return text("\n".join(f"Sitemap: {url}" for url in [SITEMAP, *self.named()]))
        return self._home() if url == HOME else MISSING

    def _home(self) -> Response:
        own = [f"{HOME}go/{number}" for number in range(len(SPELLINGS))]
        return page("".join(f'<a href="{html.escape(url)}">x</a>' for url in [*own, *self.urls("link")]))

    async def resolve(self, host: str, port: int) -> Place:
        """Our own hosts are at the carrier, hosts of numbers at a forbidden address, all others at the canary."""
        if host.endswith("dns.test"):
            return Place((ADDRESSES[int(host.split(".")[0])],), self.canary.port)
        ours = host == "carrier.test" or host.endswith("robots.test")
        return Place((DOOR,), self.port) if ours else Place(("127.0.0.1", "::1"), self.canary.port)


@asynccontextmanager
async def carrying() -> AsyncIterator[tuple[Carrier, Live]]:
    async with listening() as canary:
        carrier = Carrier(canary)
        async with await serve(carrier.answer, address=DOOR) as server:
            carrier.port = port_of(server)
            ports = frozenset({80, 443, canary.port})
            transport = Transport(TransportSettings(ports=ports, resolve=carrier.resolve, connect_seconds=3))
            transport.guard = Ajar({"http", "https"}, ports)
            live = Live(transport, Manners(pace=PaceSettings(delay=0.0, slowness=0.0)))
            try:
                yield carrier, live
            finally:
                await live.close()
        await asyncio.sleep(0.05)  # who came last would be seen
    assert canary.visits == 0


def refusals(folder: Path, seeds: Callable[[Carrier], list[str]]) -> tuple[dict[str, str], dict[str, int], Carrier]:
    """What a crawl from these seeds was refused and why, and what it fetched with which status."""
    store = RunStore(folder)

    async def go() -> Carrier:
        async with carrying() as (carrier, live):
            strategy = BreadthFirst()
            shard = Shard(strategy, MemoryFrontier(strategy.weigh, strategy.merge), live, store, batch=50)
            shard.start(seeds(carrier))
            assert await crawl([shard], Limits(seconds=60)) == "nothing left to fetch"
            shard.commit()
        return carrier

    try:
        carrier = asyncio.run(go())
    finally:
        store.close()
    with closing(reading(folder)) as db:
        refused = dict(db.execute("SELECT url, reason FROM refusals"))
        return refused, dict(db.execute("SELECT url, status FROM pages")), carrier


def test_a_crawl_meets_them_as_seeds_links_redirects_and_in_sitemaps(tmp_path: Path) -> None:
    refused, fetched, carrier = refusals(
        tmp_path / "run", lambda carrier: [HOME, *filter(None, map(canonical, carrier.urls("seed")))]
    )
    for role in ("seed", "link", "redirect", "entry", "index", "sitemap"):
        written = carrier.named() if role == "sitemap" else carrier.urls(role)
        if role == "redirect":  # headers are ASCII; so are most spellings
            written = [url for url in written if url.isascii()]
        meant = {canonical(url) for url in written} - {""}
        assert len(meant) >= 60, role
        assert {
            url: reason for url in meant if not (reason := refused.get(url, "")).startswith("refused address")
        } == {}
    ours = [HOME, SITEMAP, *(f"{HOME}go/{number}" for number in range(len(SPELLINGS)))]
    assert sorted(fetched) == sorted(ours)
    assert {fetched[url] for url in ours[2:]} == {301}


def test_a_robots_file_that_redirects_to_them_forbids_its_host() -> None:
    async def errors() -> list[str]:
        async with carrying() as (_, live):
            urls = [f"http://r{number}.robots.test/" for number in range(len(SPELLINGS))]
            pages = await asyncio.gather(*(live.fetch(Offer(Link(url))) for url in urls))
            assert all(page.refused for page in pages)
            return [page.error for page in pages]

    found = asyncio.run(errors())
    ascii_only = [error for error, spelling in zip(found, SPELLINGS, strict=True) if spelling.isascii()]
    assert len(ascii_only) >= 60
    assert {error for error in ascii_only if not error.startswith("unreachable (refused address")} == set()
    assert "unreachable (refused address 10.0.0.1 (private use))" in map(kind, found)


def test_names_that_lead_to_them_are_not_visited() -> None:
    async def errors() -> list[str]:
        async with carrying() as (_, live):
            urls = [f"http://{number}.dns.test/" for number in range(len(ADDRESSES))]
            return [page.error for page in [await live.fetch(Offer(Link(url))) for url in urls]]

    assert [error for error in asyncio.run(errors()) if not error.startswith("refused address")] == []


def test_the_canary_sings() -> None:
    """The same crawl with loopback let through finds it: the tests above would have noticed."""

    async def visits() -> int:
        async with listening() as canary:
            ports = frozenset({canary.port})
            transport = Transport(TransportSettings(ports=ports, allow_loopback=True))
            await transport.get(f"http://127.0.0.1:{canary.port}/")
            await transport.close()
        return canary.visits

    assert asyncio.run(visits()) == 1
