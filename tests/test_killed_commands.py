"""Commands that write to a run folder are killed, or find the disk full: it stays sound, and the next time they do their work."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from opilio.engine.recrawl import recrawl
from opilio.report.wacz import write_wacz
from opilio.store.reader import reading

from .crawled import crawled
from .test_archive import checked
from .test_recrawl import change, web

KILLED = """
import os, sys
from pathlib import Path
from opilio.{module} import {work}
from opilio.{place} import {kind}
plain, left = {kind}.{method}, int(sys.argv[2])
def dying(*told, **more):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)
    return plain(*told, **more)
{kind}.{method} = dying
{work}(Path(sys.argv[1]){more})
"""


def killed(folder: Path, left: int, more: str = "", **names: str) -> None:
    """Kill a piece of work when it calls a method once more than so often."""
    code = KILLED.format(more=more, **names)
    done = subprocess.run([sys.executable, "-c", code, folder, str(left)], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize(("method", "left"), [("add", 0), ("add", 3), ("commit", 0), ("find", 4), ("close", 0)])
def test_a_recrawl_that_is_killed_leaves_a_folder_that_is_visited_again(tmp_path: Path, method: str, left: int) -> None:
    folder = tmp_path / "run"
    with web() as site:
        site.crawl(folder)
        change(site)
        killed(folder, left, module="engine.recrawl", work="recrawl", place="store.run", kind="RunStore", method=method)
        found = recrawl(folder)
        committed = method == "close"
        assert found.changed == ([] if committed else [f"{site.url}/moving"])
        assert found.gone == ([] if committed else [f"{site.url}/going"])
        assert not found.failed
    assert checked(folder) > 5


@pytest.mark.parametrize("left", [0, 1, 3])
def test_an_export_to_wacz_that_is_killed_is_not_there_and_the_next_one_is_whole(tmp_path: Path, left: int) -> None:
    folder, target = crawled(tmp_path / "run", max_pages=10), tmp_path / "x.wacz"
    names = {"module": "report.wacz", "work": "write_wacz", "place": "report.wacz", "kind": "Package", "method": "add"}
    killed(folder, left, **names, more=f", Path({str(target)!r})")
    assert not target.exists()
    assert write_wacz(folder, target) > 0
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "x.wacz"]


def limited(room: int, *words: str | Path) -> tuple[int, str]:
    """The exit code of a command whose files may have so many bytes, and what it said."""
    command = [sys.executable, "-c", "from opilio.cli import main; main()", *map(str, words)]
    limits = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))  # noqa: E731
    done = subprocess.run(command, preexec_fn=limits, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stderr


def test_a_wacz_on_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", max_pages=60)
    code, said = limited(50_000, "export", folder, "-o", tmp_path / "x.wacz")
    assert code == 4
    assert "cannot be written" in said
    assert "Traceback" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_recrawl_on_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with web() as site:
        site.crawl(folder)
        change(site)
        room = (folder / "state.db").stat().st_size // 2
        code, said = limited(room, "recrawl", folder)
        assert code == 4, said
        assert "cannot be written" in said
        assert "Traceback" not in said
        assert not recrawl(folder).failed  # what was committed before the disk was full stays
        with closing(reading(folder)) as db:
            versions = db.execute("SELECT DISTINCT digest FROM pages WHERE url = ?", (f"{site.url}/moving",)).fetchall()
        assert len(versions) == 2
    assert checked(folder) > 5
