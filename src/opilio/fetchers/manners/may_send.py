"""Whether this process may send requests at all: on a cluster, another one may have taken its place."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Gate(ABC):
    """Asked before each request, and again at the moment when it goes out."""

    @abstractmethod
    async def passed(self) -> None:
        """Wait until requests may be sent."""

    @abstractmethod
    def is_open(self) -> bool:
        """Whether one may be sent now."""
