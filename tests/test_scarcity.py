"""A machine that is short of room or open files: a sentence, and an exit code."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import pytest

from opilio.cli import commands
from opilio.errors import UnwritableError
from opilio.fetchers.http.client import Transport
from opilio.fetchers.http.settings import TransportSettings
from opilio.report import search
from opilio.start import continued
from opilio.store.reader import reading

from .crawled import crawled

PATIENCE = 120.0  # seconds


def ended(limit: int, value: int, *words: str | Path) -> tuple[int, str]:
    """The exit code of a command that may use so much of something, and what it said."""
    done = subprocess.run(
        [sys.executable, "-c", "from opilio.cli import main; main()", *map(str, words)],
        preexec_fn=lambda: resource.setrlimit(limit, (value, value)),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return done.returncode, done.stderr


def test_a_report_on_a_full_disk(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run")
    with closing(reading(folder)):  # SQLite needs a file beside the database, which is there now
        code, said = ended(resource.RLIMIT_FSIZE, 1000, "report", folder)
    assert code == 4
    assert said.startswith(f"opilio: {folder}/report.html: cannot be written (File too large); ")
    assert not list(folder.glob("*report.html*"))


def test_an_index_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, make = crawled(tmp_path / "run"), search._make

    def make_small(db: sqlite3.Connection) -> None:
        make(db)
        db.execute("PRAGMA max_page_count = 1")  # at least what is there

    monkeypatch.setattr(search, "_make", make_small)
    with pytest.raises(UnwritableError, match=r"search.db: the index cannot be written \(.*full\); free some space"):
        search.update(folder)


def test_an_index_that_may_only_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, make = crawled(tmp_path / "run"), search._make

    def make_read_only(db: sqlite3.Connection) -> None:
        make(db)
        db.execute("PRAGMA query_only = 1")

    monkeypatch.setattr(search, "_make", make_read_only)
    with pytest.raises(UnwritableError, match=r"cannot be written \(.*readonly.*\); permit writing there"):
        search.update(folder)


def test_a_folder_that_takes_no_new_limit_is_a_sentence(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run")
    (folder / ".config.toml.part").mkdir()  # in the way of whoever writes the file
    with pytest.raises(UnwritableError, match="it cannot be written"):
        continued(folder, 500)


def test_no_more_is_read_of_a_robots_file_than_a_crawl_reads() -> None:
    code, said = ended(resource.RLIMIT_AS, 2 << 30, "robots", "/dev/zero", "http://a.example/")
    assert (code, said) == (0, "")


def test_a_crawl_says_how_many_files_it_needs(tmp_path: Path) -> None:
    words = ("crawl", "--seed", "http://a.example/", "--out", tmp_path / "run")
    code, said = ended(resource.RLIMIT_NOFILE, 24, *words)
    assert code == 2
    assert (
        "this process may open 24 files, and fetch_connections = 64 can need 304; raise the limit (ulimit -n 304)"
        in said
    )
    assert "Traceback" not in said


def test_a_socket_that_cannot_be_opened_is_the_error_of_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    async def error() -> str:
        transport = Transport(TransportSettings(allow_loopback=True))
        with monkeypatch.context() as patch:
            patch.setattr("opilio.fetchers.http.transfer.socket.socket", fail)
            found = await transport.get("http://127.0.0.1/")
        await transport.close()
        return found.error

    assert asyncio.run(error()) == "connect: no socket (Too many open files)"


@pytest.mark.parametrize(("number", "code"), [(errno.EMFILE, 4), (errno.ENOSPC, 4)])
def test_what_is_scarce_is_a_sentence_everywhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int, code: int
) -> None:
    def fail() -> NoReturn:
        raise OSError(number, os.strerror(number), "some-file")

    monkeypatch.setattr(commands, "app", fail)
    assert commands.run() == code
    assert capsys.readouterr().err.startswith(f"opilio: some-file: {os.strerror(number)}; ")


def test_mistakes_of_our_own_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> NoReturn:
        raise FileNotFoundError(errno.ENOENT, "No such file", "some-file")

    monkeypatch.setattr(commands, "app", fail)
    with pytest.raises(FileNotFoundError):
        commands.run()
