"""Media-sharing sites, on their own: the tags of a topic, what of a page is template, what a crawl learned of a site."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ..bench.corpus import Corpus
from ..bench.results import write as write_file
from ..errors import ConfigError, UnreadableError
from ..report.learned_site import site_file
from ..report.path_strings import table
from ..report.site_examples import site_by_examples
from ..strategies.profile.path_strings import Differentiation
from ..strategies.profile.tags import Cotag, discover, distinct, start_tags
from ..system.files import read_text
from .terminal import AsJson, RunFolder, draw

app = typer.Typer()
REMEDY = 'write one JSON object a line: {"tags": ["honey", "hive"]}'


@app.command()
def tags(
    items: Annotated[Path, typer.Option(help='lines {"tags": [...]}: what each item is tagged with')],
    topic: Annotated[str, typer.Option(metavar="TAG", help="the tag to start from; several with | between them")],
    rounds: Annotated[int, typer.Option(min=1, help="from the best tags found, look again this many times")] = 2,
    least: Annotated[int, typer.Option(min=0, help="items that a tag must share with the topic; 0: chosen")] = 0,
    threshold: Annotated[float, typer.Option(min=0, help="how many times more often than by chance")] = 2.0,
    as_json: AsJson = False,
) -> None:
    """Find the tags of a topic: those that occur with its tag more often than by chance, with scores."""
    start = start_tags(topic)
    sets = distinct(_items(items))
    if not any(name in item for item in sets for name in start):
        raise ConfigError(f'{items}: no item has the tag "{topic}"; start from a tag that occurs')
    found = discover(sets, start, rounds, least, threshold)
    if as_json:
        print(json.dumps([cotag._asdict() for cotag in found], ensure_ascii=False))
        return
    for cotag in found:
        print(_line(cotag))


def _line(cotag: Cotag) -> str:
    return f"{cotag.tag}\t{cotag.score:.3f}\t{cotag.votes}"


def _items(path: Path) -> Iterator[list[str]]:
    lines = read_text(path, "give a file of JSON lines").splitlines()
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _tags_of(line, f"{path}, line {number}")


def _tags_of(line: str, place: str) -> list[str]:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{place}: not readable as JSON ({error}); {REMEDY}") from None
    found = item.get("tags") if isinstance(item, dict) else None
    if not isinstance(found, list) or not all(isinstance(tag, str) for tag in found):
        raise UnreadableError(f"{place}: no list of texts under tags; {REMEDY}")
    return found


@app.command("path-strings")
def path_strings(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="a corpus folder")],
    column: Annotated[str, typer.Option(help="the column of labels.csv that tells the type of a page")] = "page_type",
    pages: Annotated[int, typer.Option(min=2, help="how many pages of each type")] = 10,
    seed: Annotated[int, typer.Option(help="decides which pages")] = 0,
    share: Annotated[
        float, typer.Option(min=0, max=1, help="of the pages that must have a text: it is template")
    ] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Tell template from content by path strings, for pages of each type: how many there are, and how many are both."""
    rows = list(table(Corpus.open(corpus), column, pages, seed, share))
    if as_json:
        print(json.dumps([{"type": kind, **found._asdict()} for kind, found in rows], ensure_ascii=False))
        return
    grid = Table("type", *Differentiation._fields, box=None)
    for kind, found in rows:
        grid.add_row(kind, *map(str, found))
    draw(grid)


@app.command()
def site(
    folder: RunFolder,
    into: Annotated[Path | None, typer.Option("-o", help="write it here instead of printing it")] = None,
    example: Annotated[
        list[str] | None,
        typer.Option(metavar="TYPE=URL", help="a page that the crawl fetched: list=URL, detail=URL or profile=URL"),
    ] = None,
) -> None:
    """Write what a crawl by profiles learned of its site, to look at, to correct, and for later crawls:
    --strategy "profile-plus(site=FILE)".

    With examples of each type of page, it is learned from these and from the pages that a crawl of any kind stored.
    """
    text = site_by_examples(folder, example) if example else site_file(folder)
    if into:
        write_file(into, text)
        print(into)
    else:
        print(text, end="")
