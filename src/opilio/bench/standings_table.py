"""Standings as a table: in a terminal, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from .standings import LEVEL, Spread, Standing

KINDS = {"topic": "topics", "type": "page types", "user-content": "user content", "tag": "tags"}


def heads(rows: Sequence[Standing]) -> list[str]:
    """The columns; by time where a clock was simulated."""
    timed = ["of oracle by time", "rank by time"] if any(row.time for row in rows) else []
    return ["task", "strategy", "of oracle by pages", "rank", *timed, "CPU ms/page"]


def cells(row: Standing) -> list[str]:
    """One row as text."""
    timed = [_share(row.time), _rank(row.time)] if row.time else []
    return [KINDS[row.kind], row.strategy, _share(row.pages), _rank(row.pages), *timed, f"{row.ms:.2f}"]


def caption(rows: Sequence[Standing]) -> str:
    """What the numbers are, in a sentence or two."""
    kinds = {row.kind: row for row in rows}.values()
    counts = "; ".join(f"{KINDS[row.kind]}: {row.trials} trials on {row.corpora} corpora" for row in kinds)
    return (
        f"Mean over corpora of the share of the oracle's area, with its {LEVEL} % interval (hierarchical bootstrap over corpora "
        f"and their trials), and the mean rank in a trial. {counts}."
    )


def table(rows: Sequence[Standing]) -> Table:
    """For a terminal."""
    made = Table(title="over all corpora", caption=escape(caption(rows)), caption_justify="left", box=SIMPLE_HEAD)
    for number, head in enumerate(heads(rows)):
        made.add_column(head, justify="left" if number < 2 else "right")
    for row in rows:
        made.add_row(*map(escape, cells(row)))
    return made


def markdown(rows: Sequence[Standing], marks: Mapping[str, str] | None = None) -> str:
    """For a page; `marks` are put after names of strategies."""
    lines = [heads(rows), ["---", "---", *["---:"] * (len(heads(rows)) - 2)]]
    for row in rows:
        kind, name, *numbers = cells(row)
        lines.append([kind, f"{name}{(marks or {}).get(row.strategy, '')}", *numbers])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def by_corpus(rows: Sequence[Standing]) -> list[list[list[str]]]:
    """A table for each kind of task, as cells: the share on each corpus, and behind it that by time."""
    tables = []
    for kind in dict.fromkeys(row.kind for row in rows):
        own = [row for row in rows if row.kind == kind]
        body = [[row.strategy, *(_on(row, corpus) for corpus in row.pages.by_corpus)] for row in own]
        tables.append([[KINDS[kind], *own[0].pages.by_corpus], *body])
    return tables


def _on(row: Standing, corpus: str) -> str:
    timed = f" / {row.time.by_corpus[corpus]:.2f}" if row.time else ""
    return f"{row.pages.by_corpus[corpus]:.2f}{timed}"


def _share(spread: Spread) -> str:
    return f"{spread.share:.2f} ({spread.low:.2f} to {spread.high:.2f})"


def _rank(spread: Spread) -> str:
    return "" if spread.rank is None else f"{spread.rank:.1f}"
