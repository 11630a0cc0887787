"""What all commands share: where they print, the progress bar, arguments that mean the same everywhere."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from ..system.signals import on_stop, undoing

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDTH = 140  # of tables that go into a file or a pipe
LEAST = 20  # letters in a line of text beside a name

RunFolder = Annotated[Path, typer.Argument(metavar="DIR", help="a run folder that `opilio crawl` made")]
RunPlace = Annotated[
    str,
    typer.Argument(metavar="DIR", help="a run folder that `opilio crawl` made, or the state of a crawl on a cluster"),
]
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON document")]


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on a terminal, nothing elsewhere; call it with done, total, and what is being done."""
    with undoing():
        if not sys.stderr.isatty():
            yield lambda done, total, doing: None
            return
        with _bar(label) as step:
            yield step


@contextmanager
def _bar(label: str) -> Iterator[Callable[[int, int, str], None]]:
    from rich.console import Console  # this and others: what prints plain text starts sooner without
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)

        def step(done: int, total: int, doing: str) -> None:
            bar.update(task, completed=done, total=total, description=doing or label)

        yield step


def printable(text: str) -> str:
    """In one line, without what a page could tell a terminal to do."""
    return plain(" ".join(text.split()))


def plain(text: str) -> str:
    """Without what a page could tell a terminal to do."""
    return "".join(letter for letter in text if letter.isprintable())


def leave(code: int) -> NoReturn:
    """End the process at once: to take apart, object by object, what a crawl knows takes longer than most commands."""
    on_stop(signal.SIG_IGN)  # nothing is left to stop; the exit code stays what it is
    with suppress(OSError):
        sys.stdout.flush()
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(code)


def say(text: str) -> None:
    """A message to whoever sits in front, as it is; nothing ends because nobody can read it."""
    with suppress(OSError):
        print(text, file=sys.stderr)


def draw(result: RenderableType) -> None:
    """Print a table, or text with style."""
    from rich.console import Console

    Console(soft_wrap=True, width=None if sys.stdout.isatty() else WIDTH).print(result)


def print_pairs(pairs: Mapping[str, str]) -> None:
    """Names, and what there is to say about each beside it."""
    width = get_terminal_size().columns if sys.stdout.isatty() else WIDTH
    names = max(map(len, pairs))
    room = min(max(map(len, pairs.values())), max(LEAST, width - names - 4))
    for name, value in pairs.items():
        beside, *below = wrap(value, room, break_on_hyphens=False) or [""]
        print(f" {name:<{names}}  {beside:<{room}} ")
        for line in below:
            print(f" {'':<{names}}  {line:<{room}} ")
    sys.stdout.flush()  # before anything that is said after it
