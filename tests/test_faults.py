"""Whatever a server does ends in time, in little memory, in a value; and nobody else notices.

The table of faults is in tests/site; docs/faults.md shows it.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import gzip
import json
import socket
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from opilio.fetchers.http.access import Access
from opilio.fetchers.http.client import Answer, Transport
from opilio.fetchers.http.dns import Place
from opilio.fetchers.http.settings import TransportSettings
from opilio.fetchers.http.watchdog import LONGEST, Watch
from opilio.fetchers.live import Live, Manners
from opilio.fetchers.manners.pace import PaceSettings
from opilio.fetchers.to_page import answered
from opilio.frontier.memory import MemoryFrontier
from opilio.html.sitemap import MOST_ENTRIES, Sitemap
from opilio.loop import Limits, crawl
from opilio.nouns import Link, Offer, Page
from opilio.shard import Shard
from opilio.store.reader import reading
from opilio.store.run import RunStore
from opilio.strategies.breadth_first import BreadthFirst

from .site.case import Case
from .site.table import CASES, markdown
from .test_archive import checked

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
LIMIT = 3.0  # seconds for a request as a whole
GRACE = 2.0  # seconds more that a fetch may take
MEMORY = 64  # megabytes more than before that a fetch may take
AT_ONCE = 24
HEALTHY = "http://healthy.http.test/"
SUITE = ROOT.parent / "shared" / "suites" / "http-bodies"
Got = TypeVar("Got")


class Served:
    """The site in a process of its own, so that its memory and its work are not ours."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        self.process, told = process, json.loads(process.stdout.readline())
        self.ports: dict[str, int] = told["ports"]
        self.ca_file: str = told["ca_file"]

    async def resolve(self, host: str, port: int) -> Place:
        return Place(("127.0.0.1",), self.ports.get(host.split(".")[-2], self.ports["http"]))

    def settings(self) -> TransportSettings:
        return TransportSettings(
            connect_seconds=LIMIT,
            first_byte_seconds=LIMIT / 2,
            total_seconds=LIMIT,
            connections=2 * AT_ONCE,
            allow_loopback=True,
            access=Access(certificates=self.ca_file),
            resolve=self.resolve,
        )


