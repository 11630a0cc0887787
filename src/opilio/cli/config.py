"""Configuration files: make one, check it, show how it is understood, print the schema."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from ..config import Config, schema
from ..config_file import load, setting
from ..engine.run_folder import configured
from ..errors import ConfigError
from .environment import from_environment
from .terminal import say

app = typer.Typer()
files = typer.Typer(
    invoke_without_command=True, help="The settings of crawls in groups; files of them: init, check, show, schema."
)
app.add_typer(files, name="config")

Settings = Annotated[list[str] | None, typer.Option("-s", metavar="KEY=VALUE", help="any setting")]


@files.callback()
def config_defaults(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(Config().toml(), end="")


@files.command("init")
def config_init(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="the file to make")] = Path("crawl.toml"),
    settings: Settings = None,
) -> None:
    """Write a configuration file with every setting, its default and its meaning; one that exists is left alone."""
    text = load(None, dict(map(setting, settings or [])), starts=False).toml()
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ConfigError(f"{path}: exists already; name another file, or change that one") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror}); name another file") from None
    print(path)
    say(f"name a topic and seeds in it, then: opilio crawl {path}")


@files.command("check")
def config_check(path: Annotated[Path, typer.Argument(metavar="FILE")], settings: Settings = None) -> None:
    """Say what is wrong with a configuration file, and where."""
    load(path, dict(map(setting, settings or [])), environment=from_environment(os.environ, say))
    print(f"{path}: good")


@files.command("show")
def config_show(
    path: Annotated[Path | None, typer.Argument(metavar="[FILE|DIR]", help="a file, or a run folder")] = None,
    settings: Settings = None,
    changed: Annotated[bool, typer.Option("--changed", help="only what differs from the defaults")] = False,
) -> None:
    """Print a configuration as it is understood, with what the environment says, every default written out."""
    overrides = dict(map(setting, settings or []))
    if path and path.is_dir():
        understood = configured(path, overrides)
    else:
        understood = load(path, overrides, starts=False, environment=from_environment(os.environ, say))
    usual = Config()
    differing = [name for name in Config.model_fields if getattr(understood, name) != getattr(usual, name)]
    print("\n".join(map(understood.line, differing)) if changed else understood.toml().rstrip())


@files.command("schema")
def config_schema() -> None:
    """Print the JSON schema of a configuration file."""
    print(json.dumps(schema(), indent=2))
