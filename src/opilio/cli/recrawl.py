"""What became of the pages of a crawl."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from ..engine.recrawl import recrawl as visit_again
from ..errors import INTERRUPTED
from ..system.signals import StopRequests
from .terminal import AsJson, RunFolder, printable, progress, say

app = typer.Typer()


@app.command()
def recrawl(
    folder: RunFolder,
    max_pages: Annotated[
        int | None, typer.Option(min=1, help="visit this many at most; left out: all, and what they link to now")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Visit the pages of a crawl again, and print which are new, changed or gone; those first that have most likely changed."""
    with progress("pages") as step, StopRequests() as stop:
        outcome = visit_again(folder, max_pages, stop, lambda done, total: step(done, total, ""))
    if as_json:
        print(json.dumps({"visited": outcome.visited, **asdict(outcome)}))
    else:
        for word in ("new", "changed", "gone"):
            for url in asdict(outcome)[word]:
                print(f"{word}\t{printable(url)}")
    counts = ", ".join(f"{len(found):,} {word}" for word, found in asdict(outcome).items())
    say(f"{outcome.visited:,} pages visited: {counts}")
    if stop():
        raise typer.Exit(INTERRUPTED)
