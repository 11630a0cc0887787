"""The settings of the transport."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .access import Access
from .dns import Resolve

PORTS = frozenset({80, 443, 8080, 8443})  # that any URL may name


class TransportSettings(NamedTuple):
    """What may be connected to, and how much of everything is enough."""

    user_agent: str = "opilio"
    connect_seconds: float = 10.0  # name, connection and TLS together
    first_byte_seconds: float = 20.0  # from sending the request to the first byte of the answer
    total_seconds: float = 60.0
    max_wire_bytes: int = 8 << 20  # of a body as it comes over the wire
    max_body_bytes: int = 16 << 20  # of a body with its encoding undone
    max_header_bytes: int = 64 << 10
    connections: int = 64  # requests in flight; OPEN times as many connections stay open, to hosts that rest too
    host_connections: int = 1
    schemes: frozenset[str] = frozenset({"http", "https"})
    ports: frozenset[int] = PORTS
    allow_loopback: bool = False  # then 127.0.0.0/8 and ::1 may be connected to, and nothing else that is special
    allow_networks: tuple[str, ...] = ()  # ranges of addresses that may be connected to although they are special
    access: Access = Access()  # what single hosts are given; proxy, certificates and cookies of all
    dns_seconds: float = 300.0  # for which an address is remembered
    resolve: Resolve | None = None  # instead of the system's resolver
    may_send: Callable[[], bool] | None = None  # asked when a request is about to go out
