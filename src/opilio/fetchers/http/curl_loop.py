"""Many requests of curl at once on the event loop.

The loop knows one descriptor, which stands for all of curl's sockets. What curl wants to know of them changes with every
request, and to tell the loop, which is written in Python, would be a large part of the work.
"""

from __future__ import annotations

import asyncio
import math
from functools import cached_property
from typing import Any, TypeAlias

import pycurl

from .poll import READ, WRITE, poll
from .watchdog import Watch

Outcome: TypeAlias = tuple[int, str]  # a code of curl and its words
FINE: Outcome = (0, "")
TOGETHER = 256  # sockets with news that are looked at in one go
INTERESTS = {pycurl.POLL_IN: READ, pycurl.POLL_OUT: WRITE, pycurl.POLL_INOUT: READ | WRITE}
NEWS = {READ: pycurl.CSELECT_IN, WRITE: pycurl.CSELECT_OUT}
ANYTHING = pycurl.CSELECT_IN | pycurl.CSELECT_OUT  # an error, say: curl sees what it is


class Multi:
    """Curl at work on many requests, over connections that stay open; it belongs to the loop that it was first used in."""

    def __init__(self, most_open: int) -> None:
        self._outcomes: dict[pycurl.Curl, asyncio.Future[Outcome]] = {}  # of what is in flight
        self._sockets, self._watch = poll(), Watch()
        self._soon: asyncio.Handle | None = None  # curl is called in the next round of the loop
        self._due = math.inf  # when it wants to be called after that, by the clock of the loop
        self._alarm: asyncio.TimerHandle | None = None  # rings then, or before
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, most_open)
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._heed)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._wind)

    @cached_property
    def _loop(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.get_running_loop()
        loop.add_reader(self._sockets.fileno(), self._see)
        self._watch.start()
        return loop

    def perform(self, curl: pycurl.Curl) -> asyncio.Future[Outcome]:
        """What comes of a request; whoever waits for it no more must end it."""
        outcome: asyncio.Future[Outcome] = self._loop.create_future()
        self._multi.add_handle(curl)
        self._outcomes[curl] = outcome
        return outcome

    def end(self, curl: pycurl.Curl, outcome: Outcome) -> None:
        """A request is over, if it is in flight: whoever waits for it is told."""
        if waiting := self._outcomes.pop(curl, None):
            self._multi.remove_handle(curl)
            if not waiting.done():
                waiting.set_result(outcome)

    async def close(self) -> None:
        """Let go of all connections; what is in flight is cancelled."""
        if self._multi.closed:
            return
        for curl, outcome in list(self._outcomes.items()):
            outcome.cancel()
            self.end(curl, FINE)
        self._loop.remove_reader(self._sockets.fileno())
        self._watch.stop()
        for call in filter(None, (self._soon, self._alarm)):
            call.cancel()
        self._multi.close()
        self._sockets.close()

    # What curl calls while it works; nothing in here may call it back

    def _heed(self, interest: int, socket: int, multi: pycurl.CurlMulti, data: Any) -> None:
        """Curl wants to know when a socket can be read or written, or no more."""
        try:
            if events := INTERESTS.get(interest):
                self._sockets.register(socket, events)
            else:
                self._sockets.unregister(socket)
        except FileExistsError:
            self._sockets.modify(socket, INTERESTS[interest])
        except OSError:
            pass  # one that is closed is not there any more; one that the system does not take runs out of time

    def _wind(self, milliseconds: int) -> None:
        """Curl wants to be called after so long (-1: never). An alarm is not put off: it looks again when it rings."""
        if milliseconds == 0:
            self._soon = self._soon or self._loop.call_soon(self._go_on)
            return
        self._due = self._loop.time() + milliseconds / 1000 if milliseconds > 0 else math.inf
        if self._due < (self._alarm.when() if self._alarm else math.inf):
            if self._alarm:
                self._alarm.cancel()
            self._alarm = self._loop.call_at(self._due, self._ring)

    # What the loop calls

    def _ring(self) -> None:
        self._alarm = None
        if self._loop.time() >= self._due:
            self._pass_time()
        elif self._due < math.inf:
            self._alarm = self._loop.call_at(self._due, self._ring)

    def _go_on(self) -> None:
        self._soon = None
        self._pass_time()

    def _pass_time(self) -> None:
        self._act(pycurl.SOCKET_TIMEOUT, 0)
        self._settle()

    def _see(self) -> None:
        """Some sockets have news."""
        for socket, events in self._sockets.poll(0, TOGETHER):
            self._act(socket, NEWS.get(events, ANYTHING))
        self._settle()

    def _act(self, socket: int, news: int) -> None:
        self._watch.begin(socket)
        try:
            self._multi.socket_action(socket, news)
        except pycurl.error as error:  # then it can go on with none of them
            for curl in list(self._outcomes):
                self.end(curl, (int(error.args[0]), str(error.args[-1])))
        self._watch.call = None

    def _settle(self) -> None:
        """What has come to its end is over."""
        _, good, bad = self._multi.info_read()
        for curl in good:
            self.end(curl, FINE)
        for curl, code, message in bad:
            self.end(curl, (code, message))
