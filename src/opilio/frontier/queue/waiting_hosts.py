"""Hosts that are left alone: until when, and what is shown of them when their wait is over."""

from __future__ import annotations

import math
from heapq import heapify, heappop, heappush, heapreplace
from typing import Any

from .lane import Sleeper
from .lanes_by_price import LanesByPrice

FORGOTTEN = 64  # entries of hosts that nothing waits for any more, at least: then they are dropped


class WaitingHosts:
    """Hosts that may not be visited, and those that something waits for."""

    def __init__(self, lanes: LanesByPrice) -> None:
        self.sleepers: dict[int, Sleeper] = {}
        self._lanes = lanes  # among which hosts are shown
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
            self._lanes.show_host(sleeper, entry)

    def show(self, sleeper: Sleeper) -> None:
        """Show the best bag that waits for a host that woke; a host that nothing waits for is forgotten."""
        entry = sleeper.waiting.top()
        if entry is None:
            sleeper.posted = None
            del self.sleepers[sleeper.host]
        else:
            self._lanes.show_host(sleeper, entry)

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
