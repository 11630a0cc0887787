"""A crawl while it runs: a view that renews itself on a terminal, a line now and then elsewhere, and the last word."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import Any

from ..config import Config
from ..engine.run_folder import NOTHING
from ..engine.topic import FILE as TOPIC
from ..errors import UnreadableError
from ..report.best_pages import best_pages
from ..report.next_steps import next_steps
from ..report.summary import failures, unread
from ..report.watch import Now, Watch
from ..saturation import LEAST, SATURATED
from ..store.run import ERROR_LOG
from .journal import Journal
from .terminal import printable

REFRESH = 0.5  # seconds between two views
LINE = 10.0  # seconds between the first plain lines; the pause grows with the crawl
GROWTH = 1.3
KINDS = 5  # of errors
BEST, TITLE = 10, 60  # pages that are named at the end, letters of their titles


@contextmanager
def watched(
    folder: Path, config: Config, journal: Journal, waiting: Callable[[], int] | None = None
) -> Iterator[Callable[[], None]]:
    """Shows how a crawl stands whenever what it yields is called, which may be as often as one likes."""
    watch = Watch(folder, waiting)
    if journal.as_json:
        with _events(watch, config, journal) as step:
            yield step
        return
    lines = _lines(watch, config, journal)
    if journal.quiet or not sys.stderr.isatty():
        yield lines
        return
    from .progress_view import drawn  # all that draws: a crawl starts sooner without it

    with drawn() as draw:
        yield seldom(lambda: draw(watch.look(), config), lambda pause: REFRESH)


@contextmanager
def _events(watch: Watch, config: Config, journal: Journal) -> Iterator[Callable[[], None]]:
    """Every page of this crawl is an event, and now and then how it stands."""
    lines = _lines(watch, config, journal)
    watch.on_page = lambda page: journal.tell("page", f"{page.status or page.error} {page.url}", **page._asdict())
    look = seldom(lambda: watch.look() and None, lambda pause: REFRESH)

    def step() -> None:
        look()
        lines()

    try:
        yield step
    finally:
        with suppress(UnreadableError):
            watch.look()


def _lines(watch: Watch, config: Config, journal: Journal) -> Callable[[], None]:
    with suppress(UnreadableError):  # a crawl of several processes may have nothing to look at yet
        watch.look()  # so that the first line knows how fast it goes
    step = seldom(lambda: _line(watch, config, journal), lambda pause: max(LINE, pause * GROWTH))
    step()  # from now on
    return step


def _line(watch: Watch, config: Config, journal: Journal) -> None:
    now = watch.look()
    figures = {name: value for name, value in now._asdict().items() if name != "last"}
    journal.tell("progress", line(now, config), **figures)


def seldom(act: Callable[[], None], pause: Callable[[float], float]) -> Callable[[], None]:
    """The same act, left out when the last one was less than a pause ago."""
    due, wait = time.monotonic() + pause(0.0), pause(0.0)

    def step() -> None:
        nonlocal due, wait
        if time.monotonic() >= due:
            act()
            wait = pause(wait)
            due = time.monotonic() + wait

    return step


def line(now: Now, config: Config) -> str:
    """How it stands, in one line."""
    return (
        f"{now.pages:,} of {config.max_pages:,} pages, {now.pace:.1f}/s; "
        f"{now.relevant:,} relevant on {now.sites:,} site{'s' * (now.sites != 1)} "
        f"(harvest {now.harvest_now:.0%} now, {now.harvest:.0%} overall); {now.waiting:,} URLs waiting, "
        f"{sum(now.errors.values()):,} errors; {left(now, config)}"
    )


def left(now: Now, config: Config) -> str:
    """What may still come: pages, and the time they take at this pace or that the limit leaves."""
    pages = max(0, config.max_pages - now.pages)
    seconds = [pages / now.pace] if now.pace else []
    seconds += [max(0.0, config.max_seconds - now.seconds)] if config.max_seconds else []
    return f"{pages:,} pages left" + (f", about {_span(min(seconds))}" if seconds else "")


def _span(seconds: float) -> str:
    minutes, hours = seconds / 60, seconds / 3600
    return f"{seconds:.0f} s" if minutes < 2 else f"{minutes:.0f} min" if hours < 2 else f"{hours:.1f} h"


def last_word(folder: Path, figures: dict[str, Any], why: str, journal: Journal, seeks_topic: bool) -> None:
    """What was found, where it is, and what to do next."""
    name, has_topic = quote(str(folder)), (folder / TOPIC).exists()
    journal.tell("stop", f"stopped: {why}", why=why, figures=figures)
    if why == "interrupted" and not figures["pages"]:
        return
    if why.startswith(NOTHING) or not figures["pages"]:
        _nothing(folder, name, journal)
        return
    if why.startswith(SATURATED):
        again = f"`opilio resume {name}` goes on, for {LEAST:,} pages at least"
        journal.say(f"so little was found that the crawl stopped by itself; {again}")
    _found(folder, figures, seeks_topic, journal)
    if count := unread(folder):
        journal.say(f'PDF files stored and not read: {count:,}; they are read with: pip install "opilio[documents]"')
    if figures["internal_errors"]:
        bugs = f"{figures['internal_errors']:,} internal errors, which are bugs in opilio or in the strategy"
        journal.warn(f"{bugs}; tracebacks: {folder / ERROR_LOG}")
    _advise(folder, figures, has_topic, journal)


def _advise(folder: Path, figures: dict[str, Any], has_topic: bool, journal: Journal) -> None:
    steps = next_steps(folder, figures, has_topic)
    width = max(len(command) for command, _ in steps)
    for command, purpose in steps:
        journal.advise(f"  {command:<{width}}     {purpose}")


def _found(folder: Path, figures: dict[str, Any], seeks_topic: bool, journal: Journal) -> None:
    if not seeks_topic:
        journal.say(f"fetched {figures['pages']:,} pages; they are in {folder}")
    elif figures["relevant"]:
        journal.say(f"{Watch(folder).look().headline} All pages are in {folder}")
        for page in best_pages(folder, BEST):
            journal.say(
                f"  {page.relevance:.2f}  {printable(page.title)[:TITLE] or '(no title)'}  {printable(page.url)}"
            )
    elif "like" in figures:
        journal.warn(
            f"nothing found: none of the {figures['pages']:,} pages fetched is like {' or '.join(figures['like'])}; they are in "
            f"{folder}. Start nearer to such pages (--seed URL), or show another one (--like URL)"
        )
    else:
        journal.warn(
            f"nothing found: none of the {figures['pages']:,} pages fetched is about the topic; they are in {folder}. "
            "Name the topic in other words, give examples (--example URL), or start elsewhere (--seed URL)"
        )


def _nothing(folder: Path, name: str, journal: Journal) -> None:
    """Why not a single page came, by what was asked for first."""
    journal.warn("nothing was fetched:")
    for url, reason in failures(folder, KINDS):
        journal.warn(f"  {printable(url)}: {printable(reason)}")
    if (log := folder / ERROR_LOG).is_file():
        mistake = log.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
        journal.warn(f"  {printable(mistake)}; tracebacks: {log}")
    journal.advise(
        f"  opilio explain {name} URL     explains it; start again with another --seed or other settings, and another --out"
    )
