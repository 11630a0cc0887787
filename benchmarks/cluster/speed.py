"""What a crawl costs on a Ray of its own, beside the same crawl by `processes`, both by the command on this machine.

What a page costs is measured without the start, after the first fifth of the pages; time and memory also of the command as a
whole. CPU time and memory are those of all processes that come from the command, Ray's own too. The two are run in turns, so that
whatever else the machine does hits both.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.scale import TICKS, TOPIC, stored
from opilio.engine.cluster.objects import place
from opilio.engine.cluster.pull import figures
from opilio.errors import OpilioError
from opilio.synth.web import Web

from .death import COMMAND

LOOK = 0.5  # seconds
FIRST = 0.2  # share of the pages that does not count


class Cost(NamedTuple):
    """Of a page, without the start; and of the whole command."""

    clock: float  # milliseconds
    cpu: float  # milliseconds of all processes
    of_ray: float  # of these, milliseconds of processes that are neither shards nor the command itself
    seconds: float  # by the clock, as a whole
    memory: float  # MB of all processes, at most


def compared(shards: int, pages: int, rounds: int) -> tuple[Cost, Cost]:
    """The median cost by `processes`, and on a Ray that keeps its state in a directory."""
    found: dict[str, list[Cost]] = {"processes": [], "ray": []}
    for _ in range(rounds):
        for engine, costs in found.items():
            with TemporaryDirectory(prefix="opilio-cluster-") as scratch:
                costs.append(_measured(Path(scratch), engine, shards, pages))
    by, on = (Cost(*(median(column) for column in zip(*costs, strict=True))) for costs in found.values())
    return by, on


def _measured(folder: Path, engine: str, shards: int, pages: int) -> Cost:
    return measured(words(folder / "run", engine, shards, pages), folder / "run", engine, pages)[0]


def words(run: Path, engine: str, shards: int, pages: int) -> list[str]:
    """A crawl of a web of twice its size, as a command; the topic does not change on the way."""
    told = [
        "crawl",
        "--corpus",
        f"synth:{2 * pages}",
        "--topic",
        TOPIC,
        "--strategy",
        "otie",
        "--max-pages",
        str(pages),
    ]
    told += [word for url in Web(2 * pages).seeds(TOPIC) for word in ("--seed", url)]
    settings = {"max_barren": 0, "adapt": False, "saturation": 0}
    told += [word for name, value in settings.items() for word in ("-s", f"{name}={json.dumps(value)}")]
    if engine == "ray":
        return [*told, "--engine", "ray", "--address", "local", "--state", str(run), "-s", f"shards={shards}"]
    return [*told, "-s", f"processes={shards}", "--out", str(run)]


def measured(told: list[str], run: Path, engine: str, pages: int) -> tuple[Cost, float]:
    """What a page of a crawl costs, and the most memory that its shards had, in bytes."""
    started = time.monotonic()
    process = subprocess.Popen([*COMMAND, *told], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    family = Family(process.pid)
    begun, now = _watched(process, family, run, engine, pages)
    seconds = time.monotonic() - started
    if process.returncode:
        raise SystemExit(f"the crawl by {engine} ended with {process.returncode}")
    count = now[0] - begun[0]
    clock, cpu, of_ray = (1000 * (after - before) / count for before, after in zip(begun[1:], now[1:], strict=True))
    cost = Cost(clock, cpu, of_ray, seconds, family.whole / 1e6)
    return cost, family.memory


def _watched(
    process: subprocess.Popen[bytes], family: Family, run: Path, engine: str, pages: int
) -> tuple[tuple[float, ...], ...]:
    """Pages, clock, CPU and Ray's CPU: after the first fifth, and at the last look before the end."""
    begun: tuple[float, ...] = ()
    now: tuple[float, ...] = ()
    while process.poll() is None:
        family.look()
        done = _pages(run, engine)
        if done >= FIRST * pages and (not now or done > now[0]):  # what comes after the last page does not count
            now = (done, time.monotonic(), *family.seconds())
            begun = begun or now
        time.sleep(LOOK)
    return begun, now


def _pages(run: Path, engine: str) -> int:
    with suppress(OpilioError, OSError):  # there is nothing yet
        return int(figures(place(str(run)))["pages"]) if engine == "ray" else stored(run) or 0
    return 0


class Family:
    """A process and all that come from it, dead ones too."""

    def __init__(self, pid: int) -> None:
        self._cpu: dict[int, float] = {pid: 0.0}
        self._ours, self._command = {pid}, pid
        self.memory = 0.0  # bytes, of all shards together, at most
        self.whole = 0.0  # the same of all processes

    def look(self) -> None:
        parents = {}
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                fields = (path / "stat").read_text().rpartition(")")[2].split()
                parents[int(path.name)] = (int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS)
        for pid, (parent, cpu) in sorted(parents.items()):
            if pid in self._cpu or parent in self._cpu:
                self._cpu[pid] = cpu
                if pid not in self._ours and _is_shard(pid):
                    self._ours.add(pid)
        shards = self._ours & parents.keys() - {self._command}
        self.memory = max(self.memory, sum(memory_alone(pid) for pid in shards))
        self.whole = max(self.whole, sum(memory_alone(pid) for pid in self._cpu.keys() & parents.keys()))

    def seconds(self) -> tuple[float, float]:
        """CPU of all, and of those that are Ray's."""
        return sum(self._cpu.values()), sum(cpu for pid, cpu in self._cpu.items() if pid not in self._ours)


def memory_alone(pid: int) -> float:
    """Bytes that a process alone has in memory."""
    with suppress(OSError):
        for line in Path("/proc", str(pid), "status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return 1024.0 * int(line.split()[1])
    return 0.0


def _is_shard(pid: int) -> bool:
    with suppress(OSError):
        line = Path("/proc", str(pid), "cmdline").read_bytes()
        return b"ShardActor" in line or b"opilio.cli.shard" in line
    return False


def shown(shards: int, by: Cost, on: Cost) -> str:
    return (
        f"{shards} shards, {os.cpu_count()} cores: by processes {by.clock:.2f} ms a page by the clock, {by.cpu:.2f} ms of CPU; "
        f"on Ray with a state directory {on.clock:.2f} and {on.cpu:.2f} ms, of which {on.of_ray:.2f} are Ray's own processes. "
        f"Speed {by.clock / on.clock:.2f} of processes, CPU {on.cpu / by.cpu:.2f} x. The whole command takes "
        f"{by.seconds:.0f} s and {by.memory:,.0f} MB by processes, {on.seconds:.0f} s and {on.memory:,.0f} MB on Ray"
    )
