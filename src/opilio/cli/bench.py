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
from ..bench.run import Question, answer, check_out, prepare, specs_of, workers_for
from ..bench.several_corpora import bench_all
from ..bench.simulated_time import EXAMPLE, parse_clock
from ..bench.standings_table import table as standings_table
from ..bench.table import table as bench_table
from ..errors import ConfigError
from ..report.bench import write as write_bench_report
from ..report.standings import write as write_standings
from ..scope.bounds import Bounds
from ..shard import FirstBatches
from .terminal import AsJson, draw, progress, say

app = typer.Typer()


@app.command()
def bench(
    folders: Annotated[list[Path], typer.Argument(metavar="CORPUS...", help="a corpus folder, or several")],
    task: Annotated[
        str | None, typer.Option(help="the task's name; the first that can be crawled if not given")
    ] = None,
    strategies: Annotated[
        str | None, typer.Option(help="names, or path/to/file.py:Class, with commas; all of ours if not given")
    ] = None,
    budget: Annotated[str | None, typer.Option(help="fetches a run, or a multiple of the targets such as 5x")] = None,
    runs: Annotated[int, typer.Option(min=1, help="runs a topic")] = 1,
    seed: Annotated[int, typer.Option(help="decides splits and everything left to chance")] = 0,
    model: Annotated[
        str,
        typer.Option(help="how relevance is judged, the same for all; if not given, as each strategy's method does"),
    ] = "",
    outside: Annotated[
        Outside, typer.Option(help="links to URLs that were not recorded: left-out of all pages, or dead (404)")
    ] = "left-out",
    first_batches: Annotated[
        FirstBatches,
        typer.Option(
            help="how many pages are chosen at once at first: small (a tenth of what was fetched), whole, or as the method says"
        ),
    ] = "strategy",
    judge: Annotated[
        bool, typer.Option("--judge", help="harvest by classifiers, too: what two of svm, bayes and net call relevant")
    ] = False,
    max_per_site: Annotated[int, typer.Option(min=0, help="most fetches on one site; 0: no limit")] = 0,
    language: Annotated[list[str], typer.Option(help="pages in other languages offer nothing; may be repeated")] = [],  # noqa: B006
    clock: Annotated[
        str | None,
        typer.Option(help=f"play every crawl against a simulated clock as well, such as {EXAMPLE} (the defaults)"),
    ] = None,
    into: Annotated[Path, typer.Option("--out", help="where results.json, report.html and the plots go")] = Path(
        "runs/bench"
    ),
) -> None:
    """Compare strategies on the same recorded pages."""
    chosen = specs.split(strategies) if strategies is not None else None
    if chosen == []:
        raise ConfigError(f'--strategies "{strategies}" names none; write names with commas, or leave it out for all')
    ticking = parse_clock(clock) if clock is not None else None
    asked = Question(
        task, specs_of(chosen), budget, runs, seed, model=model, outside=outside, first_batches=first_batches, judge=judge,
        clock=ticking, bounds=Bounds(max_per_site=max_per_site, languages=tuple(language)),
    )  # fmt: skip
    if len(folders) > 1:
        _several(folders, asked, into)
        return
    check_out(into)
    with progress("runs") as step:
        results = answer(prepare(folders[0], asked), asked, workers_for(asked.specs, None), into, step)
    draw(bench_table(results))
    print(write_bench_report(into, _command(sys.argv)))


def _several(folders: list[Path], asked: Question, into: Path) -> None:
    """Each corpus, and all of them together."""
    with progress("runs") as step:
        overall, results = bench_all(folders, asked, into, step)
    for one in results.values():
        draw(bench_table(one))
    draw(standings_table(overall.standings))
    print(write_standings(into, overall, _command(sys.argv)))


@app.command("strategies")
def list_strategies(as_json: AsJson = False) -> None:
    """What strategies there are, one line each."""
    rows = [_about(name) for name in registry.strategies()]
    for name in registry.names_of_others():
        try:
            rows.append(_about(name))
        except ConfigError as error:  # of one package; the others are listed all the same
            say(f"opilio: strategy {name} is left out: {error}")
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
    about = registry.about(kind)
    needs = [*registry.needs(kind), *([" or ".join(kind.one_of)] if kind.one_of else [])]
    return {"name": name, "about": about, "needs": needs, "settings": registry.settings(kind)}


def _command(words: list[str]) -> str:
    return shlex.join(["opilio", *words[1:]])
