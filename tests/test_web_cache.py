"""Figures of the dashboard that cost much: found once for all who ask, and seldom where they take long."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from opilio.web import cache
from opilio.web.cache import Shared, Stale

from .test_web import until


class Clock:
    """Time that passes when it is told to; finding something takes some of it."""

    def __init__(self) -> None:
        self.now, self.cost, self.found = 0.0, 0.0, 0

    def find(self) -> int:
        self.now += self.cost
        self.found += 1
        return self.found

    def after(self, seconds: float, ask: Callable[[], int]) -> int:
        self.now += seconds
        return ask()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(cache, "time", SimpleNamespace(monotonic=lambda: made.now))
    return made


def test_all_who_ask_within_a_second_are_told_the_same(clock: Clock) -> None:
    shared = Shared(clock.find, 0.9)
    assert [clock.after(seconds, shared.get) for seconds in (0.0, 0.4, 0.4, 0.4, 0.4)] == [1, 1, 1, 2, 2]


def test_what_could_not_be_found_is_asked_for_again() -> None:
    answers = iter([None, "found"])

    def find() -> str:
        if (answer := next(answers)) is None:
            raise OSError("not now")
        return answer

    shared = Shared(find, 60.0)
    with pytest.raises(OSError, match="not now"):
        shared.get()
    assert shared.get() == "found"


def test_what_takes_long_is_found_seldom(clock: Clock) -> None:
    clock.cost = 0.2
    watched = Stale(clock.find, 5.0, share=0.01)
    for _ in range(100):  # seconds that somebody watches
        clock.after(1.0, watched.get)
        until(lambda: not watched._lock.locked())
    assert clock.found <= 1 + 100 / 20


def test_nobody_waits_but_after_a_long_silence(clock: Clock) -> None:
    slow = threading.Event()
    stale = Stale(lambda: clock.find() if clock.found == 0 or slow.wait(60) else 0, 5.0)
    assert [stale.get(), clock.after(10.0, stale.get)] == [1, 1]  # the second one is being found
    slow.set()
    until(lambda: not stale._lock.locked())
    assert stale.get() == 2
    assert clock.after(3600.0, stale.get) == 3  # not what was known an hour ago
