"""What kind of page it is, on its own: files in, files out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ..errors import ConfigError, UnreadableError
from ..report.genres import classify, listing, sampled
from ..report.genres import train as train_model
from ..strategies.genre.model import model as load
from ..topics.models.auto import Auto
from .terminal import say


class FilesFirst(TyperGroup):
    """What does not name a command is the files of `pages`: `opilio genre FILE` is `opilio genre pages FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help"):
            args = ["pages", *args]
        return super().parse_args(ctx, args)


app = typer.Typer()
genre = typer.Typer(
    cls=FilesFirst,
    no_args_is_help=True,
    help="What kind of page it is: `opilio genre FILE.warc.gz`, or a model of your own.",
)
app.add_typer(genre, name="genre")


@genre.command()
def pages(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.warc.gz...", help="recorded pages")],
    model: Annotated[Path | None, typer.Option(help="a model that `opilio genre train` made")] = None,
) -> None:
    """Print the genre of each page as a line {"url", "genre", "confidence"}; the word `pages` may be left out."""
    forest = load(str(model or ""))
    for path in files:
        count = 0
        for count, row in enumerate(classify(path, forest), 1):  # noqa: B007
            print(json.dumps(row, ensure_ascii=False))
        if not count:
            raise UnreadableError(f"{path}: there is no page in it that can be read; name a WARC file with HTML pages")


@genre.command()
def train(
    sources: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="corpus folders, or WARC files with --labels")
    ],
    into: Annotated[Path, typer.Option("-o", help="where the model goes")],
    labels: Annotated[
        Path | None, typer.Option(help="of WARC files: a CSV file with the columns url and genre")
    ] = None,
    column: Annotated[
        str, typer.Option(help="the column of labels.csv with news, blog, image, video or other")
    ] = "genre",
    other: Annotated[list[str], typer.Option(help="a label that means the genre other; may be repeated")] = [],  # noqa: B006
    alone: Annotated[bool, typer.Option(help="learn from these pages alone, not from synthetic ones too")] = False,
    further: Annotated[bool, typer.Option(help="look at schema.org, og:type, dates and lists too")] = False,
) -> None:
    """Learn genres from pages of your own; `--model`, and `genre(model=FILE)` in a crawl, use the result."""
    trained = train_model(sources, column, other, alone, further, labels)
    if trained.left_out:
        say(f"{sources[0]}: labels that are not genres are left out ({listing(trained.left_out.most_common(5))})")
    _written(into, trained.forest.save)
    print(f"{into}: learned from {listing(sorted(trained.examples.items()))}{'' if alone else ' and synthetic pages'}")


@genre.command()
def prior(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.warc.gz...", help="pages of a sample, two hops wide")],
    topic: Annotated[Path, typer.Option(help="a model that `opilio topic train` made")],
    into: Annotated[Path, typer.Option("-o", help="where the prior goes")],
    model: Annotated[Path | None, typer.Option(help="a model that `opilio genre train` made")] = None,
) -> None:
    """Count where links of a sample lead, by relevance and genre of their pages: P[I,G] for `genre(prior=FILE)`."""
    found = sampled(files, Auto.load(topic), load(str(model or "")))
    _written(into, found.save)
    for kind, rates in found.rates().items():
        print(
            f"{kind}: "
            + ", ".join(f"{name} {rate:.1%} of {found.counts[kind, name][1]}" for name, rate in rates.items())
        )


def _written(into: Path, save: Callable[[Path], None]) -> None:
    try:
        save(into)
    except OSError as error:
        raise ConfigError(f"{into}: it cannot be written ({error.strerror}); name another file") from None
