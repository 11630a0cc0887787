"""How many requests are in flight at once, in all and to one host."""

from __future__ import annotations

import asyncio


class Gates:
    """Lets this many through at once, and this many to one host; who waits for a slow host keeps nobody else out."""

    def __init__(self, total: int, each: int) -> None:
        self._room, self._each = total, each
        self._inside: dict[str, int] = {}  # by host
        self._waiting: dict[asyncio.Future[None], str] = {}  # for what host; those who came first are first

    async def enter(self, host: str) -> None:
        """Go through to a host, as soon as there is room; whoever did must leave."""
        if self._open(host):
            self._let_in(host)
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[turn] = host
        try:
            await turn
        except asyncio.CancelledError:
            if not self._waiting.pop(turn, ""):  # it was let in before it knew
                self.leave(host)
            raise

    def leave(self, host: str) -> None:
        """Make room for the next one."""
        self._room += 1
        others = self._inside.pop(host) - 1
        if others:
            self._inside[host] = others
        for turn, wanted in self._waiting.items():
            if self._open(wanted) and not turn.done():
                del self._waiting[turn]
                self._let_in(wanted)
                turn.set_result(None)
                return

    def _open(self, host: str) -> bool:
        return self._room > 0 and self._inside.get(host, 0) < self._each

    def _let_in(self, host: str) -> None:
        self._room -= 1
        self._inside[host] = self._inside.get(host, 0) + 1
