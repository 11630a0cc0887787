"""Figures that cost much: the last one known is given at once, and a new one is found meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

SHARE = 0.1  # of the time, at most
Known = TypeVar("Known")


class Stale(Generic[Known]):
    """Something that is found out anew when it is older than this many seconds; only the first to ask has to wait."""

    def __init__(self, find: Callable[[], Known], seconds: float) -> None:
        self._find, self._seconds = find, seconds
        self._known: Known | None = None
        self._when, self._cost = float("-inf"), 0.0
        self._lock = threading.Lock()

    def get(self) -> Known:
        """What was known last; never older than the last call but one plus what finding takes."""
        if self._known is None:
            with self._lock:
                return self._fresh()
        if self._is_old() and self._lock.acquire(blocking=False):
            threading.Thread(target=self._renew, daemon=True).start()
        return self._known

    def _renew(self) -> None:
        try:
            self._fresh()
        finally:
            self._lock.release()

    def _fresh(self) -> Known:
        if self._known is None or self._is_old():
            begun = time.monotonic()
            self._known = self._find()
            self._when = time.monotonic()
            self._cost = self._when - begun
        return self._known

    def _is_old(self) -> bool:
        """What takes long to find is found more seldom, so that it never takes more than a share of the time."""
        return time.monotonic() - self._when > max(self._seconds, self._cost / SHARE)
