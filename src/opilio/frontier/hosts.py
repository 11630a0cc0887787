"""The hosts of a frontier: how long each is left alone after a visit."""

from __future__ import annotations

from .changes import Changes
from .queue.schedule import Schedule


class Hosts:
    """Lets hosts rest after a visit; they are known by their numbers."""

    def __init__(self, changes: Changes, schedule: Schedule, delay: float, alone: bool) -> None:
        self.delays: dict[int, float] = {}
        self._changes = changes
        self._schedule, self._waiting = schedule, schedule.waiting_hosts
        self._delay = delay
        self._alone = alone  # one visit to a host at a time

    def set_delay(self, host: int, seconds: float) -> None:
        """A delay of its own, from the next visit on."""
        self.delays[host] = seconds
        self._changes.delay(host, seconds)

    def rest(self, host: int, until: float) -> None:
        """Leave a host alone until then, or longer if it rests longer already."""
        self._waiting.rest(host, until)
        self._changes.rest(host, self._waiting.until(host), self._schedule.now)

    def has_to_rest(self, host: int) -> bool:
        """Whether it may not be visited twice at a time."""
        return self._alone or self.delays.get(host, self._delay) > 0

    def visit(self, host: int, now: float) -> None:
        """It is visited now."""
        if self._alone:
            self._waiting.hold(host)
        delay = self.delays.get(host, self._delay)
        if delay > 0:
            self.rest(host, now + delay)

    def leave(self, host: int) -> None:
        """The visit is over."""
        if self._alone:
            self._waiting.release(host)
