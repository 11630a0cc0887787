"""Ctrl-C, SIGTERM and SIGHUP at any moment: a sentence, exit code 130, and no process is left behind."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread, get_ident

import pytest

from opilio import start
from opilio.config import Config
from opilio.engine.parallel import members, processes
from opilio.engine.parallel.processes import Processes
from opilio.engine.parallel.sockets import SocketLine
from opilio.store.manifest import known_facts
from opilio.store.reader import reading
from opilio.synth.corpus import write
from opilio.synth.web import Web
from opilio.system.signals import STOPS, StopRequests, held, on_stop, restore

from .test_web import until

pytestmark = pytest.mark.slow

PATIENCE = 120.0  # seconds: the machine may have other things to do
INTERRUPTED = "opilio: interrupted\n"
MAIN = "from opilio.cli import main; main()"
# The process stops itself when it imports something; a shell that starts tests in the background has SIGINT ignored.
STOPPED_AT = """
import builtins, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
word, number = sys.argv.pop(1), int(sys.argv.pop(1))
real = builtins.__import__
def hooked(name, *more, **named):
    if name == word:
        builtins.__import__ = real
        os.kill(os.getpid(), number)
    return real(name, *more, **named)
builtins.__import__ = hooked
"""


def started(*words: str | Path, code: str = MAIN) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = process.communicate(timeout=PATIENCE)
    return process.returncode, said


def crawling(folder: Path, *more: str) -> list[str]:
    """The command for a crawl that takes much longer than a test."""
    words = ["crawl", "--corpus", "synth:20000:3", "--topic", "beekeeping", "--max-pages", "15000", "-s", "model=words"]
    return [*words, "--out", str(folder), *more]


def stored(folder: Path) -> int:
    with suppress(Exception), closing(reading(folder)) as db:
        return int(db.execute("SELECT count(*) FROM pages").fetchone()[0])
    return 0


def children(process: subprocess.Popen[str]) -> list[int]:
    """The processes that it has started for its work."""
    with suppress(FileNotFoundError):
        found = map(int, Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())
        return [pid for pid in found if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return []


def is_alive(pid: int) -> bool:
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("signals") / "web"
    write(Web(800, 3), folder, workers=1)
    return folder


@pytest.fixture
def handlers() -> Iterator[None]:
    """What signals mean is as before after the test."""
    before = {number: signal.getsignal(number) for number in STOPS}
    yield
    restore(before)


@pytest.mark.slow
@pytest.mark.parametrize("number", STOPS)
@pytest.mark.parametrize("word", ["difflib", "commands", "typer", "numpy"])
def test_a_stop_while_modules_are_imported(tmp_path: Path, word: str, number: signal.Signals) -> None:
    if word == "difflib" and number != signal.SIGINT:
        return  # so early, the others end a process without a word, as they end any other
    process = started(word, str(number.value), *crawling(tmp_path / "run"), code=STOPPED_AT + MAIN)
    assert ended(process) == (130, INTERRUPTED)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("count", [1, 2])
def test_a_crawl_ends_safely_and_notes_why(tmp_path: Path, number: signal.Signals, count: int) -> None:
    """The whole process group hears it, as when a service is stopped."""
    folder = tmp_path / "run"
    process = started(*crawling(folder, "-s", f"processes={count}"))
    until(lambda: stored(folder) > 20, PATIENCE)
    os.killpg(process.pid, number)
    code, said = ended(process)
    assert code == 130, said
    assert "Traceback" not in said
    assert f"opilio resume {folder}" in said
    assert known_facts(folder)["why"] == "interrupted"
    assert known_facts(folder)["pages"] == stored(folder)


@pytest.mark.slow
def test_a_crawl_whose_terminal_is_closed_notes_why(tmp_path: Path) -> None:
    folder, (ours, theirs) = tmp_path / "run", os.openpty()

    def own_terminal() -> None:
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    words = [sys.executable, "-c", MAIN, *crawling(folder)]
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=own_terminal)
    os.close(theirs)
    until(lambda: stored(folder) > 20, PATIENCE)
    os.close(ours)
    assert process.wait(PATIENCE) == 130
    assert known_facts(folder)["why"] == "interrupted"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_benchmark_leaves_no_process_behind(web: Path, tmp_path: Path, number: signal.Signals) -> None:
    """Only the process itself hears of it, as there is no terminal."""
    process = started("bench", web, "--out", tmp_path / "bench")
    workers = until(lambda: children(process) or process.poll() is not None, PATIENCE)
    process.send_signal(number)
    code, said = ended(process)
    if number == signal.SIGKILL:
        until(lambda: not any(map(is_alive, workers)), PATIENCE)
    else:
        assert (code, said) == (130, INTERRUPTED)
        assert not any(map(is_alive, workers))
    assert not (tmp_path / "bench").exists()


@pytest.mark.slow
def test_a_synthetic_web_half_made_is_gone(tmp_path: Path) -> None:
    process = started("corpus", "synth", tmp_path / "web", "--pages", "50000")
    workers = until(lambda: children(process), PATIENCE)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    assert ended(process) == (130, INTERRUPTED)
    assert not any(map(is_alive, workers))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(("presses", "patience"), [(1, 0.1), (2, PATIENCE)])
@pytest.mark.usefixtures("handlers")
def test_a_worker_that_does_not_listen_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, presses: int, patience: float
) -> None:
    monkeypatch.setattr(processes, "PATIENCE", patience)
    folder, config = tmp_path / "run", Config(corpus="synth:20000:3", topic="beekeeping", processes=2, max_pages=15000)
    source, home = start.source(config)
    stopped: list[int] = []

    def stop_one() -> None:
        if not stopped:
            stopped.append(int((folder / "lock-1").read_text()))
            os.kill(stopped[0], signal.SIGSTOP)
            for _ in range(presses):
                os.kill(os.getpid(), signal.SIGINT)

    run = Processes(folder, config, [*start.SHARD_COMMAND, str(folder)], source, home)
    with closing(run), StopRequests() as stop:
        assert run.go(stop_one, stop) == "interrupted"
    assert not is_alive(stopped[0])
    assert known_facts(folder)["why"] == "interrupted"


@pytest.mark.parametrize("ends", [True, False])
def test_a_process_whose_line_is_gone_is_let_go(monkeypatch: pytest.MonkeyPatch, ends: bool) -> None:
    """It ends by itself, or is killed when it does not."""
    monkeypatch.setattr(members, "PATIENCE", PATIENCE if ends else 0.1)
    member = members.ProcessMember(0, [])
    member.process = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(0 if " + str(ends) + " else 3600)"]
    )
    member.line = SocketLine(lambda message: None, lambda: None)
    member.line.gone = True
    member.end()
    assert member.process.returncode == (0 if ends else -signal.SIGKILL)


@pytest.mark.usefixtures("handlers")
def test_a_stop_that_another_thread_hears_is_held_too() -> None:
    """Python tells the main thread at once of a signal that reached any thread of the process."""
    stopped, inside = [], []
    before = on_stop(lambda number, frame: stopped.append(number))
    try:
        with held():
            thread = Thread(target=_stop_this_thread)
            thread.start()
            thread.join()
            inside = list(stopped)
        assert (inside, stopped) == ([], [signal.SIGTERM])
    finally:
        restore(before)


def _stop_this_thread() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    signal.pthread_kill(get_ident(), signal.SIGTERM)


@pytest.mark.usefixtures("handlers")
def test_nohup_is_respected() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    hear: Callable[..., None] = lambda number, frame: None  # noqa: E731
    assert set(on_stop(hear)) == {signal.SIGINT, signal.SIGTERM}
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
