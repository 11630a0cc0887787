"""Addresses that are nobody's web server: the special-purpose registries of IANA, IPv4 and IPv6, as one table."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

# Blocks that the registries call globally reachable but that hold no sites (AS112, AMT, anycast) are here too.
_WRITTEN = """
0.0.0.0/8           this network
10.0.0.0/8          private use
100.64.0.0/10       shared address space
127.0.0.0/8         loopback
169.254.0.0/16      link local
172.16.0.0/12       private use
192.0.0.0/24        protocol assignments
192.0.2.0/24        documentation
192.31.196.0/24     AS112
192.52.193.0/24     automatic multicast tunneling
192.88.99.0/24      6to4 relays
192.168.0.0/16      private use
192.175.48.0/24     AS112
198.18.0.0/15       benchmarking
198.51.100.0/24     documentation
203.0.113.0/24      documentation
224.0.0.0/4         multicast
240.0.0.0/4         reserved
::/128              unspecified
::1/128             loopback
::/96               IPv4-compatible
64:ff9b:1::/48      local translation
100::/64            discard only
100:0:0:1::/64      dummy prefix
2001::/32           Teredo
2001::/23           protocol assignments
2001:db8::/32       documentation
2002::/16           6to4
2620:4f:8000::/48   AS112
3fff::/20           documentation
5f00::/16           segment routing
fc00::/7            unique local
fe80::/10           link local
fec0::/10           site local
ff00::/8            multicast
168.63.129.16/32    services of a cloud's host
"""  # the last one is no registry's: a public address that answers inside virtual machines only

BLOCKS: list[tuple[IPv4Network | IPv6Network, str]] = [
    (ip_network(block), name) for block, name in (line.split(None, 1) for line in _WRITTEN.strip().splitlines())
]
_GLOBAL = IPv6Network("2000::/3")  # all that is given out
_TRANSLATED = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))  # the last four bytes are where it leads


@lru_cache(maxsize=4096)
def special(address: str) -> str:
    """Why no web server is to be looked for at an address, in a word or two; "" for the addresses of the public web."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return "no address"
    if isinstance(parsed, IPv6Address) and any(parsed in block for block in _TRANSLATED):
        parsed = IPv4Address(parsed.packed[-4:])
    for block, name in BLOCKS:
        if parsed in block:
            return name
    return "" if isinstance(parsed, IPv4Address) or parsed in _GLOBAL else "not given out"


@lru_cache(maxsize=4096)
def loopback(address: str) -> bool:
    """Whether an address is this machine's, written plainly: 127.0.0.0/8 or ::1, and none that only leads there."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    mapped = isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None
    return parsed.is_loopback and not mapped
