"""How fast a host is asked: one request at a time, a delay between two, rests when it has enough.

What hosts share, their addresses and their registrable domain, has a delay too: the requests to all of them together are that
far apart.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from weakref import WeakValueDictionary

from ..http.client import Answer
from .may_send import Gate
from .shared_pace import Shared

MARGIN = 0.05  # seconds after sending within which a server on the other side of the world may first see a request
TIRED = frozenset({429, 502, 503, 504})  # statuses of a host that has enough
PASSING = (
    "timeout",
    "connect",
    "reset",
    "cut off",
    "empty answer",
    "dns: timeout",
    "dns: temporary",
)  # so errors begin
BACKOFF = 10  # delays that a host is left alone for after a first failure
LEAST_BACKOFF = 0.1  # seconds
MANY = 10_000  # hosts of which the last visit is remembered before old ones are looked through


class PaceSettings(NamedTuple):
    delay: float = 1.0  # seconds between two requests to a host
    max_delay: float = 60.0  # that a host can ask for, or earn by being slow
    slowness: float = 2.0  # a host that needs t seconds to answer is asked every slowness * t seconds at most
    backoff: float = 10.0  # seconds of rest after a first failure; doubles with each one more
    max_rest: float = 3600.0
    max_failures: int = 6  # in a row; then a host counts as gone until the next start
    shared_delay: float = -1.0  # seconds between two requests to one address or registrable domain; below 0: as delay

    @property
    def gap(self) -> float:
        """Seconds between two requests to what hosts share."""
        return self.delay if self.shared_delay < 0 else self.shared_delay


def paced(delay: float, shared_delay: float = -1.0) -> PaceSettings:
    """The pace that follows from the delay that a user wants; where that is none, slow answers bring no pause either."""
    slowness = PaceSettings().slowness if delay else 0.0
    return PaceSettings(
        delay, slowness=slowness, backoff=max(LEAST_BACKOFF, BACKOFF * delay), shared_delay=shared_delay
    )


class Pace:
    """Lets requests through to hosts, never two closer than the host's delay, counted from sending.

    When it was stopped and started again, nobody knows when a host was last asked: then each host counts as asked just
    before the start.
    """

    def __init__(
        self,
        settings: PaceSettings,
        resumed: bool = False,
        alone: bool = True,
        shared: Shared | None = None,
        gate: Gate | None = None,
    ) -> None:
        self.settings, self._gate = settings, gate
        self._shared = shared or Shared()
        self._queues: Counter[str] = Counter()  # requests that wait for what they share with others, by that
        self._turned_away: Counter[str] = Counter()  # since somebody was let through
        self._alone = alone  # one request to a host at a time
        self._begun = time.monotonic() if resumed else -math.inf
        self._sent: dict[str, float] = {}
        self._delays: dict[str, float] = {}  # of hosts that have one of their own
        self._failures: dict[str, int] = {}  # in a row
        self._rests: dict[str, float] = {}  # until when
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def send(
        self, host: str, request: Callable[[], Awaitable[Answer]], shared: Collection[str] = ()
    ) -> Awaitable[Answer]:
        """The answer to a request, sent when its turn has come; `shared` names what its host shares with others."""
        if self._alone or shared or self.wait(host) > 0 or host in self._doors:
            return self._in_turn(host, request, shared)
        self._sent[host] = time.monotonic() + MARGIN  # it is nobody else's turn
        return self._timed(host, request)

    async def _in_turn(self, host: str, request: Callable[[], Awaitable[Answer]], shared: Collection[str]) -> Answer:
        door = self._doors.get(host) or self._doors.setdefault(host, asyncio.Lock())
        async with door:
            while (wait := self.wait(host)) > 0:
                await asyncio.sleep(wait)
            await self._take(shared)
            if self._alone:
                return await self._timed(host, request, shared)
            self._sent[host] = time.monotonic() + MARGIN
        return await self._timed(host, request, shared)

    async def _timed(self, host: str, request: Callable[[], Awaitable[Answer]], shared: Collection[str] = ()) -> Answer:
        sent = math.inf
        if self._gate:
            await self._gate.passed()
        try:
            answer = await request()
            sent = time.monotonic() - max(0.0, answer.seconds) + MARGIN if answer.wire else math.inf
        finally:  # also for whoever is cancelled on the way
            self._sent[host] = max(self._sent.get(host, -math.inf), min(sent, time.monotonic()))
            if shared:
                self._shared.extend(shared, self._sent[host] + self.settings.gap)
            if len(self._sent) > MANY:
                self._forget()
        return answer

    async def _take(self, shared: Collection[str]) -> None:
        """Wait until all of this is free, and take it."""
        self._queues.update(shared)
        try:
            while shared and (wait := self._shared.take(shared, self.settings.gap)) > 0:
                await asyncio.sleep(wait)
        finally:
            self._queues.subtract(shared)
            for name in shared:
                if not self._queues[name]:
                    del self._queues[name]
                self._turned_away.pop(name, None)

    def close(self) -> None:
        self._shared.close()

    def crowded(self, shared: Collection[str]) -> float:
        """Seconds after which a host can try again to get at what it shares, if others wait for that already; 0: come in.

        One waits here, so that no turn is missed. Each of the others is sent away for half a delay longer than the one before:
        so there are always some who come back, and never all of them at once.
        """
        if not shared or not any(name in self._queues for name in shared):
            return 0.0
        self._turned_away.update(shared)
        away = max(self._turned_away[name] for name in shared)
        return max(0.0, self._shared.wait(shared)) + self.settings.gap * (1 + away / 2)

    def wait(self, host: str) -> float:
        """Seconds until a host may be asked again; 0 or less: now."""
        delay = self.delay(host)
        if not delay and host not in self._rests:
            return -math.inf  # there is nothing to keep
        free = self._sent.get(host, self._begun) + delay if delay else -math.inf
        return max(free, self._rests.get(host, free)) - time.monotonic()

    def delay(self, host: str) -> float:
        """Seconds between two requests to a host."""
        return self._delays.get(host, self.settings.delay)

    def ask(self, host: str, delay: float) -> None:
        """A host asks for this many seconds between two requests; it gets them within reason."""
        wanted = max(self.settings.delay, min(delay, self.settings.max_delay))
        if wanted > self.settings.delay:
            self._delays[host] = wanted
        else:  # most hosts: these need not be remembered
            self._delays.pop(host, None)

    def rest(self, host: str, answer: Answer) -> float:
        """How long a host is to be left alone after an answer; 0: as always."""
        asked = retry_after(answer.headers, time.time()) if answer.status >= 300 else None
        tired = answer.status in TIRED or (answer.error != "" and answer.error.lower().startswith(PASSING))
        failures = self._failures.pop(host, 0)
        if tired:
            self._failures[host] = failures + 1
        if asked is None:
            asked = self.settings.backoff * 2.0 ** min(failures, 30) if tired else 0.0
        rest = min(max(asked, self.delay(host)), self.settings.max_rest) if tired or asked else 0.0
        if rest:
            self._rests[host] = time.monotonic() + rest
        return rest

    def gone(self, host: str) -> bool:
        """Whether a host failed so often in a row that it is not asked any more."""
        return self._failures.get(host, 0) >= self.settings.max_failures

    def slow(self, host: str, asked: float | None, seconds: float) -> float:
        """The delay of a host that asked for one (or did not) and needed so long to answer."""
        self.ask(host, max(asked or 0.0, self.settings.slowness * seconds))
        return self.delay(host)

    def _forget(self) -> None:
        """Hosts that may be asked anyway need not be remembered."""
        self._sent = {host: sent for host, sent in self._sent.items() if self.wait(host) > 0 or host in self._doors}
        self._rests = {host: until for host, until in self._rests.items() if host in self._sent}


SECONDS = re.compile(r"\s*(\d+)(?:\.\d*)?\s*")


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that Retry-After asks for, 0 when that time is past; None when it says nothing that can be read."""
    value = headers.get("retry-after", "")
    if number := SECONDS.fullmatch(value):
        return float(number[1][:12])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None
