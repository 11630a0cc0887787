"""The guard: no socket is opened to an address that is nobody's web server, however it is written or come by."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as some

from opilio.fetchers.http.address_guard import Guard, literal, port
from opilio.fetchers.http.addresses import BLOCKS, loopback, special
from opilio.fetchers.http.client import Answer, Transport
from opilio.fetchers.http.dns import Place
from opilio.fetchers.http.settings import TransportSettings
from opilio.urls import canonical

# Every way to write this machine, or something next to it, that a URL parser takes; PORT is the canary's.
_WRITTEN = """
127.0.0.1 127.1 127.0.1 127.00.00.01 0177.0.0.1 0177.1 017700000001 0x7f.0.0.1 0x7f.1 0x7f000001 0X7F000001 2130706433
0x7F.0x0.0x0.0x1 127.0.0.1. 127.1. 0x7f000001. 127.0x1 0177.0x1 127.255.255.254 127.0.0.2 %31%32%37.0.0.1 127%2e0%2e0%2e1
１２７.0.0.1 ①②⑦.⓪.⓪.① 127。0。0。1 127．0．0．1 127｡0｡0｡1 0 0.0.0.0 0x0 00 0.0 000.0.0.0 localhost LOCALHOST localhost. LocalHost
loc%61lhost ｌｏｃａｌｈｏｓｔ a.localhost ⓛocalhost user@127.0.0.1 user:pass@localhost example.com@127.0.0.1
127.0.0.1:PORT\\@example.com [::1] [0:0:0:0:0:0:0:1] [::0001] [0000:0000:0000:0000:0000:0000:0000:0001] [::] [::0.0.0.1]
[::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:0001] [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1]
[64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:7f00:0001::1] [2001:0:7f00:1::]
[2001::f7ff:ffff:80ff:fffe] [fe80::1] [fe80::5efe:127.0.0.1] [fc00::1] [fd00:ec2::254] [fec0::1] [ff02::1] [100::1] [2001:db8::1]
[3fff::1] [5f00::1] [4000::1] 10.0.0.1 10.1 012.0.0.1 0xa000001 167772161 172.16.0.1 172.31.255.255 192.168.0.1 192.168.257
169.254.169.254 169.16689662 0xa9fea9fe 2852039166 0251.0376.0251.0376 [::ffff:169.254.169.254] 100.64.0.1 100.100.100.200
192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255
example.com%40x@127.1 255.255.255.255. 4294967295 168.63.129.16
"""
SPELLINGS = _WRITTEN.split()


class Canary:
    """Listens on loopback, IPv6 too where there is any, and counts who comes."""

    def __init__(self) -> None:
        self.visits = 0
        self.port = 0

    def visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.visits += 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
        writer.close()


@asynccontextmanager
async def listening() -> AsyncIterator[Canary]:
    canary = Canary()
    server = await asyncio.start_server(canary.visit, "", 0, family=socket.AF_INET)
    canary.port = server.sockets[0].getsockname()[1]
    six = await asyncio.start_server(canary.visit, "::1", canary.port) if socket.has_ipv6 and _has_six() else None
    try:
        yield canary
    finally:
        await asyncio.sleep(0)  # a connection that the kernel took is seen before we look away
        for each in filter(None, (server, six)):
            each.close()
            await each.wait_closed()


def _has_six() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@asynccontextmanager
async def transport(**settings: object) -> AsyncIterator[Transport]:
    made = Transport(TransportSettings(connect_seconds=3, total_seconds=5, **settings))  # type: ignore[arg-type]
    try:
        yield made
    finally:
        await made.close()


async def always_loopback(host: str, port: int) -> Place:
    return Place(("127.0.0.1",), port)


def test_there_are_enough_spellings() -> None:
    assert len(set(SPELLINGS)) >= 100


async def _fetch_all(urls: list[str], port: int, **settings: object) -> list[Answer]:
    ports = frozenset({80, 443, port})
    async with transport(ports=ports, resolve=always_loopback, **settings) as web:
        return [await web.get(url) for url in urls]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_spelling_reaches_the_canary(scheme: str) -> None:
    async def check() -> None:
        async with listening() as canary:
            urls = [f"{scheme}://{_at(spelling, canary.port)}/" for spelling in SPELLINGS]
            answers = await _fetch_all(urls, canary.port)
        assert [answer for answer in answers if not answer.refused or not answer.error.startswith("refused")] == []
        assert canary.visits == 0

    asyncio.run(check())


def test_no_spelling_reaches_the_canary_by_a_redirect() -> None:
    """A redirect's target goes the way of every URL: canonical against its base, then `get`."""

    async def check() -> None:
        async with listening() as canary:
            base = "http://example.com/some/page"
            targets = [
                canonical(f"{start}//{_at(spelling, canary.port)}/x", base)
                for spelling in SPELLINGS
                for start in ("http:", "", "HTTP:", "http:\\\\", " http:")
            ]
            answers = await _fetch_all(targets, canary.port)
        assert [answer for answer in answers if not answer.refused] == []
        assert canary.visits == 0

    asyncio.run(check())


