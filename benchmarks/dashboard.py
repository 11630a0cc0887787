"""What the dashboard costs.

python -m benchmarks.dashboard [PAGES]          a run of 100,000 pages: how long every page of the dashboard takes
python -m benchmarks.dashboard watch [PAGES]    a crawl at full speed, watched by turns: CPU for each page, pages a second
python -m benchmarks.dashboard paced [TURNS]    the same of a crawl that waits for its hosts
"""

from __future__ import annotations

import asyncio
import http.client
import multiprocessing
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import uvicorn

from benchmarks import speed_web
from benchmarks.quick_web import QuickWeb
from opilio.config import Config
from opilio.engine.run_folder import note
from opilio.errors import UnreadableError
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.nouns import Lane, Link, Offer, Weight
from opilio.report.search import update
from opilio.store.reader import reading
from opilio.store.run import RunStore
from opilio.store.warc_records import response_record
from opilio.synth.corpus import write
from opilio.synth.local_server import Response, port_of, serve
from opilio.synth.web import Web
from opilio.web.app import application
from opilio.web.listening import bound

PAGES, SITES, STORED = 100_000, 5000, 400
OPEN = 3  # URLs that wait for each page fetched
TRIES = 40  # requests of each kind
WATCHERS = 10
TOKEN = "for the benchmark"
TURN = 1.5  # seconds of a turn
DELAY, PACED, TURNS = 2.0, 8.0, 24  # seconds between requests to a host, and of a turn of a paced crawl; turns of it
STEADY = 500  # pages after which a crawl is at its pace
ENDLESS = 10**6  # pages of the web that a paced crawl is in: more than it can fetch


def make(folder: Path, pages: int) -> None:
    """A run folder with this many pages that look like those of a crawl, and a frontier to match."""
    web = Web(2000, 1)
    with closing(RunStore(folder)) as store:
        places = [
            store.archive.append(
                response_record(url, 200, {"Content-Type": "text/html"}, web.answer(url)[2], "2026-01-01T00:00:00Z")
            )
            for url in islice(web.urls(), STORED)
        ]
        columns = [name for _, name, *_ in store.db.execute("PRAGMA table_info(pages)")]
        marks = ", ".join("?" * len(columns))
        store.db.executemany(f"INSERT INTO pages VALUES ({marks})", rows(pages, columns, places))
        frontier = DiskFrontier(store.db, weigh, "max")
        for first in range(0, OPEN * pages, 1000):
            frontier.offer(map(offer, range(first, first + 1000)))
        store.pages = pages
        store.commit({})
    (folder / "config.toml").write_text(Config(corpus="made up", topic="bees", max_pages=2 * pages).toml())
    note(folder, version="", started="2026-01-01T00:00:00Z", stopped="2026-01-01T01:00:00Z", why="page limit reached")


