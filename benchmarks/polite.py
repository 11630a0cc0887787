"""Is every host left alone for as long as it should be? `python -m benchmarks.polite [FETCHES] [HOSTS] [DELAY]`.

Crawls hosts that a loopback server plays, through the whole program and in processes of their own that are killed now and
then and resumed; the server notes when each request came. Prints the closest pair on any host. Then two processes crawl
hosts of several sites that are all at one address; prints the closest pair of all, and how long a request took on average.
"""

from __future__ import annotations

import asyncio
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import TypeVar

from benchmarks.one_address import crawled
from opilio.config import Config
from opilio.synth.local_server import Response, port_of, serve

KILLS = 10
LINKS = 100
SITES, SHARED = 10, 100  # that share an address, and pages of it
LATE = 0.5  # of a delay: a server that was busy notes a request late, and the next one seems too close


class Server:
    """Pages that link to each other, on as many hosts as wanted; each third host asks for twice the delay."""

    def __init__(self, hosts: int, delay: float) -> None:
        self.hosts, self.delay = hosts, delay
        self.times: dict[int, list[float]] = defaultdict(list)
        self.port = 0

    def wanted(self, host: int) -> float:
        return self.delay * (2 if host % 3 == 0 else 1)

    def answer(self, url: str) -> Response:
        host, _, path = url.removeprefix("http://h").partition(".test/")
        self.times[int(host)].append(time.monotonic())
        if path == "robots.txt":
            return 200, {"Content-Type": "text/plain"}, f"User-agent: *\nCrawl-delay: {self.wanted(int(host))}".encode()
        number = int(path or 0)
        links = "".join(
            f'<a href="http://h{n % self.hosts}.test/{n}">x</a>' for n in range(number + 1, number + 1 + LINKS)
        )
        return 200, {"Content-Type": "text/html"}, f"<html><body>{number} {links}</body></html>".encode()

    async def run(self) -> None:
        async with await serve(self.answer) as server:
            self.port = port_of(server)
            await server.serve_forever()

    def closest(self) -> tuple[float, int]:
        """The smallest gap as a share of the delay that the host wants, and how many were too small."""
        shares = [
            (after - before) / self.wanted(host)
            for host, times in self.times.items()
            for before, after in pairwise(times)
        ]
        return min(shares), sum(share < 1 for share in shares)


def command(server: Server, folder: Path, fetches: int) -> list[str]:
    program = [sys.executable, "-c", "from opilio.cli import main; main()"]
    if (folder / "state.db").exists():
        return [*program, "resume", str(folder)]
    settings = {
        "delay": server.delay, "strategy": "breadth-first", "batch": 2 * server.hosts,
        "fetch_to": f"127.0.0.1:{server.port}", "max_barren": 0, "contact": "benchmark",
    }  # fmt: skip
    pairs = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    return [*program, "crawl", "--seed", "http://h0.test/0", "--out", str(folder), "--max-pages", str(fetches), *pairs]


def stored(folder: Path) -> int:
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{folder}/state.db?mode=ro", uri=True)) as db:
        return int(db.execute("SELECT count(*) FROM pages").fetchone()[0])
    return 0


def crawl(server: Server, folder: Path, fetches: int) -> None:
    dice = random.Random(0)
    for part in range(1, KILLS + 1):
        process = subprocess.Popen(
            command(server, folder, fetches), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = fetches * part // (KILLS + 1)
        while process.poll() is None and stored(folder) < until:
            time.sleep(0.05)
        time.sleep(dice.random() * server.delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command(server, folder, fetches), check=True, capture_output=True)


class Hoster(Server):
    """The same, with one address for all; it wants one delay for all of them."""

    def wanted(self, host: int) -> float:
        return self.delay

    def span(self) -> tuple[int, float, float]:
        """How many requests came, the mean time between two, and the shortest, as shares of the delay."""
        times = sorted(when for seen in self.times.values() for when in seen)
        gaps = [(after - before) / self.delay for before, after in pairwise(times)]
        return len(times), sum(gaps) / len(gaps), min(gaps)


def share_an_address(folder: Path, hosts: int, delay: float, fetches: int) -> Hoster:
    """Two processes crawl sites at one address, which notes when each request came."""
    server = begin(Hoster(hosts, delay))
    config = Config(
        seeds=[f"http://h{host}.test/{host}" for host in range(hosts)], strategy="breadth-first", processes=2, delay=delay,
        allow_networks=["loopback"], max_pages=fetches, max_barren=0, contact="benchmark",
    )  # fmt: skip
    crawled(folder, config, server.port)
    return server


ServerT = TypeVar("ServerT", bound=Server)


def begin(server: ServerT) -> ServerT:
    """Serve from a thread until the program ends."""
    Thread(target=lambda: asyncio.run(server.run()), daemon=True).start()
    while not server.port:
        time.sleep(0.01)
    return server


def main(fetches: int, hosts: int, delay: float) -> bool:
    alone = leave_alone(fetches, hosts, delay)
    with tempfile.TemporaryDirectory() as folder:
        server = share_an_address(Path(folder) / "run", SITES, delay, SHARED)
    asked, mean, closest = server.span()
    print(f"{asked} requests of two processes to {len(server.times)} sites at one address", end="; ")
    print(f"closest pair: {closest:.3f} of the delay, mean {mean:.3f}")
    good = mean >= 1 and closest > LATE and len(server.times) == SITES
    print("the address was left alone for its delay" if good else "SOMETHING IS WRONG")
    return alone and good


def leave_alone(fetches: int, hosts: int, delay: float) -> bool:
    """Whether every host is left alone for its delay, by a crawl that is killed now and then."""
    server = begin(Server(hosts, delay))
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        crawl(server, Path(folder) / "run", fetches)
        pages = stored(Path(folder) / "run")
    share, close = server.closest()
    asked = sum(map(len, server.times.values()))
    took = time.monotonic() - begun
    print(f"{pages} pages stored, {asked} requests on {len(server.times)} hosts, {KILLS} kills, {took:.0f} s")
    print(f"delay {delay} s, twice that where a host asks for it; closest pair: {share:.3f} of its delay", end="; ")
    print(f"too close: {close}")
    good = close == 0 and pages >= fetches and len(server.times) == hosts
    print("every host was left alone for its delay" if good else "SOMETHING IS WRONG")
    return good


if __name__ == "__main__":
    fetches, hosts, delay = [*sys.argv[1:], *["20000", "50", "0.1"][len(sys.argv) - 1 :]]
    sys.exit(not main(int(fetches), int(hosts), float(delay)))
