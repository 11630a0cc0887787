"""A long crawl of the synthetic web, streamed: `make bench-scale`.

    python -m benchmarks.scale [--pages 1000000] [--processes 2]     one crawl, killed in the middle and resumed
    python -m benchmarks.scale --pages 20000 --processes 1 2         one after the other, not killed, and their ratio

The web is of the size of the crawl twice over, and its pages are made as they are asked for (`corpus = "synth:PAGES"`).
The crawl is the command itself; every second its clock, the CPU time and the memory of all of its processes are noted
with the pages that it has committed. In the middle its process group is killed with SIGKILL, once, and it is resumed. In
the end, what is stored is held against what was stored before the kill and against the links of stored pages. With
--write the table goes into docs/scale.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchmarks.scale_check import Checked, check, committed
from benchmarks.tables import marked
from opilio.store.reader import state_files
from opilio.synth.web import Web

COMMAND = (sys.executable, "-c", "from opilio.cli import main; main()")
DOC = Path(__file__).parent.parent / "docs" / "scale.md"
MEASURED = "benchmarks/scale.py src/opilio/engine src/opilio/frontier src/opilio/store src/opilio/shard"
FROM, TO = "<!-- from here: printed by make bench-scale -->\n", "<!-- to here -->\n"
TOPIC = "beekeeping"
AROUND = 0.2  # a window reaches from a fifth before a mark to a fifth behind it
TICKS = os.sysconf("SC_CLK_TCK")


class Sample(NamedTuple):
    """How a crawl stood at one moment."""

    time: float  # by the clock, without the time that it was dead
    pages: int
    cpu: tuple[float, ...]  # seconds of earlier lives, then of each process, the busiest first
    memory: int  # bytes, of all processes; what they share counts once


@dataclass
class Course:
    """One crawl as it was watched, and what was found in the end."""

    processes: int
    samples: list[Sample] = field(default_factory=list)
    checked: Checked | None = None

    @property
    def peak(self) -> int:
        return max(sample.memory for sample in self.samples)

    def window(self, mark: int) -> tuple[float, float]:
        """Pages a second and CPU milliseconds a page around a number of pages."""
        inside = [s for s in self.samples if mark * (1 - AROUND) <= s.pages <= mark * (1 + AROUND)] or self.samples[-2:]
        first, last = inside[0], inside[-1]
        pages = max(1, last.pages - first.pages)
        return pages / max(1e-9, last.time - first.time), 1000 * (sum(last.cpu) - sum(first.cpu)) / pages


def crawled(folder: Path, pages: int, processes: int, kill: bool) -> Course:
    """Crawl this many pages, killed in the middle or not."""
    course, before = Course(processes), {}
    words = _words(folder, pages, processes)
    if kill:
        _live(course, folder, words, pages // 2)
        before = committed(folder)
        words = ["resume", str(folder)]
    _live(course, folder, words, None)
    course.checked = check(folder, before)
    return course


def _words(folder: Path, pages: int, processes: int) -> list[str]:
    size = 2 * pages
    seeds = [word for url in Web(size).seeds(TOPIC) for word in ("--seed", url)]
    # The topic is learned once and shared: what each shard would learn later is no part of the loop, and not the same.
    told = {"processes": processes, "max_barren": 0, "adapt": False}
    words = [word for name, value in told.items() for word in ("-s", f"{name}={json.dumps(value)}")]
    return ["crawl", "--corpus", f"synth:{size}", "--topic", TOPIC, *seeds, "--strategy", "otie", *words, "-s", "saturation=0",
            "--max-pages", str(pages), "--out", str(folder)]  # fmt: skip


def _live(course: Course, folder: Path, words: Sequence[str], until: int | None) -> None:
    """One life of the crawl, ended by SIGKILL after this many pages, or by itself."""
    last = course.samples[-1] if course.samples else Sample(0.0, 0, (), 0)
    begun = time.monotonic() - last.time
    errors = folder.with_suffix(".err")
    with errors.open("ab") as log:
        process = subprocess.Popen([*COMMAND, *words], start_new_session=True, stdout=subprocess.DEVNULL, stderr=log)
    base, spent = sum(last.cpu), dict[int, float]()
    while process.poll() is None:
        if (pages := stored(folder)) is not None:
            members = list(_members(process.pid))
            spent |= {pid: cpu for pid, cpu, _ in members}  # what the dead have spent counts, too
            cpu = (base, *sorted(spent.values(), reverse=True))
            course.samples.append(Sample(time.monotonic() - begun, pages, cpu, sum(size for *_, size in members)))
        if until is not None and (pages or 0) >= until:
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(1.0)
    if until is None and process.returncode:
        raise SystemExit(f"the crawl ended with {process.returncode}:\n{errors.read_text()[-2000:]}")


def stored(folder: Path) -> int | None:
    """Pages committed so far; None when there is nothing to look at yet."""
    count = 0
    with suppress(sqlite3.OperationalError):
        for path in state_files(folder):
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
                row = db.execute("SELECT value FROM meta WHERE name = 'pages'").fetchone()
                count += json.loads(row[0]) if row else 0
        return count
    return None


def _members(group: int) -> Iterator[tuple[int, float, int]]:
    """Number, CPU seconds and bytes of memory of every process in a group."""
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                yield int(path.name), (int(fields[11]) + int(fields[12])) / TICKS, _memory(path)


def _memory(path: Path) -> int:
    for line in (path / "smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return 1024 * int(line.split()[1])
    return 0


def marks(pages: int) -> list[int]:
    """Where the pace is looked at: powers of ten up to the end, and the end."""
    tens = [10**power for power in range(4, 10) if 10**power < pages]  # before that, starting counts for much
    return [*tens, pages]


def table(course: Course, pages: int) -> str:
    """One crawl as Markdown."""
    rates = {mark: course.window(mark) for mark in marks(pages)}
    lines = ["| pages | pages/s | CPU ms a page |", "| --- | --- | --- |"]
    lines += [f"| {mark:,} | {rate:.0f} | {cpu:.2f} |" for mark, (rate, cpu) in rates.items()]
    paces = [rate for rate, _ in rates.values()]
    about = (
        f"{pages:,} pages on {course.processes} processes, {os.cpu_count()} cores, Python {platform.python_version()}. "
    )
    about += f"Slowest to fastest: {min(paces) / max(paces):.2f}. Memory at most: {course.peak / 1e9:.2f} GB."
    return "\n".join([about, "", *lines, "", str(course.checked), ""])


def compared(courses: Sequence[Course]) -> str:
    """What more processes bring: by the clock, and by the CPU time of the busiest, as if each had a core of its own.

    The second half of each crawl is looked at: starting, and learning words, is behind it.
    """
    head = "| processes | pages/s | CPU ms a page | of the busiest process | memory, MB |"
    lines, rates, alone = [head, "| --- | --- | --- | --- | --- |"], [], []
    for course in courses:
        last = course.samples[-1]
        half = next(sample for sample in course.samples if 2 * sample.pages >= last.pages)
        pages = last.pages - half.pages
        rates.append(pages / (last.time - half.time))
        alone.append(pages / (last.cpu[1] - half.cpu[1]))
        each = f"{1000 * (sum(last.cpu) - sum(half.cpu)) / pages:.2f} | {1000 / alone[-1]:.2f}"
        lines.append(f"| {course.processes} | {rates[-1]:.0f} | {each} | {course.peak / 1e6:.0f} |")
    lines.append(f"\nPages a second, last to first: {rates[-1] / rates[0]:.2f} by the clock; ")
    return "\n".join(lines) + f"{alone[-1] / alone[0]:.2f} by the busiest process, as if each had a core of its own.\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, nargs="+", default=[2])
    parser.add_argument("--write", action="store_true", help="put the table into docs/scale.md")
    parser.add_argument("--out", type=Path, help="where run folders go, and stay; else they are removed")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folders = [(chosen.out or Path(scratch)) / f"scale-{count}" for count in chosen.processes]
        kill = len(folders) == 1
        courses = [crawled(f, chosen.pages, n, kill) for f, n in zip(folders, chosen.processes, strict=True)]
    text = table(courses[0], chosen.pages) if kill else compared(courses)
    print(text)
    if chosen.write:
        before, _, rest = DOC.read_text().partition(FROM)
        told = marked(text, "python -m benchmarks.scale", MEASURED)
        DOC.write_text(f"{before}{FROM}\n{told}\n{TO}{rest.partition(TO)[2]}")


if __name__ == "__main__":
    main()
