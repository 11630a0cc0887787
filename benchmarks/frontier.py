"""How fast and how large the frontier is: offers in, a tenth of them again, all out in order.

    python benchmarks/frontier.py [--sizes 10000 100000] [--full] [--kinds memory disk] [--merge max] [--rounds 2]
    python benchmarks/frontier.py --known --sizes 10000 100000 1000000 10000000 20000000

Each line is a process of its own, so that its memory is its own. As in a crawl, a page has 80 offers, and there is a
commit on disk after every fifty pages: after 4,000 offers when these come in, after 50 takes when they go. The settings
of the database and of Python's collector are those of a crawl.
`growth` is time per operation, by processor time, divided by that of the first line and by that of the line before; behind
each, what n log n allows. What one minute of the machine gives, the next may not: so the first line is measured again while a
longer one runs, which waits for it, three times in each of its parts, and each part is divided by the mean of its neighbours.
With --rounds, everything is the median of this many.
With --known, one frontier on disk grows from size to size; at each, some offers and some takes are timed, in three rounds. Beside
every round but those of the first size, a frontier of the first size is made and timed in the same way: `x` is how often as much
it is as there, in the median round.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import fmean, median
from typing import Any

from opilio.frontier.disk.frontier import DiskFrontier
from opilio.frontier.memory import MemoryFrontier
from opilio.nouns import Frontier, Link, Offer, Weight
from opilio.store.tables import PRAGMAS
from opilio.system.gc_pause import rarely_collecting

PAGE = 80
COMMIT = 50  # pages
PARTS = ("push", "again", "take")
PAUSES = 3  # in each part
WORDS = (
    "crawl",
    "walk",
    "web",
    "page",
    "photo",
    "news",
    "garden",
    "music",
    "forum",
    "thread",
    "of",
    "the",
    "and",
    "in",
)


def weigh(lane: tuple[str, ...]) -> Weight:
    return Weight()


CONTEXTS = [" ".join(random.Random(n).choices(WORDS, k=20)) for n in range(1000)]
SAMPLE = 20_000  # operations that are timed at each size
ROUNDS = 3  # in which that is done


def page(number: int, hosts: int, value: float = 0.0) -> list[Offer]:
    """The offers of one page, the same for the same number but for what is added to their values."""
    rng, source = random.Random(number), f"http://www.source{number % hosts}.example/page/{number}.html"
    return [Offer(link(rng, number * PAGE + n, hosts, source), rng.random() + value) for n in range(PAGE)]


def link(rng: random.Random, n: int, hosts: int, source: str) -> Link:
    context = CONTEXTS[int(rng.random() * len(CONTEXTS))]
    url = f"http://www.host{n * 7919 % hosts}.example/{context[40:60]}/{n}.html"
    return Link(url, source, context[50:70], context, "html/body/div.main/ul.links/li/a")


class Stopwatch:
    """Seconds on the clock and of the processor."""

    def __init__(self) -> None:
        self.clock = self.cpu = 0.0
        self.count = 0  # of what was done meanwhile

    def __enter__(self) -> None:
        self.clock -= time.perf_counter()
        self.cpu -= time.process_time()

    def __exit__(self, *_: object) -> None:
        self.clock += time.perf_counter()
        self.cpu += time.process_time()


def resident() -> int:
    """Bytes of memory at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def opened(folder: Path) -> sqlite3.Connection:
    """A database as a crawl has it."""
    db = sqlite3.connect(folder / "frontier.db")
    db.executescript(PRAGMAS)
    return db


