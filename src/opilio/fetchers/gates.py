"""How many requests are under way at once, in all and to one host."""

from __future__ import annotations

import asyncio


class Gates:
    """Lets so many through at once, and so many to one host."""

    def __init__(self, total: int, each: int) -> None:
        self.each, self.total = each, asyncio.Semaphore(total)
        self.hosts: dict[str, Gate] = {}

    def through(self, name: str) -> Gate:
        """To be held, by `async with`, while a host of that name is asked."""
        gate = self.hosts.get(name)
        if gate is None:
            gate = self.hosts[name] = Gate(self, name)
        return gate


class Gate:
    """The way to one host; it is forgotten when nobody is on it."""

    def __init__(self, gates: Gates, name: str) -> None:
        self._gates, self._name, self._inside = gates, name, 0
        self._each = asyncio.Semaphore(gates.each)

    async def __aenter__(self) -> None:
        self._inside += 1
        try:
            await self._each.acquire()  # first the host's: who waits for a slow host keeps nobody else out
            try:
                await self._gates.total.acquire()
            except BaseException:
                self._each.release()
                raise
        except BaseException:
            self._leave()
            raise

    async def __aexit__(self, *trouble: object) -> None:
        self._gates.total.release()
        self._each.release()
        self._leave()

    def _leave(self) -> None:
        self._inside -= 1
        if not self._inside:
            del self._gates.hosts[self._name]
