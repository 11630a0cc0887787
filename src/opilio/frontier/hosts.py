"""The hosts of a frontier: how long each is left alone."""

from __future__ import annotations

from .queue.schedule import Schedule
from .rows import Rows


class Hosts:
    """Lets hosts rest after a visit; they are known by their numbers."""

    def __init__(self, rows: Rows, schedule: Schedule, delay: float, alone: bool) -> None:
        self.delays: dict[int, float] = {}
        self._rows = rows
        self._schedule, self._resting = schedule, schedule.resting
        self._delay = delay
        self._alone = alone  # one visit to a host at a time

    def set_delay(self, host: int, seconds: float) -> None:
        """A delay of its own, from the next visit on."""
        self.delays[host] = seconds
        self._rows.delay(host, seconds)

    def rest(self, host: int, until: float) -> None:
        """Leave a host alone until then, or longer if it rests longer already."""
        self._resting.rest(host, until)
        self._rows.rest(host, self._resting.until(host), self._schedule.now)

    def visit(self, host: int, now: float) -> None:
        """It is visited now."""
        if self._alone:
            self._resting.hold(host)
        delay = self.delays.get(host, self._delay)
        if delay > 0:
            self.rest(host, now + delay)

    def leave(self, host: int) -> None:
        """The visit is over."""
        if self._alone:
            self._resting.release(host)
