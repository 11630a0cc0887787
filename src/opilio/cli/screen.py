"""What all commands share: where they print, the progress bar, arguments that mean the same everywhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

WIDTH = 140  # of tables that go into a file or a pipe

out = Console(soft_wrap=True, width=None if sys.stdout.isatty() else WIDTH)
err = Console(stderr=True)

RunFolder = Annotated[Path, typer.Argument(metavar="DIR", help="a run folder that `opilio crawl` made")]
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON document")]


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on a terminal, nothing elsewhere; call it with done, total, and what is being done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, disable=not err.is_terminal, transient=True) as bar:
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
    with suppress(BrokenPipeError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def say(text: str) -> None:
    """A message to whoever sits in front, as it is."""
    err.print(text, markup=False, highlight=False, soft_wrap=True)
