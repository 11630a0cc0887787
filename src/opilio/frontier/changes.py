"""What changes beside the rows of URLs: lanes, leases and hosts."""

from __future__ import annotations

from ..nouns import Lease
from .queue.lane import Queue


class Changes:
    """Is told of each change. In memory there is nothing more to do; on disk they are written."""

    def lane(self, queue: Queue) -> None:
        """The weight of a lane changed, or its counts."""

    def lease(self, key: int, lease: Lease, queue: Queue) -> None:
        """A lease is out."""

    def settle(self, key: int, number: int) -> None:
        """A lease was answered."""

    def rest(self, host: int, until: float, noted: float) -> None:
        """A host rests until then, as was noted at that time."""

    def delay(self, host: int, seconds: float) -> None:
        """A host has its own delay."""
