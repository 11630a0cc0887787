"""The command line. stdout carries results, stderr progress and messages. One file for each group of commands."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from .. import __version__
from ..errors import OpilioError
from . import (
    about,
    bench,
    communities,
    config,
    corpus,
    crawl,
    export,
    genre,
    label,
    search,
    serve,
    structure,
    tags,
    topic,
    web_rules,
)
from .screen import say

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)
for group in (
    crawl,
    bench,
    corpus,
    structure,
    communities,
    genre,
    topic,
    tags,
    export,
    search,
    label,
    serve,
    config,
    web_rules,
    about,
):
    app.add_typer(group.app)


@app.callback(invoke_without_command=True)
def front(version: Annotated[bool, typer.Option("--version", help="print the version")] = False) -> None:
    """A focused web crawler: a topic and a budget in, the pages that matter out."""
    if version:
        print(f"opilio {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command; a mistake of the user's is one sentence and an exit code."""
    try:
        app()
    except OpilioError as error:
        say(f"opilio: {error}")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        say("opilio: interrupted")
        sys.exit(crawl.INTERRUPTED)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to stop; the exit code stays what it is
