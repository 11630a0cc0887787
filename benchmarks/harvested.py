"""What it costs to watch a crawl and to take its harvest out again.

python -m benchmarks.harvested [PAGES]           export of a synthetic run of a million pages: time and memory
python -m benchmarks.harvested search [PAGES]    indexing a crawl of 3,000 pages of the synthetic web, and asking
python -m benchmarks.harvested watch [PAGES]     the share of a crawl that its view in the terminal takes
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

from opilio.cli import progress
from opilio.cli.journal import Journal
from opilio.config import Config
from opilio.engine.run import Run
from opilio.report.export import export
from opilio.report.search import search, update
from opilio.store.run import RunStore
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.web import Web

SITES = 5000


def rows(pages: int, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    """Page rows that look like those of a crawl."""
    for number in range(1, pages + 1):
        host = f"http://www.site{number % SITES}.example"
        known = {
            "number": number, "url": f"{host}/{number % 97}/page-{number}.html", "status": 200, "error": "",
            "time": 1.7e9 + number / 50, "bytes": 20_000, "title": f"The page of the number {number}, about bees and honey",
            "language": "en", "relevance": (number * 7919 % 1000) / 1000, "location": "", "source": f"{host}/",
            "anchor": f"bees of number {number}", "path": "html/body/div.main/ul/li/a", "lane": '["path", "host"]',
            "value": 0.5, "shift": 0.0, "scale": 0.7, "note": "[0.25, 0.75]", "hops": 0,
            "file": "opilio-000000.warc.gz", "offset": number * 5000, "length": 5000,
        }  # fmt: skip
        yield tuple(known.get(name) for name in columns)


def make(folder: Path, pages: int) -> None:
    store = RunStore(folder)
    columns = [name for _, name, *_ in store.db.execute("PRAGMA table_info(pages)")]
    store.db.executemany(f"INSERT INTO pages VALUES ({', '.join('?' * len(columns))})", rows(pages, columns))
    store.commit({})
    store.close()
    (folder / "config.toml").write_text(Config(corpus="made up", topic="bees").toml())


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(pages: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        make(folder, pages)
        print(f"{pages:,} pages; {peak():.0f} MB of memory before the first export")
        for kind in ("jsonl", "csv", "parquet"):
            begun, target = time.process_time(), Path(name) / f"pages.{kind}"
            count = export(folder, target, kind)
            told = {"rows": count, "seconds": round(time.process_time() - begun, 1), "peak MB so far": round(peak())}
            print(kind, json.dumps({**told, "file MB": round(target.stat().st_size / 1e6)}))


def ready(folder: Path, pages: int) -> Run:
    """A crawl of the synthetic web."""
    web = Web(max(600, 2 * pages), 3)
    config = Config(corpus="made up", seeds=web.seeds("beekeeping"), topic="beekeeping", max_pages=pages)
    return Run(folder, config, SynthFetcher(web))


def watching(pages: int) -> None:
    """CPU seconds inside the view, drawn for a terminal that is none, against those of the whole crawl."""
    with tempfile.TemporaryDirectory() as name, open(os.devnull, "w") as nowhere:
        vars(progress)["err"] = Console(file=nowhere, force_terminal=True, width=120)
        run, spent = ready(Path(name) / "run", pages), 0.0
        begun = time.process_time()
        try:
            with progress.watched(run.folder, run.config, Journal(), lambda: len(run.shard.frontier)) as step:

                def timed() -> None:
                    nonlocal spent
                    start = time.process_time()
                    step()
                    spent += time.process_time() - start

                run.go(timed)
        finally:
            run.close()
        whole = time.process_time() - begun
        print(f"{pages:,} pages: {spent:.2f} of {whole:.1f} CPU seconds, {spent / whole:.1%}, are the view's")


def searched(pages: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        run = ready(Path(name) / "run", pages)
        folder = run.folder
        try:
            run.go()
        finally:
            run.close()
        begun = time.process_time()
        count = update(folder)
        print(f"index: {(time.process_time() - begun) / count * 1000:.2f} ms a page")
        sizes = {path: (folder / path).stat().st_size / 1e6 for path in ("search.db", "state.db")}
        print(", ".join(f"{path} {size:.1f} MB" for path, size in sizes.items()))
        for query in ("honey", "honey hive queen", "the", '"queen bee"'):
            begun = time.process_time()
            found = search(folder, query)
            print(f"{query}: {found.total} pages, {(time.process_time() - begun) * 1000:.1f} ms")


if __name__ == "__main__":
    if sys.argv[1:2] in (["search"], ["watch"]):
        {"search": searched, "watch": watching}[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 3000)
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
