"""Figures that cost much: found once for all who ask, or given at once as they were while new ones are found."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

SHARE = 0.1  # of the time, at most
SILENCE = 60.0  # seconds after which what was known is too old to be shown
Known = TypeVar("Known")


class Shared(Generic[Known]):
    """Something that is found out anew when it is older than this many seconds; all who ask meanwhile get the same."""

    def __init__(self, find: Callable[[], Known], seconds: float) -> None:
        self._find, self._seconds = find, seconds
        self._found: tuple[Known] | None = None
        self._when = float("-inf")
        self._lock = threading.Lock()

    def get(self) -> Known:
        with self._lock:
            if self._found is None or time.monotonic() - self._when > self._seconds:
                self._found = (self._find(),)
                self._when = time.monotonic()
            return self._found[0]


class Stale(Generic[Known]):
    """Something that is found out anew when it is older than this many seconds; who asks meanwhile gets the old one.

    Only the first to ask has to wait, and who asks after a long silence. Finding it takes no more than a share of the time:
    what takes long is found more seldom.
    """

    def __init__(self, find: Callable[[], Known], seconds: float, share: float = SHARE) -> None:
        self._find, self._seconds, self._share = find, seconds, share
        self._known: Known | None = None
        self._when, self._cost = float("-inf"), 0.0
        self._lock = threading.Lock()

    def get(self) -> Known:
        """What was known last; as long as somebody asks every second, hardly older than it may be."""
        if self._known is None or self._age() > max(SILENCE, 2 * self._lasts()):
            with self._lock:
                return self._fresh()
        if self._age() > self._lasts() and self._lock.acquire(blocking=False):
            threading.Thread(target=self._renew, daemon=True).start()
        return self._known

    def _renew(self) -> None:
        try:
            self._fresh()
        finally:
            self._lock.release()

    def _fresh(self) -> Known:
        if self._known is None or self._age() > self._lasts():
            begun = time.monotonic()
            self._known = self._find()
            self._when = time.monotonic()
            self._cost = self._when - begun
        return self._known

    def _age(self) -> float:
        return time.monotonic() - self._when

    def _lasts(self) -> float:
        return max(self._seconds, self._cost / self._share)
