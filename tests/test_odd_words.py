"""Whatever is said on the command line, the answer is a page, a file or one sentence, never a traceback."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import typer
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.errors import OpilioError

from .crawled import crawled

ODD = (
    "", " ", "-", "--", "-1", "0", "1e400", "nan", "inf", "1.5", "99999999999999999999", "a" * 5000, "\u00e9" * 300, "\n", "\t",
    "/dev/null", "/", ".", "..", "~", "%", "#", "?", "*", "[1", "{", "=", "x=y", "a=", "topic=", ":", "a:b", "$HOME",
    "http://", "http://[", "http://a b/", "http://a.test/", "s3://", "s3:///x", "ftp://x", "synth:", "synth:0", "synth:-1",
    "synth:x", "otie(", "otie(a=", "otie(a=nan)", "oracle", "nowhere:Class", "run/state.db", "x.csv", "x.wacz", "x.html",
)  # fmt: skip
LASTING = ("serve", "mcp", "demo")  # these go on until they are stopped, or take a minute
CALLS = 60


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands, with the words that name each."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, (*path, name))
        elif name not in LASTING:
            yield (*path, name), command


def odd_call(chance: random.Random, path: tuple[str, ...], command: Any) -> list[str]:
    """The command with odd arguments, and some odd options."""
    words = list(path)
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            words += [chance.choice([*ODD, *["run"] * 30])] * (chance.random() < 0.9)
        elif chance.random() < 0.3:
            words.append(chance.choice(parameter.opts))
            words += [] if getattr(parameter, "is_flag", False) else [chance.choice(ODD)]
    return [*words, "--max-pages", "3"] if path == ("crawl",) else words


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_odd_words_are_a_sentence(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    crawled(tmp_path / "run", max_pages=5)
    chance, every = random.Random(seed), list(commands(typer.main.get_command(app)))
    assert len(every) > 20
    for _ in range(CALLS):
        words = odd_call(chance, *chance.choice(every))
        error = CliRunner().invoke(app, words).exception
        assert error is None or isinstance(error, SystemExit | OpilioError | click.ClickException), words
