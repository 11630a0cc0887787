"""Writes the parts of the docs that follow from the code: `make docs`. A test fails when they are out of date."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from opilio.cli import app
from opilio.config import Config

FOLDER = Path(__file__).parent


def commands(command: Any, name: str) -> Iterator[str]:
    """One section a command, with its arguments and options."""
    if hasattr(command, "commands"):
        for key, inner in command.commands.items():
            yield from commands(inner, f"{name} {key}")
        return
    arguments = [p.metavar or p.name.upper() for p in command.params if p.param_type_name == "argument"]
    yield f"## {name}\n\n{(command.help or '').strip()}\n\n    {' '.join([name, *arguments, '[OPTIONS]'])}\n"
    options = [p for p in command.params if p.param_type_name == "option" and "--help" not in p.opts]
    if options:
        yield "| option | meaning | default |\n| --- | --- | --- |\n" + "".join(map(option, options))


def option(p: Any) -> str:
    default = "" if p.default in (None, False) or callable(p.default) else f"`{p.default}`"
    return f"| `{', '.join(p.opts)}` | {p.help or ''} | {default} |\n"


def cli() -> str:
    head = (
        "# The command line\n\nMade by `make docs` from the code.\n\nstdout carries results, stderr progress and messages; "
        "progress bars appear only on a terminal. Exit codes: 0 done (a crawl that has fetched its `max_pages` is done); "
        "1 a fault of ours; 2 wrong usage or configuration; 3 stopped by a limit of time or bytes; 4 a corpus, run folder "
        "or file cannot be read; 130 interrupted, with the state safe.\n"
    )
    return head + "\n" + "\n".join(commands(typer.main.get_command(app), "opilio"))


def config() -> str:
    head = (
        "# Configuration\n\nMade by `make docs` from the code. One flat TOML file, `opilio crawl CONFIG.toml`; any setting can "
        "be given on the command line too, as `-s key=value`.\n\n| setting | default | meaning |\n| --- | --- | --- |\n"
    )
    rows = [f"| `{name}` | `{field.default!r}` | {field.description} |" for name, field in Config.model_fields.items()]
    return head + "\n".join(rows) + "\n"


PAGES = {"cli.md": cli, "config.md": config}

if __name__ == "__main__":
    for name, make in PAGES.items():
        (FOLDER / name).write_text(make(), encoding="utf-8")
