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
from contextlib import closing, contextmanager, suppress
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
from opilio.html.language import detected
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
LIMIT = 3.0  # seconds for a request as a whole that would last for ever
PATIENCE = 60.0  # seconds for one that ends by itself: then no fault ends otherwise on a slow machine
GRACE = 2.0  # seconds more that a fetch may take
TURNS = 100  # of the loop, in which what came in time reaches whoever waits for it
MEMORY = 64  # megabytes more than before that a fetch may take
AT_ONCE = 24
HEALTHY = "http://healthy.http.test/"
SUITE = ROOT.parent / "shared" / "suites" / "http-bodies"
Got = TypeVar("Got")
SENTENCE = "Bees gather nectar from flowers and carry it home. "


class Served:
    """The site in a process of its own, so that its memory and its work are not ours."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        self.process, told = process, json.loads(process.stdout.readline())
        self.ports: dict[str, int] = told["ports"]
        self.ca_file: str = told["ca_file"]

    async def resolve(self, host: str, port: int) -> Place:
        return Place(("127.0.0.1",), self.ports.get(host.split(".")[-2], self.ports["http"]))

    def settings(self, seconds: float = LIMIT) -> TransportSettings:
        return TransportSettings(
            connect_seconds=seconds,
            first_byte_seconds=seconds / 2,
            total_seconds=seconds,
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


WAITING = [case for case in CASES.values() if any(error.startswith("timeout") for error in case.errors)]
QUICK = [case for case in CASES.values() if case not in WAITING]
GROUPS = {case.name: [case] for case in QUICK} | {"waiting": WAITING}


async def in_time(fetch: Awaitable[Got], seconds: float) -> tuple[Got, bool]:
    """What came, and whether it came before a timer of the same loop: when the machine stands still, both wait."""
    fetching = asyncio.ensure_future(fetch)
    await asyncio.wait([fetching], timeout=seconds)
    for _ in range(TURNS):
        await asyncio.sleep(0)
    return (await fetching, True) if fetching.done() else (await fetching, False)


async def each(cases: list[Case], transport: Transport, seconds: float) -> dict[str, tuple[Answer, bool]]:
    """What came of every case and whether it came in time, some at a time."""
    gate, found = asyncio.Semaphore(AT_ONCE), {}

    async def one(case: Case) -> None:
        async with gate:
            found[case.name] = await in_time(transport.get(case.url), seconds + GRACE)

    await asyncio.gather(*map(one, cases))
    await transport.close()
    return found


async def beside(transport: Transport, over: asyncio.Event) -> list[Answer]:
    """Ask a healthy host again and again while the others are being fetched."""
    found = []
    while not over.is_set():
        found.append(await transport.get(HEALTHY))
        await asyncio.sleep(0.05)
    await transport.close()
    return found


async def _all(site: Served) -> tuple[dict[str, tuple[Answer, bool]], list[Answer]]:
    over = asyncio.Event()
    healthy = asyncio.create_task(beside(Transport(site.settings(PATIENCE)), over))
    try:
        waiting, quick = await asyncio.gather(
            each(WAITING, Transport(site.settings()), LIMIT), each(QUICK, Transport(site.settings(PATIENCE)), PATIENCE)
        )
    finally:
        over.set()
        well = await healthy
    return waiting | quick, well


@pytest.fixture(scope="module")
def answers(site: Served) -> tuple[dict[str, tuple[Answer, bool]], list[Answer]]:
    return asyncio.run(_all(site))


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
    case, (answer, soon) = CASES[name], answers[0][name]
    assert soon
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
    assert len(healthy) > 3
    assert {(answer.status, answer.error) for answer in healthy} == {(200, "")}


def test_a_late_answer_is_noticed_and_one_in_time_is_not_missed() -> None:
    """Even where the loop stands still until long after the timer."""

    async def judged(loop_stands_still: bool, seconds: float) -> bool:
        loop = asyncio.get_running_loop()
        coming: asyncio.Future[str] = loop.create_future()
        loop.call_later(0.02, coming.set_result, "here")
        if loop_stands_still:
            loop.call_soon(time.sleep, 0.1)
        return (await in_time(coming, seconds))[1]

    assert asyncio.run(judged(True, 0.05))
    assert not asyncio.run(judged(False, 0.0))


def test_a_socket_that_keeps_curl_busy_is_shut() -> None:
    watch, (ours, theirs) = Watch(), socket.socketpair()
    with ours, theirs:
        theirs.setblocking(False)
        watch.call = (ours.fileno(), 100.0)
        watch.look(100.0 + LONGEST)
        with pytest.raises(BlockingIOError):
            theirs.recv(1)
        watch.look(100.0 + 1.01 * LONGEST)
        assert theirs.recv(1) == b""  # shut, though nobody closed it


def test_the_watch_looks_by_itself() -> None:
    watch, (ours, theirs) = Watch(), socket.socketpair()
    watch.start()
    with ours, theirs:
        theirs.setblocking(False)
        watch.begin(ours.fileno())
        time.sleep(2 * LONGEST)  # as on a machine that others keep busy
        with pytest.raises(BlockingIOError):
            theirs.recv(1)
        begun, closed = time.monotonic(), b"not yet"
        while closed and time.monotonic() - begun < 60:  # this is work
            with suppress(BlockingIOError):
                closed = theirs.recv(1)
        assert closed == b""
    watch.stop()


def test_an_answer_that_nobody_asked_for_is_not_taken_for_the_next(site: Served) -> None:
    async def twice(url: str) -> list[bytes]:
        transport = Transport(site.settings())
        bodies = [(await transport.get(url)).body for _ in range(3)]
        await transport.close()
        return bodies

    case = CASES["pipelined-answer"]
    assert asyncio.run(twice(case.url)) == [case.body] * 3


async def measured(settings: TransportSettings) -> dict[str, tuple[int, float]]:
    """The memory of each fault, in megabytes beyond what was there before, and its CPU seconds; reading included.

    One after the other; those that last until the time is over are fetched together, as "waiting": their memory is that of
    all of them, their work, with that of the server which keeps them waiting in it, the mean of one.
    """
    transport, found = Transport(settings), {}
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", lambda keep: 0)
    await transport.get(HEALTHY)
    detected(SENTENCE * 10)  # a model that is loaded once is not the work of a fault
    gc.collect()
    gc.freeze()  # what is there before need not be looked through each time
    for name, group in GROUPS.items():
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
    assert {name: size for name, (size, _) in found.items() if size > MEMORY} == {}
    assert {name: seconds for name, (_, seconds) in found.items() if seconds > GRACE} == {}


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
    """Would rather have the pages of the healthy host than any other, and of the others those that keep it waiting."""

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> list[Offer]:
        slow = {case.url for case in WAITING}
        return [Offer(link, 2.0 if link.url.startswith(HEALTHY) else float(link.url in slow)) for link in seeds]


DELAY, PAGES = 0.5, 10


@pytest.mark.slow
def test_a_healthy_host_keeps_its_pace_in_a_crawl_through_all_faults(site: Served, tmp_path: Path) -> None:
    assert asyncio.run(pages_alone(site, tmp_path)) <= 2 * PAGES


async def pages_alone(site: Served, folder: Path) -> int:
    """The pages of the healthy host in a crawl of it alone, when one through all faults in the same loop has PAGES of them."""
    beside, alone = HealthyCrawl(site, folder / "beside", CASES.values()), HealthyCrawl(site, folder / "alone")
    over = asyncio.create_task(alone.go(lambda: len(beside.came) >= PAGES))
    await beside.go(lambda: len(beside.came) >= PAGES)
    pages = len(alone.came)
    await over
    return pages


class HealthyCrawl:
    """A crawl of the healthy host and of these faults, a few at a time; robots.txt and the rest as in every crawl."""

    def __init__(self, site: Served, folder: Path, cases: Iterable[Case] = ()) -> None:
        # All hosts of the site are in one domain: what they share is not looked at here.
        pace = PaceSettings(delay=DELAY, slowness=0.0, backoff=0.1, max_rest=0.1, shared_delay=0.0)
        self.came: list[str] = []
        self._store, self._live = (
            RunStore(folder),
            Live(Transport(site.settings(PATIENCE)), Manners(sitemaps=False, pace=pace)),
        )
        strategy = HealthyFirst()
        frontier = MemoryFrontier(strategy.weigh, strategy.merge, DELAY, alone=True)
        self._shard = Shard(strategy, frontier, self._live, self._store, first_batches="small")
        self._shard.arrivals.on_page = self._note
        self._shard.start([*(f"{HEALTHY}{number}" for number in range(3 * PAGES)), *(case.url for case in cases)])

    def _note(self, page: Page) -> None:
        if page.url.startswith(HEALTHY):
            assert page.status == 200
            self.came.append(page.url)

    async def go(self, stop: Callable[[], bool]) -> None:
        try:
            assert await crawl([self._shard], Limits(seconds=120), stop=stop) == "interrupted"
        finally:
            await self._live.close()
            self._store.close()


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
