"""Search in what a crawl brought."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.text import Text

from ..report.search import Hit, Wanted, check, update
from ..report.search import search as find
from .terminal import AsJson, RunFolder, draw, plain, printable, progress, say

app = typer.Typer()


@app.command()
def search(
    folder: RunFolder,
    query: Annotated[list[str], typer.Argument(help='words, "a phrase", begin*, -without')],
    site: Annotated[str, typer.Option(help="pages of this site only (registrable domain)")] = "",
    language: Annotated[str, typer.Option(help="pages in this language only, as in en")] = "",
    least: Annotated[
        float | None, typer.Option("--relevance", help="pages of this relevance at least, from 0 to 1")
    ] = None,
    genre: Annotated[str, typer.Option(help="pages of this genre only")] = "",
    page_type: Annotated[str, typer.Option("--type", help="pages of this page type only")] = "",
    noindex: Annotated[bool, typer.Option("--noindex", help="also pages that ask to be left out (noindex)")] = False,
    most: Annotated[int, typer.Option("-n", min=1, max=100_000, help="how many to show")] = 10,
    as_json: AsJson = False,
) -> None:
    """Search the full text of the pages of a crawl, also while it runs; the best match first."""
    asked, wanted = " ".join(query), Wanted(site, language, least, genre, page_type, noindex)
    check(asked, wanted)  # before the index is made, which may take long
    with progress("adding new pages to the index") as step:
        update(folder, lambda done, total: step(done, total, ""))
    found = find(folder, asked, wanted, most)
    if as_json:
        print(json.dumps({"total": found.total, "hits": [hit._asdict() for hit in found.hits]}, ensure_ascii=False))
        return
    for hit in found.hits:
        draw(_shown(hit))
    say(f"{found.total:,} pages" + (f", the best {len(found.hits)} are shown" if found.total > len(found.hits) else ""))


def _shown(hit: Hit) -> Text:
    judged = "" if hit.relevance is None else f"  relevance {hit.relevance:.2f}"
    text = Text.assemble((printable(hit.title) or "(no title)", "bold"), "\n", (hit.url, "cyan"), judged, "\n")
    for piece, is_match in hit.snippet:
        text.append(plain(piece), "bold yellow" if is_match else "")
    return text.append("\n")
