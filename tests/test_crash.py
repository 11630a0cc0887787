"""A live crawl that is killed, starved of disk, locked out or interrupted loses nothing and says a sentence."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from benchmarks.crash import Served, crash, finite, moments, reachable, served, settings
from benchmarks.crash_commands import kill_commands
from benchmarks.crash_copies import kill_copies

from opilio.engine.run import Run
from opilio.engine.run_folder import configured
from opilio.store.reader import reading
from opilio.synth.web import Web

from .test_archive import checked

pytestmark = pytest.mark.slow

PATIENCE = 120.0  # seconds
SMALL = 300_000  # bytes that a file may have when the disk is full


@pytest.fixture(scope="module")
def web() -> Web:
    return finite(500, 4)


@pytest.fixture
def server(web: Web) -> Iterator[Served]:
    with served(web) as running:
        yield running


def command(*words: object) -> list[str]:
    return [sys.executable, "-c", "from opilio.cli import main; main()", *map(str, words)]


def crawl(web: Web, server: Served, folder: Path, **more: Any) -> list[str]:
    """The command that crawls all of the web."""
    told = {**settings(web, server.port), **more}
    words = [word for url in told.pop("seeds") for word in ("--seed", url)]
    words += [word for name, value in told.items() for word in ("-s", f"{name}={_toml(value)}")]
    return command("crawl", *words, "--out", folder)


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).replace("'", '"')


def stored(folder: Path) -> list[str]:
    with suppress(Exception), closing(reading(folder)) as db:
        return [url for (url,) in db.execute("SELECT url FROM pages ORDER BY url")]
    return []


def until(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while len(stored(folder)) < count and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)


def finished(folder: Path) -> list[str]:
    """The pages of a crawl that went on to its end."""
    run = Run(folder, configured(folder))
    try:
        assert run.go() == "nothing left to fetch"
    finally:
        run.close()
    checked(folder)
    return stored(folder)


@pytest.mark.slow
def test_five_kills_lose_nothing(tmp_path: Path) -> None:
    outcome = crash(tmp_path / "run", pages=500, kills=5)
    assert outcome.good, outcome
    assert outcome.pages > 300
    assert len(outcome.refetched) == 5
    assert sum(outcome.refetched) > 0


@pytest.mark.slow
def test_kills_of_workers_and_of_all_also_at_the_end_lose_nothing(tmp_path: Path) -> None:
    """By two processes: all are killed, one worker is, and in the last pages both again."""
    outcome = crash(tmp_path / "run", pages=500, kills=2, processes=2, late=2)
    assert outcome.good, outcome
    assert outcome.kills == 4


@pytest.mark.slow
def test_a_command_that_is_killed_leaves_a_folder_that_goes_on(tmp_path: Path) -> None:
    """label, export, search and serve."""
    assert kill_commands(tmp_path, 1) == []


@pytest.mark.slow
def test_a_copy_that_is_killed_is_whole_or_not_there(tmp_path: Path) -> None:
    """WACZ, push, pull; and recrawl, which goes on the next time."""
    assert kill_copies(tmp_path, 1) == []


def test_kills_are_spread_and_some_are_late() -> None:
    assert moments(1000, 3, 3) == [250, 500, 750, 970, 980, 990]


@pytest.mark.slow
def test_a_second_process_is_kept_out_and_a_kill_leaves_no_trace(web: Web, server: Served, tmp_path: Path) -> None:
    """The command itself in a process group of its own; in the end the same pages as a crawl that was left alone has."""
    folder = tmp_path / "run"
    process = subprocess.Popen(
        crawl(web, server, folder),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    until(folder, 30, process)
    process.send_signal(signal.SIGSTOP)  # so that it is not over before the second one looks
    second = subprocess.run(command("resume", folder), capture_output=True, text=True, timeout=PATIENCE)
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert second.returncode == 2
    assert "another process" in second.stderr
    assert "Traceback" not in second.stderr
    assert finished(folder) == sorted(reachable(web))


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0.0, 0.02, 0.1, 0.3])
def test_ctrl_c_twice_stops_at_once_and_safely(web: Web, server: Served, tmp_path: Path, pause: float) -> None:
    """The second one may come during the crawl, its summary or the end of the program: nothing changes."""
    folder = tmp_path / "run"
    process = subprocess.Popen(crawl(web, server, folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(folder, 60, process)
    process.send_signal(signal.SIGINT)
    time.sleep(pause)
    process.send_signal(signal.SIGINT)
    shown, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert "opilio resume" in said
    assert "pages" in shown
    assert finished(folder) == sorted(reachable(web))


@pytest.mark.slow
def test_a_full_disk_is_a_sentence_and_a_safe_stop(web: Web, server: Served, tmp_path: Path) -> None:
    folder = tmp_path / "run"

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, SMALL))

    full = subprocess.run(
        crawl(web, server, folder), preexec_fn=little_room, capture_output=True, text=True, timeout=PATIENCE
    )
    assert full.returncode == 4, full.stderr
    assert "Traceback" not in full.stderr
    assert f"{folder}: it cannot be written" in full.stderr
    assert f"opilio resume {folder}" in full.stderr
    assert 0 < len(stored(folder)) < len(reachable(web))
    assert finished(folder) == sorted(reachable(web))


def test_a_folder_that_cannot_be_written_is_a_sentence(web: Web, server: Served) -> None:
    folder = Path("/proc/opilio-run")  # where nobody, not even root, can make a folder
    refused = subprocess.run(crawl(web, server, folder), capture_output=True, text=True, timeout=PATIENCE)
    assert refused.returncode == 4, refused.stderr
    assert "Traceback" not in refused.stderr
    assert "cannot be written" in refused.stderr
