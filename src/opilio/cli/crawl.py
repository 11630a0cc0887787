"""Crawls: start one, go on with it, look at it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import durable
from ..config import Config
from ..config_file import load, setting
from ..engine.run import NOTHING, configured, free
from ..errors import INTERRUPTED
from ..heap import return_large
from ..nouns import INTERNAL
from ..report.summary import summary
from ..signals import StopRequests
from ..start import check_more, made
from ..store.reader import state_file
from .progress import last_word, watched
from .terminal import AsJson, RunFolder, print_pairs, say

if TYPE_CHECKING:
    from ..topics.adaptive import Growing

FAILED, LIMIT_REACHED = 1, 3

app = typer.Typer()


@app.command()
def crawl(
    config: Annotated[Path | None, typer.Argument(metavar="[CONFIG.toml]", help="settings, one TOML file")] = None,
    topic: Annotated[str | None, typer.Option(help="what the pages should be about, in a few words")] = None,
    topic_file: Annotated[str | None, typer.Option(help="a text that says what the pages should be about")] = None,
    example: Annotated[
        list[str] | None, typer.Option(help="URL or file of a page about the topic; may be repeated")
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="judged pages: a CSV file, or a corpus folder with labels.csv")
    ] = None,
    positive: Annotated[str | None, typer.Option(help="the label of pages about the topic, if not yes or no")] = None,
    topic_model: Annotated[str | None, typer.Option(help="a model that `opilio topic train` made")] = None,
    seed: Annotated[list[str] | None, typer.Option(help="URL to start from; may be repeated")] = None,
    corpus: Annotated[str | None, typer.Option(help="folder with recorded pages to crawl in")] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            help="how the next page is chosen; `opilio strategies` lists them; path/to/file.py:Class is one of your own"
        ),
    ] = None,
    max_pages: Annotated[int | None, typer.Option(help="stop after this many fetches")] = None,
    folder: Annotated[Path, typer.Option("--out", help="the run folder to make")] = Path("runs/crawl"),
    settings: Annotated[list[str] | None, typer.Option("-s", metavar="KEY=VALUE", help="any other setting")] = None,
) -> None:
    """Crawl for a topic, into a new run folder."""
    named = {
        "topic": topic, "topic_file": topic_file, "examples": example, "labels": labels, "positive": positive,
        "topic_model": topic_model, "seeds": seed, "corpus": corpus, "strategy": strategy, "max_pages": max_pages,
    }  # fmt: skip
    chosen = {name: value for name, value in named.items() if value not in (None, [])}
    understood = load(config, {**chosen, **dict(map(setting, settings or []))}, remark=say)
    free(folder)
    _go(folder, understood)


@app.command()
def resume(
    folder: RunFolder,
    max_pages: Annotated[int | None, typer.Option(help="a new limit, counted from the start of the crawl")] = None,
) -> None:
    """Go on where a crawl stopped, after a stop or a crash."""
    config = configured(folder, {} if max_pages is None else {"max_pages": max_pages})
    if max_pages is not None:
        check_more(folder, max_pages)
        durable.write(folder / "config.toml", config.toml())
    _go(folder, config)


def _go(folder: Path, config: Config) -> None:
    return_large()
    run = made(folder, config, remark=say)
    if chosen := run.topic.why if run.topic else "":
        say(f"relevance is judged by {chosen}")
    try:
        with watched(folder, config, run.waiting) as step, StopRequests() as stop:
            why = run.go(_looking(folder, run.topic, step), stop)
    finally:
        run.close()
    if run.fallen:
        say(run.fallen)
    if why != "interrupted" or state_file(folder).exists():  # of several processes none may have begun
        figures = summary(folder)
        _print_figures(figures)
        last_word(folder, figures, why)
    if why == "interrupted":
        say(f"everything up to here is safe; continue with: opilio resume {folder}")
        raise typer.Exit(INTERRUPTED)
    if why.startswith((NOTHING, INTERNAL)):
        raise typer.Exit(FAILED)
    if "limit" in why:
        raise typer.Exit(0 if why.startswith("page limit") else LIMIT_REACHED)


def _looking(folder: Path, topic: "Growing | None", step: Callable[[], None]) -> Callable[[], None]:
    """The same step, with a look at the topic after the first hundred pages."""
    if topic is None:
        return step
    from ..topics.first_look import ENOUGH, doubts  # a crawl without a topic starts sooner without it

    looked = topic.seen_ >= ENOUGH  # before it was stopped

    def step_and_look() -> None:
        nonlocal looked
        step()
        if not looked and topic.seen_ >= ENOUGH:
            looked = True
            if doubt := doubts(topic):
                say(doubt)
                say(f"  opilio topic show {folder}     which words and pages decide, and what an answer would change")

    return step_and_look


@app.command()
def status(folder: RunFolder, as_json: AsJson = False) -> None:
    """What a crawl did so far."""
    if as_json:
        print(json.dumps(summary(folder)))
    else:
        _print_figures(summary(folder))


def _print_figures(figures: dict[str, Any]) -> None:
    print_pairs({name.replace("_", " "): _figure(value) for name, value in figures.items()})


def _figure(value: Any) -> str:
    """A figure for people: large numbers in groups, kinds with their counts."""
    match value:
        case dict():
            return ", ".join(f"{kind}: {count:,}" for kind, count in value.items()) or "none"
        case int():
            return f"{value:,}"
        case _:
            return "" if value is None else str(value)
