"""Kill it at any moment and it goes on: the trace of an interrupted crawl is that of one that was left alone."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from opilio.store.reader import reading
from opilio.synth.corpus import write
from opilio.synth.web import Web

pytestmark = pytest.mark.slow

PAGES = 400
PATIENCE = 60.0  # seconds


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("resume") / "web"
    write(Web(800, 3), folder)
    return folder


def command(*words: str | Path) -> list[str]:
    return [sys.executable, "-c", "from opilio.cli import main; main()", *map(str, words)]


def crawl(web: Path, out: Path, strategy: str) -> list[str]:
    limits = ["--max-pages", str(PAGES), "-s", "batch=10", "-s", "model=words"]
    return command("crawl", "--corpus", web, "--topic", "beekeeping", "--strategy", strategy, *limits, "--out", out)


def trace(folder: Path) -> list[tuple[str, int, float]]:
    with closing(reading(folder)) as db:
        return db.execute("SELECT url, status, value FROM pages ORDER BY number").fetchall()


def pages(folder: Path) -> int:
    with suppress(Exception), closing(reading(folder)) as db:
        return int(db.execute("SELECT count(*) FROM pages").fetchone()[0])
    return 0


def kill_at(words: list[str], folder: Path, count: int) -> None:
    """Start it, and kill it without warning once it has committed this many pages."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + PATIENCE
    while pages(folder) < count and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["best-first", "otie"])
def test_killed_and_resumed_is_as_if_never_stopped(web: Path, tmp_path: Path, strategy: str) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    subprocess.run(crawl(web, whole, strategy), check=True, capture_output=True)
    kill_at(crawl(web, broken, strategy), broken, 10)
    for count in (60, 170, 300):
        kill_at(command("resume", broken), broken, count)
    subprocess.run(command("resume", broken), check=True, capture_output=True)
    assert len(trace(whole)) == PAGES
    assert trace(broken) == trace(whole)
    assert archived(broken) == archived(whole) == [url for url, _, _ in trace(whole)]


def archived(folder: Path) -> list[str]:
    """The URLs of all responses in the archive, read by somebody else's reader."""
    found = []
    for path in sorted((folder / "archive").glob("*.warc.gz")):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type == "response":
                    found.append(record.rec_headers.get_header("WARC-Target-URI"))
    return found


def test_what_was_half_written_is_forgotten(web: Path, tmp_path: Path) -> None:
    """Bytes behind the committed length of the archive, and rows of an open transaction, are gone after a crash."""
    out = tmp_path / "run"
    subprocess.run(crawl(web, out, "breadth-first"), check=True, capture_output=True)
    archive = next((out / "archive").glob("*.warc.gz"))
    size = archive.stat().st_size
    with archive.open("ab") as stream:
        stream.write(b"half a record")
    db = sqlite3.connect(out / "state.db", isolation_level=None)
    db.execute("BEGIN")
    db.execute("DELETE FROM pages")
    db.close()
    subprocess.run(command("resume", out, "--max-pages", str(PAGES + 20)), check=True, capture_output=True)
    assert len(trace(out)) == PAGES + 20
    assert len(archived(out)) == PAGES + 20
    assert archive.stat().st_size > size


def test_two_processes_on_one_folder(web: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    subprocess.run(crawl(web, out, "breadth-first"), check=True, capture_output=True)
    with (out / "lock").open("w") as lock:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX)
        second = subprocess.run(command("resume", out, "--max-pages", "500"), capture_output=True, text=True)
    assert second.returncode == 2
    assert "another process" in second.stderr


def test_ctrl_c_is_safe(web: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = subprocess.Popen(crawl(web, out, "best-first"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + PATIENCE
    while pages(out) < 30 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    if process.returncode == 0:
        pytest.skip("the crawl was over before it could be interrupted")
    assert process.returncode == 130
    assert "opilio resume" in said
    subprocess.run(command("resume", out), check=True, capture_output=True)
    assert len(trace(out)) == PAGES
