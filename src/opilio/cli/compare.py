"""Runs compared, in the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from ..errors import ConfigError
from ..report.compare import Alone, Compared
from ..report.compare import compare as compared
from .terminal import AsJson, draw, printable

SHOWN = 5  # pages of each list
ROWS = {
    "topic": "topic",
    "strategy": "strategy",
    "state": "state",
    "pages": "pages fetched",
    "relevant": "relevant pages",
    "harvest_rate": "relevant pages per fetch",
    "sites_with_relevant_pages": "sites with relevant pages",
    "seconds": "seconds",
}

app = typer.Typer()


@app.command()
def compare(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR DIR...", help="run folders, two or more")],
    as_json: AsJson = False,
) -> None:
    """Compare runs: relevant pages that all found, that only one found, and relevant pages per fetch."""
    if len({folder.resolve() for folder in folders}) < max(2, len(folders)):
        raise ConfigError("name two or more run folders, each of them once, as in: opilio compare runs/a runs/b")
    found = compared({str(folder): folder for folder in folders})
    if as_json:
        print(json.dumps(found.plain(), ensure_ascii=False))
        return
    draw(_figures(found))
    for (one, other), (both, either) in found.overlap.items():
        shared = f"{both:,} relevant page{'s' * (both != 1)} in both"
        draw(Text(f"{one} and {other}: {shared}, {_share(both, either)} of what either found"))
    for name, pages in found.only.items():
        draw(_alone(name, found.only_count[name], pages[:SHOWN]))


def _figures(found: Compared) -> Table:
    grid = Table("", *map(printable, found.figures), box=None)
    for key, label in ROWS.items():
        grid.add_row(label, *(Text(printable(_cell(figures[key]))) for figures in found.figures.values()))
    grid.add_row("relevant, found here alone", *(f"{count:,}" for count in found.only_count.values()))
    return grid


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "nothing"


def _alone(name: str, count: int, pages: list[Alone]) -> Text:
    text = Text(f"\nonly in {name}: {count:,} relevant page{'s' * (count != 1)}" + (", the best:" if pages else ""))
    for page in pages:
        text.append(f"\n  {page.relevance:.2f}  {printable(page.title)[:60]}  {printable(page.url)}", "dim")
    return text
