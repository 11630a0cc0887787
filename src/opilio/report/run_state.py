"""How a crawl stands: running, killed, interrupted ..., by the lock that a process holds, and by its last note."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..engine.run_folder import NOTHING
from ..store.lock import is_running
from ..store.manifest import known_facts

RUNNING, KILLED, INTERRUPTED, FINISHED, NOT_BEGUN = "running", "killed", "interrupted", "finished", "not begun"
FETCHED_NOTHING = "fetched nothing"
STOPPED = "stopped by hand"  # why a crawl ended that was stopped from the dashboard


def run_state(folder: Path) -> str:
    """One of the six. A process that is killed lets go of its lock, and has not noted that it stopped."""
    return RUNNING if is_running(folder) else state_at_rest(known_facts(folder))


def state_at_rest(facts: Mapping[str, Any]) -> str:
    """The state of a crawl that does not run, by what it noted last."""
    if facts.get("started") is None:
        return NOT_BEGUN
    if facts.get("stopped") is None:
        return KILLED
    why = str(facts.get("why") or "")
    if why.startswith(NOTHING):
        return FETCHED_NOTHING
    return INTERRUPTED if why in (INTERRUPTED, STOPPED) else FINISHED
