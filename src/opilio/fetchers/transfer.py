"""One request over libcurl: what is sent, what comes back, byte for byte, and where the socket leads."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Mapping

import certifi
import pycurl

from ..nouns import Wire
from ..urls import host
from .guard import Guard, port
from .names import Place
from .settings import TransportSettings

VERSIONS = {pycurl.CURL_HTTP_VERSION_1_0: "HTTP/1.0", pycurl.CURL_HTTP_VERSION_2_0: "HTTP/2"}
ACCEPT = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5",
    "Accept-Encoding": "gzip, deflate, br, zstd",
}


class Transfer:
    """A curl handle with what comes in over it; it is used again for one request after another."""

    def __init__(self, settings: TransportSettings, guard: Guard) -> None:
        self._settings, self._guard = settings, guard
        self._always = _lines({"User-Agent": settings.user_agent} | ACCEPT)
        self.curl = pycurl.Curl()
        self._head: list[bytes] = []
        self._body: list[bytes] = []
        self._fixed_options()

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
            (pycurl.PROXY, settings.proxy),  # "" keeps curl from looking into the environment
            (pycurl.NOPROXY, ""),
            (pycurl.CAINFO, settings.ca_file or certifi.where()),
            (pycurl.SSL_VERIFYPEER, 1),
            (pycurl.SSL_VERIFYHOST, 2),
            (pycurl.CONNECTTIMEOUT_MS, int(settings.connect_seconds * 1000)),
            (pycurl.TIMEOUT_MS, int(settings.total_seconds * 1000)),
            (pycurl.MAXFILESIZE_LARGE, settings.max_wire_bytes),
            (pycurl.OPENSOCKETFUNCTION, self._open),
            (pycurl.PREREQFUNCTION, self._sending),
            (pycurl.HEADERFUNCTION, self._header),
            (pycurl.WRITEFUNCTION, self._write),
        ):
            curl.setopt(option, value)

    def aim(self, url: str, headers: Mapping[str, str], place: Place | None) -> None:
        """Make ready for a request to a canonical URL; the place is None when the URL or the proxy says where it is."""
        self._head, self._body, self._size, self._ended = [], [], 0, False
        self.trouble, self.late, self.address, self.time, self.started = "", False, "", 0.0, 0.0
        self._url, self._lines = url, [*self._always, *_lines(headers)]
        self._timer: asyncio.TimerHandle | None = None
        self.under_way: asyncio.Future[pycurl.Curl] | None = None
        self.curl.setopt(pycurl.URL, url)
        # An empty field keeps curl from adding its own.
        self.curl.setopt(pycurl.HTTPHEADER, [*self._lines, b"Proxy-Connection:"])
        addresses, detour = _way(url, place)
        self.curl.setopt(pycurl.RESOLVE, addresses)
        self.curl.setopt(pycurl.CONNECT_TO, detour)

    # What curl calls while it works

    def _open(self, purpose: int, target: pycurl.CurlSockAddr) -> socket.socket | int:
        """The one place where sockets are made."""
        if target.family not in (socket.AF_INET, socket.AF_INET6):
            self.trouble = "refused address that is none of the internet"
            return pycurl.SOCKET_BAD
        if why := "" if self._settings.proxy else self._guard.address(str(target.addr[0])):
            self.trouble = why
            return pycurl.SOCKET_BAD
        opened = socket.socket(target.family, target.socktype, target.protocol)
        asyncio.get_running_loop().call_soon(opened.close)  # pycurl takes a duplicate
        return opened

    def _sending(self, address: str, own: str, port: int, own_port: int) -> int:
        """The connection stands (it may be an old one), and the request is about to go out."""
        if why := "" if self._settings.proxy else self._guard.address(address):
            self.trouble = why
            return 1
        self.trouble, self.address, self.time, self.started = "", address, time.time(), time.perf_counter()
        self.quiet()
        self._timer = asyncio.get_running_loop().call_later(self._settings.first_byte_seconds, self._no_answer)
        return 0

    def _header(self, line: bytes) -> int | None:
        if self._timer:
            self.quiet()
        self._size += len(line)
        if self._size > self._settings.max_header_bytes:
            self.trouble = "headers too large"
            return -1
        if self._ended and line.startswith(b"HTTP/"):  # what came before was an interim answer, or a proxy's
            self._head, self._ended = [], False
        if not self._ended:
            self._head.append(line)
            self._ended = line in (b"\r\n", b"\n")
        return None

    def _write(self, piece: bytes) -> None:
        self._body.append(piece)

    def _no_answer(self) -> None:
        # It may have ended in this very moment, with nobody told yet.
        if self.under_way and not self.under_way.done():
            self.late = True
            self.under_way.cancel()

    def quiet(self) -> None:
        """Stop waiting for the first byte."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    # What there is in the end

    @property
    def complete(self) -> bool:
        """Whether all headers came."""
        return self._ended

    def wire(self) -> Wire | None:
        """What went over the wire, if headers came back."""
        if not self._ended:
            return None
        return Wire(self._request(), b"".join(self._head), b"".join(self._body), self.time, self.address)

    def _request(self) -> bytes:
        version = VERSIONS.get(self.curl.getinfo(pycurl.INFO_HTTP_VERSION), "HTTP/1.1")
        target = self._url if self._settings.proxy and self._url.startswith("http:") else _path(self._url)
        first = [f"GET {target} {version}".encode(), b"Host: " + _authority(self._url).encode()]
        return b"\r\n".join([*first, *self._lines, b"", b""])


def _lines(headers: Mapping[str, str]) -> list[bytes]:
    # Values may come from a server (an ETag): a line break in one would be a header of its making.
    pairs = ((" ".join(name.split()), " ".join(value.split())) for name, value in headers.items())
    return [f"{name}: {value}".encode() for name, value in pairs if value and "\0" not in value]


def _authority(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].partition("?")[0]


def _path(url: str) -> str:
    return url.partition("://")[2].removeprefix(_authority(url)) or "/"


def _way(url: str, place: Place | None) -> tuple[list[str], list[str]]:
    """The addresses of the host, and another port of it if that is meant, as curl wants to be told."""
    if place is None:
        return [], []
    name, asked = host(url), port(url)
    written = ",".join(f"[{address}]" if ":" in address else address for address in place.addresses)
    detour = [f"{name}:{asked}:{name}:{place.port}"] if place.port != asked else []
    return [f"+{name}:{place.port}:{written}"], detour  # "+": curl forgets it by and by
