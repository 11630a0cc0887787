"""A crawl of 10^9 pages, calculated from one that is measured: `python -m benchmarks.scale_paper`.

    python -m benchmarks.scale_paper [--pages 20000] [--shards 4]     measure on this machine, and calculate
    python -m benchmarks.scale_paper --goal 1e9 --days 30             another goal

A synthetic web is crawled by the command on a Ray of its own, with the state in a directory. What a known URL costs in memory is
that of a frontier on disk with twice as many URLs, less that of one with half of them, both in processes of their own. How much
the driver has to do is measured with its own code, on invented reports of as many shards. What a page of the open web weighs in
an archive, and all prices, are assumptions, and printed.
"""

from __future__ import annotations

import argparse
import math
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.cluster.speed import measured, memory_alone, words
from opilio.config import Config
from opilio.engine.cluster.objects import place
from opilio.engine.cluster.pull import figures
from opilio.engine.cluster.restore import restore
from opilio.engine.parallel import protocol
from opilio.engine.parallel.coordinator import Coordinator
from opilio.engine.parallel.members import Member
from opilio.engine.parallel.protocol import Report
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.nouns import Link, Offer, Weight
from opilio.store.tables import PRAGMAS

PAGE = 30_000  # bytes of a page of the open web in an archive, compressed: an assumption
KNOWN = 300_000  # URLs of the smaller frontier
OFFERS = 80  # of a page
GB, MONTH = 1e9, 30  # bytes, days
# Assumptions: list prices of a large cloud, in dollars, and what a machine has.
STORAGE, PUT, CORE, MEMORY = 0.023, 5e-6, 0.04, 0.005  # a GB and month, a PUT, a core and hour, a GB and hour
CORES, ROOM = 8, 32.0  # of a machine: cores, GB of memory
BUSY = 0.5  # of a core that a shard may use: the rest is for fetching over TLS, and for peaks
LARGEST = 20.0  # GB of a shard's database: restoring it is what a recovery waits for
DELAY = 1.5  # seconds between two requests to a host, with the time that an answer takes
REPORTS = 2.0  # a second and shard


class Measured(NamedTuple):
    """What one crawl showed."""

    cpu: float  # milliseconds a page, with everything
    log: float  # bytes of log entries a page, compressed
    base: float  # bytes of bases a page, compressed
    puts: float  # objects a page
    archive: float  # bytes of the archive a page
    letters: float  # a page
    urls: float  # known URLs a page
    disk: float  # bytes of a database a known URL
    memory: float  # bytes of memory a known URL
    start: float  # bytes of memory of a shard that knows none
    restored: float  # GB of a database that are restored a second


class Sized(NamedTuple):
    """What a crawl left behind."""

    told: dict[str, Any]
    cpu: float
    memory: float
    urls: int
    disk: int
    seconds: float  # that restoring took


def crawled(pages: int, shards: int) -> Sized:
    with TemporaryDirectory(prefix="opilio-paper-") as scratch:
        state = Path(scratch, "state")
        cost, memory = measured(words(state, "ray", shards, pages), state, "ray", pages)
        objects, begun = place(str(state)), time.process_time()
        databases = [Path(scratch, f"{number}.db") for number in range(shards)]
        for number, path in enumerate(databases):
            restore(objects, number, path)
        seconds = time.process_time() - begun
        told = figures(objects)
        disk = sum(path.stat().st_size for path in databases)
        return Sized(told, cost.cpu, memory, told["pages"] + told["open_urls"], disk, seconds)


def measure(pages: int, shards: int) -> Measured:
    whole = crawled(pages, shards)
    told, memory = whole.told, (memory_of(2 * KNOWN) - memory_of(KNOWN)) / KNOWN
    return Measured(
        whole.cpu, told["log_bytes"] / pages, told["base_bytes"] / pages, told["objects"] / pages,
        told["archive_bytes"] / pages, told["letters"] / pages, whole.urls / pages, whole.disk / whole.urls, memory,
        (whole.memory - memory * whole.urls) / shards, whole.disk / GB / whole.seconds,
    )  # fmt: skip


def memory_of(urls: int) -> float:
    """Bytes of memory of a process with a frontier on disk that knows this many URLs."""
    told = [sys.executable, "-m", "benchmarks.scale_paper", "--known", str(urls)]
    return float(subprocess.run(told, check=True, capture_output=True, text=True).stdout)


