"""One GET over HTTP: never raises for what the web does, never follows a redirect, never goes where the guard says no."""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import pycurl

from ...http_message import decoded, fields, split
from ...nouns import Wire
from ...urls import canonical
from .address_guard import Guard, Origin, origin, origin_of
from .curl_loop import Multi
from .dns import Names, Place, system
from .errors import trouble
from .first_byte import Patience
from .limits import Gates
from .settings import TransportSettings
from .transfer import Transfer, way

if TYPE_CHECKING:
    from .cookies import Cookies

OPEN = 4  # connections for each request in flight: a host that rests is asked again over the one that it had
LATE = (pycurl.E_OPERATION_TIMEDOUT, "")
STATUS = re.compile(rb"HTTP/\S+\s+([0-9]{3})\b")


class Answer(NamedTuple):
    """What came of one request; trouble is a value, and what was received before it is there too."""

    url: str
    status: int = 0
    headers: Mapping[str, str] = MappingProxyType({})  # names in lower case
    body: bytes = b""  # with its encodings undone
    error: str = ""  # "timeout: first byte", "too large", "tls: ..."; a status of any kind is no error here
    refused: bool = False  # by the guard: nothing was sent
    wire: Wire | None = None
    seconds: float = 0.0  # from sending to the end


class Transport:
    """Requests over connections that are kept open, a few at a time, at most this many of them to one host."""

    def __init__(self, settings: TransportSettings) -> None:
        self.settings = settings
        self.guard = Guard(settings.schemes, settings.ports, settings.allow_loopback, settings.allow_networks)
        self._names = Names(settings.resolve or system, settings.dns_seconds)
        self._gates = Gates(settings.connections, settings.host_connections)
        self._cookies = _cookies() if settings.access.keep_cookies else None
        self._spare = defaultdict[str, list[Transfer]](list)  # a handle remembers what it was asked to log in
        self._multi = Multi(OPEN * settings.connections)
        self._patience = Patience(settings.first_byte_seconds, self._end)

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """The answer of one URL, whatever it is; 304 too, if the headers ask for it."""
        href = canonical(url)
        if why := self.guard.url(href):
            return Answer(url, error=why, refused=True)
        whereto, given = origin(href), self.settings.access.of(href)
        proxy = (given and given.proxy) or self.settings.access.proxy
        await self._gates.enter(whereto.host)
        try:
            try:
                place = None if proxy else await self._place(whereto)
            except OSError as error:
                return Answer(url, error=f"dns: {error}")
            login = given and given.login
            spare = self._spare[origin_of(href) if login else ""]
            transfer = spare.pop() if spare else Transfer(self.settings, self.guard, login)
            secret = given.sent(href) if given else {}
            asked = headers if "Cookie" in secret else self._with_cookies(href, headers)
            transfer.aim(href, asked, place and way(whereto, place), secret, proxy)
            answer = self._answer(url, transfer, await self._perform(transfer))
            spare.append(transfer)
        finally:
            self._gates.leave(whereto.host)
        if self._cookies and answer.wire:
            self._cookies.take(href, _set_cookies(answer.wire.head))
        return answer

    async def addresses(self, url: str) -> tuple[str, ...]:
        """Where a canonical URL is reached, as far as that says who shares a server."""
        whereto = origin(url)
        if whereto.address:
            return (whereto.address,)
        try:
            place = await self._place(whereto)
        except OSError:  # whoever asks for the URL is told
            return ()
        return () if place is None or place.chosen else place.addresses

    async def refusal(self, url: str) -> str:
        """Why a URL would not be fetched, as things are now: its letters, or all addresses of its host; "" when it would."""
        href = canonical(url)
        if why := self.guard.url(href):
            return why
        try:
            place = await self._place(origin(href))
        except OSError as error:
            return f"dns: {error}"
        reasons = [self.guard.address(address) for address in place.addresses] if place else []
        return reasons[0] if reasons and all(reasons) else ""

    async def close(self) -> None:
        """Let go of all connections; what is in flight is cancelled."""
        self._patience.close()
        await self._multi.close()
        for transfer in chain.from_iterable(self._spare.values()):
            transfer.curl.close()
        self._spare.clear()

    def _with_cookies(self, url: str, headers: Mapping[str, str] | None) -> Mapping[str, str] | None:
        kept = self._cookies.header(url) if self._cookies else ""
        return {**(headers or {}), "Cookie": kept} if kept else headers

    async def _place(self, whereto: Origin) -> Place | None:
        """None when the URL or the proxy says where it is."""
        if whereto.address or self.settings.access.proxy:
            return None
        if known := self._names.known(whereto.host, whereto.port):
            return known
        try:
            async with asyncio.timeout(self.settings.connect_seconds):
                return await self._names.find(whereto.host, whereto.port)
        except TimeoutError:
            raise OSError("timeout") from None

    async def _perform(self, transfer: Transfer) -> str:
        """Why it went wrong, or ""."""
        self._patience.begin(transfer)
        try:
            code, message = await self._multi.perform(transfer.curl)
        except asyncio.CancelledError:
            self._multi.end(transfer.curl, LATE)
            transfer.curl.close()
            raise
        finally:
            self._patience.over(transfer)
        return transfer.trouble or self._words(transfer, code, message) if code else ""

    def _end(self, transfer: Transfer) -> None:
        """Nothing has come for too long."""
        transfer.trouble = "timeout: first byte"
        self._multi.end(transfer.curl, LATE)

    def _words(self, transfer: Transfer, code: int, message: str) -> str:
        return trouble(code, message, transfer.curl.getinfo(pycurl.OS_ERRNO), bool(transfer.time))

    def _answer(self, url: str, transfer: Transfer, error: str) -> Answer:
        refused = error.startswith("refused address")
        error, wire = transfer.read(error)
        seconds = time.perf_counter() - transfer.started if transfer.time else 0.0
        if wire is None:
            return Answer(url, error=error, refused=refused, seconds=seconds)
        first, lines, _ = split(wire.head)
        status, headers = STATUS.match(first), fields(lines)
        if not status or status[1] < b"200":  # an interim answer is none
            return Answer(url, error=error or "not http", seconds=seconds)
        body = decoded(wire.payload, headers, self.settings.max_body_bytes + 1)
        if len(body) > self.settings.max_body_bytes:
            error, body = error or "too large", body[: self.settings.max_body_bytes]
        return Answer(url, int(status[1]), headers, body, error, refused, wire, seconds)


def _cookies() -> Cookies:
    from .cookies import Cookies  # most do without

    return Cookies()


def _set_cookies(head: bytes) -> list[str]:
    lines = (line.partition(b":") for line in head.splitlines())
    return [value.decode("latin-1").strip() for name, _, value in lines if name.strip().lower() == b"set-cookie"]
