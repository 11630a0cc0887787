"""Curl on the event loop, and a thread that sees to it that no server stops the loop.

A server that sends one TLS handshake message after the other, faster than they are read, keeps the TLS library busy
inside a single call: the loop stands still, with its timers and all other requests. Only another thread can shut such a
socket.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from contextlib import suppress

import pycurl

LONGEST = 1.0  # seconds for one call of curl, which normally takes microseconds


class WatchedMulti(pycurl.AsyncCurlMulti):
    """Requests on the event loop; a socket that keeps one call busy for too long is shut."""

    def __init__(self) -> None:
        super().__init__()
        self._call: tuple[int, float] | None = None  # the socket that curl is at work on, and since when
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True, name="curl watch")

    def _drive(self, fd: int, mask: int) -> None:
        self._call = (fd, time.monotonic())
        super()._drive(fd, mask)  # type: ignore[misc]
        self._call = None

    def add_handle(self, curl: pycurl.Curl) -> asyncio.Future[pycurl.Curl]:
        if not self._thread.is_alive() and not self._ended.is_set():
            self._thread.start()
        return super().add_handle(curl)

    async def aclose(self) -> None:
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        await super().aclose()

    def _watch(self) -> None:
        while not self._ended.wait(LONGEST / 4):
            call = self._call
            if call and call[0] >= 0 and time.monotonic() - call[1] > LONGEST:
                _shut(call[0])


def _shut(number: int) -> None:
    with suppress(OSError), socket.socket(fileno=os.dup(number)) as held:
        held.shutdown(socket.SHUT_RDWR)
