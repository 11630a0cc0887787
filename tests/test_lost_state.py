"""A run folder whose state was lost is refused by every command, and no byte of an archive is ever deleted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.config import Config
from opilio.engine.parallel.processes import Processes
from opilio.errors import UnreadableError
from opilio.nouns import Lease, News, Weight
from opilio.store.reader import reading
from opilio.store.run import RunStore
from opilio.testing import small_web

from .test_archive import HTML, checked, crash, rows, stored, visited


@pytest.fixture
def run(tmp_path: Path) -> Path:
    said("crawl", "--corpus", "synth:500:3", "--topic", "beekeeping", "--max-pages", "30", "--out", tmp_path / "run")
    return tmp_path / "run"


def said(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=True)
    if isinstance(result.exception, UnreadableError):
        return f"exit {result.exception.exit_code}: {result.exception}"
    assert result.exit_code == code, result.output
    return result.output


def archived(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in (folder / "archive").rglob("*.warc.gz")}


def remove(state: Path) -> None:
    for path in state.parent.glob(f"{state.name}*"):
        path.unlink()


def without_shared_memory(state: Path) -> None:
    """As it is when the database was deleted while a crawl ran: what is left would be thrown away by SQLite."""
    state.with_name(state.name + "-wal").write_bytes(b"changes")
    state.unlink()


def empty(state: Path) -> None:
    remove(state)
    state.touch()


def forget_everything(state: Path) -> None:
    """A database that was made anew."""
    remove(state)
    with closing(sqlite3.connect(state)) as db:
        db.execute("VACUUM")
        db.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")


COMMANDS = ("resume", "label", "status", "report", "search", "export", "explain", "corpus")


def words_of(command: str, folder: Path, url: str) -> tuple[object, ...]:
    return {
        "label": ("label", folder, "--yes", url),
        "search": ("search", folder, "honey"),
        "explain": ("explain", folder, url),
        "corpus": ("corpus", "from", folder, folder.parent / "made"),
    }.get(command, (command, folder))


@pytest.mark.parametrize("lose", [remove, without_shared_memory, empty])
def test_every_command_refuses_an_archive_without_state(run: Path, lose: Callable[[Path], None]) -> None:
    url, before = rows(run)[0]["url"], archived(run)
    lose(run / "state.db")
    files = sorted(run.rglob("*"))
    for command in COMMANDS:
        sentence = said(*words_of(command, run, url))
        assert sentence.startswith(f"exit 4: {run / 'state.db'}: it is missing or empty, but"), command
        assert "nothing was changed" in sentence
        assert archived(run) == before, command
    assert set(run.rglob("*")) - set(files) <= {run / "lock"}


@pytest.mark.parametrize("lose", [remove, empty, forget_everything])
def test_no_crawl_begins_over_the_archive_of_another(tmp_path: Path, lose: Callable[[Path], None]) -> None:
    stored(tmp_path, visited("http://a.example/1"))
    before = archived(tmp_path)
    lose(tmp_path / "state.db")
    with pytest.raises(UnreadableError, match="missing or empty"):
        RunStore(tmp_path)
    assert archived(tmp_path) == before


def test_the_lost_state_of_one_shard_among_two_is_noticed(tmp_path: Path) -> None:
    config = Config(corpus="small web", seeds=small_web.seeds(), processes=2)
    (tmp_path / "config.toml").write_text(config.toml())
    (tmp_path / "manifest.json").write_text(json.dumps({"processes": 2}))
    for index in (0, 1):
        store, page = RunStore(tmp_path, index, 2), visited(f"http://a.example/{index}")
        store.add(Lease(1, page.offer, Weight()), page, None)
        store.commit({})
        store.close()
    before = archived(tmp_path)
    remove(tmp_path / "state-1.db")
    with pytest.raises(UnreadableError, match=r"state-1\.db: it is missing or empty"):
        reading(tmp_path)
    with pytest.raises(UnreadableError, match=r"state-1\.db: it is missing or empty"):
        Processes(tmp_path, config, ["false"], small_web.fetcher())
    for index in (0, 1):
        with pytest.raises(UnreadableError, match=r"state-1\.db: it is missing or empty"):
            RunStore(tmp_path, index, 2)
    assert archived(tmp_path) == before


@pytest.mark.parametrize("lose", [remove, empty, forget_everything])
def test_a_crawl_that_was_killed_before_its_first_page_goes_on(tmp_path: Path, lose: Callable[[Path], None]) -> None:
    crash(RunStore(tmp_path))
    lose(tmp_path / "state.db")
    assert len(stored(tmp_path, visited("http://a.example/1"))) == 1
    checked(tmp_path)


def test_what_no_commit_speaks_of_is_moved_aside(tmp_path: Path) -> None:
    """All bytes are there in the end: what was behind the committed position, and the files that were begun after it."""
    stored(tmp_path, visited("http://a.example/1"))
    committed = archived(tmp_path)["archive/opilio-000000.warc.gz"]
    store = RunStore(tmp_path, file_size=2500)
    for number in range(2, 6):
        page = visited(f"http://a.example/{number}", HTML + b"%d" % number * number)
        store.add(Lease(number, page.offer, Weight()), page, None)
    crash(store)
    before = archived(tmp_path)
    assert len(before) > 1
    RunStore(tmp_path).close()
    after = archived(tmp_path)
    assert after.pop("archive/opilio-000000.warc.gz") == committed
    tail = before.pop("archive/opilio-000000.warc.gz").removeprefix(committed)
    assert sorted(after.values()) == sorted([*filter(None, [tail]), *before.values()])
    assert all(name.startswith("archive/aside/opilio-00000") for name in after)
    checked(tmp_path)


def test_an_old_copy_of_the_state_costs_no_page(tmp_path: Path) -> None:
    """Whoever restores a backup of state.db finds the later pages beside the archive, in files that WARC tools read."""
    stored(tmp_path, visited("http://a.example/1"))
    backup = (tmp_path / "state.db").read_bytes()
    stored(tmp_path, visited("http://a.example/2", HTML + b"2"), visited("http://a.example/3", HTML + b"3"))
    remove(tmp_path / "state.db")
    (tmp_path / "state.db").write_bytes(backup)
    stored(tmp_path, visited("http://a.example/4", HTML + b"4"))
    assert [row["url"][-1] for row in rows(tmp_path)] == ["1", "4"]
    (tail,) = (tmp_path / "archive" / "aside").iterdir()
    (tmp_path / "aside" / "archive").mkdir(parents=True)
    tail.rename(tmp_path / "aside" / "archive" / tail.name)
    assert checked(tmp_path / "aside") == 4  # two answers with their requests


def test_letters_that_are_gone_are_those_before_the_first_that_is_here(tmp_path: Path) -> None:
    """Letters of one commit are one row under the number of the last of them."""
    store = RunStore(tmp_path, 0, 2)
    for count in (3, 2):
        for number in range(count):
            store.mail.post(1, News(("said", number)))
        store.commit({})
    assert store.mail.forgotten(1) == 0
    store.mail.forget(1, 3)
    assert store.mail.forgotten(1) == 3
    store.mail.forget(1, 5)
    assert store.mail.forgotten(1) == 5
    store.close()
