"""Hosts that share an address or a registrable domain are asked one after the other, in one process or several."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Collection, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks.polite import share_an_address

from opilio.fetchers.http.client import Transport
from opilio.fetchers.http.dns import Place, Resolve, fixed
from opilio.fetchers.http.settings import TransportSettings
from opilio.fetchers.live import Live, Manners
from opilio.fetchers.manners.pace import Pace, PaceSettings
from opilio.fetchers.manners.shared_pace import Shared, _place, clear
from opilio.frontier.memory import MemoryFrontier
from opilio.loop import Limits, crawl
from opilio.shard import Shard
from opilio.store.memory import MemoryStore
from opilio.store.reader import reading
from opilio.strategies.breadth_first import BreadthFirst

from .polite_web import Served, page, serving

DELAY = 0.1
PACE = PaceSettings(delay=DELAY, slowness=0.0)


def at(port: int) -> Resolve:
    """A resolver for names of servers that share one address, as a hoster's do."""

    async def resolve(host: str, asked: int) -> Place:
        return Place(("127.0.0.1",), port)

    return resolve


class Noted(Shared):
    """Notes until when each request took what it shares: a clock that is read again may have stood still in between."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[float] = []

    def take(self, names: Collection[str], seconds: float) -> float:
        wait = super().take(names, seconds)
        if wait <= 0:
            self.times.append(max(self._free[_place(name)] for name in names))
        return wait


def crawled(hosts: Sequence[str], chosen: bool) -> tuple[list[str], list[float]]:
    """Two pages of each host, by a crawl that could ask all hosts at once; and when each request was let through."""
    shared = Noted()
    served = Served(lambda url: page('<a href="/1">x</a>'))

    async def go() -> None:
        async with serving(served):
            resolve = fixed("127.0.0.1", served.port) if chosen else at(served.port)
            settings = TransportSettings(allow_loopback=True, resolve=resolve)
            live = Live(Transport(settings), Manners(frozenset(), pace=PACE), shared=shared)
            strategy, store = BreadthFirst(), MemoryStore()
            shard = Shard(strategy, MemoryFrontier(strategy.weigh, "max", DELAY, alone=True), live, store)
            shard.start([f"http://{host}/0" for host in hosts])
            try:
                await crawl([shard], Limits(pages=2 * len(hosts)))
            finally:
                await live.close()

    asyncio.run(go())
    return served.urls, shared.times


SITES = [f"site{n}.test" for n in range(8)]
NAMES = [f"www{n}.site.test" for n in range(8)]


@pytest.mark.parametrize(("hosts", "chosen"), [(SITES, False), (NAMES, True)])
def test_what_shares_an_address_or_a_site_has_one_delay(hosts: Sequence[str], chosen: bool) -> None:
    urls, times = crawled(hosts, chosen)
    assert sorted(urls) == sorted(f"http://{host}/{n}" for host in hosts for n in range(2))
    assert len(times) == len(urls)
    assert min(after - before for before, after in pairwise(times)) > 0.99 * DELAY


def test_names_that_the_user_sends_to_one_server_do_not_share_it() -> None:
    async def addresses(resolve: Resolve, url: str) -> tuple[str, ...]:
        transport = Transport(TransportSettings(resolve=resolve))
        found = await transport.addresses(url)
        await transport.close()
        return found

    assert asyncio.run(addresses(at(80), "http://a.test/")) == ("127.0.0.1",)
    assert asyncio.run(addresses(at(80), "http://192.0.2.1/")) == ("192.0.2.1",)
    assert asyncio.run(addresses(fixed("127.0.0.1", 80), "http://a.test/")) == ()


def test_one_waits_and_the_others_are_sent_away_for_different_times() -> None:
    async def sent_away() -> list[float]:
        pace = Pace(PACE._replace(delay=100.0))
        assert pace.crowded({"x"}) == 0
        await pace._take({"x"})
        assert pace.crowded({"x"}) == 0  # nobody waits yet
        first = asyncio.create_task(pace._take({"x"}))
        await asyncio.sleep(0)
        found = [pace.crowded({"x", "y"}) for _ in range(3)]
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        assert pace.crowded({"x"}) == 0
        return found

    first, second, third = asyncio.run(sent_away())
    assert 100 < first < second < third < 400


def test_processes_share_what_is_taken(tmp_path: Path) -> None:
    file = clear(tmp_path / "shared")
    script = "from opilio.fetchers.manners.shared_pace import *\n"
    script += f"print(Shared(Path({str(file)!r})).take({{'a', 'b'}}, 1000) <= 0)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "True\n"
    mine = Shared(file)
    assert mine.take({"b", "c"}, 10.0) > 900
    assert mine.take({"c"}, 10.0) <= 0
    assert mine.take({"c"}, 10.0) > 9
    fresh = Shared(clear(file))
    assert fresh.take({"b"}, 10.0) <= 0
    mine.close()
    fresh.close()


@pytest.mark.slow
def test_two_processes_keep_one_delay_for_an_address(tmp_path: Path) -> None:
    """Whoever measures at the server sees some requests late: the first and the last tell, not each pair."""
    server = share_an_address(tmp_path / "run", 6, DELAY, 12)
    asked, mean, _ = server.span()
    with closing(reading(tmp_path / "run")) as db:
        assert min(part.execute("SELECT count(*) FROM pages").fetchone()[0] for part in db.shards) > 0
    assert len(server.times) > 2
    assert asked >= 12
    assert mean * (asked - 1) > asked - 2
