"""From host names to addresses, remembered for a while."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

MOST = 10_000  # names remembered
MISSING = 60.0  # seconds for which a name that does not exist is remembered


class Place(NamedTuple):
    """Where a host is reached."""

    addresses: tuple[str, ...]
    port: int
    chosen: bool = False  # by the user, for all names: it does not say who shares a server


Resolve: TypeAlias = Callable[[str, int], Awaitable[Place]]  # OSError: there is no such host


class Names:
    """A resolver that remembers what it was told; the system's gives no lifetimes, so all live equally long."""

    def __init__(self, resolve: Resolve, seconds: float) -> None:
        self._resolve, self._seconds = resolve, seconds
        self._known: OrderedDict[tuple[str, int], tuple[float, Place | str]] = OrderedDict()

    def known(self, host: str, port: int) -> Place | None:
        """Where a host is reached, if that is remembered; OSError with the reason when it is known that it is not."""
        until, known = self._known.get((host, port), (0.0, ""))
        return _or_raise(known) if time.monotonic() < until else None

    async def find(self, host: str, port: int) -> Place:
        """Where a host is reached; OSError with the reason when it is not."""
        return self.known(host, port) or _or_raise(await self._ask(host, port))

    async def _ask(self, host: str, port: int) -> Place | str:
        found: Place | str
        try:
            found, lifetime = await self._resolve(host, port), self._seconds
            found = found if found.addresses else "no address"
        except OSError as error:
            found, lifetime = error.strerror or str(error), min(MISSING, self._seconds)
        self._known[host, port] = (time.monotonic() + lifetime, found)
        self._known.move_to_end((host, port))
        if len(self._known) > MOST:
            self._known.popitem(last=False)
        return found


def _or_raise(known: Place | str) -> Place:
    if isinstance(known, str):
        raise OSError(known)
    return known


async def system(host: str, port: int) -> Place:
    """What the system's resolver says."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Place] = loop.create_future()

    def settle(result: Place | OSError) -> None:
        if answer.done():
            return
        if isinstance(result, OSError):
            answer.set_exception(result)
        else:
            answer.set_result(result)

    def ask() -> None:
        result = _asked(host, port)
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result)

    # A thread of its own, which nobody waits for at the end: a name server may need half a minute to say nothing.
    threading.Thread(target=ask, daemon=True, name=f"dns {host}").start()
    return await answer


def _asked(host: str, port: int) -> Place | OSError:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        return error
    except UnicodeError:  # a label that is empty or too long
        return OSError(f"{host} is not a host name")
    return Place(tuple(dict.fromkeys(str(entry[4][0]) for entry in found)), port)


def fixed(address: str, port: int) -> Resolve:
    """A resolver that knows one place only: a server on which all hosts live."""

    async def resolve(host: str, asked: int) -> Place:
        return Place((address,), port, chosen=True)

    return resolve
