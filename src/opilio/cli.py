"""The command line. stdout carries results, stderr progress and messages."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from . import __version__, parts, registry
from .bench.corpus import Corpus
from .bench.corpus import check as check_corpus
from .bench.run import bench as run_bench
from .bench.table import table as bench_table
from .config import Config, load, setting
from .demo import demo as run_demo
from .doctor import examine
from .engine.local import Run, configured, free
from .errors import OpilioError
from .report.bench import write as write_bench_report
from .report.run import story, summary
from .report.run import write as write_run_report
from .synth.corpus import write as write_synth
from .synth.serve import Said, port_of, serve
from .synth.web import Web
from .urls import canonical

LIMIT_REACHED = 3
INTERRUPTED = 130
WIDTH = 140  # of tables that go into a file or a pipe

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)
corpus_app = typer.Typer(no_args_is_help=True, help="Folders of recorded pages with ground truth: check, make, serve.")
app.add_typer(corpus_app, name="corpus")
app.command()(parts.structure)
app.command()(parts.communities)
out = Console(soft_wrap=True, width=None if sys.stdout.isatty() else WIDTH)
err = Console(stderr=True)

RunFolder = Annotated[Path, typer.Argument(metavar="DIR", help="a run folder that `opilio crawl` made")]
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON document")]


@app.callback(invoke_without_command=True)
def front(version: Annotated[bool, typer.Option("--version", help="print the version")] = False) -> None:
    """A focused web crawler: a topic and a budget in, the pages that matter out."""
    if version:
        print(f"opilio {__version__}")
        raise typer.Exit


@app.command()
def crawl(
    config: Annotated[Path | None, typer.Argument(metavar="[CONFIG.toml]", help="settings, one TOML file")] = None,
    topic: Annotated[str | None, typer.Option(help="what the pages should be about, in a few words")] = None,
    example: Annotated[list[str] | None, typer.Option(help="URL of a page about the topic; may be given often")] = None,
    seed: Annotated[list[str] | None, typer.Option(help="URL to start from; may be given often")] = None,
    corpus: Annotated[str | None, typer.Option(help="folder with recorded pages to crawl in")] = None,
    strategy: Annotated[
        str | None, typer.Option(help="how the next page is chosen; `opilio strategies` lists them")
    ] = None,
    max_pages: Annotated[int | None, typer.Option(help="stop after this many fetches")] = None,
    folder: Annotated[Path, typer.Option("--out", help="the run folder to make")] = Path("runs/crawl"),
    settings: Annotated[list[str] | None, typer.Option("-s", metavar="KEY=VALUE", help="any other setting")] = None,
) -> None:
    """Crawl for a topic, into a new run folder."""
    named = {
        "topic": topic, "examples": example, "seeds": seed, "corpus": corpus, "strategy": strategy, "max_pages": max_pages,
    }  # fmt: skip
    chosen = {name: value for name, value in named.items() if value}
    understood = load(config, {**chosen, **dict(map(setting, settings or []))})
    free(folder)
    _go(folder, understood)


@app.command()
def resume(
    folder: RunFolder,
    max_pages: Annotated[int | None, typer.Option(help="a new limit, counted from the start of the crawl")] = None,
) -> None:
    """Go on where a crawl stopped, after a stop or a crash."""
    config = configured(folder)
    if max_pages:
        config = config.model_copy(update={"max_pages": max_pages})
        (folder / "config.toml").write_text(config.toml(), encoding="utf-8")
    _go(folder, config)


def _go(folder: Path, config: Config) -> None:
    stored = Corpus.open(Path(config.corpus))
    run = Run(folder, config, stored.fetcher(), stored.home)
    if chosen := getattr(run.topic, "why", ""):
        err.print(f"relevance is judged by {chosen}", markup=False, highlight=False, soft_wrap=True)
    try:
        with progress("crawling") as step:
            why = run.go(lambda: step(run.store.pages, config.max_pages, ""))
    finally:
        run.close()
    _print_summary(folder)
    err.print(f"stopped: {why}. Look at it: opilio report {folder}")
    if why == "interrupted":
        err.print(f"everything up to here is safe; go on with: opilio resume {folder}")
        raise typer.Exit(INTERRUPTED)
    if "limit" in why:
        raise typer.Exit(0 if why.startswith("page limit") else LIMIT_REACHED)


@app.command()
def status(folder: RunFolder, as_json: AsJson = False) -> None:
    """What a crawl did so far."""
    if as_json:
        print(json.dumps(summary(folder)))
    else:
        _print_summary(folder)


def _print_summary(folder: Path) -> None:
    rows = Table(show_header=False, box=None)
    for name, value in summary(folder).items():
        rows.add_row(name.replace("_", " "), str(value))
    out.print(rows)


@app.command()
def explain(folder: RunFolder, url: str, as_json: AsJson = False) -> None:
    """Why a URL was fetched, or why not."""
    told = story(folder, url)
    if as_json:
        print(json.dumps(told))
    else:
        out.print("\n".join(told["lines"]), markup=False, highlight=False)


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="a run folder, or a folder that `bench` made")],
) -> None:
    """Write a self-contained HTML page about a crawl or a benchmark, and print its path."""
    if (folder / "results.json").is_file():
        print(write_bench_report(folder))
    else:
        print(write_run_report(folder))


@app.command()
def bench(
    folder: Annotated[Path, typer.Argument(metavar="CORPUS", help="a corpus folder")],
    task: Annotated[
        str | None, typer.Option(help="the task's name; the first that can be crawled if not given")
    ] = None,
    strategies: Annotated[str | None, typer.Option(help="names, with commas; all if not given")] = None,
    budget: Annotated[str | None, typer.Option(help="fetches a run, or a multiple of the targets such as 5x")] = None,
    runs: Annotated[int, typer.Option(min=1, help="runs a topic")] = 1,
    seed: Annotated[int, typer.Option(help="decides splits and everything left to chance")] = 0,
    model: Annotated[str, typer.Option(help="how relevance is judged: a file name in topics/")] = "auto",
    into: Annotated[Path, typer.Option("--out", help="where results.json, report.html and the plots go")] = Path(
        "runs/bench"
    ),
) -> None:
    """Compare strategies on the same recorded pages."""
    chosen = registry.split(strategies) if strategies else None
    with progress("runs") as step:
        results = run_bench(folder, task, chosen, budget, runs, seed, into, step, model=model)
    out.print(bench_table(results))
    print(write_bench_report(into, _command(sys.argv)))


@app.command("strategies")
def list_strategies(as_json: AsJson = False) -> None:
    """What strategies there are, one line each."""
    rows = [_about(name) for name in registry.strategies()]
    if as_json:
        print(json.dumps(rows))
        return
    grid = Table("strategy", "what it does", "needs", "settings", box=None)
    for row in rows:
        settings = ", ".join(f"{key}={value}" for key, value in row["settings"].items())
        grid.add_row(row["name"], row["about"], ", ".join(row["needs"]), settings)
    out.print(grid)


def _about(name: str) -> dict[str, Any]:
    kind = registry.strategies()[name]
    about = (sys.modules[kind.__module__].__doc__ or "").strip().split("\n")[0]
    return {"name": name, "about": about, "needs": registry.needs(kind), "settings": registry.settings(kind)}


@app.command()
def demo(
    folder: Annotated[Path, typer.Option("--out", help="where the made-up web and the results go")] = Path("demo"),
) -> None:
    """Make up a small web, crawl it for a topic, compare strategies, write a report."""
    with progress("demo") as step:
        tables, paths = run_demo(folder, step)
    for shown in tables:
        out.print(shown)
    for path in paths:
        print(path)


@app.command()
def doctor() -> None:
    """What is installed, which extras are missing, and the commands that add them."""
    grid = Table("part", "state", "to add it", box=None)
    for row in examine():
        grid.add_row(*row)
    out.print(grid)


@corpus_app.command("check")
def corpus_check(folder: Path) -> None:
    """Say what is wrong with a corpus folder."""
    problems = list(check_corpus(folder))
    for problem in problems:
        out.print(problem, markup=False, highlight=False)
    if any(not problem.startswith("note: ") for problem in problems):
        raise typer.Exit(4)
    stored = Corpus.open(folder)
    out.print(f"{folder}: {len(stored.urls)} pages, {len(stored.labels)} labelled, {len(stored.tasks)} tasks; good")


@corpus_app.command("synth")
def corpus_synth(
    folder: Path,
    pages: Annotated[int, typer.Option(help="how many, 500 at least")] = 5000,
    seed: Annotated[int, typer.Option(help="another seed is another web")] = 0,
) -> None:
    """Make up a web with ground truth, as a corpus folder."""
    with progress("pages") as step:
        write_synth(Web(pages, seed), folder, tick=lambda done: step(done, pages, ""))
    print(folder)


@corpus_app.command("serve")
def corpus_serve(folder: Path, port: Annotated[int, typer.Option(help="0 picks a free one")] = 0) -> None:
    """Serve a corpus over HTTP on loopback, all hosts on one port."""
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(Corpus.open(folder), port))


async def _serve(stored: Corpus, port: int) -> None:
    def answer(url: str) -> Said:
        found = stored.find(canonical(url))
        return (found.status, dict(found.headers), found.body) if found else (404, {}, b"not in the corpus\n")

    async with await serve(answer, port) as server:
        err.print(
            f"serving on 127.0.0.1:{port_of(server)}, Ctrl-C stops. Any host of the corpus is there:", highlight=False
        )
        err.print(
            f"  curl --connect-to ::127.0.0.1:{port_of(server)} {stored.home or 'http://HOST/PATH'}", highlight=False
        )
        await server.serve_forever()


def _command(words: list[str]) -> str:
    return shlex.join(["opilio", *words[1:]])


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on a terminal, nothing elsewhere; call it with done, total, and what is being done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, disable=not err.is_terminal, transient=True) as bar:
        task = bar.add_task(label, total=None)

        def step(done: int, total: int, doing: str) -> None:
            bar.update(task, completed=done, total=total, description=doing or label)

        yield step


def main() -> None:
    """Run the command; a mistake of the user's is one sentence and an exit code."""
    try:
        app()
    except OpilioError as error:
        err.print(f"opilio: {error}", markup=False, highlight=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        err.print("opilio: interrupted")
        sys.exit(INTERRUPTED)
