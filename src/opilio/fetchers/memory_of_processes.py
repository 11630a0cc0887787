"""The processes that carry a mark in their command line, and all that these started: how much memory they take, and their end."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")


def megabytes_of_marked(mark: str) -> float:
    """Memory that is not shared with others."""
    return sum(map(_private, _marked(mark))) / (1 << 20)


def kill_marked(mark: str) -> None:
    """End them, at once."""
    for number in _marked(mark):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def _marked(mark: str) -> set[int]:
    parents = dict(_parents())
    found = {number for number in parents if mark in _command(number)}
    while more := {number for number, parent in parents.items() if parent in found and number not in found}:
        found |= more
    return found


def _parents() -> Iterator[tuple[int, int]]:
    """Every process, with the one that started it."""
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with suppress(OSError):
                yield int(path.name), int((path / "stat").read_text().rpartition(")")[2].split()[1])


def _command(number: int) -> list[str]:
    with suppress(OSError):
        return Path(f"/proc/{number}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    return []


def _private(number: int) -> int:
    with suppress(OSError):
        _, resident, shared, *_ = Path(f"/proc/{number}/statm").read_text().split()
        return (int(resident) - int(shared)) * PAGE
    return 0