def rows(pages: int, columns: list[str], places: list[Any]) -> Iterator[tuple[Any, ...]]:
    for number in range(1, pages + 1):
        host, place = f"http://www.site{number * number % SITES}.example", places[number % len(places)]
        known = {
            "number": number, "url": f"{host}/{number % 97}/page-{number}.html", "status": 200,
            "error": "" if number % 50 else "http 404", "time": 1.7e9 + number / 50, "bytes": 20_000, "mime": "text/html",
            "title": f"The page of the number {number}, about bees and honey, and how to keep them",
            "language": ("en", "de", "ja")[number % 100 // 45], "relevance": (number * 7919 % 1000) / 1000,
            "genre": "blog" if number % 20_000 == 0 else "news", "page_type": str(number % 7), "fingerprint": number,
            "duplicate_group": number, "location": "", "source": f"http://www.site{number % SITES}.example/",
            "anchor": f"bees of number {number}", "path": "html/body/div.main/div.content/ul.recent/li/a",
            "lane": '["path html/body/div/a", "host www.site.example"]', "value": 0.5, "shift": 0.0, "scale": 0.7,
            "note": "[0.25, 0.75]", "hops": 0, "digest": f"sha1:{number:032}",
            "file": place.file, "offset": place.offset, "length": place.length,
        }  # fmt: skip
        yield tuple(known.get(name) for name in columns)


def offer(number: int) -> Offer:
    link = Link(
        f"http://www.site{number * 31 % SITES}.example/open/{number}.html", "http://a.example/", f"open page {number}"
    )
    return Offer(link, (number * 7919 % 1000) / 1000, (f"path {number % 40}", f"host {number * 31 % SITES % 50}"))


def weigh(lane: Lane) -> Weight:
    return Weight(0.0, (len(lane[0]) + int(lane[1].rpartition(" ")[2])) / 100)


def paths(pages: int) -> dict[str, str]:
    """Every page of the dashboard, with the ways to ask that cost most."""
    fetched = quote(f"http://www.site{pages * pages % SITES}.example/{pages % 97}/page-{pages}.html", safe="")
    waiting = quote(offer(7).link.url, safe="")
    run, found = "/runs/run", "/runs/run/pages"
    return {
        "runs": "/runs", "live": run, "live, drawing": f"{run}/drawing/0.svg",
        "pages": found, "pages, half way": f"{found}?after={quote(f'[{pages // 2}, {pages // 2}]')}",
        "pages, most relevant": f"{found}?order=relevance",
        "pages, relevant half way": f"{found}?order=relevance&after={quote(f'[0.5, {pages // 2}]')}",
        "pages, of a site": f"{found}?site=site4.example", "pages, of a rare genre": f"{found}?genre=blog",
        "pages, of no site": f"{found}?site=nowhere.example", "pages, errors": f"{found}?kind=errors",
        "search, a common word": f"{found}?q=the", "search, a rare phrase": f"{found}?q=%22bee+keeping%22",
        "story, fetched": f"{run}/story?url={fetched}", "story, waiting": f"{run}/story?url={waiting}",
        "story, never seen": f"{run}/story?url=http%3A%2F%2Fnowhere.example%2F", "stored copy": f"{run}/copy/{pages}",
        "map": f"{run}/map", "snippets": f"{run}/snippets?numbers={','.join(map(str, range(1, 51)))}",
        "frontier": f"{run}/frontier", "labels": f"{run}/labels", "benchmarks": "/benchmarks", "new crawl": "/start",
        "api": "/api", "metrics": "/metrics", "api, runs": "/api/runs",
    }  # fmt: skip


@contextmanager
def served(home: Path) -> Iterator[http.client.HTTPConnection]:
    """The dashboard of a folder, and a connection to it."""
    with bound("127.0.0.1", 0) as socket:
        port = socket.getsockname()[1]
        server = uvicorn.Server(
            uvicorn.Config(
                application([home], TOKEN, port), log_level="warning", lifespan="off", timeout_graceful_shutdown=1
            )
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
        thread.start()
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=120)) as asked:
                yield asked
        finally:
            server.should_exit = True
            thread.join()


def ask(asked: http.client.HTTPConnection, path: str) -> tuple[float, float]:
    """Milliseconds by the clock and of CPU for one answer."""
    clock, cpu = time.perf_counter(), time.process_time()
    asked.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
    answer = asked.getresponse()
    answer.read()
    assert answer.status == 200, (path, answer.status)
    return 1000 * (time.perf_counter() - clock), 1000 * (time.process_time() - cpu)


