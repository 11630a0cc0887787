"""The hosts of a frontier: how long each is left alone, and what is shown of them when their wait is over."""

from __future__ import annotations

import math
from collections.abc import Iterator
from heapq import heapify, heappop, heappush, heapreplace
from typing import TYPE_CHECKING, Any

from .queue.lane import LazyHeap, Sleeper

if TYPE_CHECKING:
    from .queue.schedule import Schedule  # which has the hosts that wait
    from .rows import Rows

FORGOTTEN = 64  # entries of hosts that nothing waits for any more, at least: then they are dropped


class WaitingHosts:
    """Hosts that may not be visited, and those that something waits for."""

    def __init__(self, heads: LazyHeap, serial: Iterator[int]) -> None:
        self.sleepers: dict[int, Sleeper] = {}
        self._heads = heads  # of the schedule: what is shown
        self._serial = serial
        self._wakes: list[tuple[float, int]] = []
        self._awaited: list[tuple[float, int]] = []  # hosts that bags wait for, and no later than they wake
        self._limit = FORGOTTEN

    def rest(self, host: int, until: float) -> None:
        """Leave a host alone until then."""
        sleeper = self.sleepers.get(host)
        if sleeper is None:
            sleeper = self.sleepers[host] = Sleeper(host)
        sleeper.until = max(sleeper.until, until)
        sleeper.posted = None
        if not sleeper.queued:
            sleeper.queued = True
            heappush(self._wakes, (sleeper.until, host))

    def hold(self, host: int) -> None:
        """Leave a host alone until it is released."""
        sleeper = self.sleepers.get(host)
        if sleeper is None:
            sleeper = self.sleepers[host] = Sleeper(host)
        sleeper.held, sleeper.posted = True, None

    def release(self, host: int) -> None:
        """A host that was held may be visited again, once it has rested."""
        sleeper = self.sleepers.get(host)
        if sleeper is not None and sleeper.held:
            sleeper.held = False
            self.rest(host, sleeper.until)
            self._await(sleeper)

    def awake(self, host: int, now: float) -> bool:
        """Whether a host may be visited."""
        sleeper = self.sleepers.get(host)
        return sleeper is None or not (sleeper.held or sleeper.until > now)

    def until(self, host: int) -> float:
        """How long a host rests."""
        sleeper = self.sleepers.get(host)
        return -math.inf if sleeper is None else sleeper.until

    def wake(self, now: float) -> None:
        """Show hosts whose rest is over."""
        wakes = self._wakes
        while wakes and wakes[0][0] <= now:
            host = heappop(wakes)[1]
            sleeper = self.sleepers[host]
            sleeper.queued = False
            if sleeper.until > now:
                self.rest(host, sleeper.until)
            elif not sleeper.held:
                self.show(sleeper)

    def wait(self, sleeper: Sleeper, entry: tuple[Any, ...]) -> None:
        """A bag waits for a host."""
        sleeper.waiting.push(entry)
        self._await(sleeper)
        if sleeper.posted is not None and entry[:4] < sleeper.posted[:4]:
            self._post(sleeper, entry)

    def show(self, sleeper: Sleeper) -> None:
        """Show the best bag that waits for a host that woke; a host that nothing waits for is forgotten."""
        entry = sleeper.waiting.top()
        if entry is None:
            sleeper.posted = None
            del self.sleepers[sleeper.host]
        else:
            self._post(sleeper, entry)

    def awaited(self) -> tuple[Sleeper, float] | None:
        """The host that bags wait for and that wakes first, and when that may be."""
        while self._awaited:
            until, host = self._awaited[0]
            sleeper = self.sleepers.get(host)
            if sleeper is None or sleeper.held:
                self.give_up(sleeper)
            elif sleeper.until > until:
                heapreplace(self._awaited, (sleeper.until, host))
            else:
                return sleeper, until
        return None

    def give_up(self, sleeper: Sleeper | None) -> None:
        """Nothing waits for the one that would be first."""
        heappop(self._awaited)
        if sleeper is not None:
            sleeper.awaited = False

    def _await(self, sleeper: Sleeper) -> None:
        if not sleeper.awaited:
            sleeper.awaited = True
            heappush(self._awaited, (sleeper.until, sleeper.host))
            if len(self._awaited) > self._limit:
                self._tidy()

    def _tidy(self) -> None:
        """Drop what hosts left behind that were forgotten since: while there is always something to visit, nobody looks here."""
        self._awaited = [(sleeper.until, host) for host, sleeper in self.sleepers.items() if sleeper.awaited]
        heapify(self._awaited)
        self._limit = 2 * len(self._awaited) + FORGOTTEN

    def _post(self, sleeper: Sleeper, entry: tuple[Any, ...]) -> None:
        sleeper.posted = top = (*entry[:4], next(self._serial), sleeper)
        self._heads.push(top)


class Hosts:
    """Lets hosts rest after a visit; they are known by their numbers."""

    def __init__(self, rows: Rows, schedule: Schedule, delay: float, alone: bool) -> None:
        self.delays: dict[int, float] = {}
        self._rows = rows
        self._schedule, self._waiting = schedule, schedule.waiting_hosts
        self._delay = delay
        self._alone = alone  # one visit to a host at a time

    def set_delay(self, host: int, seconds: float) -> None:
        """A delay of its own, from the next visit on."""
        self.delays[host] = seconds
        self._rows.delay(host, seconds)

    def rest(self, host: int, until: float) -> None:
        """Leave a host alone until then, or longer if it rests longer already."""
        self._waiting.rest(host, until)
        self._rows.rest(host, self._waiting.until(host), self._schedule.now)

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
