"""What a crawl says while it runs: sentences for whoever sits in front, lines of a log file, or JSON, one event a line."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import RawIOBase
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import ConfigError, OpilioError
from .terminal import say

Quiet = Annotated[bool, typer.Option("--quiet", help="print nothing, unless something goes wrong")]
Events = Annotated[
    bool,
    typer.Option("--json", help="say what happens as JSON, one event a line; at the end the figures as one document"),
]
LogFile = Annotated[
    Path | None, typer.Option("--log-file", metavar="FILE", help="append what happens to this file, too")
]


class Journal:
    """Takes down what happens. The screen (stderr) may be quiet; a log file gets everything but advice."""

    def __init__(self, quiet: bool = False, as_json: bool = False, file: RawIOBase | None = None) -> None:
        self.quiet, self.as_json, self._file = quiet, as_json, file

    def say(self, text: str) -> None:
        """A sentence about the crawl."""
        self.tell("message", text)

    def warn(self, text: str) -> None:
        """A sentence about something that went wrong: said to those who asked for quiet, too."""
        self.tell("warning", text, loud=True)

    def advise(self, text: str) -> None:
        """What whoever sits in front could do next."""
        if not self.quiet and not self.as_json:
            say(text)

    def tell(self, event: str, text: str, loud: bool = False, **facts: Any) -> None:
        """An event: for people the text, for programs its name and facts as well."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = json.dumps({"time": stamp, "event": event, "text": text, **facts}, ensure_ascii=True)
        if loud or not self.quiet:
            say(line if self.as_json else text)
        self._write(line if self.as_json else f"{stamp} {text}")

    def fail(self, error: OpilioError) -> None:
        """The mistake that ends the command; whoever catches it prints it, but not where JSON is expected."""
        if self.as_json:
            self.tell("error", str(error), loud=True, exit_code=error.exit_code)
            raise typer.Exit(error.exit_code) from None
        self._write(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} opilio: {error}")

    def _write(self, line: str) -> None:
        """Into the log file; a crawl does not end because its log cannot be written."""
        if not self._file:
            return
        try:
            self._file.write(f"{line}\n".encode(errors="backslashreplace"))  # in one piece: others may write there, too
        except OSError as error:
            self._file = None
            say(f"the log file cannot be written ({error.strerror}); the crawl goes on without it")


@contextmanager
def taking_down(quiet: bool, as_json: bool, path: Path | None) -> Iterator[Journal]:
    """A journal for one command; what ends the command is in it, too."""
    with ExitStack() as open_files:
        journal = Journal(quiet, as_json, open_files.enter_context(_opened(path)) if path else None)
        try:
            yield journal
        except OpilioError as error:
            journal.fail(error)
            raise


def _opened(path: Path) -> RawIOBase:
    try:
        return path.open("ab", buffering=0)
    except OSError as error:
        raise ConfigError(f"--log-file {path}: cannot be written ({error.strerror}); name another file") from None