def known(urls: int) -> float:
    """Let a frontier on disk know this many URLs; the memory of this process then."""
    with TemporaryDirectory(prefix="opilio-paper-") as scratch, closing(sqlite3.connect(Path(scratch, "db"))) as db:
        db.isolation_level = None
        db.executescript(PRAGMAS)
        frontier = DiskFrontier(db, lambda lane: Weight(), "max", 0.0, False, True, 0.0)
        db.execute("BEGIN")
        for page in range(urls // OFFERS):
            numbers = range(page * OFFERS, (page + 1) * OFFERS)
            frontier.offer([Offer(Link(f"http://h{n % 5003}.test/some/page/{n}"), n % 997) for n in numbers])
            if page % 50 == 0:
                frontier.save()
                db.execute("COMMIT")
                db.execute("BEGIN")
        return memory_alone(os.getpid())


class Told(Member):
    """A shard that only hears."""

    gone = False

    def say(self, *message: Any) -> None:
        pass


def driver(shards: int, rounds: int = 3) -> float:
    """Milliseconds that the driver needs for the report of one of this many shards, each of which posts to all others."""
    members = [Told(number) for number in range(shards)]
    coordinator = Coordinator(Config(max_pages=10**9), members)

    def report(number: int) -> list[Any]:
        others = dict.fromkeys(range(shards), number)
        return [protocol.REPORT, *Report(50 * number, 0, 1.0, 100 * number, 0, 1000, [0.5] * 10, 0, False, 0, False,
                                         others, others, [True] * 10, "")]  # fmt: skip

    for member in members:  # all have come to life
        coordinator.hear(member, report(1))
    begun = time.process_time()
    for number in range(2, 2 + rounds):
        for member in members[: min(shards, 50)]:
            coordinator.hear(member, report(number))
    return 1000 * (time.process_time() - begun) / (rounds * min(shards, 50))


def paper(found: Measured, goal: float, days: float) -> Iterator[tuple[str, str]]:
    """What it takes, line by line: what, and how much."""
    rate = goal / days / 86400
    urls, months = goal * found.urls, days / MONTH
    database = urls * found.disk / GB
    shards = max(math.ceil(rate * found.cpu / 1000 / BUSY), math.ceil(database / LARGEST))
    memory = (shards * found.start + urls * found.memory) / GB
    machines = max(math.ceil(rate * found.cpu / 1000 / BUSY / CORES), math.ceil(memory / ROOM))
    put = rate * found.puts
    traffic = rate * (found.log + found.base + PAGE)
    archive = goal * PAGE / GB
    hours = days * 24 * machines
    cost = (
        hours * CORES * CORE + hours * ROOM * MEMORY,
        goal * found.puts * PUT,
        (archive + database) * STORAGE * months,
    )
    busy = driver(shards) / 1000 * REPORTS * shards
    yield "pages a second", f"{rate:,.0f}"
    yield "cores, half of each in use", f"{rate * found.cpu / 1000 / BUSY:,.1f}"
    yield "known URLs", f"{urls:.1e}"
    yield "databases of all shards", f"{database:,.0f} GB"
    yield f"shards, of at most {LARGEST:.0f} GB each", f"{shards:,}"
    yield "memory", f"{memory:,.0f} GB"
    yield f"machines of {CORES} cores and {ROOM:.0f} GB", f"{machines:,}"
    yield "archive", f"{archive / 1000:,.1f} TB"
    yield "objects written a second", f"{put:,.1f}"
    yield "bytes to the store a second", f"{traffic / 1e6:,.1f} MB"
    yield "letters a second", f"{rate * found.letters:,.0f}"
    yield "hosts that have to be fetched from at any time", f"{rate * DELAY:,.0f}"
    yield "restoring one shard", f"{database / shards / found.restored:,.0f} s"
    yield "driver", f"{busy:.2f} of a core"
    yield "machines", f"$ {cost[0]:,.0f}"
    yield "writes", f"$ {cost[1]:,.0f}"
    yield "storage for as long as it takes", f"$ {cost[2]:,.0f}"
    yield "in all", f"$ {sum(cost):,.0f}, {1e6 * sum(cost) / goal:,.2f} for a million pages"


def limits(found: Measured) -> Iterator[tuple[str, str]]:
    """Where the first wall is, for each thing that could be one."""
    yield "one shard by its CPU", f"{1000 / found.cpu:,.0f} pages/s"
    for shards in (16, 64, 256, 1000):
        each = driver(shards)
        yield (
            f"the driver with {shards:,} shards",
            f"{each:.2f} ms a report, {each / 1000 * REPORTS * shards:.2f} of a core",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--goal", type=float, default=1e9)
    parser.add_argument("--days", type=float, default=30)
    parser.add_argument("--known", type=int, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.known:
        print(known(told.known))
        return
    found = measure(told.pages, told.shards)
    print(f"Measured, {told.pages:,} pages on {told.shards} shards:\n\n| a page | |\n| --- | --- |")
    print(f"| CPU, all of Ray's included | {found.cpu:.2f} ms |\n| log entries | {found.log / 1000:.1f} kB |")
    print(f"| bases of the databases | {found.base / 1000:.1f} kB |")
    print(f"| archive (of the synthetic web) | {found.archive / 1000:.1f} kB |")
    print(f"| objects written | {found.puts:.3f} |\n| letters to other shards | {found.letters:.1f} |")
    print(f"| URLs that become known | {found.urls:.1f} |\n| database, a known URL | {found.disk:.0f} bytes |")
    print(f"| memory, a known URL | {found.memory:.0f} bytes, and {found.start / 1e6:.0f} MB a shard |")
    print(f"\n{told.goal:.0e} pages in {told.days:.0f} days:\n\n| | |\n| --- | --- |")
    for what, much in paper(found, told.goal, told.days):
        print(f"| {what} | {much} |")
    print(
        f"\nAssumed: {PAGE / 1000:.0f} kB of archive a page of the open web; $ {STORAGE} a GB and month, $ {PUT} a write,"
    )
    print(f"$ {CORE} a core and hour, $ {MEMORY} a GB and hour of memory.")
    print("\n| what could be a wall | where it stands |\n| --- | --- |")
    for what, much in limits(found):
        print(f"| {what} | {much} |")


if __name__ == "__main__":
    main()
