"""Crawls as processes: start, pause, resume, stop. They go on when the dashboard ends, and it finds them again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import specs
from ..config_file import load
from ..engine.labels import labels
from ..engine.run_folder import note
from ..errors import ConfigError
from ..report.run_state import FETCHED_NOTHING, RUNNING, STOPPED, state_at_rest
from ..report.summary import failures, manifest
from ..store.lock import is_running

COMMAND = (sys.executable, "-c", "from opilio.cli import main; main()")
REASONS = 3  # for a crawl without a page
BEGIN = 60.0  # seconds that a crawl may take until it has its folder
PATIENCE = 5.0  # seconds between two ways of asking a crawl to stop
LINGER = 60.0  # seconds that a crawl may take to end once it has stopped
STAMP = "%Y-%m-%dT%H:%M:%SZ"


class Crawls:
    """The crawls that this dashboard has started, and those that it finds running."""

    def __init__(self) -> None:
        self._processes: dict[Path, subprocess.Popen[bytes]] = {}
        self._learning: set[Path] = set()
        self._lock = threading.Lock()

    def start(self, folder: Path, settings: Mapping[str, Any]) -> None:
        """Begin a new crawl, and wait until it has its folder; ConfigError says why it could not."""
        check_ours(settings)
        understood = load(None, settings, source="settings")  # whatever is wrong is said before anything starts
        checked = {name: getattr(understood, name) for name in settings}  # without the passwords of seeds
        words = [word for name, value in checked.items() for word in ("-s", f"{name}={json.dumps(value)}")]
        self._run(folder, "crawl", f"--out={folder}", *words)
        deadline = time.monotonic() + BEGIN
        while manifest(folder)["started"] is None and time.monotonic() < deadline:
            if not self._is_ours(folder):
                raise ConfigError(f"the crawl did not start: {self._last_words(folder)}")
            time.sleep(0.05)

    def began(self, folder: Path) -> bool:
        """Whether this dashboard has started a process for a folder, which may not be there yet."""
        return folder in self._processes

    def resume(self, folder: Path, max_pages: int | None = None) -> None:
        """Go on with a crawl that does not run."""
        if folder in self._learning:
            raise ConfigError("this crawl is learning from its labels; try again in a moment")
        if self.pid(folder):
            raise ConfigError("this crawl is already running")
        self._run(folder, "resume", *([f"--max-pages={max_pages}"] if max_pages is not None else []), "--", str(folder))

    def learn(self, folder: Path) -> None:
        """Let a crawl follow its labels; one that runs does so by itself."""
        with self._lock:
            if folder in self._learning or self.pid(folder):
                return
            self._learning.add(folder)
        threading.Thread(target=self._learn, args=(folder,), daemon=True).start()

    def pause(self, folder: Path) -> None:
        """Ask a crawl to end after the pages in flight."""
        os.kill(self._running(folder), signal.SIGINT)

    def stop(self, folder: Path) -> None:
        """End a crawl, at once if it takes too long; what is in flight is fetched anew should it be resumed."""
        pid = self._running(folder)
        os.kill(pid, signal.SIGINT)
        threading.Thread(target=self._see_off, args=(folder, pid), daemon=True).start()

    def state(self, folder: Path) -> str:
        """learning (from labels), or a state as `opilio status` has it."""
        facts = manifest(folder)
        if folder in self._learning:
            return "learning"
        if self.pid(folder, facts["stopped"] is None or _is_recent(facts["stopped"])):
            return RUNNING
        return state_at_rest(facts)

    def pid(self, folder: Path, look: bool = True) -> int | None:
        """The process that crawls into a folder now."""
        if self._is_ours(folder):
            return self._processes[folder].pid
        if not look or not is_running(folder):
            return None
        text = (folder / "lock").read_text()
        return int(text) if text.strip().isdigit() else None

    def trouble(self, folder: Path) -> str:
        """Why a crawl has nothing to show, or what the last process that was started for it complained of; "" if neither."""
        if state_at_rest(manifest(folder)) == FETCHED_NOTHING:
            return "; ".join(f"{url}: {reason}" for url, reason in failures(folder, REASONS))
        return self._last_words(folder) if self._ended(folder) not in (None, 0, 3, 130) else ""

    def _run(self, folder: Path, *words: str) -> None:
        with self._lock:
            if self._is_ours(folder):
                return
            folder.parent.mkdir(parents=True, exist_ok=True)
            # What a crawl said last is still of interest when it learns after it broke off.
            with log_of(folder).open("ab" if words[0] == "label" else "wb") as log:
                self._processes[folder] = subprocess.Popen(
                    [*COMMAND, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                )

    def _is_ours(self, folder: Path) -> bool:
        """Whether a process that this dashboard has started works on a folder."""
        return folder in self._processes and self._processes[folder].poll() is None

    def _ended(self, folder: Path) -> int | None:
        process = self._processes.get(folder)
        return process.poll() if process else None

    def _last_words(self, folder: Path) -> str:
        lines = log_of(folder).read_text(errors="replace").strip().splitlines()
        return lines[-1][:500] if lines else "it printed nothing"

    def _running(self, folder: Path) -> int:
        pid = self.pid(folder)
        if pid is None or folder in self._learning:
            raise ConfigError("this crawl is not running")
        return pid

    def _learn(self, folder: Path) -> None:
        learned: dict[str, bool] = {}
        try:
            while (current := labels(folder)) != learned:  # more may be said while it learns
                learned, (url, relevant) = current, list(current.items())[-1]
                self._run(folder, "label", f"--{'yes' if relevant else 'no'}={url}", "--", str(folder))
                self._processes[folder].wait()
        finally:
            self._learning.discard(folder)

    def _see_off(self, folder: Path, pid: int) -> None:
        for number in (signal.SIGINT, signal.SIGINT, signal.SIGKILL, None):
            deadline = time.monotonic() + PATIENCE
            while self.pid(folder) == pid and time.monotonic() < deadline:
                time.sleep(0.1)
            if self.pid(folder) != pid or number is None:
                break
            os.kill(pid, number)
        note(folder, stopped=time.strftime(STAMP, time.gmtime()), why=STOPPED)


def check_ours(settings: Mapping[str, Any]) -> None:
    """Whoever may use the dashboard may not run files by it."""
    for name in ("strategy", "model"):
        if specs.is_address(str(settings.get(name, ""))):
            raise ConfigError(
                f"settings: {name}: classes in files are for the command line; choose one by its name here"
            )


def _is_recent(stopped: str) -> bool:
    """Whether the process that noted this may still be there."""
    return stopped >= time.strftime(STAMP, time.gmtime(time.time() - LINGER))


def log_of(folder: Path) -> Path:
    """What the last process that was started for a folder printed; beside it, for a new crawl wants an empty folder."""
    return folder.with_name(f".{folder.name}.log")