def _at(spelling: str, port: int) -> str:
    return spelling.replace("PORT", str(port)) if "PORT" in spelling else f"{spelling}:{port}"


# What the spellings mean, and both ends of every block.
ADDRESSES = sorted(
    {address for spelling in SPELLINGS if (address := literal(canonical(f"http://{spelling}/")[7:-1]))}
    | {str(end) for block, _ in BLOCKS for end in (block[0], block[-1])}
)


def test_no_dns_answer_reaches_the_canary() -> None:
    assert len(ADDRESSES) > 90

    async def check() -> None:
        async with listening() as canary:
            for address in ADDRESSES:

                async def resolve(host: str, port: int, address: str = address) -> Place:
                    return Place((address,), canary.port)

                async with transport(resolve=resolve) as web:
                    answer = await web.get("http://harmless.example/")
                    assert answer.refused, (address, answer)
                    assert answer.error.endswith(f"({special(address)})")
                    assert (
                        await web.refusal("http://harmless.example/")
                        == f"refused address {address} ({special(address)})"
                    )
        assert canary.visits == 0

    asyncio.run(check())


def test_a_name_that_changes_its_address_after_the_check_does_not_slip_through() -> None:
    """What was looked up is not asked again for the check: the check is on the socket."""
    told: set[str] = set()

    async def resolve(host: str, port: int) -> Place:
        if host in told:
            return Place((ADDRESSES[int(host.split(".")[0])],), port)
        told.add(host)
        return Place(("93.184.216.34",), port)

    async def check() -> None:
        async with (
            listening() as canary,
            transport(resolve=resolve, ports=frozenset({canary.port}), dns_seconds=0) as web,
        ):
            for number, address in enumerate(ADDRESSES):
                url = f"http://{number}.rebinding.example:{canary.port}/"
                assert await web.refusal(url) == ""  # now it is harmless
                answer = await web.get(url)  # and now it is not
                assert answer.refused
                assert answer.error.endswith(f"({special(address)})")
        assert canary.visits == 0

    asyncio.run(check())


def test_among_several_addresses_the_forbidden_ones_are_left_out() -> None:
    async def resolve(host: str, port: int) -> Place:
        return Place(("10.0.0.1", "127.0.0.1"), canary.port)

    canary = Canary()

    async def check() -> None:
        nonlocal canary
        async with listening() as canary, transport(resolve=resolve, allow_loopback=True) as web:
            answer = await web.get("http://two.example/")
            assert (answer.status, answer.body, answer.error, answer.refused) == (200, b"hi", "", False)
        assert canary.visits == 1

    asyncio.run(check())