def answers(pages: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        make(home / "run", pages)
        update(home / "run")
        print(
            f"{pages:,} pages, {OPEN * pages:,} URLs waiting, {WATCHERS} watchers; ms of {TRIES} requests after the first"
        )
        print(f"{'':26} {'first':>8} {'median':>8} {'95 %':>8} {'CPU 95 %':>9}")
        with served(home) as asked, viewers(asked.port):
            for name, path in paths(pages).items():
                first, _ = ask(asked, path)
                took = [ask(asked, path) for _ in range(TRIES)]
                clock, cpu = (sorted(column) for column in zip(*took, strict=True))
                high = TRIES * 95 // 100
                print(
                    f"{name:26} {first:8.0f} {statistics.median(clock):8.0f} {clock[high]:8.0f} {cpu[high]:9.0f}",
                    flush=True,
                )


@dataclass(frozen=True)
class Turn:
    """What a crawl did between two commits."""

    watched: bool
    cpu: float  # seconds
    seconds: float  # by the clock
    pages: int
    dashboard: float  # CPU seconds of the dashboard, for each by the clock

    @property
    def cpu_a_page(self) -> float:
        return 1000 * self.cpu / self.pages

    @property
    def pages_a_second(self) -> float:
        return self.pages / self.seconds


Measure = Callable[[Turn], float]


def watch(pages: int) -> None:
    """One crawl of recorded pages as fast as it can; a viewer comes and goes, and the CPU of the crawl is counted."""
    with tempfile.TemporaryDirectory() as scratch:
        web = Web(pages, 1)
        write(web, Path(scratch) / "web")
        seeds = web.seeds(web.topics[0])[:10]
        # Learning comes at one moment, which would fall into one of the turns; so it does in a paced crawl.
        words = ["--corpus", f"{scratch}/web", "--topic", "bees", "-s", "adapt=false", "-s", "saturation=0"]
        words += [
            "--strategy",
            "breadth-first",
            "--max-pages",
            str(pages),
        ]  # where a page costs least, watching shows most
        with crawling(Path(scratch) / "runs", seeds, words) as crawl:
            took = list(turns(Path(scratch) / "runs", crawl, TURN))
    print(f"a crawl of {sum(turn.pages for turn in took):,} pages at full speed")
    told(took, lambda turn: turn.cpu_a_page, "ms of CPU a page")
    told(took, lambda turn: turn.pages_a_second, "pages a second")


def paced(count: int) -> None:
    """One crawl that waits for its hosts, as polite crawls do; a viewer comes and goes, and pages are counted by the clock."""
    web = ManyHosts(ENDLESS)
    with tempfile.TemporaryDirectory() as scratch, web_server(web) as port:
        home = Path(scratch) / "runs"
        settings = {
            "fetch_to": f"127.0.0.1:{port}", "delay": DELAY, "saturation": 0, "adapt": "false",
            "strategy": "breadth-first", "batch": 2 * speed_web.HOSTS, "max_barren": 0,  # all hosts are visited all the time
        }  # fmt: skip
        words = ["--topic", "honey bees", "--max-pages", str(ENDLESS)]
        words += [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
        with crawling(home, [web.url(1)], words) as crawl:
            took = list(islice(turns(home, crawl, PACED), count))
    most = speed_web.HOSTS / DELAY
    print(f"{speed_web.HOSTS} hosts, {DELAY:g} s between two requests to one: {most:g} pages a second at most")
    told(took, lambda turn: turn.pages_a_second, "pages a second")


@contextmanager
def crawling(home: Path, seeds: Sequence[str], words: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A crawl in a process of its own, which ends here at the latest."""
    home.mkdir()
    words = ["crawl", *words, *(word for url in seeds for word in ("--seed", url)), "--out", str(home / "run")]
    command = [sys.executable, "-c", "from opilio.cli import main; main()", *words]
    quiet = subprocess.DEVNULL
    # It has a session of its own, as from the dashboard: Linux shares a busy machine out among sessions.
    with subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True) as crawl:
        try:
            yield crawl
        finally:
            crawl.terminate()


class ManyHosts(QuickWeb):
    """A web without end on fifty hosts."""

    def url(self, number: int) -> str:
        return f"http://h{number % speed_web.HOSTS}.example/{super().url(number).split('/', 3)[3]}"

    def answer(self, url: str) -> Response:
        if url.endswith("/robots.txt"):
            return 404, {"Content-Type": "text/plain"}, b""
        return (
            200,
            {"Content-Type": "text/html; charset=utf-8"},
            self.body(int(url.rpartition("-")[2].partition(".")[0])),
        )

    async def serve(self, ports: multiprocessing.SimpleQueue[int]) -> None:
        async with await serve(self.answer) as server:
            ports.put(port_of(server))
            await server.serve_forever()


@contextmanager
def web_server(web: ManyHosts) -> Iterator[int]:
    """The port of a web, which a process of its own serves."""
    ports: multiprocessing.SimpleQueue[int] = multiprocessing.SimpleQueue()
    process = multiprocessing.Process(target=served_alone, args=(web, ports), daemon=True)
    process.start()
    try:
        yield ports.get()
    finally:
        process.terminate()
        process.join()


def served_alone(web: ManyHosts, ports: multiprocessing.SimpleQueue[int]) -> None:
    os.setsid()
    asyncio.run(web.serve(ports))


def turns(home: Path, crawl: subprocess.Popen[bytes], seconds: float) -> Iterator[Turn]:
    """What it does while it is watched, and while it is not, by turns of at least this long."""
    while crawl.poll() is None and standing(home) < STEADY:
        time.sleep(0.1)
    with served(home) as asked:
        ask(asked, "/runs/run")
        for watched in order():
            cpu, clock, count = edge(home, crawl)
            with viewers(asked.port) if watched else closing(http.client.HTTPConnection("127.0.0.1")):
                begun, own = time.perf_counter(), time.process_time()
                time.sleep(seconds)
                own = (time.process_time() - own) / (time.perf_counter() - begun)
                spent, ended, reached = edge(home, crawl)
            if crawl.poll() is not None or not spent:
                return
            yield Turn(watched, spent - cpu, ended - clock, reached - count, own)


def order() -> Iterator[bool]:
    """Whether to watch, turn by turn: once in each two, in an order left to chance, since a crawl has rhythms of its own."""
    dice = random.Random(0)
    while True:
        first = dice.random() < 0.5
        yield from (first, not first)


@contextmanager
def viewer(port: int) -> Iterator[None]:
    """Somebody who looks at the live page."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as asked:
        asked.request("GET", "/api/runs/run/events", headers={"Authorization": f"Bearer {TOKEN}"})
        answer = asked.getresponse()
        answer.readline()
        yield
        answer.close()


@contextmanager
def viewers(port: int) -> Iterator[None]:
    """As many as look at once."""
    with ExitStack() as all_of_them:
        for _ in range(WATCHERS):
            all_of_them.enter_context(viewer(port))
        yield


def standing(home: Path) -> int:
    try:
        with closing(reading(home / "run")) as db:
            count: int = db.execute("SELECT coalesce(max(number), 0) FROM pages").fetchone()[0]
            return count
    except (UnreadableError, sqlite3.OperationalError):  # it has not begun
        return 0


def edge(home: Path, crawl: subprocess.Popen[bytes]) -> tuple[float, float, int]:
    """CPU seconds, the clock and pages at the next commit: between two of them, CPU is spent on pages that do not count yet."""
    before = standing(home)
    while (count := standing(home)) == before and crawl.poll() is None:
        time.sleep(0.01)
    return cpu_of(crawl.pid), time.perf_counter(), count


def cpu_of(pid: int) -> float:
    """CPU seconds of a process and its threads; 0 when it has ended."""
    times = [path.read_text().split()[0] for path in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return sum(map(int, times)) / 1e9


def told(took: list[Turn], measure: Measure, unit: str) -> None:
    """Each watched turn beside the other one of its pair: so neither the growth of a crawl nor another program decides."""
    pairs = list(zip(took[::2], took[1::2], strict=False))
    more = sorted(_by(pair, measure) for pair in pairs)
    spread = round(0.98 * len(more) ** 0.5)  # of 100 crawls, the true middle is within in 95
    middle = len(more) // 2
    low, high = more[max(0, middle - spread)], more[min(len(more) - 1, middle + spread)]
    for watched in (False, True):
        found = [turn for turn in took if turn.watched is watched]
        typical, own = (statistics.median(map(which, found)) for which in (measure, lambda turn: turn.dashboard))
        print(
            f"{'watched' if watched else 'alone':8} {typical:8.3f} {unit}; the dashboard took {100 * own:.1f} % of a core"
        )
    print(
        f"watched by {WATCHERS}: {100 * statistics.median(more):+.1f} % {unit} ({100 * low:+.1f} to {100 * high:+.1f}, "
        f"median of {len(pairs)} pairs)"
    )


def _by(pair: tuple[Turn, Turn], measure: Measure) -> float:
    """By how much the watched turn of a pair differs from the other, as a share of this."""
    alone, watched = sorted(pair, key=lambda turn: turn.watched)
    return measure(watched) / measure(alone) - 1


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["watch"]:
        watch(int(words[1]) if words[1:] else PAGES)
    elif words[:1] == ["paced"]:
        paced(int(words[1]) if words[1:] else TURNS)
    else:
        answers(int(words[0]) if words else PAGES)


if __name__ == "__main__":
    main()
