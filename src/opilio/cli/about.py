"""The program itself: a demonstration, and what is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ..demo import demo as run_demo
from ..doctor import examine
from .screen import out, progress

app = typer.Typer()


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