def test_loopback_by_setting_is_loopback_and_nothing_else() -> None:
    async def check() -> None:
        async with listening() as canary, transport(ports=frozenset({canary.port}), allow_loopback=True) as web:
            answer = await web.get(f"http://127.0.0.1:{canary.port}/")
            assert (answer.status, answer.body) == (200, b"hi")
            for spelling in (
                "0.0.0.0",
                "[::]",
                "[::ffff:127.0.0.1]",
                "[64:ff9b::127.0.0.1]",
                "10.0.0.1",
                "[::127.0.0.1]",
            ):
                assert (await web.get(f"http://{spelling}:{canary.port}/")).refused, spelling
        assert canary.visits == 1

    asyncio.run(check())


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://example.com/", "refused: no http or https URL"),
        ("file:///etc/passwd", "refused: no http or https URL"),
        ("gopher://example.com:70/_x", "refused: no http or https URL"),
        ("javascript:alert(1)", "refused: no http or https URL"),
        ("data:text/html,x", "refused: no http or https URL"),
        ("unix:/run/docker.sock", "refused: no http or https URL"),
        ("http+unix://%2Frun%2Fdocker.sock/info", "refused: no http or https URL"),
        ("//example.com/", "refused: no http or https URL"),
        ("", "refused: no http or https URL"),
        ("http://example.com:22/", "refused port 22"),
        ("http://example.com:25/", "refused port 25"),
        ("https://example.com:6379/", "refused port 6379"),
        ("http://[2606:2800:220:1::1]:11211/", "refused port 11211"),
        ("http://example.com:0/", "refused port 0"),
    ],
)
def test_schemes_and_ports(url: str, why: str) -> None:
    async def check() -> None:
        async with transport(resolve=always_loopback) as web:
            answer = await web.get(url)
            assert (answer.error, answer.refused, answer.wire) == (why, True, None)
            assert await web.refusal(url) == why

    asyncio.run(check())


def test_the_list_of_schemes_is_obeyed() -> None:
    guard = Guard({"https", "gopher"}, {80, 443, 70})
    assert guard.url("https://example.com/") == ""
    assert guard.url("http://example.com/") == "refused scheme http"
    assert guard.url("gopher://example.com/") == "refused scheme gopher"  # whoever lists it: we do not speak it


_PUBLIC = """
1.1.1.1 8.8.8.8 93.184.216.34 9.255.255.255 11.0.0.0 126.255.255.255 128.0.0.0 172.15.255.255 172.32.0.0 192.167.255.255
192.169.0.0 169.253.255.255 100.63.255.255 100.128.0.0 198.17.255.255 198.20.0.0 223.255.255.255 2606:4700::1111
2a00:1450::1 2001:4860:4860::8888 2001:200::1 64:ff9b::808:808 ::ffff:8.8.8.8
"""


@pytest.mark.parametrize("address", _PUBLIC.split())
def test_the_public_web_is_public(address: str) -> None:
    assert special(address) == ""
    assert Guard({"http"}, {80}).address(address) == ""


@given(some.ip_addresses(v=4))
def test_the_table_is_no_looser_than_the_standard_library(address: object) -> None:
    parsed = ip_address(str(address))
    if not parsed.is_global or parsed.is_multicast or parsed.is_reserved:
        assert special(str(address))
    assert special(f"::ffff:{address}") == special(f"64:ff9b::{address}") == special(str(address))


@given(some.ip_addresses(v=6))
def test_nor_for_addresses_of_six(address: object) -> None:
    parsed = ip_address(str(address))
    embedded = parsed in _NAT64 or getattr(parsed, "ipv4_mapped", None)
    if not embedded and (not parsed.is_global or parsed.is_multicast or parsed.is_reserved):
        assert special(str(address))


class _Nat64:
    def __contains__(self, address: object) -> bool:
        return str(address).startswith("64:ff9b::")


_NAT64 = _Nat64()


def test_what_is_no_address_is_not_let_through() -> None:
    assert special("") == special("example.com") == special("127.1") == "no address"
    assert special("fe80::1%eth0") == "link local"
    assert not loopback("example.com")
    assert loopback("127.9.9.9")
    assert loopback("::1")
    assert not loopback("::ffff:127.0.0.1")


def test_the_port_of_a_url() -> None:
    assert port("http://example.com/a:99") == 80
    assert port("https://example.com/") == 443
    assert port("http://[::1]/") == 80
    assert port("http://[::1]:8080/x") == 8080
    assert port("http://example.com:81/") == 81
