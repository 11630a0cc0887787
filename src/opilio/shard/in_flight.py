"""Pages that were sent for and have not come yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from ..nouns import Lease, Page

SLOW = 0.5  # seconds after which a page in flight no longer counts among those that are waited for


class InFlight:
    """Which leases are being fetched, since when, and which of them have landed."""

    def __init__(self) -> None:
        self._leases: dict[asyncio.Task[Page], tuple[Lease, float]] = {}  # and when it was sent
        self._landed: list[asyncio.Task[Page]] = []
        self._wake: Callable[[], None] = lambda: None

    def __len__(self) -> int:
        return len(self._leases)

    @property
    def quick(self) -> int:
        """How many pages may come at any moment: hosts that let us wait keep no others out."""
        if not self._leases:
            return 0
        late = asyncio.get_running_loop().time() - SLOW
        return sum(sent > late for _, sent in self._leases.values())

    def send(self, lease: Lease, fetch: Coroutine[None, None, Page]) -> None:
        task = asyncio.create_task(fetch)
        self._leases[task] = (lease, asyncio.get_running_loop().time())
        task.add_done_callback(self._land)

    async def landed(self, most: float) -> list[tuple[Lease, Page]]:
        """Wait for a page, this many seconds at most; those that come together, in the order in which they were leased."""
        if self._leases and not self._landed:
            await self._arrival(most)
        tasks, self._landed = self._landed, []
        return sorted(((self._leases.pop(task)[0], task.result()) for task in tasks), key=lambda pair: pair[0].number)

    def cancel(self) -> list[asyncio.Task[Page]]:
        """Cancel all of them; they end when the loop comes to them."""
        tasks = list(self._leases)
        for task in tasks:
            task.cancel()
        return tasks

    async def stop(self) -> None:
        """Let go of all of them."""
        tasks = self.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._leases, self._landed = {}, []

    def _land(self, task: asyncio.Task[Page]) -> None:
        self._landed.append(task)
        self._wake()

    async def _arrival(self, most: float) -> None:
        landed = asyncio.Event()
        self._wake = landed.set
        timer = asyncio.get_running_loop().call_later(most, landed.set)
        await landed.wait()
        timer.cancel()