@contextmanager
def serving() -> Iterator[Served]:
    words = [sys.executable, "-m", "tests.site"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield Served(process)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def site() -> Iterator[Served]:
    with serving() as served:
        yield served


async def each(cases: list[Case], fetch: Callable[[Case], Awaitable[Got]]) -> dict[str, tuple[Got, float]]:
    """What came of every case and how many seconds it took, some at a time."""
    gate, found = asyncio.Semaphore(AT_ONCE), {}

    async def one(case: Case) -> None:
        async with gate:
            begun = time.monotonic()
            result = await fetch(case)
            found[case.name] = result, time.monotonic() - begun

    await asyncio.gather(*map(one, cases))
    return found


async def beside(fetch: Callable[[], Awaitable[Answer]], over: asyncio.Event) -> list[tuple[Answer, float]]:
    """Ask a healthy host again and again while the others are being fetched."""
    found = []
    while not over.is_set():
        begun = time.monotonic()
        found.append((await fetch(), time.monotonic() - begun))
        await asyncio.sleep(0.05)
    return found


async def _all(site: Served) -> tuple[dict[str, tuple[Answer, float]], list[tuple[Answer, float]]]:
    transport, over = Transport(site.settings()), asyncio.Event()
    healthy = asyncio.create_task(beside(lambda: transport.get(HEALTHY), over))
    try:
        found = await each(list(CASES.values()), lambda case: transport.get(case.url))
    finally:
        over.set()
        well = await healthy
        await transport.close()
    return found, well


@pytest.fixture(scope="module")
def answers(site: Served) -> tuple[dict[str, tuple[Answer, float]], list[tuple[Answer, float]]]:
    """All of it again when something came late: the machine may have stood still."""
    for _ in range(3):
        found, well = asyncio.run(_all(site))
        if all(seconds <= LIMIT + GRACE for _, seconds in found.values()) and all(s < LIMIT for _, s in well):
            break
    return found, well


def read(case: Case, answer: Answer) -> Page:
    page = answered(Offer(Link(case.url)), answer.status, answer.headers, answer.body)
    assert isinstance(page.title + page.text + page.main + page.language, str)
    assert len(page.links) + len(page.paths) >= 0
    return page


def test_there_are_many() -> None:
    assert len(CASES) >= 150
    wanted = {
        "drip", "drop", "huge", "bomb-gzip", "bomb-brotli", "bomb-zstd", "lying-length-short", "lying-length-long",
        "endless-headers", "many-headers", "loop", "ping-pong", "chain-7", "429", "503-date", "503-seconds", "bad-chunk",
        "reset", "half-close", "nul-header", "slow-tls", "self-signed", "expired", "wrong-host", "http-0.9", "1xx-flood",
        "204-with-body", "304-unasked", "cookie-flood", "title-10mb", "nested-divs", "links-100000", "length-twice",
    }  # fmt: skip
    assert wanted <= set(CASES)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_fault_ends_as_it_must(answers: Any, name: str) -> None:
    case, (answer, seconds) = CASES[name], answers[0][name]
    assert seconds <= LIMIT + GRACE
    assert answer.status in case.statuses
    assert any(answer.error.startswith(error) if error else not answer.error for error in case.errors), answer.error
    assert answer.status or answer.error
    if case.body is not None:
        assert answer.body == case.body
    if answer.status and not answer.error:
        page = read(case, answer)
        assert case.location in (None, page.location)


@pytest.mark.slow
def test_a_healthy_host_does_not_notice(answers: Any) -> None:
    _, healthy = answers
    assert len(healthy) > 10
    assert {(answer.status, answer.error) for answer, _ in healthy} == {(200, "")}
    assert max(seconds for _, seconds in healthy) < LIMIT


def test_a_socket_that_keeps_curl_busy_is_shut() -> None:
    times = [_until_shut() for _ in range(3)]
    assert min(times) > LONGEST
    assert min(times) < LIMIT  # while others still have time; but the machine may have stood still


def _until_shut() -> float:
    watch, (ours, theirs) = Watch(), socket.socketpair()
    theirs.settimeout(60)
    watch.start()
    with ours, theirs:
        begun = time.monotonic()
        watch.call = (ours.fileno(), begun)
        assert theirs.recv(1) == b""  # shut, though nobody closed it
        taken = time.monotonic() - begun
    watch.stop()
    return taken


def test_an_answer_that_nobody_asked_for_is_not_taken_for_the_next(site: Served) -> None:
    async def twice(url: str) -> list[bytes]:
        transport = Transport(site.settings())
        bodies = [(await transport.get(url)).body for _ in range(3)]
        await transport.close()
        return bodies

    case = CASES["pipelined-answer"]
    assert asyncio.run(twice(case.url)) == [case.body] * 3


WAITING = [case for case in CASES.values() if any(error.startswith("timeout") for error in case.errors)]
QUICK = [case for case in CASES.values() if case not in WAITING]


GROUPS = {case.name: [case] for case in QUICK} | {"waiting": WAITING}


async def measured(settings: TransportSettings, names: Iterable[str] = GROUPS) -> dict[str, tuple[int, float]]:
    """The memory of each fault, in megabytes beyond what was there before, and its CPU seconds; reading included.

    One after the other; those that last until the time is over are fetched together, as "waiting": their memory is that of
    all of them, their work, with that of the server which keeps them waiting in it, the mean of one.
    """
    transport, found = Transport(settings), {}
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", lambda keep: 0)
    await transport.get(HEALTHY)
    gc.collect()
    gc.freeze()  # what is there before need not be looked through each time
    for name in names:
        group = GROUPS[name]
        gc.collect()
        give_back(0)  # what others took and left must not hide what this one takes
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts afresh
        before, begun = memory("VmRSS"), time.process_time()
        await asyncio.gather(*(fetched_and_read(transport, case) for case in group))
        found[name] = memory("VmHWM") - before, (time.process_time() - begun) / len(group)
    gc.unfreeze()
    await transport.close()
    return found


@pytest.mark.slow
def test_no_fault_takes_much_memory_or_work(site: Served) -> None:
    """Those that wait take less memory together than one may."""
    found = asyncio.run(measured(site.settings()))
    assert len(found) == len(QUICK) + 1 > 150
    much = [name for name, (size, seconds) in found.items() if size > MEMORY or seconds > GRACE]
    again = asyncio.run(
        measured(site.settings(), much)
    )  # other work on the machine, in the same buffers, does not strike twice
    assert {name: size for name, (size, _) in again.items() if size > MEMORY} == {}
    assert {name: seconds for name, (_, seconds) in again.items() if seconds > GRACE} == {}


SITEMAPS = {
    "one long entry": b"<urlset><url><loc>" + b"a" * (60 << 20),
    "entries without end": b"<urlset>" + b"<url>" * (10 << 20),
    "the same entry": "<url><loc>http://a.test/\u20ac".encode() * (1 << 18),
    "sections never closed": b"<urlset><url>" + b"<loc><![CDATA[" * (1 << 20),
    "sections closed before they begin": (b"<url>]]>" + b"<loc><![CDATA[" * 1400) * 100,
    "as many lines as fit": b"".join(b"http://a.test/%d\n" % number for number in range(250_000)),
    "tags that never end": b"<" + b"<a-a-a-a-a-a-a" * (1 << 19),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SITEMAPS)
def test_no_sitemap_takes_much_memory_or_work(name: str) -> None:
    packed, begun = gzip.compress(SITEMAPS[name], 1), time.process_time()
    assert len(Sitemap(packed, "http://a.test/s.xml.gz").links) <= MOST_ENTRIES
    assert time.process_time() - begun < GRACE
    tracemalloc.start()
    try:
        assert len(Sitemap(packed, "http://a.test/s.xml.gz").links) <= MOST_ENTRIES
        assert tracemalloc.get_traced_memory()[1] < MEMORY << 20
    finally:
        tracemalloc.stop()


async def fetched_and_read(transport: Transport, case: Case) -> None:
    answer = await transport.get(case.url)
    if answer.status and not answer.error:
        read(case, answer)


def memory(kind: str) -> int:
    """Megabytes of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith(kind))


@pytest.mark.slow
def test_a_crawl_through_all_faults_leaves_a_sound_archive(site: Served, tmp_path: Path) -> None:
    """The live fetcher, the shard and the store, with every fault as a seed."""
    cases = [case for case in CASES.values() if not case.errors[0].startswith("timeout")]
    manners = Manners(sitemaps=False, pace=PaceSettings(delay=0.0, backoff=0.01, max_rest=0.01))
    store = RunStore(tmp_path)

    async def go() -> str:
        live = Live(Transport(site.settings()), manners)
        strategy = Silent()
        frontier = MemoryFrontier(strategy.weigh, strategy.merge)
        shard = Shard(strategy, frontier, live, store, batch=AT_ONCE)
        shard.start([case.url for case in cases])
        try:
            return await crawl([shard], Limits(seconds=120))
        finally:
            await live.close()

    why = asyncio.run(go())
    store.close()
    assert why == "nothing left to fetch"
    with closing(reading(tmp_path)) as db:
        seen = {url for (url,) in db.execute("SELECT url FROM pages UNION SELECT url FROM refusals")}
        refused = dict(db.execute("SELECT url, reason FROM refusals"))
    assert {case.url for case in cases} <= seen
    assert {"http://10.0.0.1/", "http://169.254.169.254/latest/", "http://other.test:22/"} <= set(refused)
    assert checked(tmp_path, payloads=False) > len(cases)  # heads of 50 KB are beyond what one of the readers takes


class Silent(BreadthFirst):
    """Fetches the seeds and where they redirect to, and no link."""

    def observe(self, page: Page) -> Iterator[Any]:
        return iter(())


class HealthyFirst(Silent):
    """Would rather have the pages of the healthy host than any other."""

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> list[Offer]:
        return [Offer(link, float(link.url.startswith(HEALTHY))) for link in seeds]


@pytest.mark.slow
def test_a_healthy_host_keeps_its_pace_in_a_crawl_through_all_faults(site: Served, tmp_path: Path) -> None:
    """Its pages each second, beside all faults and alone; robots.txt and the rest as in every crawl."""
    for attempt in range(3):  # the machine may have stood still
        alone = pace(site, tmp_path / f"alone-{attempt}", [])
        beside = pace(site, tmp_path / f"beside-{attempt}", list(CASES.values()))
        if alone > 0.9 / DELAY and beside > 0.5 * alone:
            break
    assert alone > 0.9 / DELAY
    assert beside > 0.5 * alone


DELAY, PAGES = 0.5, 10


def pace(site: Served, folder: Path, cases: list[Case]) -> float:
    """Pages of the healthy host each second, in a crawl from all of these that is over when they are there."""
    # All hosts of the site are in one domain: what they share is not looked at here.
    manners = Manners(
        sitemaps=False, pace=PaceSettings(delay=DELAY, slowness=0.0, backoff=0.1, max_rest=0.1, shared_delay=0.0)
    )
    healthy = [f"{HEALTHY}{number}" for number in range(PAGES)]
    store = RunStore(folder)

    def times() -> list[float]:
        query = "SELECT time FROM pages WHERE url LIKE ? ORDER BY time"
        return [time for (time,) in store.db.execute(query, (f"{HEALTHY}%",))]

    async def go() -> str:
        live, strategy = Live(Transport(site.settings()), manners), HealthyFirst()
        shard = Shard(strategy, MemoryFrontier(strategy.weigh, strategy.merge, DELAY, alone=True), live, store)
        shard.start([*healthy, *(case.url for case in cases)])
        try:
            return await crawl([shard], Limits(seconds=120), stop=lambda: len(times()) == PAGES)
        finally:
            await live.close()

    assert asyncio.run(go()) == "interrupted"
    seen = times()
    store.close()
    return (PAGES - 1) / (seen[-1] - seen[0])


def test_the_table_is_in_the_docs() -> None:
    text = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    assert "\n".join(markdown()) in text, (
        "docs/faults.md is out of date; `python -m tests.site --table` prints the table"
    )


@pytest.mark.skipif(not SUITE.is_dir(), reason=f"the bodies of others are not at {SUITE}")
@pytest.mark.parametrize("path", sorted(SUITE.glob("bomb-*.bin")) if SUITE.is_dir() else [], ids=lambda path: path.stem)
def test_bombs_of_others_are_cut(path: Path) -> None:
    from opilio.http_message import decoded

    coding = path.stem.removeprefix("bomb-")
    assert len(decoded(path.read_bytes(), {"content-encoding": coding}, 1_000_000)) == 1_000_000
