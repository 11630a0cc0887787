"""How long a server may take to begin its answer: one timer for all requests in flight."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from .transfer import Transfer


class Patience:
    """Ends requests that went out and were not answered for this many seconds."""

    def __init__(self, seconds: float, end: Callable[[Transfer], None]) -> None:
        self._seconds, self._end = seconds, end
        self._in_flight: set[Transfer] = set()
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, transfer: Transfer) -> None:
        self._in_flight.add(transfer)
        if self._timer is None:
            self._look_after(self._seconds)

    def over(self, transfer: Transfer) -> None:
        self._in_flight.discard(transfer)

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _look_after(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        """End those whose time is over, and look again when that of the next one is: what is not sent yet has all of it."""
        late = time.perf_counter() - self._seconds
        silent = [transfer for transfer in self._in_flight if transfer.silent]
        for transfer in silent:
            if transfer.started <= late:
                self._end(transfer)
        self._timer = None
        if self._in_flight:
            self._look_after(min((one.started - late for one in silent if one.started > late), default=self._seconds))
