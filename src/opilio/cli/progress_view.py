"""How a crawl stands, drawn on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ..config import Config
from ..nouns import RELEVANT
from ..report.watch import LAST, Now, Seen
from ..system.signals import undoing
from .progress import KINDS, left
from .terminal import printable

JUDGED = 10  # letters for a page's relevance, or its error


@contextmanager
def drawn() -> Iterator[Callable[[Now, Config], None]]:
    """A place on the terminal that what it yields draws anew, and that is gone at the end."""
    with undoing(), Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        yield lambda now, config: live.update(view(now, config), refresh=True)


def view(now: Now, config: Config) -> Group:
    """How it stands, for a terminal."""
    figures = Table.grid(padding=(0, 3))
    figures.add_row(
        "pages",
        f"{now.pages:,}  ({now.pace:.1f}/s)",
        "relevant",
        f"{now.relevant:,} on {now.sites:,} site{'s' * (now.sites != 1)}",
    )
    figures.add_row("harvest now", f"{now.harvest_now:.1%}", "overall", f"{now.harvest:.1%}")
    figures.add_row("waiting", f"{now.waiting:,} URLs", "politeness", f"{now.waiting_hosts:,} hosts wait")
    figures.add_row("left", left(now, config), "errors", _errors(now))
    done = Table.grid()
    done.add_row(ProgressBar(total=config.max_pages, completed=now.pages, width=60))
    return Group(Text(now.headline, "bold"), done, figures, _last(now.last))


def _errors(now: Now) -> str:
    kinds = [f"{kind} {count:,}" for kind, count in list(now.errors.items())[:KINDS]]
    kinds += [f"not fetched, {kind} {count:,}" for kind, count in list(now.refused_because.items())[:KINDS]]
    return ", ".join(kinds) or "none"


def _last(pages: list[Seen]) -> Table:
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(justify="right", width=JUDGED, no_wrap=True, overflow="ellipsis")
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    for page in pages[-LAST:]:
        judged = f"{page.relevance:.2f}" if page.relevance is not None else page.error or str(page.status)
        style = "green" if (page.relevance or 0.0) >= RELEVANT else "dim"
        table.add_row(Text(judged, style), Text(f"{printable(page.title)[:60]}  {page.url}", style))
    return table
