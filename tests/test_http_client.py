"""The transport against servers that do not keep the rules: always an answer, in time, with the bytes that came."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from threading import Thread
from typing import Any

import h2.config
import h2.connection
import h2.events
import pytest
import trustme

from opilio.config import Config
from opilio.config_file import load
from opilio.errors import ConfigError
from opilio.fetchers.http.access import Access
from opilio.fetchers.http.client import Answer, Transport
from opilio.fetchers.http.dns import Names, Place, Resolve, system
from opilio.fetchers.http.limits import Gates
from opilio.fetchers.http.settings import PORTS, TransportSettings

Play = Callable[[bytes, asyncio.StreamWriter], Awaitable[bool]]  # request head; whether the connection stays open


class Server:
    """Reads requests and lets `play` write what it likes."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.heads: list[bytes] = []
        self.connections = self.now = self.most = 0
        self.port = 0
        self.visits = set[asyncio.Task[Any]]()

    async def visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        if visit := asyncio.current_task():
            self.visits.add(visit)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                self.heads.append(head)
                self.now += 1
                self.most = max(self.most, self.now)
                stays = await self.play(head, writer)
                self.now -= 1
                if not stays:
                    break
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def leave(self) -> None:
        """End what plays go on with."""
        for visit in self.visits:
            visit.cancel()


