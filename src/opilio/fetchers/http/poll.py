"""The sockets that are waited for, behind one descriptor that an event loop can wait for: epoll, or what does the same."""

from __future__ import annotations

import select
import selectors
from typing import Protocol

READ, WRITE = 1, 4  # as epoll has them


class Poll(Protocol):
    """The part of select.epoll that is needed here."""

    def fileno(self) -> int: ...
    def register(self, fd: int, eventmask: int, /) -> None: ...  # FileExistsError: it is there
    def modify(self, fd: int, eventmask: int, /) -> None: ...
    def unregister(self, fd: int, /) -> None: ...  # FileNotFoundError: it is not
    def poll(self, timeout: float, maxevents: int, /) -> list[tuple[int, int]]: ...
    def close(self) -> None: ...


class Selected:
    """The same by a selector that has a descriptor of its own, as that of BSD and macOS has."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self._selector = selector

    def fileno(self) -> int:
        return int(self._selector.fileno())  # type: ignore[attr-defined] # not all have one

    def register(self, fd: int, interest: int, /) -> None:
        try:
            self._selector.register(fd, _events(interest))
        except KeyError:
            raise FileExistsError(fd) from None

    def modify(self, fd: int, interest: int, /) -> None:
        self._selector.modify(fd, _events(interest))

    def unregister(self, fd: int, /) -> None:
        try:
            self._selector.unregister(fd)
        except KeyError:
            raise FileNotFoundError(fd) from None

    def poll(self, timeout: float, most: int, /) -> list[tuple[int, int]]:
        return [(key.fd, _interest(events)) for key, events in self._selector.select(timeout)]

    def close(self) -> None:
        self._selector.close()


def _events(interest: int) -> int:
    return (selectors.EVENT_READ if interest & READ else 0) | (selectors.EVENT_WRITE if interest & WRITE else 0)


def _interest(events: int) -> int:
    return (READ if events & selectors.EVENT_READ else 0) | (WRITE if events & selectors.EVENT_WRITE else 0)


def poll() -> Poll:
    """The best that the system has."""
    return select.epoll() if hasattr(select, "epoll") else Selected(selectors.DefaultSelector())
