"""The whole cluster dies in the middle of a crawl, its driver too, and all local disks are gone; then it is resumed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from benchmarks.crash import reachable, served
from opilio.engine.cluster.objects import place
from opilio.engine.cluster.pull import figures
from opilio.errors import OpilioError
from opilio.synth.web import Web

from .crawl import PATIENCE, Kept, kept, settings
from .nodes import Nodes, disks, nodes

COMMAND = (sys.executable, "-c", "from opilio.cli import main; main()")


def died(web: Web, state: str, shards: int, count: int, **more: Any) -> Kept:
    """Crawl by the command on a cluster of this many nodes, kill all of it in the middle, and resume on a new one."""
    known = reachable(web)
    with served(web) as server:
        told = settings(web, server.port, state=state, shards=shards, **more)
        with nodes(count) as first:
            _begun(first, state, [*_words(told), "--address", first.address], len(known) // 2)
        for folder in disks(state=state):
            shutil.rmtree(folder, ignore_errors=True)
        with nodes(count) as second:
            subprocess.run(
                [*COMMAND, "resume", state, "--address", second.address],
                check=True,
                timeout=PATIENCE,
                capture_output=True,
            )
    return kept(state, known)


def _words(told: dict[str, Any]) -> list[str]:
    words = ["crawl", *(word for url in told["seeds"] for word in ("--seed", url))]
    return words + [
        word for name, value in told.items() if name != "seeds" for word in ("-s", f"{name}={json.dumps(value)}")
    ]


def _begun(cluster: Nodes, state: str, words: list[str], pages: int) -> None:
    """Crawl until this many pages are kept; then everything is killed at once."""
    driver = subprocess.Popen([*COMMAND, *words], start_new_session=True, stderr=subprocess.DEVNULL)
    until(lambda: driver.poll() is not None or _pages(state) >= pages)
    assert driver.returncode is None, f"the crawl ended with {driver.returncode}"
    os.killpg(driver.pid, signal.SIGKILL)
    cluster.kill_all()
    driver.wait()


def _pages(state: str) -> int:
    with suppress(OpilioError):  # there is nothing yet
        return int(figures(place(state))["pages"])
    return 0


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < deadline, "this takes too long"
        time.sleep(0.2)
