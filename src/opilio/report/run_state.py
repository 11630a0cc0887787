"""Whether a crawl runs, was interrupted, was killed or is finished: by the lock that a process holds, and by its last note."""

from __future__ import annotations

from pathlib import Path

from ..store.lock import is_running
from ..store.manifest import known_facts

RUNNING, KILLED, INTERRUPTED, FINISHED, NOT_BEGUN = "running", "killed", "interrupted", "finished", "not begun"


def run_state(folder: Path) -> str:
    """One of the five. A process that is killed lets go of its lock, and has not noted that it stopped."""
    if is_running(folder):
        return RUNNING
    known = known_facts(folder)
    if known.get("started") is None:
        return NOT_BEGUN
    if known.get("stopped") is None:
        return KILLED
    return INTERRUPTED if known.get("why") == "interrupted" else FINISHED
