"""What may be connected to: schemes and ports on a list, and no address but those of the public web."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import NamedTuple

from ...urls import host
from .addresses import loopback, special

PORTS = {"http": 80, "https": 443}
ORIGINS = 4096  # that are remembered


def port(url: str) -> int:
    """The port of a canonical URL."""
    scheme, _, rest = url.partition("://")
    number = rest.partition("/")[0].rpartition("]")[2].rpartition(":")[2]
    return int(number) if number.isdigit() else PORTS[scheme]


@lru_cache(maxsize=65536)
def literal(name: str) -> str:
    """The address that a canonical host name spells out; "" for a name that has to be looked up."""
    try:
        return str(ip_address(name.strip("[]")))
    except ValueError:
        return ""


def origin_of(url: str) -> str:
    """Scheme, host and port of a canonical URL, as it has them."""
    return url[: url.index("/", 8)]


class Origin(NamedTuple):
    """What the beginning of a canonical URL says, up to its path."""

    host: str
    port: int
    address: str  # that the host spells out; "" for a name that has to be looked up


def origin(url: str) -> Origin:
    """The origin of a canonical URL."""
    return _read(origin_of(url))


@lru_cache(maxsize=ORIGINS)
def _read(text: str) -> Origin:
    return Origin(host(text), port(text), literal(host(text)))


class Guard:
    """Every answer is the reason for a refusal, and "" when there is none.

    `url` is asked before anything else happens. What counts is `address`, asked about the very address that a socket is
    opened to: whatever a name pointed to before does not matter.
    """

    def __init__(
        self,
        schemes: Collection[str],
        ports: Collection[int],
        allow_loopback: bool = False,
        allow_networks: Collection[str] = (),
    ) -> None:
        self._schemes, self._ports, self._allow_loopback = schemes, ports, allow_loopback
        self._networks = [ip_network(network) for network in allow_networks]
        self._origin = lru_cache(maxsize=ORIGINS)(self._origin_reason)

    def url(self, url: str) -> str:
        """Why a canonical URL ("": what has no such form) is not to be fetched, as far as its letters tell."""
        return self._origin("/".join(url.split("/", 3)[:3])) if url else "refused: no http or https URL"

    def _origin_reason(self, url: str) -> str:
        scheme = url.partition("://")[0]
        if scheme not in self._schemes or scheme not in PORTS:
            return f"refused scheme {scheme}"
        if (number := port(url)) not in self._ports:
            return f"refused port {number}"
        address = literal(host(url))
        return self.address(address) if address else ""

    def address(self, address: str) -> str:
        """Why nothing is to be sent to an address."""
        why = special(address)
        if not why or (self._allow_loopback and loopback(address)) or self._allowed(address):
            return ""
        return f"refused address {address} ({why})"

    def _allowed(self, address: str) -> bool:
        """Whether an address, written plainly, is in a range that was opened by the user."""
        return bool(literal(address)) and any(ip_address(address) in network for network in self._networks)
