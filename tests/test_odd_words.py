"""Whatever is said on the command line, the answer is a page, a file or one sentence, never a traceback."""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import typer

from opilio.cli.commands import app, run

from .crawled import crawled

ODD = (
    "", " ", "-", "--", "-1", "0", "1e400", "nan", "inf", "1.5", "99999999999999999999", "a" * 5000, "\u00e9" * 300, "\n", "\t",
    "/dev/null", "/", ".", "..", "~", "%", "#", "?", "*", "[1", "{", "=", "x=y", "a=", "topic=", ":", "a:b", "$HOME",
    "http://", "http://[", "http://a b/", "http://a.test/", "s3://", "s3:///x", "ftp://x", "synth:", "synth:0", "synth:-1",
    "synth:x", "otie(", "otie(a=", "otie(a=nan)", "oracle", "nowhere:Class", "run/state.db", "x.csv", "x.wacz", "x.html",
)  # fmt: skip
BROKEN = {
    "empty": b"",
    "cut.toml": b'topic = "bees',
    "list.toml": b"seeds = 3\nmax_pages = [1]\n",
    "cut.json": b'{"a": [1,',
    "deep.json": b"[" * 5000,
    "nan.json": b'{"pages": NaN, "results": 1}',
    "odd.csv": b'url,label\n"http://a.test/,1\nx',
    "bytes.csv": b"\xff\xfe\x00url\x00,label",
    "head.csv": b"url,label\n",
    "cut.warc.gz": b"\x1f\x8b\x08\x00cut",
    "zip.wacz": b"PK\x03\x04",
    "latin.txt": b"caf\xe9 \x00 \xff",
}
FILES = (*BROKEN, "folder.toml", "folder.csv", "gone.toml", "empty/x", "run/archive")
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
            words += [chance.choice([*ODD, *FILES, *["run"] * 30])] * (chance.random() < 0.9)
        elif chance.random() < 0.3:
            words.append(chance.choice(parameter.opts))
            words += [] if getattr(parameter, "is_flag", False) else [chance.choice([*ODD, *FILES])]
    return [*words, "--max-pages", "3"] if path == ("crawl",) else words


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_odd_words_are_a_sentence(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    crawled(tmp_path / "run", max_pages=5)
    for name, data in BROKEN.items():
        Path(name).write_bytes(data)
    for name in ("folder.toml", "folder.csv"):
        Path(name).mkdir()
    chance, every = random.Random(seed), list(commands(typer.main.get_command(app)))
    assert len(every) > 20
    for _ in range(CALLS):
        words = odd_call(chance, *chance.choice(every))
        monkeypatch.setattr(sys, "argv", ["opilio", *words])
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        try:
            run()
        except Exception as error:
            raise AssertionError(words) from error


def test_a_name_too_long_for_a_file_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["opilio", "crawl", "a" * 5000])
    assert run() == 2
    assert "so long a name" in capsys.readouterr().err
