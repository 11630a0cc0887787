"""What a crawl brought, as files for other programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..content.extract import check_installed, installed
from ..errors import ConfigError
from ..nouns import RELEVANT
from ..object_store import is_url, uploaded
from ..report.export import export as write
from ..report.export import format_of, write_all
from ..report.markdown_files import write_markdown
from ..report.wacz import write_wacz
from .terminal import RunFolder, progress, say

app = typer.Typer()
# Formats that are more than a table: who writes it, its name in the run folder, what is counted.
WHOLE: dict[str | None, tuple[Callable[..., int], str, str]] = {
    "markdown": (write_markdown, "markdown", "files"),
    "wacz": (write_wacz, "crawl.wacz", "pages"),
}


@app.command()
def export(
    folder: RunFolder,
    kind: Annotated[
        Literal["jsonl", "csv", "parquet", "arrow", "markdown", "wacz"] | None,
        typer.Option("--format", help="of the file; by its ending if left out, else Parquet"),
    ] = None,
    named: Annotated[
        str | None,
        typer.Option(
            "-o",
            metavar="FILE",
            help="where to; - is stdout, s3://BUCKET/FILE an object store; for markdown a new folder. "
            "Left out: pages and links into the run folder",
        ),
    ] = None,
    links: Annotated[bool, typer.Option("--links", help="the links on the pages instead of the pages")] = False,
    relevant: Annotated[bool, typer.Option("--relevant", help="relevant pages only")] = False,
    noindex: Annotated[bool, typer.Option("--noindex", help="also pages that ask to be left out (noindex)")] = False,
    content: Annotated[
        bool | None,
        typer.Option(
            "--content/--no-content",
            help="main text, Markdown, date and author of each page; left out: if the extra content is installed",
        ),
    ] = None,
) -> None:
    """Write the pages of a crawl, or their links, as a table, as Markdown, or all of it as WACZ, and print where."""
    if named and is_url(named):
        with uploaded(named, "export") as into:
            _export(folder, into, kind, links, relevant, noindex, content, named)
        print(named)
        return
    for path in _export(folder, Path(named) if named else None, kind, links, relevant, noindex, content):
        if path != "-":
            print(path)


def _export(
    folder: Path,
    into: Path | None,
    kind: str | None,
    links: bool,
    relevant: bool,
    noindex: bool,
    content: bool | None,
    named: str = "",
) -> list[str]:
    """Write what is asked for, and say how much; the names of the files."""
    kind = kind or ("wacz" if into and into.suffix == ".wacz" else None)
    content = _with_content(content, kind, links)
    with progress("pages") as step:

        def tick(done: int, total: int) -> None:
            step(done, total, "")

        options: Any = {"least": RELEVANT if relevant else None, "noindex": noindex, "tick": tick}
        if kind in WHOLE:
            write_whole, name, rows = WHOLE[kind]
            target = into or folder / name
            written = {str(target): write_whole(folder, target, **options)}
        elif into is None:
            written, rows = write_all(folder, kind or "parquet", links=links, content=content, **options), "rows"
        else:
            chosen = kind or ("jsonl" if str(into) == "-" else format_of(into))
            written, rows = {str(into): write(folder, into, chosen, links=links, content=content, **options)}, "rows"
    for path, count in written.items():
        say(f"{named or path}: {count:,} {rows}")
    return list(written)


def _with_content(asked: bool | None, kind: str | None, links: bool) -> bool:
    """Whether the content of pages is wanted and can be had."""
    if kind in WHOLE and (links or asked is (kind == "wacz")):
        raise ConfigError(f"--format {kind} has content of its own; leave out --links and --content or --no-content")
    if kind == "wacz":
        return False
    if asked or kind == "markdown":
        check_installed()
    if asked is None and not links and not installed():
        say('without text and markdown, which need the extra content: pip install "opilio[content]"')
        return False
    return asked is not False and not links
