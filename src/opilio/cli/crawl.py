"""Crawls: start one, go on with it, look at it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..config import Config
from ..config_file import load, setting
from ..engine.cluster.objects import is_state
from ..engine.run import seeks_topic
from ..engine.run_folder import NOTHING, free
from ..errors import INTERRUPTED
from ..nouns import INTERNAL
from ..report.summary import summary
from ..saturation import SHARE
from ..start import continued, made
from ..store.reader import state_file
from ..system.heap import return_large
from ..system.signals import StopRequests
from .environment import from_environment
from .journal import Events, Journal, LogFile, Quiet, taking_down
from .progress import last_word, watched
from .terminal import AsJson, RunPlace, print_pairs, printable

if TYPE_CHECKING:
    from ..topics.adaptive import Growing

FAILED, LIMIT_REACHED, NOTHING_FOUND = 1, 3, 5

app = typer.Typer()


@app.command()
def crawl(
    config: Annotated[Path | None, typer.Argument(metavar="[CONFIG.toml]", help="settings, one TOML file")] = None,
    topic: Annotated[str | None, typer.Option(help="what the pages should be about, in a few words")] = None,
    topic_file: Annotated[str | None, typer.Option(help="a text that says what the pages should be about")] = None,
    example: Annotated[
        list[str] | None, typer.Option(help="URL or file of a page about the topic; may be repeated")
    ] = None,
    like: Annotated[
        list[str] | None,
        typer.Option(help="URL of a page of the type that is wanted, such as a thread or a product; may be repeated"),
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="judged pages: a CSV file or a corpus folder, or FILE:COLUMN=LABEL")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="how relevance is judged: a name, or a file that `opilio topic train` made")
    ] = None,
    seed: Annotated[list[str] | None, typer.Option(help="URL to start from; may be repeated")] = None,
    corpus: Annotated[str | None, typer.Option(help="folder with recorded pages to crawl in")] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            help="how the next page is chosen; `opilio strategies` lists them; path/to/file.py:Class is one of your own"
        ),
    ] = None,
    max_pages: Annotated[int | None, typer.Option(help="stop after this many fetches")] = None,
    saturated: Annotated[
        bool | None,
        typer.Option(
            "--stop-when-saturated/--no-stop-when-saturated",
            help="stop when hardly anything relevant comes any more (see unattended.md); it does unless told not to",
        ),
    ] = None,
    folder: Annotated[Path, typer.Option("--out", help="the run folder to make")] = Path("runs/crawl"),
    engine: Annotated[str | None, typer.Option(help="local, or ray: on a Ray cluster, an extra")] = None,
    address: Annotated[
        str | None, typer.Option(help="HOST:PORT of the Ray cluster; auto: the one of this machine")
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(metavar="URL", help="where a crawl on a cluster is kept: s3://BUCKET/PATH, or a directory"),
    ] = None,
    settings: Annotated[list[str] | None, typer.Option("-s", metavar="KEY=VALUE", help="any other setting")] = None,
    quiet: Quiet = False,
    as_json: Events = False,
    log_file: LogFile = None,
) -> None:
    """Crawl for a topic, or for pages like one, into a new run folder.

    Settings can be in the environment, too, as OPILIO_MAX_PAGES=500.
    """
    named = {
        "topic": topic, "topic_file": topic_file, "examples": example, "like": like, "labels": labels,
        "model": model, "seeds": seed, "corpus": corpus, "strategy": strategy, "max_pages": max_pages,
        "saturation": None if saturated is None else SHARE * saturated,
        "engine": engine, "address": address, "state": state,
    }  # fmt: skip
    chosen = {name: value for name, value in named.items() if value not in (None, [])}
    with taking_down(quiet, as_json, log_file) as journal:
        given = {**chosen, **dict(map(setting, settings or []))}
        understood = load(config, given, remark=journal.say, environment=from_environment(os.environ, journal.say))
        if understood.engine == "ray":
            from .cluster import begin

            _end_on_cluster(understood.state, begin(understood, journal), journal)
            return
        free(folder)
        _go(folder, understood, journal)


@app.command()
def resume(
    run: RunPlace,
    address: Annotated[str | None, typer.Option(help="HOST:PORT of a Ray cluster, for a crawl on one")] = None,
    max_pages: Annotated[int | None, typer.Option(help="a new limit, counted from the start of the crawl")] = None,
    quiet: Quiet = False,
    as_json: Events = False,
    log_file: LogFile = None,
) -> None:
    """Continue a crawl where it stopped, after a stop or a crash, with the settings that it began with."""
    with taking_down(quiet, as_json, log_file) as journal:
        if is_state(run):
            from .cluster import go_on

            _end_on_cluster(run, go_on(run, journal, address, max_pages), journal)
            return
        folder = Path(run)
        _go(folder, continued(folder, max_pages), journal)


def _go(folder: Path, config: Config, journal: Journal) -> None:
    return_large()
    run = made(folder, config, remark=journal.say)
    journal.tell("start", f"crawling into {folder}", folder=str(folder), settings=_settings(config))
    if run.topic:
        _tell_topic(run.topic, config, journal)
    try:
        with watched(folder, config, journal, run.waiting) as step, StopRequests() as stop:
            why = run.go(_looking(folder, run.topic, step, journal), stop)
    finally:
        run.close()
    if run.fallen:
        journal.warn(run.fallen)
    code = INTERRUPTED
    if why != "interrupted" or state_file(folder).exists():  # of several processes none may have begun
        figures = summary(folder)
        _print_result(figures, journal)
        last_word(folder, figures, why, journal, seeks_topic(config, run.topic))
        code = exit_code(why, figures, seeks_topic(config, run.topic))
    if why == "interrupted":
        journal.say(f"everything up to here is safe; continue with: opilio resume {folder}")
    if code:
        raise typer.Exit(code)


def _tell_topic(topic: "Growing", config: Config, journal: Journal) -> None:
    """What was understood of the topic, and what is odd about it."""
    from ..topics.understood import understood  # a crawl without a topic starts sooner without it

    for line in understood(topic.given.kept.material()):
        journal.say(f"looking for {line}")
    for remark in topic.remarks:
        journal.warn(remark)
    journal.say(f"relevance is judged by {topic.why}")
    if count := len(config.seeds):
        journal.say(
            f"starting from {count} seed{'s' * (count > 1)}; a seed is a place to start, and no example by itself"
        )


def _settings(config: Config) -> dict[str, Any]:
    """What differs from the defaults."""
    return config.model_dump(exclude_defaults=True)


def exit_code(why: str, figures: dict[str, Any], is_judged: bool) -> int:
    """How a crawl ended, for programs; what it brought counts before what ended it."""
    if why == "interrupted":
        return INTERRUPTED
    if why.startswith((NOTHING, INTERNAL)):
        return FAILED
    if is_judged and not figures["relevant"]:
        return NOTHING_FOUND
    return LIMIT_REACHED if "limit" in why and not why.startswith("page limit") else 0


def _looking(folder: Path, topic: "Growing | None", step: Callable[[], None], journal: Journal) -> Callable[[], None]:
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
                journal.warn(doubt)
                journal.advise(
                    f"  opilio topic show {folder}     which words and pages decide, and what an answer would change"
                )

    return step_and_look


@app.command()
def status(run: RunPlace, as_json: AsJson = False) -> None:
    """What a crawl did so far, and whether it runs, was interrupted, was killed or is finished."""
    figures = _state_figures(run) if is_state(run) else summary(Path(run))
    if as_json:
        print(json.dumps(figures))
    else:
        _print_figures(figures)


def _state_figures(state: str) -> dict[str, Any]:
    from .cluster import state_figures  # other crawls are looked at sooner without

    return state_figures(state)


def _end_on_cluster(state: str, ended: tuple[str, dict[str, Any], bool], journal: Journal) -> None:
    from .cluster import last_word as cluster_word

    why, figures, has_topic = ended
    _print_result(figures, journal)
    cluster_word(state, figures, why, journal)
    if why == "interrupted":
        journal.say(f"everything up to here is safe; continue with: opilio resume {state}")
    if code := exit_code(why, figures, has_topic):
        raise typer.Exit(code)


def _print_result(figures: dict[str, Any], journal: Journal) -> None:
    if journal.as_json and not journal.quiet:
        print(json.dumps(figures), flush=True)
    elif not journal.quiet:
        _print_figures(figures)


def _print_figures(figures: dict[str, Any]) -> None:
    print_pairs({name.replace("_", " "): _figure(value) for name, value in figures.items()})


def _figure(value: Any) -> str:
    """A figure for people: large numbers in groups, kinds with their counts."""
    match value:
        case dict():
            return ", ".join(f"{kind}: {count:,}" for kind, count in value.items()) or "none"
        case list():
            return " ".join(map(printable, value))
        case int():
            return f"{value:,}"
        case _:
            return "" if value is None else str(value)
