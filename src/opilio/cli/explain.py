"""What a crawl did, told page by page and as a whole: `opilio explain` and `opilio report`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ..report.bench import write as write_bench_report
from ..report.explain import story
from ..report.run import write as write_run_report
from .terminal import AsJson, RunFolder, plain

app = typer.Typer()


@app.command()
def explain(folder: RunFolder, url: str, as_json: AsJson = False) -> None:
    """Why a URL was fetched, or why not."""
    facts = story(folder, url)
    if as_json:
        print(json.dumps(facts))
    else:
        print("\n".join(map(plain, facts["lines"])))


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="a run folder, or a folder that `bench` made")],
) -> None:
    """Write a self-contained HTML page about a crawl or a benchmark, and print its path."""
    if (folder / "results.json").is_file():
        print(write_bench_report(folder))
    else:
        print(write_run_report(folder))
