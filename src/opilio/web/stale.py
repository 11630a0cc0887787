"""Figures that cost much: the last one known is given at once, and a new one is found meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Known = TypeVar("Known")


class Stale(Generic[Known]):
    """Something that is found out anew when it is older than so many seconds; only the first to ask has to wait."""

    def __init__(self, find: Callable[[], Known], seconds: float) -> None:
        self._find, self._seconds = find, seconds
        self._known: Known | None = None
        self._when = float("-inf")
        self._lock = threading.Lock()

    def get(self) -> Known:
        """What was known last; never older than the last call but one plus what finding takes."""
        if self._known is None:
            with self._lock:
                return self._fresh()
        if time.monotonic() - self._when > self._seconds and self._lock.acquire(blocking=False):
            threading.Thread(target=self._renew, daemon=True).start()
        return self._known

    def _renew(self) -> None:
        try:
            self._fresh()
        finally:
            self._lock.release()

    def _fresh(self) -> Known:
        if self._known is None or time.monotonic() - self._when > self._seconds:
            self._known = self._find()
            self._when = time.monotonic()
        return self._known
