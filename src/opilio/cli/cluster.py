"""Crawls on a cluster, and how they are shown while they run."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shlex import quote
from typing import Any

from ..config import Config
from ..engine.cluster.driver import Cluster, Standing
from ..engine.cluster.objects import place
from ..engine.cluster.pull import config_of, figures
from ..errors import ConfigError
from ..start import remark_contact, source
from ..system.signals import StopRequests
from .journal import Journal
from .progress import GROWTH, LINE, REFRESH, seldom


def begin(config: Config, journal: Journal) -> tuple[str, dict[str, Any], bool]:
    """Start a crawl on a cluster; why it ended, its figures, and whether it had a topic."""
    return _go(config, journal, resumed=False)


def go_on(state: str, journal: Journal, address: str | None, max_pages: int | None) -> tuple[str, dict[str, Any], bool]:
    """Go on with a crawl on a cluster, which need not be the one it began on."""
    objects = place(state)
    given = {"address": address, "max_pages": max_pages}
    _check_more(figures(objects)["pages"], max_pages)
    config = config_of(objects, **{name: value for name, value in given.items() if value is not None})
    return _go(config.model_copy(update={"state": state}), journal, resumed=True)


def state_figures(state: str) -> dict[str, Any]:
    """How a crawl on a cluster stands."""
    return figures(place(state))


def _check_more(pages: int, max_pages: int | None) -> None:
    if max_pages is not None and max_pages <= pages:
        raise ConfigError(
            f"--max-pages {max_pages}: this crawl has fetched {pages:,} pages already; the limit counts from its start, so "
            f"give more than {pages:,}"
        )


def _go(config: Config, journal: Journal, resumed: bool) -> tuple[str, dict[str, Any], bool]:
    remark_contact(config, journal.say)
    run = Cluster(config, source, resumed=resumed)
    journal.tell("start", f"crawling on the cluster at {config.address}; kept in {config.state}", state=config.state)
    if chosen := run.topic.why if run.topic else "":
        journal.say(f"relevance is judged by {chosen}")
    try:
        with _shown(run, config, journal) as step, StopRequests() as stop:
            why = run.go(step, stop)
    finally:
        run.close()
    if run.fallen:
        journal.warn(run.fallen)
    return why, figures(run.objects), run.topic is not None


def last_word(state: str, figures: dict[str, Any], why: str, journal: Journal) -> None:
    """What was found, and what to do next."""
    journal.tell("end", f"stopped: {why}", why=why)
    name = quote(state)
    journal.say(f"fetched {figures['pages']:,} pages, {figures['relevant']:,} of them relevant; they are in {state}")
    journal.advise(f"  opilio pull {name} DIR     an ordinary run folder: report, search, export, explain, serve")
    if figures["open_urls"] and why != "nothing left to fetch":
        more = f" --max-pages {2 * figures['pages']}" if why.startswith("page limit") else ""
        journal.advise(f"  opilio resume {name}{more}     continue: {figures['open_urls']:,} URLs are waiting")


@contextmanager
def _shown(run: Cluster, config: Config, journal: Journal) -> Iterator[Callable[[], None]]:
    """Shows how it stands: on a terminal as a panel, elsewhere a line now and then."""
    pace = Pace()
    if journal.quiet or journal.as_json or not sys.stderr.isatty():
        report = lambda: journal.tell("progress", line(run.standing(), config, pace), **run.standing()._asdict())  # noqa: E731
        yield seldom(report, lambda pause: max(LINE, pause * GROWTH))
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        yield seldom(lambda: live.update(panel(run.standing(), config, pace), refresh=True), lambda pause: REFRESH)


class Pace:
    """Pages a second since the last look."""

    def __init__(self) -> None:
        self._time, self._pages, self._rate = time.monotonic(), 0, 0.0

    def __call__(self, pages: int) -> float:
        now = time.monotonic()
        if now - self._time > 2.0:
            self._rate = (pages - self._pages) / (now - self._time)
            self._time, self._pages = now, pages
        return self._rate


def line(now: Standing, config: Config, pace: Callable[[int], float]) -> str:
    """How it stands, in one line."""
    return (
        f"{now.pages:,} of {config.max_pages:,} pages, {pace(now.pages):.1f}/s; {now.relevant:,} relevant; {now.waiting:,} URLs "
        f"waiting; {now.at_work} of {now.shards} shards at work on {now.nodes} machines; {now.letters:,} letters on their way; "
        f"log {now.behind:.1f} s behind; {now.restarts} restarts"
    )


def panel(now: Standing, config: Config, pace: Callable[[int], float]) -> Any:
    """The same for a terminal."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 3))
    grid.add_row(
        "pages", f"{now.pages:,} of {config.max_pages:,}  ({pace(now.pages):.1f}/s)", "relevant", f"{now.relevant:,}"
    )
    grid.add_row("waiting", f"{now.waiting:,} URLs", "letters on their way", f"{now.letters:,}")
    grid.add_row("shards at work", f"{now.at_work} of {now.shards}", "machines", f"{now.nodes}")
    grid.add_row("restarts", f"{now.restarts}", "log behind", f"{now.behind:.1f} s")
    return grid
