"""What a crawl brought, as files for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..nouns import RELEVANT
from ..report.export import export as write
from ..report.export import format_of, write_all
from .terminal import RunFolder, progress, say

app = typer.Typer()


@app.command()
def export(
    folder: RunFolder,
    kind: Annotated[
        Literal["jsonl", "csv", "parquet"] | None,
        typer.Option("--format", help="of the file; by its ending if left out, else Parquet"),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option("-o", metavar="FILE", help="where to; - is stdout. Left out: pages and links into the run folder"),
    ] = None,
    links: Annotated[bool, typer.Option("--links", help="the links on the pages instead of the pages")] = False,
    relevant: Annotated[bool, typer.Option("--relevant", help="relevant pages only")] = False,
    noindex: Annotated[bool, typer.Option("--noindex", help="also pages that ask to be left out (noindex)")] = False,
) -> None:
    """Write the pages of a crawl, or their links, as JSON lines, CSV or Parquet, and print where."""
    least = RELEVANT if relevant else None
    with progress("pages") as step:

        def tick(done: int, total: int) -> None:
            step(done, total, "")

        if into is None:
            written = write_all(folder, kind or "parquet", links=links, least=least, noindex=noindex, tick=tick)
        else:
            chosen = kind or ("jsonl" if str(into) == "-" else format_of(into))
            count = write(folder, into, chosen, links=links, least=least, noindex=noindex, tick=tick)
            written = {str(into): count}
    for path, count in written.items():
        say(f"{path}: {count:,} rows")
        if path != "-":
            print(path)
