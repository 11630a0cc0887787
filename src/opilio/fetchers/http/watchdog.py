"""A thread that sees to it that no server stops the event loop.

A server that sends one TLS handshake message after the other, faster than they are read, keeps the TLS library busy
inside a single call: the loop stands still, with its timers and all other requests. Only another thread can shut such a
socket.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

LONGEST = 0.25  # seconds of work for one call of curl, which normally takes microseconds


class Watch:
    """Shuts a socket that keeps one call busy for too long; `call` says which one curl is at work on, and since when.

    What counts is the work of the thread that has started it: on a busy machine a call may stand still for long, and no server
    is to blame for that.
    """

    def __init__(self) -> None:
        self.call: tuple[int, float] | None = None
        self._worked: Callable[[], float] = time.monotonic
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._go_on_looking, daemon=True, name="curl watch")

    def start(self) -> None:
        self._worked = _work_of_this_thread()
        self._thread.start()

    def begin(self, number: int) -> None:
        """Curl is about to be at work on a socket."""
        self.call = number, self._worked()

    def stop(self) -> None:
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def look(self, now: float) -> None:
        """Shut the socket if its call has lasted too long by now."""
        call = self.call
        if call and call[0] >= 0 and now - call[1] > LONGEST:
            _shut(call[0])

    def _go_on_looking(self) -> None:
        while not self._ended.wait(LONGEST / 4):
            if self.call:
                self.look(self._worked())


def _work_of_this_thread() -> Callable[[], float]:
    """CPU time of the thread that asks now, for other threads as well; where the system does not tell, the time."""
    try:
        clock = time.pthread_getcpuclockid(threading.get_ident())
    except AttributeError:
        return time.monotonic
    return lambda: time.clock_gettime(clock)


def _shut(number: int) -> None:
    with suppress(OSError), socket.socket(fileno=os.dup(number)) as held:
        held.shutdown(socket.SHUT_RDWR)
