"""One request over libcurl: what is sent, what comes back, byte for byte, and where the socket leads."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

import certifi
import pycurl

from ...http_message import END
from ...nouns import Wire
from .access import Login
from .address_guard import Guard, Origin
from .dns import Place
from .settings import TransportSettings

VERSIONS = {pycurl.CURL_HTTP_VERSION_1_0: "HTTP/1.0", pycurl.CURL_HTTP_VERSION_2_0: "HTTP/2"}
ACCEPT = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5",
    "Accept-Encoding": "gzip, deflate, br, zstd",
}
Way: TypeAlias = tuple[list[str], list[str]]  # the addresses of a host, and another port of it if that is meant
NOT_NOW = "not now: another process may have taken over"
NOWHERE: Way = ([], [])  # in particular


class Transfer:
    """A curl handle with what comes in over it; it is used again for one request after another."""

    def __init__(self, settings: TransportSettings, guard: Guard, login: Login | None = None) -> None:
        self._settings, self._guard = settings, guard
        self._usual = _lines({"User-Agent": settings.user_agent} | ACCEPT)
        self._lines: list[bytes] = []  # what curl was last told to send, and the way that it was told to go
        self._way, self._proxy = NOWHERE, settings.access.proxy
        self.curl = pycurl.Curl()
        self._head: list[bytes] = []  # these two stay the same: curl adds to them
        self._body: list[bytes] = []
        self._fixed_options()
        if login:
            self._log_in(login)

    def _fixed_options(self) -> None:
        settings, curl = self._settings, self.curl
        for option, value in (
            (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
            (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS),
            (pycurl.FOLLOWLOCATION, 0),
            (pycurl.PATH_AS_IS, 1),
            (pycurl.NOSIGNAL, 1),
            (pycurl.BUFFERSIZE, 1 << 17),
            (pycurl.HTTP_TRANSFER_DECODING, 0),
            (pycurl.HTTP_CONTENT_DECODING, 0),
            (
                pycurl.PROXY,
                settings.access.proxy,
            ),  # "" keeps curl from looking into the environment; `aim` says another one
            (pycurl.NOPROXY, ""),
            (pycurl.CAINFO, settings.access.certificates or certifi.where()),
            (pycurl.SSL_VERIFYPEER, 1),
            (pycurl.SSL_VERIFYHOST, 2),
            (pycurl.CONNECTTIMEOUT_MS, int(settings.connect_seconds * 1000)),
            (pycurl.TIMEOUT_MS, int(settings.total_seconds * 1000)),
            (pycurl.MAXFILESIZE_LARGE, settings.max_wire_bytes),
            (pycurl.OPENSOCKETFUNCTION, self._open),
            (pycurl.PREREQFUNCTION, self._sending),
            (pycurl.HEADERFUNCTION, self._head.append),
            (pycurl.WRITEFUNCTION, self._body.append),
        ):
            curl.setopt(option, value)

    def aim(
        self,
        url: str,
        headers: Mapping[str, str] | None,
        way: Way | None,
        secret: Mapping[str, str],
        proxy: str,
    ) -> None:
        """Make ready for a request to a canonical URL; the way is None when the URL or the proxy says where it is.

        Secret headers are sent, and not noted in what went over the wire.
        """
        self._head.clear()
        self._body.clear()
        self.trouble, self.address, self.time, self.started, self._before = "", "", 0.0, 0.0, 0
        self._url = url
        self.curl.setopt(pycurl.URL, url)
        self._say([*self._usual, *_lines(headers)] if headers else self._usual, _lines(secret))
        self._go(way or NOWHERE)
        if proxy != self._proxy:
            self._proxy = proxy
            self.curl.setopt(pycurl.PROXY, proxy)

    def _log_in(self, login: Login) -> None:
        self.curl.setopt(pycurl.HTTPAUTH, pycurl.HTTPAUTH_DIGEST)
        self.curl.setopt(pycurl.USERNAME, login.user)
        self.curl.setopt(pycurl.PASSWORD, login.password)

    def _say(self, lines: list[bytes], secret: list[bytes]) -> None:
        if [*lines, *secret] != self._lines:
            self._lines, self._said = [*lines, *secret], b"\r\n".join([*lines, b"", b""]).decode()
            # An empty field keeps curl from adding its own.
            self.curl.setopt(pycurl.HTTPHEADER, [*lines, *secret, b"Proxy-Connection:"])

    def _go(self, way: Way) -> None:
        if way[0] or way != self._way:  # curl forgets addresses, so they are said each time
            self._way = way
            self.curl.setopt(pycurl.RESOLVE, way[0])
            self.curl.setopt(pycurl.CONNECT_TO, way[1])

    # What curl calls while it works

    def _open(self, purpose: int, target: pycurl.CurlSockAddr) -> socket.socket | int:
        """The one place where sockets are made."""
        if target.family not in (socket.AF_INET, socket.AF_INET6):
            self.trouble = "refused address that is none of the internet"
            return pycurl.SOCKET_BAD
        if why := "" if self._proxy else self._guard.address(str(target.addr[0])):
            self.trouble = why
            return pycurl.SOCKET_BAD
        try:
            opened = socket.socket(target.family, target.socktype, target.protocol)
        except OSError as error:  # too many files are open
            self.trouble = f"connect: no socket ({error.strerror})"
            return pycurl.SOCKET_BAD
        asyncio.get_running_loop().call_soon(opened.close)  # pycurl takes a duplicate
        return opened

    def _sending(self, address: str, own: str, port: int, own_port: int) -> int:
        """The connection stands (it may be an old one), and the request is about to go out."""
        if why := "" if self._proxy else self._guard.address(address):
            self.trouble = why
            return 1
        if self._settings.may_send and not self._settings.may_send():
            self.trouble = NOT_NOW
            return 1
        self.trouble, self.address, self.time, self.started = "", address, time.time(), time.perf_counter()
        self._before = len(self._head)  # a proxy has spoken, or an old connection broke off
        return 0

    @property
    def silent(self) -> bool:
        """Whether the request went out and nothing has come back."""
        return self.time > 0 and len(self._head) == self._before

    def read(self, error: str) -> tuple[str, Wire | None]:
        """What went wrong, if that is not known yet, and what went over the wire, if all headers came back."""
        head = b"".join(self._head)
        if len(head) > self._settings.max_header_bytes:  # at 300 KB curl itself ends it
            return "headers too large", None
        end = END.search(head)
        if not end or end.end() < len(head):
            head = _last(self._head)
        if not head:
            return error or "cut off: headers", None
        wire = Wire(self._request(), head, b"".join(self._body), self.time, self.address)
        return error, wire

    def _request(self) -> bytes:
        version = VERSIONS.get(self.curl.getinfo(pycurl.INFO_HTTP_VERSION), "HTTP/1.1")
        scheme, _, authority, path = self._url.split("/", 3)
        target = self._url if self._proxy and scheme == "http:" else f"/{path}"
        return f"GET {target} {version}\r\nHost: {authority}\r\n{self._said}".encode()


def _last(lines: list[bytes]) -> bytes:
    """The head that counts, if it is whole: before it come interim answers and a proxy's, after it what a body ends with."""
    head: list[bytes] = []
    ended = False
    for line in lines:
        if ended and line.startswith(b"HTTP/"):
            head, ended = [], False
        if not ended:
            head.append(line)
            ended = line in (b"\r\n", b"\n")
    return b"".join(head) if ended else b""


def _lines(headers: Mapping[str, str]) -> list[bytes]:
    # Values may come from a server (an ETag): a line break in one would be a header of its making.
    pairs = ((" ".join(name.split()), " ".join(value.split())) for name, value in headers.items())
    return [f"{name}: {value}".encode() for name, value in pairs if value and "\0" not in value]


@lru_cache(maxsize=4096)
def way(whereto: Origin, place: Place) -> Way:
    """The addresses of a host, and another port of it if that is meant, as curl wants to be told."""
    name, asked, _ = whereto
    written = ",".join(f"[{address}]" if ":" in address else address for address in place.addresses)
    detour = [f"{name}:{asked}:{name}:{place.port}"] if place.port != asked else []
    return [f"+{name}:{place.port}:{written}"], detour  # "+": curl forgets it by and by