@asynccontextmanager
async def serving(play: Play, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    server = Server(play)
    listener = await asyncio.start_server(server.visit, "127.0.0.1", 0, ssl=tls)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        server.leave()
        await listener.wait_closed()


@asynccontextmanager
async def reaching(server: Server, **settings: Any) -> AsyncIterator[Transport]:
    async def resolve(host: str, port: int) -> Place:
        return Place(("127.0.0.1",), server.port)

    limits = {"connect_seconds": 60, "first_byte_seconds": 60, "total_seconds": 60, "allow_loopback": True}
    transport = Transport(TransportSettings(**limits | {"resolve": resolve} | settings))
    try:
        yield transport
    finally:
        await transport.close()


def fetched(said: bytes, *, stays: bool = False, **settings: Any) -> Answer:
    """The answer of a server that says just this."""

    async def play(head: bytes, writer: asyncio.StreamWriter) -> bool:
        writer.write(said)
        await writer.drain()
        return stays

    async def fetch() -> Answer:
        async with serving(play) as server, reaching(server, **settings) as transport:
            return await transport.get("http://site.example/")

    return asyncio.run(fetch())


def ok(body: bytes, *fields: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.1 200 OK", b"Content-Length: %d" % len(body), *fields, b"", body])


PAGE = b"<p>hello</p>" * 100
CHUNKS = b"5;note=x\r\nhello\r\nA\r\n, all of y\r\n0\r\nTrailer: t\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("said", "status", "body", "error"),
    [
        (ok(PAGE), 200, PAGE, ""),
        (b"HTTP/1.1 200 OK\r\n\r\n" + PAGE, 200, PAGE, ""),  # to the end of the connection
        (b"HTTP/1.0 200 OK\r\n\r\n" + PAGE, 200, PAGE, ""),
        (b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", 200, b"hi", ""),
        (b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", 200, b"hi", ""),
        (b"HTTP/1.1 404 Gone Fishing\r\nContent-Length: 2\r\n\r\nno", 404, b"no", ""),
        (b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n", 304, b"", ""),
        (b"HTTP/1.1 204 No Content\r\n\r\n", 204, b"", ""),
        (b"HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", 999, b"", ""),
        (b"HTTP/1.1 302 Found\r\nLocation: http://other.example/\r\nContent-Length: 0\r\n\r\n", 302, b"", ""),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok(b"hi"), 200, b"hi", ""),
        (CHUNKED + CHUNKS, 200, b"hello, all of y", ""),
        (CHUNKED + b"5\r\nhello\r\nzz\r\n", 200, b"hello", "bad chunk"),
        (CHUNKED + b"5\r\nhello\r\n", 200, b"hello", "cut off"),
        (CHUNKED + b"ffffffffffffffffff\r\nhello\r\n", 200, None, "bad chunk"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello", 200, b"hello", "cut off"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello", 200, b"he", ""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", 0, b"", "bad headers"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nhello", 0, b"", "too large"),
        (b"HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 2\r\n\r\nhi", 0, b"", "bad headers"),
        (b"HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 2\r\n\r\nhi", 0, b"", "bad headers"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", 0, b"", "cut off: headers"),
        (b"HTTP/1.1 200 OK\r\nX: y\r\n" * 2, 0, b"", "bad headers"),
        (b"", 0, b"", "empty answer"),
        (b"http/1.1 200 ok\r\nContent-Length: 2\r\n\r\nhi", 0, b"", "not http"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", 0, b"", "not http"),
        (b"\0\1\2\3" * 50, 0, b"", "not http"),
        (ok(PAGE, b"X: " + b"y" * 200_000), 0, b"", "headers too large"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: yyyyyyyyyyyyyyyy\r\n" * 100_000, 0, b"", "headers too large"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 100_000, 0, b"", "headers too large"),
        (ok(PAGE, *[b"X: " + b"y" * 1000] * 100), 0, b"", "headers too large"),
        (ok(gzip.compress(PAGE), b"Content-Encoding: gzip"), 200, PAGE, ""),
        (ok(zlib.compress(PAGE), b"Content-Encoding: deflate"), 200, PAGE, ""),
        (ok(gzip.compress(gzip.compress(PAGE)), b"Content-Encoding: gzip, gzip"), 200, PAGE, ""),
        (ok(PAGE, b"Content-Encoding: gzip"), 200, PAGE, ""),  # not what it says
        (ok(PAGE, b"Content-Encoding: " + b"gzip," * 5000), 200, PAGE, ""),
    ],
)
def test_what_servers_say(said: bytes, status: int, body: bytes | None, error: str) -> None:
    answer = fetched(said)
    assert (answer.status, answer.error) == (status, error)
    assert body is None or answer.body == body
    assert not answer.refused
    assert (answer.wire is None) == (status == 0)


def test_the_bytes_are_kept_as_they_came() -> None:
    head = b"HTTP/1.1 200 Fine\r\nX-Odd:   twice \r\nx-odd: told\r\nTransfer-Encoding: chunked\r\n\r\n"

    async def play(request: bytes, writer: asyncio.StreamWriter) -> bool:
        writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\n" + head + CHUNKS)
        return True

    async def check() -> None:
        async with serving(play) as server, reaching(server, user_agent="opilio/1 (+http://x.example)") as transport:
            before = time.time()
            for url in ("http://site.example", "http://site.example/a/%20b?q=1&r", "http://site.example:8080/?x"):
                answer = await transport.get(url, {"If-None-Match": '"a\r\nb: c"', "Referer": "http://x.example/é"})
                assert answer.url == url
                assert answer.wire
                assert answer.wire.request == server.heads[-1]  # it is put together here, so it has to be compared
                assert answer.wire.head == head
                assert answer.wire.payload == CHUNKS
                assert answer.wire.address == "127.0.0.1"
                assert before <= answer.wire.time <= time.time()
                assert answer.headers["x-odd"] == "twice, told"
                assert 0 < answer.seconds < 60
            assert server.heads[1].startswith(
                b"GET /a/%20b?q=1&r HTTP/1.1\r\nHost: site.example\r\nUser-Agent: opilio/1 (+"
            )
            assert b'If-None-Match: "a b: c"\r\n' in server.heads[1]
            assert server.connections == 2  # one for each port, kept open

    asyncio.run(check())


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_bombs_are_stopped(coding: str) -> None:
    packer = zlib.compressobj(1, wbits=31 if coding == "gzip" else 15)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(32)) + packer.flush()
    answer = fetched(ok(bomb, b"Content-Encoding: " + coding.encode()), max_body_bytes=1 << 20)
    assert (answer.status, answer.error, len(answer.body)) == (200, "too large", 1 << 20)
    assert answer.wire
    assert answer.wire.payload == bomb


def test_bodies_have_a_limit_on_the_wire() -> None:
    told = fetched(ok(bytes(5000)), max_wire_bytes=4000)
    assert (told.error, told.body) == ("too large", b"")
    untold = fetched(CHUNKED + b"1388\r\n" + bytes(5000) + b"\r\n", max_wire_bytes=4000)
    assert untold.error == "too large"
    assert untold.wire
    assert len(untold.wire.payload) == 4000
    assert fetched(ok(bytes(4000)), max_wire_bytes=4000).error == ""


async def _silence(head: bytes, writer: asyncio.StreamWriter) -> bool:
    await asyncio.sleep(3600)
    return False


async def _drip(head: bytes, writer: asyncio.StreamWriter) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nxxx")
    while True:
        writer.write(b"x")
        await asyncio.sleep(0.02)


async def _drip_head(head: bytes, writer: asyncio.StreamWriter) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X: y\r\n")
        await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("play", "limits", "error", "begins"),
    [
        (_silence, {"first_byte_seconds": 0.5, "total_seconds": 300}, "timeout: first byte", b""),
        (_drip, {"first_byte_seconds": 300, "total_seconds": 1}, "timeout: total", b"xxx"),
        (_drip_head, {"first_byte_seconds": 300, "total_seconds": 1}, "timeout: total", b""),
    ],
)
def test_nothing_takes_longer_than_it_may(play: Play, limits: dict[str, float], error: str, begins: bytes) -> None:
    async def check() -> None:
        async with serving(play) as server, reaching(server, **limits) as transport:
            begun = time.monotonic()
            answer = await transport.get("http://slow.example/")
            assert (answer.error, answer.body[:3]) == (error, begins)
            assert time.monotonic() - begun < 60  # the server goes on for an hour
            again = await transport.get("http://slow.example/")  # and the host is not blocked by it
            assert again.error == error

    asyncio.run(check())


MANY = 50  # requests


def test_each_answer_has_its_own_time_to_begin() -> None:
    async def timed(transport: Transport, number: int) -> tuple[str, float]:
        begun = time.monotonic()
        return (await transport.get(f"http://slow{number}.example/")).error, time.monotonic() - begun

    async def until_the_first_ends(transport: Transport) -> list[tuple[str, float]]:
        """Begin one request after the other, far more often than one may last."""
        asked = [asyncio.ensure_future(timed(transport, 0))]
        while not asked[0].done() and len(asked) < MANY:
            await asyncio.sleep(0.2)
            asked.append(asyncio.ensure_future(timed(transport, len(asked))))
        assert len(asked) < MANY  # it did not have to wait for the last one's
        return await asyncio.gather(*asked)

    async def check() -> None:
        async with serving(_silence) as server, reaching(server, first_byte_seconds=1) as transport:
            found = await until_the_first_ends(transport)
            assert {error for error, _ in found} == {"timeout: first byte"}
            assert min(seconds for _, seconds in found) >= 1
            server.play = _slow_hello  # long after the last one there is a timer for the next
            assert (await transport.get("http://slow0.example/")).body == b"hello"
            server.play = _silence
            assert (await transport.get("http://slow0.example/")).error == "timeout: first byte"

    asyncio.run(check())


def test_a_connection_that_is_not_taken() -> None:
    async def nobody(host: str, port: int) -> Place:
        return Place(("127.0.0.1",), 9)

    async def check() -> None:
        async with serving(_silence) as server, reaching(server, resolve=nobody) as transport:
            assert (await transport.get("http://closed.example/")).error == "connect: refused"
        # Nobody speaks TLS here: the server waits for a request that does not come.
        async with serving(_silence) as server, reaching(server, connect_seconds=0.2) as transport:
            assert (await transport.get("https://mute.example/")).error == "timeout: connect"

    asyncio.run(check())


async def _reset(head: bytes, writer: asyncio.StreamWriter) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello")
    await writer.drain()
    await asyncio.sleep(0.05)
    writer.transport.abort()  # unread bytes make it a reset
    return False


def test_a_reset_in_the_middle() -> None:
    async def check() -> None:
        async with serving(_reset) as server, reaching(server) as transport:
            answer = await transport.get("http://rude.example/")
            assert answer.error in ("reset", "cut off")
            assert (answer.status, answer.body) == (200, b"hello")

    asyncio.run(check())


async def _slow_hello(head: bytes, writer: asyncio.StreamWriter) -> bool:
    await asyncio.sleep(0.05)
    writer.write(ok(b"hello"))
    return True


def test_one_connection_a_host_and_so_many_in_all() -> None:
    async def check() -> None:
        async with serving(_slow_hello) as server, reaching(server) as transport:
            answers = await asyncio.gather(*(transport.get(f"http://one.example/{n}") for n in range(4)))
            assert [answer.body for answer in answers] == [b"hello"] * 4
            assert (server.most, server.connections) == (1, 1)
        async with serving(_slow_hello) as server, reaching(server, connections=3) as transport:
            await asyncio.gather(*(transport.get(f"http://host{n}.example/") for n in range(9)))
            assert (server.most, server.connections) == (3, 9)
        async with serving(_slow_hello) as server, reaching(server, host_connections=2) as transport:
            await asyncio.gather(*(transport.get(f"http://one.example/{n}") for n in range(6)))
            assert server.most == 2

    asyncio.run(check())


def test_gates_let_in_who_came_first_and_nobody_waits_for_a_slow_host() -> None:
    async def check() -> None:
        gates, inside = Gates(total=2, each=1), list[str]()

        async def visit(name: str) -> None:
            await gates.enter(name[0])
            inside.append(name)

        visits = {name: asyncio.create_task(visit(name)) for name in ("a1", "a2", "a3", "b1", "c1")}
        await asyncio.sleep(0)
        assert inside == ["a1", "b1"]
        gates.leave("b")
        await visits["c1"]
        gates.leave("a")
        visits["a2"].cancel()  # it was let in, and does not know yet
        await visits["a3"]
        assert inside == ["a1", "b1", "c1", "a3"]
        waiting = asyncio.create_task(visit("c2"))
        await asyncio.sleep(0)
        waiting.cancel()
        gates.leave("c")  # its turn would be now
        await visit("c3")
        gates.leave("c")
        gates.leave("a")
        await visit("d1")
        await visit("e1")
        assert inside[-3:] == ["c3", "d1", "e1"]

    asyncio.run(check())


def test_connections_stay_open_to_hosts_that_rest() -> None:
    async def check() -> None:
        async with serving(_slow_hello) as server, reaching(server, connections=2) as transport:
            for _ in range(3):
                await asyncio.gather(*(transport.get(f"http://host{n}.example/") for n in range(8)))
            assert (server.most, server.connections) == (2, 8)

    asyncio.run(check())


def test_a_connection_that_was_closed_meanwhile_is_made_again() -> None:
    async def close_after(head: bytes, writer: asyncio.StreamWriter) -> bool:
        writer.write(ok(b"hello"))  # says nothing of closing
        return False

    async def check() -> None:
        async with serving(close_after) as server, reaching(server) as transport:
            for _ in range(5):
                assert (await transport.get("http://hasty.example/")).body == b"hello"
            assert server.connections == 5

    asyncio.run(check())


def test_a_handle_that_is_used_again_says_and_goes_what_is_new() -> None:
    async def hello(head: bytes, writer: asyncio.StreamWriter) -> bool:
        writer.write(ok(b"hello"))
        return True

    async def check() -> None:
        async with serving(hello) as one, serving(hello) as two:

            async def resolve(host: str, port: int) -> Place:
                return Place(("127.0.0.1",), one.port if host == "one.example" else two.port)

            ports = frozenset({80, one.port, two.port})
            async with reaching(one, resolve=resolve, ports=ports) as transport:
                for number, (server, url, headers) in enumerate(
                    [
                        (one, "http://one.example/", {}),
                        (two, "http://two.example/", {"Referer": "http://x.example/"}),
                        (two, "http://two.example/", {}),
                        (one, f"http://127.0.0.1:{one.port}/", {"Referer": "http://y.example/"}),
                        (two, f"http://127.0.0.1:{two.port}/", {"Referer": "http://y.example/"}),
                        (one, "http://one.example/", {}),
                    ],
                    1,
                ):
                    answer = await transport.get(url, headers)
                    assert answer.wire
                    assert answer.wire.request == server.heads[-1]
                    assert (b"Referer" in server.heads[-1]) == bool(headers)
                    assert len(one.heads) + len(two.heads) == number

    asyncio.run(check())


def test_a_fetch_in_flight_when_all_is_closed_is_cancelled() -> None:
    async def check() -> None:
        async with serving(_silence) as server, reaching(server) as transport:
            task = asyncio.create_task(transport.get("http://slow.example/"))
            while not server.now:
                await asyncio.sleep(0.01)
            await transport.close()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(check())


def test_a_fetch_that_is_cancelled_lets_go_of_everything() -> None:
    async def check() -> None:
        async with serving(_silence) as server, reaching(server, connections=1) as transport:
            for _ in range(3):
                task = asyncio.create_task(transport.get("http://slow.example/"))
                while not server.now:
                    await asyncio.sleep(0.01)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                server.now = 0
            server.play = _slow_hello
            assert (await transport.get("http://slow.example/")).body == b"hello"

    asyncio.run(check())


# TLS


def _server_tls(certificate: trustme.LeafCert, protocols: list[str] | None = None) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    certificate.configure_cert(context)
    context.set_alpn_protocols(protocols or ["http/1.1"])
    return context


AUTHORITY = trustme.CA()


@pytest.fixture(scope="module")
def ca_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    AUTHORITY.cert_pem.write_to_path(str(path))
    return str(path)


OLD = datetime(2001, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("certificate", "error"),
    [
        (AUTHORITY.issue_cert("safe.example"), ""),
        (AUTHORITY.issue_cert("other.example"), "tls: wrong host"),
        (AUTHORITY.issue_cert("safe.example", not_after=OLD), "tls: certificate expired"),
        (trustme.CA().issue_cert("safe.example"), "tls: unknown issuer"),
    ],
)
def test_certificates_are_checked(certificate: trustme.LeafCert, error: str, ca_file: str) -> None:
    async def check() -> None:
        async with (
            serving(_slow_hello, _server_tls(certificate)) as server,
            reaching(server, access=Access(certificates=ca_file)) as transport,
        ):
            answer = await transport.get("https://safe.example/")
            assert (answer.error, answer.body) == (error, b"" if error else b"hello")
            assert len(server.heads) == (0 if error else 1)

    asyncio.run(check())


def test_the_usual_authorities_know_nothing_of_ours() -> None:
    async def check() -> None:
        certificate = _server_tls(AUTHORITY.issue_cert("safe.example"))
        async with serving(_slow_hello, certificate) as server, reaching(server) as transport:
            assert (await transport.get("https://safe.example/")).error == "tls: unknown issuer"

    asyncio.run(check())


def _flood(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    connection.settimeout(1)  # the kernel may take minutes to believe that nobody reads
    with connection, suppress(OSError):
        while True:
            connection.sendall((b"\x16\x03\x03\x40\x00" + bytes(16384)) * 64)


def test_a_handshake_without_end_does_not_hold_up_the_others() -> None:
    async def check(server: Server) -> None:
        async with reaching(server, connect_seconds=0.3) as transport:
            begun = time.monotonic()
            answer = await transport.get("https://endless.example/")
            assert answer.error.startswith(("tls", "reset", "timeout: connect"))
            assert time.monotonic() - begun < 60  # it has no end

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=_flood, args=(listener,))  # not in our loop, which may stand still
        thread.start()
        server = Server(_silence)
        server.port = listener.getsockname()[1]
        asyncio.run(check(server))
        thread.join()


def test_no_tls_where_tls_should_be() -> None:
    async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async def check() -> None:
        listener = await asyncio.start_server(shout, "127.0.0.1", 0)
        server = Server(_silence)
        server.port = listener.sockets[0].getsockname()[1]
        async with reaching(server) as transport:
            assert (await transport.get("https://plain.example/")).error == "tls: handshake failed"
        listener.close()
        await listener.wait_closed()

    asyncio.run(check())


async def _speak_http2(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    connection.initiate_connection()
    writer.write(connection.data_to_send())
    while data := await reader.read(65536):
        for event in connection.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                assert event.stream_id is not None
                connection.send_headers(event.stream_id, [(":status", "200"), ("content-encoding", "gzip")])
                connection.send_data(event.stream_id, gzip.compress(PAGE), end_stream=True)
        writer.write(connection.data_to_send())
    writer.close()


def test_http2_where_it_is_offered(ca_file: str) -> None:
    async def check() -> None:
        tls = _server_tls(AUTHORITY.issue_cert("two.example"), ["h2", "http/1.1"])
        listener = await asyncio.start_server(_speak_http2, "127.0.0.1", 0, ssl=tls)
        server = Server(_silence)
        server.port = listener.sockets[0].getsockname()[1]
        async with reaching(server, access=Access(certificates=ca_file)) as transport:
            for _ in range(3):
                answer = await transport.get("https://two.example/x")
                assert (answer.status, answer.body, answer.error) == (200, PAGE, "")
                assert answer.wire
                assert answer.wire.head.startswith(b"HTTP/2 200")
                assert answer.wire.request.startswith(b"GET /x HTTP/2\r\nHost: two.example\r\n")
        listener.close()
        await listener.wait_closed()

    asyncio.run(check())


# Proxies, cookies, names


def test_a_proxy_is_trusted_but_addresses_in_urls_are_not() -> None:
    async def check() -> None:
        async with serving(_slow_hello) as server:
            proxy = f"http://127.0.0.1:{server.port}"
            async with reaching(server, access=Access(proxy=proxy), allow_loopback=False, resolve=None) as transport:
                answer = await transport.get("http://far.example/x?y")
                assert answer.body == b"hello"
                assert answer.wire
                assert answer.wire.request == server.heads[0]
                assert server.heads[0].startswith(b"GET http://far.example/x?y HTTP/1.1\r\nHost: far.example\r\n")
                assert (await transport.get("http://127.0.0.1/")).refused
                assert len(server.heads) == 1

    asyncio.run(check())


def test_the_environment_names_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert fetched(ok(b"direct")).body == b"direct"


async def _set_cookie(head: bytes, writer: asyncio.StreamWriter) -> bool:
    writer.write(
        ok(
            b"",
            b"Set-Cookie: id=7; Path=/; Expires=Wed, 01 Jan 2098 00:00:00 GMT",
            b"Set-Cookie: a=b; Domain=site.example",
        )
    )
    return True


@pytest.mark.parametrize("cookies", [True, False])
def test_cookies_go_back_when_wanted(cookies: bool) -> None:
    async def check() -> None:
        async with serving(_set_cookie) as server, reaching(server, access=Access(keep_cookies=cookies)) as transport:
            for url in (
                "http://www.site.example/",
                "http://www.site.example/",
                "http://site.example/",
                "http://other.example/",
            ):
                answer = await transport.get(url)
                assert answer.wire
                assert answer.wire.request == server.heads[-1]
        sent = [line for head in server.heads for line in head.split(b"\r\n") if line.startswith(b"Cookie")]
        assert sent == ([b"Cookie: id=7; a=b", b"Cookie: a=b"] if cookies else [])

    asyncio.run(check())


def test_names_are_remembered_for_a_while() -> None:
    asked: list[str] = []

    async def resolve(host: str, port: int) -> Place:
        asked.append(host)
        if host == "gone.example":
            raise OSError("no such host")
        return Place(("192.0.2.1",) if host != "empty.example" else (), port)

    async def check() -> None:
        names = Names(resolve, 60)
        assert await names.find("a.example", 80) == await names.find("a.example", 80) == Place(("192.0.2.1",), 80)
        for host in ("gone.example", "gone.example", "empty.example"):
            with pytest.raises(OSError, match=r"no such host|no address"):
                await names.find(host, 80)
        assert asked == ["a.example", "gone.example", "empty.example"]
        forgetful = Names(resolve, 0)
        await forgetful.find("b.example", 80)
        await asyncio.sleep(0.001)
        await forgetful.find("b.example", 80)
        assert asked[3:] == ["b.example", "b.example"]

    asyncio.run(check())


def test_a_host_that_is_not_found() -> None:
    async def slow(host: str, port: int) -> Place:
        await asyncio.sleep(3600)
        raise AssertionError

    async def missing(host: str, port: int) -> Place:
        raise OSError("no such host")

    async def check() -> None:
        for resolve, error in ((slow, "dns: timeout"), (missing, "dns: no such host")):
            async with serving(_silence) as server, reaching(server, connect_seconds=0.1, resolve=resolve) as transport:
                answer = await transport.get("http://nowhere.example/")
                assert (answer.error, answer.refused) == (error, False)
                assert await transport.refusal("http://nowhere.example/") == error

    asyncio.run(check())


def test_the_systems_resolver() -> None:
    assert "127.0.0.1" in asyncio.run(system("localhost", 80)).addresses
    with pytest.raises(OSError, match="not a host name"):
        asyncio.run(system("a" * 70 + ".example", 80))


# Settings


def test_settings_come_from_the_configuration() -> None:
    made = Config.model_validate(
        {
            "fetch_total": 7,
            "fetch_to": "[::1]:8080",
            "contact": "http://x.example/bot",
            "seeds": ["http://x.example:81/"],
        }
    ).transport()
    assert (made.total_seconds, made.ports, made.allow_loopback) == (7.0, PORTS | {81}, False)
    assert made.allow_networks == ("::1",)  # that server, and nothing else of this machine
    assert Config(allow_networks=["loopback"]).transport().allow_loopback
    assert made.user_agent.startswith("opilio/")
    assert made.user_agent.endswith(" (+http://x.example/bot)")
    assert made.resolve
    assert asyncio.run(_place(made.resolve)) == Place(("::1",), 8080, chosen=True)
    assert Config().transport().resolve is None
    usual = TransportSettings()._replace(user_agent=Config().transport().user_agent)
    assert Config().transport() == usual  # the defaults are the same in both places


async def _place(resolve: Resolve) -> Place:
    return await resolve("any.example", 80)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("fetch_to", "localhost"),
        ("fetch_to", "127.0.0.1:port"),
        ("fetch_total", 0),
        ("fetch_per_host", 0),
    ],
)
def test_settings_that_make_no_sense(setting: str, value: object) -> None:
    with pytest.raises(ConfigError, match=setting):
        load(None, {"corpus": "somewhere", "topic": "bees", setting: value})
