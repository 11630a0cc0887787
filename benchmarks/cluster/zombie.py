"""A machine that is cut off while its shards work on: do its commits count, and does it ask hosts that another one asks?

Ray's process on the machine is stopped (SIGSTOP), so that the cluster takes the machine for dead and starts its shards again
elsewhere, while the old ones still run. The second time the shards are stopped with it, and wake up when others have long
taken over. The web server notes when each request came, and from which process.
"""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import sys
import time
from collections import defaultdict
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

from benchmarks.polite import Server
from opilio.config import Config
from opilio.engine.cluster.driver import Cluster
from opilio.engine.cluster.objects import place
from opilio.engine.cluster.shard_log import OPEN, entry_name, entry_numbers, read_entry
from opilio.engine.cluster.shipping import LEASE
from opilio.synth.local_server import PHRASES

from .crawl import crawled
from .nodes import Nodes, children, disks, raylet, signalled

LAST_DATA_RECV = 52  # where that field is in the kernel's tcp_info: milliseconds
EXACT = 0.005  # seconds: the kernel counts in ticks
ASLEEP = 2 * LEASE  # seconds for which shards are stopped the second time


@dataclass
class Outcome:
    """What the zombies did."""

    zombies: int = 0  # shards that ran on, or woke up, when another owner was there
    requests: int = 0
    pages: int = 0
    since_open: list[float] = field(
        default_factory=list
    )  # seconds after the new owner's "open" of each zombie's last request
    late_commits: int = 0  # entries of an owner after the "open" of the next one
    closest: float = 0.0  # pair of requests to one host, as a share of its delay
    too_close: int = 0
    twice: int = 0

    @property
    def good(self) -> bool:
        asked_late = max(self.since_open, default=0.0) > LEASE
        return self.zombies > 0 and not (asked_late or self.late_commits or self.too_close or self.twice)

    def __str__(self) -> str:
        last = max(self.since_open, default=0.0)
        return (
            f"{self.zombies} shards that others took over, {self.pages} pages, {self.requests} requests: {self.late_commits} "
            f'commits after "open", the last request of one {last:.1f} s after it (allowed: {LEASE:.0f}); '
            f"closest pair on a host {self.closest:.3f} of the delay, {self.too_close} too close; stored twice {self.twice}"
        )


