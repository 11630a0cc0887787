"""Scrapy's own queue and ours beside it: the same spider on the same local site, up to a page limit, and killed on the way.

    python -m benchmarks.scrapy_queue [--limit 90] [--kills 3]

Printed are for each: how many of the first pages are about the topic; and, after these SIGKILLs and a last run to the end, how
many pages were never parsed, and how many parses were of pages parsed before.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from subprocess import Popen

from tests.scrapy_site import ADDON, PAGES, crawl, is_about_bees, project, serving, visited

FIFO = 'DEPTH_PRIORITY = 1\nSCHEDULER_{0}_QUEUE = "scrapy.squeues.{1}"\n'
QUEUES = {
    "Scrapy, as it is": 'JOBDIR = "job"\n',
    "Scrapy, breadth-first": 'JOBDIR = "job"\n'
    + FIFO.format("DISK", "PickleFifoDiskQueue")
    + FIFO.format("MEMORY", "FifoMemoryQueue"),
    **{f"opilio.scrapy, {name}": ADDON.replace("best-first", name) for name in ("best-first", "otie", "blend")},
}
ALL = {str(number) for number in range(PAGES)}
PATIENCE = 120.0  # seconds for one run


def numbers(folder: Path) -> list[str]:
    return [path for path in visited(folder) if path in ALL]


def found(folder: Path, home: str, limit: int) -> int:
    """Pages about the topic among the first."""
    with crawl(folder, home, "-s", f"CLOSESPIDER_PAGECOUNT={limit}", "-s", "CONCURRENT_REQUESTS=1") as process:
        process.communicate(timeout=PATIENCE)
    return sum(is_about_bees(int(path)) for path in numbers(folder)[:limit])


def killed(folder: Path, home: str, kills: int) -> tuple[int, int]:
    """Pages that were lost, and parses of pages that were parsed before."""
    for number in range(1, kills + 1):
        with crawl(folder, home, "-s", "DOWNLOAD_DELAY=0.005") as process:
            _wait(process, folder, number * PAGES // (kills + 2))
            process.kill()
    with crawl(folder, home) as process:
        process.communicate(timeout=PATIENCE)
    return len(ALL - set(numbers(folder))), len(numbers(folder)) - len(set(numbers(folder)))


def _wait(process: Popen[str], folder: Path, count: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while len(visited(folder)) < count and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=90)
    parser.add_argument("--kills", type=int, default=3)
    told = parser.parse_args()
    print(
        f"| queue | about the topic, of the first {told.limit} | lost of {PAGES} after {told.kills} kills | parsed again |"
    )
    print("| --- | --- | --- | --- |")
    for name, settings in QUEUES.items():
        with tempfile.TemporaryDirectory() as scratch, serving() as home:
            best = found(project(Path(scratch) / "limited", settings), home, told.limit)
            lost, again = killed(project(Path(scratch) / "killed", settings), home, told.kills)
            print(f"| {name} | {best} | {lost} | {again} |", flush=True)


if __name__ == "__main__":
    main()
