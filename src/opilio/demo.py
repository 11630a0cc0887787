"""The demonstration: a synthetic web, a crawl for a topic, and the same topic with other strategies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.table import Table

from .bench.corpus import Corpus
from .bench.run import bench
from .bench.table import table
from .config import Config
from .engine.run import Run
from .engine.run_folder import free
from .errors import StoppedError
from .report.bench import write as write_bench_report
from .report.run import write as write_run_report
from .synth.corpus import write as write_synth
from .synth.web import Web
from .system.signals import StopRequests

PAGES, BUDGET, SEED = 2000, 300, 7
STRATEGIES = ["breadth-first", "best-first", "otie", "community", "genre", "link-context-plus", "blend"]


def demo(folder: Path, step: Callable[[int, int, str], None]) -> tuple[list[Table], list[Path]]:
    """Do all of it in a new folder; tables to show and files to open."""
    free(folder)
    web = Web(PAGES, SEED)
    write_synth(web, folder / "web", tick=lambda done: step(done, PAGES, "generating a web"))
    topic = web.topics[0]
    run = crawl(folder / "run", folder / "web", topic.split("/")[-1], web.seeds(topic), step)
    results = bench(
        folder / "web", "topics", STRATEGIES, "2x", 1, SEED, folder / "bench",
        lambda done, total, _: step(done, total, "comparing strategies"), batch=10,
    )  # fmt: skip
    return [table(results)], [run, write_bench_report(folder / "bench")]


def crawl(out: Path, corpus: Path, topic: str, seeds: list[str], step: Callable[[int, int, str], None]) -> Path:
    """One crawl into a run folder; its report."""
    config = Config(corpus=str(corpus), topic=topic, seeds=seeds[:10], max_pages=BUDGET)
    stored = Corpus.open(corpus)
    run = Run(out, config, stored.fetcher(), stored.home)
    try:
        with StopRequests() as stop:
            why = run.go(lambda: step(run.store.pages, BUDGET, f"crawling for {topic}"), stop)
    finally:
        run.close()
    if why == "interrupted":
        raise StoppedError(f"interrupted; see what there is with: opilio status {out}")
    return write_run_report(out)
