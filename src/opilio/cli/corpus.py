"""Folders of recorded pages: check, make, serve."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from ..bench.corpus import Corpus
from ..bench.corpus import check as check_corpus
from ..bench.from_warc import from_warc
from ..engine.to_corpus import make_corpus
from ..errors import ConfigError
from ..synth.corpus import write as write_synth
from ..synth.layout import Settings
from ..synth.local_server import Response, port_of, serve
from ..synth.web import Web
from ..system.signals import undoing
from ..urls import canonical
from .terminal import RunFolder, draw, progress, say

app = typer.Typer()
folders = typer.Typer(no_args_is_help=True, help="Folders of recorded pages with ground truth: check, make, serve.")
app.add_typer(folders, name="corpus")


@folders.command("check")
def corpus_check(folder: Path) -> None:
    """Say what is wrong with a corpus folder."""
    problems = list(check_corpus(folder))
    for problem in problems:
        print(problem)
    if any(not problem.startswith("note: ") for problem in problems):
        raise typer.Exit(4)
    stored = Corpus.open(folder)
    draw(f"{folder}: {len(stored.urls)} pages, {len(stored.labels)} labelled, {len(stored.tasks)} tasks; good")


@folders.command("synth")
def corpus_synth(
    folder: Path,
    pages: Annotated[int, typer.Option(help="how many, 500 at least")] = 5000,
    seed: Annotated[int, typer.Option(help="another seed is another web")] = 0,
    genres: Annotated[float, typer.Option(help="0 to 1: how far it depends on its genre where a page links to")] = 0.0,
) -> None:
    """Generate a synthetic web with ground truth, as a corpus folder."""
    with progress("pages") as step:
        write_synth(Web(pages, seed, Settings(genres=genres)), folder, tick=lambda done: step(done, pages, ""))
    print(folder)


@folders.command("from")
def corpus_from(
    run: RunFolder, folder: Annotated[Path, typer.Argument(metavar="CORPUS", help="the folder to make")]
) -> None:
    """Make a corpus of what a crawl fetched, so that other strategies can be tried on it."""
    count = make_corpus(run, folder)
    say(f"{count:,} pages; compare strategies on them: opilio bench {folder}")
    print(folder)


@folders.command("from-warc")
def corpus_from_warc(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILES...", help="WARC or WACZ files, or folders with such files")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="CORPUS", help="the folder to make")],
    label: Annotated[
        list[str],
        typer.Option(
            metavar="PATTERN=VALUE", help="the label of URLs like this, * for any characters; may be repeated"
        ),
    ] = [],  # noqa: B006
    column: Annotated[str, typer.Option(help="what the labels of --label are: a column of labels.csv")] = "label",
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="a table with a column url, and labels")
    ] = None,
    home: Annotated[str, typer.Option(metavar="URL", help="where crawls start; else the first page there is")] = "",
) -> None:
    """Make a corpus of archives that other programs wrote: Browsertrix, wget, Heritrix, warcio ..."""
    with progress("archives") as step:
        made = from_warc(files, out, label, column, labels, home, lambda number: step(number, len(files), ""))
    for sentence in made.unread:
        say(sentence)
    for reason, count in made.left_out.most_common():
        say(f"left out: {count:,} records, {reason}")
    say(
        f"{made.pages:,} pages, {made.labelled:,} labelled; look at {out / 'corpus.toml'}, then: opilio corpus check {out}"
    )
    print(out)


@folders.command("serve")
def corpus_serve(folder: Path, port: Annotated[int, typer.Option(help="0 picks a free one")] = 0) -> None:
    """Serve a corpus over HTTP on loopback, all hosts on one port."""
    with undoing(), suppress(KeyboardInterrupt):
        asyncio.run(_serve(Corpus.open(folder), port))


async def _serve(stored: Corpus, port: int) -> None:
    def answer(url: str) -> Response:
        found = stored.find(canonical(url))
        return (found.status, dict(found.headers), found.body) if found else (404, {}, b"not in the corpus\n")

    try:
        server = await serve(answer, port)
    except (OSError, OverflowError) as error:  # no such port number is the latter
        why = getattr(error, "strerror", None) or error
        raise ConfigError(f"cannot listen on 127.0.0.1:{port} ({why}); choose another --port") from None
    async with server:
        place, home = f"127.0.0.1:{port_of(server)}", stored.home or "http://HOST/PATH"
        say(f"serving on {place}, Ctrl-C stops. Any host of the corpus is there; look at a page, or crawl:")
        say(f"  curl --connect-to ::{place} {home}")
        say(f"  opilio crawl --topic WORDS --seed {home} -s fetch_to={place} -s delay=0.1 --out found")
        await server.serve_forever()