def measure(kind: str, size: int, merge: Any, folder: Path, pause: Callable[[str], None]) -> dict[str, float]:
    """One line of the table; `pause` runs some times in each part, with its name."""
    pages, hosts = size // PAGE, max(1, size // 100)
    before = resident()
    db = opened(folder)
    frontier = MemoryFrontier(weigh, merge) if kind == "memory" else DiskFrontier(db, weigh, merge, waits=True)
    push, again, take = Stopwatch(), Stopwatch(), Stopwatch()
    for number in paused(range(pages), pages, "push", pause):
        offers = page(number, hosts)
        with push:
            frontier.offer(offers)
            commit(frontier, db, number)
    memory = resident() - before
    for number in paused(range(0, pages, 10), pages // 10, "again", pause):
        offers = page(number, hosts, 0.001)
        with again:
            frontier.offer(offers)
            commit(frontier, db, number // 10)
    with again:
        keep(frontier, db)
    disk = db.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[0]
    count, batches = 0, in_order(frontier, db)
    for _ in paused(range(pages * PAGE // 50 + 1), pages * PAGE // 50, "take", pause):
        with take:
            count += next(batches, 0)
    db.close()
    assert count == pages * PAGE, f"{pages * PAGE} URLs went in, {count} came out"
    sizes = {"memory": memory / count, "disk": disk / count if kind == "disk" else 0.0}
    return sizes | rates("push", push, count) | rates("again", again, count / 10) | rates("take", take, count)


def paused(numbers: Iterable[int], count: int, name: str, pause: Callable[[str], None]) -> Iterator[int]:
    """The numbers, of which there are this many, with pauses in the middle of equal parts."""
    marks = {(2 * part + 1) * count // (2 * PAUSES) for part in range(PAUSES)}
    for at, number in enumerate(numbers):
        if at in marks:
            pause(name)
        yield number


def in_order(frontier: MemoryFrontier | DiskFrontier, db: sqlite3.Connection) -> Iterator[int]:
    """Takes and settles everything, fifty at a time, and checks that no price rises."""
    last = math.inf
    while leases := frontier.take(50):
        for lease in leases:
            assert lease.price <= last, f"{lease.price} after {last}"
            last = lease.price
            frontier.settle(lease)
        keep(frontier, db)
        yield len(leases)


def commit(frontier: Frontier, db: sqlite3.Connection, number: int) -> None:
    if number % COMMIT == COMMIT - 1:
        keep(frontier, db)


def keep(frontier: Frontier, db: sqlite3.Connection) -> None:
    frontier.save()
    db.commit()


def rates(name: str, watch: Stopwatch, count: float) -> dict[str, float]:
    return {name: count / watch.clock, f"{name}_cpu": count / watch.cpu}


def alone(kind: str, size: int, merge: str) -> dict[str, float]:
    """One line, measured in a process of its own."""
    command = [sys.executable, __file__, "--one", kind, str(size), "--merge", merge]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return found


def beside(kind: str, size: int, merge: str, first: int) -> dict[str, float]:
    """The same, with the growth of each part against a frontier of the first size, which is measured in its pauses."""
    command = [sys.executable, __file__, "--one", kind, str(size), "--merge", merge, "--pausing"]
    neighbours: dict[str, list[dict[str, float]]] = {name: [] for name in PARTS}
    found: dict[str, float] = {}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout  # both are pipes
        for said in process.stdout:
            match json.loads(said):
                case str(name):
                    neighbours[name].append(alone(kind, first, merge))
                    print(file=process.stdin, flush=True)
                case result:
                    found = result
    if process.returncode:
        raise SystemExit(process.returncode)
    for name, others in neighbours.items():
        found[f"{name}_growth"] = 1 / (found[f"{name}_cpu"] * fmean(1 / other[f"{name}_cpu"] for other in others))
    return found


def wait(name: str) -> None:
    """Say that there is a pause, and wait until it is over."""
    print(json.dumps(name), flush=True)
    sys.stdin.readline()


def line(kind: str, size: int, merge: str, first: int, rounds: int) -> dict[str, float]:
    """The medians of some rounds."""
    found = [alone(kind, size, merge) if size == first else beside(kind, size, merge, first) for _ in range(rounds)]
    return {"size": size} | {name: median(one[name] for one in found) for name in found[0]}


class Growing:
    """One frontier on disk that knows more and more URLs."""

    def __init__(self, folder: Path, hosts: int) -> None:
        self.db, self.hosts, self.pages = opened(folder), hosts, 0
        self.frontier = DiskFrontier(self.db, weigh, waits=True)
        self._sample = 0  # pages

    def grow(self, size: int) -> None:
        """Let it know this many, but for those of the samples."""
        self._sample = min(SAMPLE, size // 4) // ROUNDS // PAGE
        while (self.pages + ROUNDS * self._sample) * PAGE < size:
            self.frontier.offer(page(self.pages, self.hosts))
            commit(self.frontier, self.db, self.pages)
            self.pages += 1

    def sample(self) -> list[Stopwatch]:
        """What some new offers, known ones and takes cost."""
        fresh = range(self.pages, self.pages + self._sample)
        self.pages += self._sample
        again = random.Random(self.pages).sample(range(self.pages), self._sample)
        return [self._offered(fresh), self._offered(again), self.taken(self._sample * PAGE)]

    def _offered(self, numbers: Iterable[int]) -> Stopwatch:
        pages, watch = [page(number, self.hosts) for number in numbers], Stopwatch()
        with watch:
            for number, offers in enumerate(pages):
                self.frontier.offer(offers)
                commit(self.frontier, self.db, number)
            keep(self.frontier, self.db)
        watch.count = len(pages) * PAGE
        return watch

    def taken(self, count: int) -> Stopwatch:
        """What this many takes cost."""
        watch = Stopwatch()
        with watch:
            for _ in range(count // 50):
                for lease in self.frontier.take(50):
                    self.frontier.settle(lease)
                keep(self.frontier, self.db)
        watch.count = count // 50 * 50
        return watch


def known(sizes: list[int], folder: Path) -> None:
    """The table of one frontier on disk that knows more and more URLs."""
    print("\ndisk, known URLs: microseconds of processor time (by the clock), growth, bytes per URL\n")
    print(
        "| known URLs | hosts | offer a new URL | offer a known one | take and settle | memory | disk | resident MB |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    base, hosts = present(), max(sizes) // 20
    large = Growing(folder, hosts)
    for size in sizes:
        large.grow(size)
        rounds = [(large.sample(), [] if size == sizes[0] else _beside(sizes[0], hosts)) for _ in range(ROUNDS)]
        memory, disk = present() - base, (folder / "frontier.db").stat().st_size
        times = [
            each([watches[n] for watches, _ in rounds], [beside[n] for _, beside in rounds if beside]) for n in range(3)
        ]
        many = large.pages * PAGE
        cells = [f"{min(hosts, many):,}", *times, f"{memory / size:.0f}", f"{disk / size:.0f}"]
        print(f"| {many:,} | {' | '.join(cells)} | {memory / 2**20:.0f} |", flush=True)
    db, watch = large.db, Stopwatch()
    del large.frontier  # two of them would need twice the memory
    with watch:
        large.frontier = DiskFrontier(db, weigh, waits=True)
    waiting = f"{len(large.frontier):,} URLs wait"
    print(f"\nopened again in {watch.cpu:.0f} s of processor time ({watch.clock:.0f} s), {waiting}")
    taken = large.taken(SAMPLE // PAGE * PAGE)
    print(f"a take that reads its offer, now that none is in memory: {each([taken], [])} microseconds")
    db.close()


def _beside(size: int, hosts: int) -> list[Stopwatch]:
    """The same of a new frontier, in the same minute of the machine."""
    with tempfile.TemporaryDirectory() as folder:
        small = Growing(Path(folder), hosts)
        small.grow(size)
        watches = small.sample()
        small.db.close()
    return watches


def each(watches: list[Stopwatch], beside: list[Stopwatch]) -> str:
    """Time for one, and how often as much it is as beside, by the median round."""
    count = sum(watch.count for watch in watches)
    cpu, clock = (1e6 * sum(getattr(watch, name) for watch in watches) / count for name in ("cpu", "clock"))
    pairs = zip(watches, beside, strict=False)  # there may be none beside
    growth = [watch.cpu / watch.count * other.count / other.cpu for watch, other in pairs]
    return f"{cpu:.1f} ({clock:.0f})" + (f", {median(growth):.2f} x" if growth else "")


def present() -> int:
    """Bytes of memory now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def table(kind: str, sizes: list[int], merge: str, rounds: int) -> None:
    print(f"\n{kind}, merge {merge}: operations a second by the clock (by processor time), bytes per URL\n")
    print("| URLs | offered | growth | offered again | taken and settled | growth | memory | disk |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    lines: list[dict[str, float]] = []
    for size in sizes:
        now = line(kind, size, merge, sizes[0], rounds)
        both = {name: f"{now[name]:,.0f} ({now[f'{name}_cpu']:,.0f})" for name in PARTS}
        growth = {name: "; ".join(grown(line, now, name) for line in earlier(lines)) for name in both}
        cells = [both["push"], growth["push"], both["again"], both["take"], growth["take"]]
        print(f"| {size:,} | {' | '.join(cells)} | {now['memory']:.0f} | {now['disk']:.0f} |", flush=True)
        lines.append(now)


def earlier(lines: list[dict[str, float]]) -> list[dict[str, float]]:
    """The first line and the line before, if these are two."""
    return [lines[0], lines[-1]] if len(lines) > 1 else lines


def grown(line: dict[str, float], now: dict[str, float], name: str) -> str:
    """Time per operation over that of an earlier line, and what n log n allows."""
    growth = now[f"{name}_growth"] / line.get(f"{name}_growth", 1.0)
    return f"{growth:.2f} of {math.log(now['size']) / math.log(line['size']):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--full", action="store_true", help="up to 5,000,000 URLs")
    parser.add_argument("--kinds", nargs="+", choices=["memory", "disk"], default=["memory", "disk"])
    parser.add_argument("--merge", choices=["max", "sum"], default="max")
    parser.add_argument("--rounds", type=int, default=1, help="of which the median counts")
    parser.add_argument("--known", action="store_true", help="one frontier on disk that grows from size to size")
    parser.add_argument("--one", nargs=2, metavar=("KIND", "SIZE"), help=argparse.SUPPRESS)
    parser.add_argument("--pausing", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        (kind, size), pause = chosen.one, wait if chosen.pausing else lambda name: None
        with tempfile.TemporaryDirectory() as folder, rarely_collecting():
            print(json.dumps(measure(kind, int(size), chosen.merge, Path(folder), pause)))
        return
    if chosen.known:
        with tempfile.TemporaryDirectory() as folder, rarely_collecting():
            known(chosen.sizes, Path(folder))
        return
    for kind in chosen.kinds:
        table(kind, [100_000, 1_000_000, 5_000_000] if chosen.full else chosen.sizes, chosen.merge, chosen.rounds)


if __name__ == "__main__":
    main()
