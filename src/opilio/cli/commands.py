"""The front of the command line: which commands there are, and what becomes of their mistakes."""

from __future__ import annotations

import errno
import os
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from .. import __version__
from ..errors import ConfigError, OpilioError, StoppedError, UnwritableError
from .terminal import say

# Modules, and the commands that each has.
COMMANDS = {
    "crawl": ("crawl", "resume", "status"),
    "recrawl": ("recrawl",),
    "stores": ("push", "pull"),
    "explain": ("explain", "report"),
    "compare": ("compare",),
    "bench": ("bench", "strategies"),
    "corpus": ("corpus",),
    "structure": ("structure",),
    "communities": ("communities",),
    "genre": ("genre",),
    "topic": ("topic",),
    "tags": ("tags", "path-strings", "site"),
    "export": ("export",),
    "search": ("search",),
    "label": ("label",),
    "serve": ("serve",),
    "mcp": ("mcp",),
    "config": ("config",),
    "robots": ("robots", "may"),
    "about": ("demo", "doctor"),
}
# What a machine may be short of: open files, memory, room on its disk.
SCARCE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Front(TyperGroup):
    """Imports what a command needs when it is called: to import everything takes longer than most commands."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.commands: dict[str, Any] = {name: None for names in COMMANDS.values() for name in names}

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise StoppedError("interrupted") from None

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for word in args:
            check_text(word)
        return super().parse_args(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        homes = [module for module, names in COMMANDS.items() if cmd_name in names]
        return get_group(import_module(f".{homes[0]}", __package__).app).commands[cmd_name] if homes else None


def check_text(word: str) -> None:
    """What is not UTF-8 on the command line can be neither stored nor sent; only a path that is there may be so."""
    if not word.isascii() and any("\ud800" <= letter <= "\udfff" for letter in word) and not os.path.lexists(word):
        shown = word.encode("utf-8", "replace").decode()
        raise ConfigError(f'"{shown}" is not text in UTF-8; write it in that encoding')


app = typer.Typer(cls=Front, no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)


@app.callback(invoke_without_command=True)
def front(version: Annotated[bool, typer.Option("--version", help="print the version")] = False) -> None:
    """A focused web crawler: a topic and a budget in, the pages that matter out."""
    if version:
        print(f"opilio {__version__}")
        raise typer.Exit


def run() -> int:
    """Run the command; a mistake of the user's is one sentence and an exit code."""
    # Without this, it looks through all that is installed for plugins, at each start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    try:
        app()
        return 0
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except OpilioError as error:
        say(f"opilio: {error}")
        return error.exit_code
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            say(f"opilio: {str(error.filename)[:60]}...: no file can have so long a name; give a shorter one")
            return ConfigError.exit_code
        if error.errno not in SCARCE:
            raise
        say(
            f"opilio: {error.filename or 'this machine'}: {error.strerror}; raise that limit or make room, and try again"
        )
        return UnwritableError.exit_code
