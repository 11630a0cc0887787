"""Strategies: which there are, and how they compare."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from .. import registry, specs
from ..bench.corpus import Outside
from ..bench.run import bench as run_bench
from ..bench.table import table as bench_table
from ..errors import ConfigError
from ..report.bench import write as write_bench_report
from .terminal import AsJson, draw, progress

app = typer.Typer()


@app.command()
def bench(
    folder: Annotated[Path, typer.Argument(metavar="CORPUS", help="a corpus folder")],
    task: Annotated[
        str | None, typer.Option(help="the task's name; the first that can be crawled if not given")
    ] = None,
    strategies: Annotated[
        str | None, typer.Option(help="names, or path/to/file.py:Class, with commas; all of ours if not given")
    ] = None,
    budget: Annotated[str | None, typer.Option(help="fetches a run, or a multiple of the targets such as 5x")] = None,
    runs: Annotated[int, typer.Option(min=1, help="runs a topic")] = 1,
    seed: Annotated[int, typer.Option(help="decides splits and everything left to chance")] = 0,
    model: Annotated[str, typer.Option(help="how relevance is judged: the name of a model")] = "auto",
    outside: Annotated[
        Outside, typer.Option(help="links to URLs that were not recorded: left-out of all pages, or dead (404)")
    ] = "left-out",
    judge: Annotated[
        bool, typer.Option("--judge", help="harvest by classifiers, too: what two of svm, bayes and net call relevant")
    ] = False,
    into: Annotated[Path, typer.Option("--out", help="where results.json, report.html and the plots go")] = Path(
        "runs/bench"
    ),
) -> None:
    """Compare strategies on the same recorded pages."""
    chosen = specs.split(strategies) if strategies is not None else None
    if chosen == []:
        raise ConfigError(f'--strategies "{strategies}" names none; write names with commas, or leave it out for all')
    with progress("runs") as step:
        results = run_bench(
            folder, task, chosen, budget, runs, seed, into, step, model=model, outside=outside, judge=judge
        )
    draw(bench_table(results))
    print(write_bench_report(into, _command(sys.argv)))


@app.command("strategies")
def list_strategies(as_json: AsJson = False) -> None:
    """What strategies there are, one line each."""
    rows = [_about(name) for name in [*registry.strategies(), *registry.names_of_others()]]
    if as_json:
        print(json.dumps(rows))
        return
    grid = Table("strategy", "what it does", "needs", "settings", box=None)
    for row in rows:
        settings = ", ".join(f"{key}={value}" for key, value in row["settings"].items())
        grid.add_row(row["name"], row["about"], ", ".join(row["needs"]), settings)
    draw(grid)


def _about(name: str) -> dict[str, Any]:
    kind = registry.kind_of(name)
    about = (sys.modules[kind.__module__].__doc__ or "").strip().split("\n")[0]
    return {"name": name, "about": about, "needs": registry.needs(kind), "settings": registry.settings(kind)}


def _command(words: list[str]) -> str:
    return shlex.join(["opilio", *words[1:]])
