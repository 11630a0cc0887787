"""Run folders with damaged files or odd names: each is a sentence and an exit code, or just works."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path
from urllib.parse import quote

import pytest

from opilio.cli import commands
from opilio.engine.run import Run
from opilio.engine.run_folder import configured
from opilio.errors import UnreadableError
from opilio.store.manifest import known_facts
from opilio.store.reader import reading
from opilio.testing import small_web

from .crawled import crawled
from .test_web import client
from .tiny_corpus import write

PAGE = 4096  # bytes of a page of SQLite
READERS = (
    ["status"],
    ["report"],
    ["explain", "http://a.example/"],
    ["export", "-o", "-", "--format", "jsonl"],
    ["label", "--json"],
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("damage") / "whole")


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def said(folder: Path, command: str, *more: str) -> tuple[int, str]:
    return ended(command, str(folder), *more)


def ended(*words: str) -> tuple[int, str]:
    """The exit code of a command, and what was said on stderr."""
    told = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stderr(told), redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        patch.setattr(sys, "argv", ["opilio", *words])
        return commands.run(), told.getvalue()


def damage(path: Path, kind: str) -> None:
    data = bytearray(path.read_bytes())
    match kind:
        case "other file":
            data[:] = b"not a database" * 1000
        case "cut":
            del data[5 * PAGE :]
        case "overwritten":  # all but the first page and the root of the smallest tables
            for place in range(2 * PAGE, len(data), PAGE):
                data[place : place + 200] = b"\xff" * 200
        case _:
            data[:] = b""
    path.write_bytes(data)


@pytest.mark.parametrize("kind", ["other file", "cut", "overwritten"])
def test_a_damaged_state_database_is_a_sentence(run: Path, kind: str) -> None:
    damage(run / "state.db", kind)
    for command in READERS:
        code, told = said(run, *command)
        assert code == 4, told
        assert "state.db: not readable as a state database" in told
    sentence = "run: not readable as a state database"
    with pytest.raises(UnreadableError, match=sentence), closing(Run(run, configured(run), small_web.fetcher())) as on:
        on.go()


def test_damage_that_shows_at_a_later_row_is_a_sentence_too(run: Path) -> None:
    data = bytearray((run / "state.db").read_bytes())
    with closing(reading(run)) as db:
        leaves = "SELECT pageno FROM dbstat WHERE name = 'pages' AND pagetype = 'leaf' ORDER BY path"
        last = [number for (number,) in db.execute(leaves)][-1]
    data[(last - 1) * PAGE : last * PAGE] = b"\xff" * PAGE
    (run / "state.db").write_bytes(data)
    with closing(reading(run)) as db:
        found: Iterator[object] = iter(db.execute("SELECT * FROM pages ORDER BY number"))
        assert next(found)
        with pytest.raises(UnreadableError, match="not readable as a state database"):
            list(found)


def test_the_dashboard_shows_the_others_beside_a_damaged_run(run: Path) -> None:
    for name, file, kind in (("state", "state.db", "overwritten"), ("manifest", "manifest.json", "empty")):
        folder = shutil.copytree(run, run.parent / name)
        damage(folder / file, kind)
    shown = client(run.parent).get("/runs")
    assert shown.status_code == 200
    assert "These cannot be read: manifest, state" in shown.text
    assert [figures["name"] for figures in client(run.parent).get("/api/runs").json()] == ["run"]
    assert "manifest.json: not readable" in client(run.parent).get("/api/runs/manifest").json()["error"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '"x"', "[" * 100_000, '{"stopped": 5}', '{"processes": "x"}', "\xff"]
)
def test_an_odd_manifest_is_a_sentence(run: Path, text: str) -> None:
    (run / "manifest.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(UnreadableError, match=r"manifest.json: not readable as a manifest \(.+\); remove the file"):
        known_facts(run)


def test_commands_on_a_folder_with_an_odd_manifest(run: Path) -> None:
    (run / "manifest.json").write_text("")
    for command in (["status"], ["report"], ["explain", "http://a.example/"]):
        code, told = said(run, *command)
        assert code == 4, told
    with pytest.raises(UnreadableError), closing(Run(run, configured(run), small_web.fetcher())) as refused:
        refused.go()
    (run / "manifest.json").unlink()  # as it says
    assert said(run, "status")[0] == 0
    with closing(Run(run, configured(run), small_web.fetcher())) as going_on:
        assert going_on.go().startswith("page limit")
    assert known_facts(run)["why"].startswith("page limit")


@pytest.mark.parametrize("name", ["100%", "what?", "a#b", "a?mode=rwc&b#c", "ä & ö"])
def test_folders_with_any_name_work(whole: Path, tmp_path: Path, name: str) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / name))
    with closing(Run(folder, configured(folder), small_web.fetcher())) as going_on:
        assert going_on.go().startswith("page limit")
    with closing(reading(folder)) as db:
        url, number = db.execute("SELECT url, number FROM pages WHERE status = 200").fetchone()
    asked = client(tmp_path)
    assert [run["name"] for run in asked.get("/api/runs").json()] == [name]
    assert f'href="/runs/{quote(name, safe="")}"' in asked.get("/runs").text
    for path in ("", "/pages", "/pages?q=honey", "/frontier", "/labels", f"/story?url={quote(url)}", f"/copy/{number}"):
        answer = asked.get(f"/runs/{quote(name, safe='')}{path}")
        assert answer.status_code == 200, path
        assert name not in [line for line in answer.text.split('"') if line.startswith("/runs/")]
    assert {path.name for path in tmp_path.iterdir()} == {name}  # nothing was made beside it


def test_commands_on_a_folder_with_an_odd_name(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "50%41?#"))
    for command in (*READERS, ["search", "honey"]):
        code, told = said(folder, *command)
        assert code == 0, told


@pytest.mark.parametrize("number", ["99999999999999999999", "-99999999999999999999", "0"])
def test_numbers_that_no_page_has(whole: Path, number: str) -> None:
    asked = client(whole.parent)
    answer = asked.get(f"/runs/whole/copy/{number}")
    assert answer.status_code == 404
    assert f"nothing is stored of page {number}" in answer.text
    assert asked.get(f"/runs/whole/pages?after={number}").status_code == 200
    assert asked.get(f"/runs/whole/pages?order=relevance&after=0x1p-1_{number}").status_code == 200
    assert asked.get(f"/runs/whole/pages?q=honey&skip={number}").status_code == 200


@pytest.mark.parametrize("port", ["99999", "-1"])
def test_a_port_that_does_not_exist_is_a_sentence(tmp_path: Path, port: str) -> None:
    folder = write(tmp_path / "corpus", {"a": "b", "b": "a"}, {}, "").folder
    code, told = ended("corpus", "serve", str(folder), "--port", port)
    assert code == 2
    assert f"cannot listen on 127.0.0.1:{port}" in told
