"""When the power fails nothing is lost: what was synced is enough to go on, whatever became of the rest."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.power_cut import Change, Crawl, Disk, Outcome, Recorder, everything, finished, nothing, some

from opilio.system import durable

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Recorder:
    recorder = Recorder(tmp_path_factory.mktemp("power"), 500)
    if not recorder.library:
        pytest.skip("there is no C compiler")
    return recorder


@pytest.fixture(scope="module", params=[1, 2])
def crawl(recorder: Recorder, request: pytest.FixtureRequest) -> Crawl:
    return Crawl(recorder, request.param, batch=25)


@pytest.mark.slow
def test_whatever_reached_the_disk_is_sound(crawl: Crawl) -> None:
    """At every fifth sync with nothing that was not synced, and with parts of that at moments in between."""
    outcome, chance = Outcome(), random.Random(1)
    crawl.look(crawl.syncs()[::5], nothing, outcome)
    crawl.look(crawl.spread(20, chance), some(chance), outcome)
    assert outcome.looked > 30
    assert outcome.trouble == []


@pytest.mark.slow
def test_a_crawl_goes_on_after_a_power_cut(crawl: Crawl) -> None:
    outcome, chance = Outcome(), random.Random(2)
    crawl.resume([len(crawl.changes) * 2 // 3], nothing, outcome)
    crawl.resume([len(crawl.changes) * 3 // 4], some(chance), outcome)
    assert outcome.resumed == 2
    assert outcome.trouble == []


# The disk of these tests


def changed(*words: str) -> Disk:
    """A disk on which this was done: C(reate), W(rite) and so on, a file's number, and its name or what was written."""
    disk, ends = Disk(Path("/disk")), dict[int, int]()
    for word in words:
        kind, file, text = word[0], int(word[1]), word[2:]
        if kind == "W":
            where, first = ends.get(file, 0), text.encode()
            ends[file] = where + len(first)
        else:
            old, _, new = text.partition(">")
            where, first, text = 0, f"/disk/{old}".rstrip("/").encode(), f"/disk/{new}" if new else ""
        disk.make(Change(kind, file, where, first, text.encode() if kind == "R" else b""))
    return disk


@pytest.mark.slow
def test_a_crawl_goes_on_from_a_database_without_tables(crawl: Crawl) -> None:
    for folder in crawl.cut([len(crawl.changes)], nothing):
        shutil.rmtree(folder / "archive")
        for path in folder.glob("state*.db*"):
            path.unlink()
        with closing(sqlite3.connect(folder / "state.db")) as db:
            db.execute("PRAGMA journal_mode = WAL")
        assert finished(folder, crawl.web, crawl.known) == []


@pytest.mark.parametrize(
    ("words", "synced", "written"),
    [
        (["C1a", "W1x"], {}, {"a": "x"}),
        (["C1a", "W1x", "S1"], {}, {"a": "x"}),  # its name is not on the disk
        (["C1a", "W1x", "D0"], {"a": ""}, {"a": "x"}),
        (["C1a", "W1x", "S1", "D0", "W1y"], {"a": "x"}, {"a": "xy"}),
        (["C1a", "W1x", "S1", "R0a>b", "D0", "U0b"], {"b": "x"}, {}),
        (["C1a", "W1x", "S1", "D0", "C2b", "W2y", "R0b>a"], {"a": "x"}, {"a": "y"}),
    ],
)
def test_the_disk_has_what_was_synced(
    words: list[str], synced: dict[str, str], written: dict[str, str], tmp_path: Path
) -> None:
    for name, keep, expected in (("nothing", nothing, synced), ("all", everything, written)):
        changed(*words).cut(tmp_path / name, keep)
        assert {path.name: path.read_text() for path in (tmp_path / name).iterdir()} == expected


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    durable.write(tmp_path / "a", "before")

    def fails() -> None:
        with durable.whole(tmp_path / "a") as file:
            file.write(b"after")
            raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        fails()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "before")]
    durable.make_folder(tmp_path / "b" / "c")
    assert (tmp_path / "b" / "c").is_dir()
