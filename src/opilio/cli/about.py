"""The program itself: a demonstration, and what is installed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ..demo import PAGES, STRATEGIES
from ..demo import demo as run_demo
from ..doctor import examine
from .terminal import draw, progress, say

app = typer.Typer()


@app.command()
def demo(
    folder: Annotated[Path, typer.Option("--out", help="where the synthetic web and the results go")] = Path("demo"),
) -> None:
    """Generate a small synthetic web, crawl it for a topic, compare strategies, write a report."""
    say(
        f"generating a web of {PAGES:,} pages, crawling it for a topic, comparing {len(STRATEGIES)} strategies; a minute or so"
    )
    with progress("demo") as step:
        tables, paths = run_demo(folder, step)
    for shown in tables:
        draw(shown)
    say(
        "AUC: how early the pages about a topic were found; of oracle: as a share of what a crawler reaches that knows them all."
    )
    say("Open in a browser: what one crawl did, and the comparison.")
    for path in paths:
        print(path)
    name = "opilio" if shutil.which("opilio") else sys.argv[0]
    say(f"Next:\n  {name} search {folder}/run WORDS\n  {name} serve {folder}")


@app.command()
def doctor() -> None:
    """What is installed, which extras are missing, and the commands that add them."""
    grid = Table("part", "state", "to add it", box=None)
    for row in examine():
        grid.add_row(*row)
    draw(grid)
