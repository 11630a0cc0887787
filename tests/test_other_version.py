"""Run folders whose saved state this version cannot restore: one sentence and exit code 4, and nothing is changed."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgpack import ExtType

from opilio.codec import OBJECT, pack, unpack
from opilio.errors import UnreadableError
from opilio.report.explain import story
from opilio.report.run import page as report
from opilio.store.tables import VERSION
from opilio.testing import small_web

from .crawled import crawled, opened
from .test_cli import opilio

SETTINGS: dict[str, Any] = {"strategy": "blend", "max_pages": 60}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("versions") / "run", **SETTINGS)


def one_more_field(state: dict[str, Any]) -> None:
    state["past_"] = ExtType(OBJECT, pack(["signalmix", pack([[1.0], 0, 20, "one more"])]))


def unknown_kind(state: dict[str, Any]) -> None:
    state["past_"] = ExtType(OBJECT, pack(["signalmax", pack([])]))


def nothing_of_it(state: dict[str, Any]) -> None:
    del state["past_"]


def changed(run: Path, folder: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """A copy of a run folder in which the strategy has saved something else."""
    shutil.copytree(run, folder)
    with closing(sqlite3.connect(folder / "state.db")) as db, db:
        state = unpack(db.execute("SELECT data FROM state WHERE name = 'strategy'").fetchone()[0])
        change(state)
        db.execute("UPDATE state SET data = ? WHERE name = 'strategy'", (pack(state),))
    return folder


@pytest.mark.parametrize("change", [one_more_field, unknown_kind, nothing_of_it])
def test_state_that_cannot_be_restored_is_refused(
    run: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    folder = changed(run, tmp_path / "run", change)
    asks = (
        lambda: opened(folder, **SETTINGS | {"max_pages": 70}),
        lambda: story(folder, small_web.seeds()[0]),
        lambda: report(folder),
    )
    for ask in asks:
        with pytest.raises(UnreadableError, match=r"run/state\.db: written by another version .*opilio crawl --out"):
            ask()


@pytest.mark.slow
def test_the_command_line_says_so(run: Path, tmp_path: Path) -> None:
    folder = changed(run, tmp_path / "run", one_more_field)
    for words in (("explain", folder, small_web.seeds()[0]), ("report", folder)):
        done = opilio(*words)
        assert done.returncode == 4, done.stderr
        assert "Traceback" not in done.stderr
        assert "written by another version of opilio, or of its strategy" in " ".join(done.stderr.split())


def test_a_lower_version_is_named(run: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run, tmp_path / "run"))
    with closing(sqlite3.connect(folder / "state.db")) as db:
        db.execute(f"PRAGMA user_version = {VERSION - 1}")
    with pytest.raises(UnreadableError, match=f"version {VERSION - 1}, and this one reads {VERSION}"):
        opened(folder, **SETTINGS)