class Observer(Server):
    """Pages that link to each other, and who asked for them when."""

    def __init__(self, hosts: int, delay: float) -> None:
        super().__init__(hosts, delay)
        self.asked: list[tuple[float, int, str]] = []  # when, which process, which host

    def closest(self) -> tuple[float, int]:
        self.times.clear()  # of when a request was read, which on a busy machine is later
        for when, _, host in self.asked:
            self.times[int(host[1:].removesuffix(".test"))].append(when)
        shares = [(b - a) / self.wanted(host) for host, times in self.times.items() for a, b in pairwise(sorted(times))]
        return min(shares), sum(share < 1 - EXACT / self.delay for share in shares)

    async def run(self) -> None:
        async with await asyncio.start_server(self._serve, "127.0.0.1", 0) as server:
            self.port = server.sockets[0].getsockname()[1]
            await server.serve_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = 0
        with closing(writer), suppress(OSError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                when = time.time() - since_received(writer)
                client = client or process_at(writer.get_extra_info("peername")[1])
                path, named = head.split(" ", 2)[1], re.search(r"(?im)^host:\s*([^\s:]+)", head)
                host = named[1] if named else ""
                self.asked.append((when, client, host))
                status, headers, body = self.answer(f"http://{host}{path}")
                lines = [
                    f"HTTP/1.1 {status} {PHRASES[status]}",
                    *(f"{name}: {value}" for name, value in headers.items()),
                ]
                writer.write("\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body)
                await writer.drain()


def since_received(writer: asyncio.StreamWriter) -> float:
    """Seconds since the kernel got the last bytes of a connection."""
    told = writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, LAST_DATA_RECV + 4)
    return int.from_bytes(told[LAST_DATA_RECV:], sys.byteorder) / 1000


def process_at(port: int) -> int:
    """The shard's process that has a connection from a port of this machine; 0: it is gone."""
    address = f"0100007F:{port:04X}"
    rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    sockets = {f"socket:[{row[9]}]" for row in rows if row[1] == address}
    for folder in disks():
        pid = int(folder.name.split("-")[-1])
        with suppress(OSError):
            if any(_target(handle) in sockets for handle in Path("/proc", str(pid), "fd").iterdir()):
                return pid
    return 0


def _target(handle: Path) -> str:
    with suppress(OSError):
        return str(handle.readlink())
    return ""


class Freezer:
    """Looks on while a crawl runs: a machine is frozen without its shards, later another one with them."""

    def __init__(self, nodes: Nodes, pages: int) -> None:
        self._nodes, self._pages = nodes, pages
        self.zombies: list[tuple[int, int, int]] = []  # shard, life, process
        self._thaw: tuple[float, list[int]] | None = None
        self._done = 0

    def __call__(self, run: Cluster) -> None:
        pages = run.standing().pages
        if self._thaw and time.monotonic() > self._thaw[0]:
            for pid in self._thaw[1]:
                signalled(pid, signal.SIGCONT)
            self._thaw = None
        elif not self._thaw and self._done < 2 and pages > self._pages * (1 + 2 * self._done) / 5:
            self._done += 1
            self._freeze(shards_too=self._done == 2)

    def _freeze(self, shards_too: bool) -> None:
        node = self._nodes.others.pop(0)
        pids = children(raylet(node))
        self.zombies += [told for pid in pids for folder in disks(pid) if (told := _numbers(folder))]
        stopped = [pid for pid in pids if disks(pid)] if shards_too else []
        for pid in (raylet(node), *stopped):
            signalled(pid, signal.SIGSTOP)
        self._nodes.add()
        self._thaw = (time.monotonic() + ASLEEP, stopped)  # the raylet sleeps on: it would end its shards


def _numbers(folder: Path) -> tuple[int, int, int]:
    shard, life, pid = map(int, folder.name.split("-")[1:])
    return shard, life, pid


def haunted(
    nodes: Nodes, state: str, shards: int, pages: int, hosts: int = 24, delay: float = 1.0, **more: Any
) -> Outcome:
    """Crawl politely while machines become zombies; the state has to be a directory, whose files have times."""
    server = Observer(hosts, delay)
    Thread(target=lambda: asyncio.run(server.run()), daemon=True).start()
    while not server.port:
        time.sleep(0.01)
    told = {
        "seeds": [f"http://h{host}.test/{host}" for host in range(hosts)], "delay": delay, "batch": 2 * hosts,
        "strategy": "breadth-first", "fetch_to": f"127.0.0.1:{server.port}", "max_barren": 0,
        "contact": "test@opilio.test", "sitemaps": False, "max_pages": pages, "engine": "ray", "address": nodes.address,
        "state": state, "shards": shards,
    }  # fmt: skip
    freezer = Freezer(nodes, pages)
    why = crawled(Config(**told | more), freezer)
    assert why == f"page limit: {pages}", why
    for *_, pid in freezer.zombies:
        signalled(pid, signal.SIGKILL)
    return _judged(server, freezer.zombies, Path(state), shards, pages)


def _judged(server: Observer, zombies: list[tuple[int, int, int]], state: Path, shards: int, pages: int) -> Outcome:
    outcome = Outcome(requests=len(server.asked), pages=pages)
    opened: dict[tuple[int, int], float] = {}
    objects = place(str(state))
    for shard in range(shards):
        life = 0
        for number in entry_numbers(objects, shard):
            entry = read_entry(objects, shard, number)
            assert entry
            outcome.late_commits += entry.life < life
            life = max(life, entry.life)
            if entry.kind == OPEN:
                opened[shard, entry.life] = (state / entry_name(shard, number)).stat().st_mtime
    asked = defaultdict(list)
    for when, pid, _ in server.asked:
        asked[pid].append(when)
    for shard, life, pid in zombies:
        if (shard, life + 1) in opened:
            outcome.zombies += 1
            outcome.since_open += [max(asked[pid], default=0.0) - opened[shard, life + 1]]
    outcome.closest, outcome.too_close = server.closest()
    outcome.twice = _twice(state)
    return outcome


def _twice(state: Path) -> int:
    from .crawl import kept

    return len(kept(str(state), set()).twice)
