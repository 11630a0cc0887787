"""The crawl of a soak: two processes, killed now and then and resumed, looked at all the while."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.scale import stored
from benchmarks.scale_check import committed
from opilio.frontier.disk.row_log import index_of
from opilio.store.reader import reading

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-c", "from benchmarks.soak.process import main; main()")
TICKS = os.sysconf("SC_CLK_TCK")
# At which part of it, and whom: close together, so that in between processes live long enough for a leak to be seen.
KILLS = {0.02: "all", 0.04: "worker", 0.06: "worker", 0.5: "all", 0.52: "worker", 0.54: "worker"}
CYCLE = "opic(select=cycle,recrawl=1)"
WORDS = 10_000  # of the fixed piece of work
LOOKS = 1200  # at most, over the whole soak
PATIENCE = 180.0  # seconds for the crawl to bring a page, and to end
ROLES = {"parent": "lock", "worker 0": "lock-0", "worker 1": "lock-1"}  # and the file that names each process


class Taken(NamedTuple):
    """What one process took at one moment."""

    pid: int
    memory: float  # MB that are its own: what it maps of its database belongs to the system, which may take it back
    files: int
    threads: int
    cpu: float  # seconds so far


class Look(NamedTuple):
    """How the crawl stood at one moment."""

    seconds: float
    pages: int
    by: dict[str, Taken]  # role -> what it took
    work: float  # CPU seconds of a fixed piece of work: how fast the machine was


class Soaked(NamedTuple):
    """A soak as it was watched, and what was found in the end."""

    seconds: float
    looks: list[Look]
    kills: list[tuple[float, str]]
    known: int  # URLs
    disk: int  # bytes of the run folder
    lost: int  # pages that were committed before a kill, and are not there
    tracebacks: int  # in the log
    ended: int  # exit code after Ctrl-C


class Soak:
    """A crawl in a folder, for this many seconds."""

    def __init__(
        self,
        folder: Path,
        told: dict[str, Any],
        seconds: float,
        kills: dict[float, str],
        show: Callable[[Look, int], None],
    ) -> None:
        self.folder, self.told, self.seconds, self._show = folder, told, seconds, show
        self.looks: list[Look] = []
        self.kills: list[tuple[float, str]] = []
        self._due = sorted(kills.items())
        self._before: dict[int, str] = {}
        self._fresh = 0  # pages when something was last killed
        self._begun = time.monotonic()

    def go(self) -> Soaked:
        """Crawl, kill, resume, until the time is over."""
        self._start("crawl", *_words(self.told), "--out", str(self.folder))
        try:
            while self._due or self._now() < self.seconds or not self._revived():
                self._look()
                self._kill_if_due()
                time.sleep(max(0.1, self.seconds / LOOKS))
            ended = self._end()
        finally:
            self._kill_all()
        now = committed(self.folder)
        lost = sum(now.get(number) != url for number, url in self._before.items())
        tracebacks = self._errors.read_text().count("Traceback")
        disk = sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        return Soaked(self.seconds, self.looks, self.kills, _known(self.folder), disk, lost, tracebacks, ended)

    def _now(self) -> float:
        return time.monotonic() - self._begun

    def _start(self, *words: str) -> None:
        with self._errors.open("ab") as log:
            self._process = subprocess.Popen(
                [*COMMAND, *words], cwd=ROOT, start_new_session=True, stdout=subprocess.DEVNULL, stderr=log
            )

    @property
    def _errors(self) -> Path:
        return self.folder.with_suffix(".err")

    def _look(self) -> None:
        if self._process.poll() is not None:
            raise SystemExit(f"the crawl ended with {self._process.returncode}:\n{self._errors.read_text()[-2000:]}")
        pages = stored(self.folder)
        if pages is not None:
            self.looks.append(Look(self._now(), pages, dict(_taken(self.folder)), _work()))
            self._show(self.looks[-1], len(self.kills))
        if self._now() - self._quiet_since() > PATIENCE:
            raise SystemExit(f"no page for {PATIENCE:.0f} s:\n{self._errors.read_text()[-2000:]}")

    def _quiet_since(self) -> float:
        """When the last page came."""
        pages = self.looks[-1].pages if self.looks else 0
        return next((look.seconds for look in reversed(self.looks) if look.pages < pages), 0.0)

    def _kill_if_due(self) -> None:
        """Kill what is next, if it is time, and if the crawl has come back from the last one."""
        if not self._due or self._now() < self._due[0][0] * self.seconds or not self._revived():
            return
        _, whom = self._due.pop(0)
        self._fresh = self.looks[-1].pages
        self.kills.append((self._now(), whom))
        if whom == "worker":
            os.kill(self.looks[-1].by["worker 1"].pid, signal.SIGKILL)
        else:
            self._kill_all()
            self._before |= committed(self.folder)
            self._start("resume", str(self.folder))

    def _revived(self) -> bool:
        """Whether all processes are there, and a page has come, since something was killed."""
        return bool(self.looks) and self.looks[-1].pages > self._fresh and len(self.looks[-1].by) == len(ROLES)

    def _kill_all(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _end(self) -> int:
        """End it as Ctrl-C does."""
        os.killpg(self._process.pid, signal.SIGINT)
        return self._process.wait(PATIENCE)


def settings(server: dict[str, Any], access: Path, strategy: str = CYCLE) -> dict[str, Any]:
    """Every page that there is, in turn, and again, for ever: the number of known URLs has an end, the crawl has none.

    What the topic would learn on the way is no part of it.
    """
    access.write_text(f'certificates = "{server["ca_file"]}"\nkeep_cookies = true\n')
    return {
        "seeds": server["seeds"], "topic": "beekeeping", "strategy": strategy, "processes": 2,
        "adapt": False, "max_pages": 10**9, "max_barren": 0, "saturation": 0, "delay": 0.0,
        "fetch_total": 4.0, "fetch_to": f"127.0.0.1:{server['port']}", "access": str(access),
        "exclude": ["http://links-100000.http.test/p*"], "contact": "soak@opilio.test",
    }  # fmt: skip


def _words(told: dict[str, Any]) -> Iterator[str]:
    for url in told["seeds"]:
        yield from ("--seed", url)
    for name, value in told.items():
        if name != "seeds":
            yield from ("-s", f"{name}={json.dumps(value)}")


def _work() -> float:
    """Some milliseconds of work that is always the same, of the kind that a crawl does: texts, tables, sorting."""
    begun = time.thread_time()
    words = [f"word{number * 7919 % WORDS}" for number in range(WORDS)]
    Counter(word[:6] for word in sorted(words))
    return time.thread_time() - begun


def _known(folder: Path) -> int:
    with closing(reading(folder)) as db:
        return sum(len(index_of(shard)) for shard in db.shards)


def _taken(folder: Path) -> Iterator[tuple[str, Taken]]:
    for role, file in ROLES.items():
        with suppress(OSError, ValueError, KeyError):  # it is not there, or not any more
            yield role, _of_process(int((folder / file).read_text()))


def _of_process(pid: int) -> Taken:
    path = Path("/proc", str(pid))
    status = dict(line.split(":", 1) for line in (path / "status").read_text().splitlines())
    spent = (path / "stat").read_text().rpartition(")")[2].split()[11:13]
    memory = int(status["RssAnon"].split()[0]) / 1024
    files = len(os.listdir(path / "fd"))
    return Taken(pid, memory, files, int(status["Threads"]), sum(map(int, spent)) / TICKS)
