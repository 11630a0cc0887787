"""Curl on the event loop: whatever the system waits for sockets with."""

from __future__ import annotations

import asyncio
import errno
import selectors
import socket
from collections.abc import Callable

import pytest

from opilio.fetchers.http.poll import READ, WRITE, Poll, Selected, poll

from .test_http_client import ok, reaching, serving


def _selected() -> Poll:
    return Selected(selectors.DefaultSelector())


async def _pages(head: bytes, writer: asyncio.StreamWriter) -> bool:
    """Every second page is the last one of its connection, and all come in two parts."""
    number = int(head.split()[1][1:])
    said = ok(b"%d " % number * 20_000)
    writer.write(said[:100])
    await asyncio.sleep(0.001)
    writer.write(said[100:])
    await writer.drain()
    return number % 2 == 0


@pytest.mark.parametrize("made", [poll, _selected])
def test_many_at_once(made: Callable[[], Poll], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opilio.fetchers.http.curl_loop.poll", made)

    async def check() -> None:
        async with serving(_pages) as server, reaching(server, connections=8, host_connections=4) as transport:
            calls = [transport.get(f"http://host{number % 3}.example/{number}") for number in range(60)]
            for number, answer in enumerate(await asyncio.gather(*calls)):
                assert (answer.error, answer.body) == ("", b"%d " % number * 20_000)
            assert 4 < server.most <= 8

    asyncio.run(check())


@pytest.mark.parametrize("made", [poll, _selected])
def test_what_a_poll_says(made: Callable[[], Poll]) -> None:
    near, far = socket.socketpair()
    waiting = made()
    with near, far:
        waiting.register(near.fileno(), READ)
        assert waiting.poll(0, 9) == []
        far.send(b"x")
        assert waiting.poll(0, 9) == [(near.fileno(), READ)]
        with pytest.raises(FileExistsError):
            waiting.register(near.fileno(), READ)
        waiting.modify(near.fileno(), READ | WRITE)
        assert waiting.poll(0, 9) == [(near.fileno(), READ | WRITE)]
        waiting.unregister(near.fileno())
        assert waiting.poll(0, 9) == []
        with pytest.raises(FileNotFoundError):
            waiting.unregister(near.fileno())
    waiting.close()


class Full(Selected):
    """Takes no socket any more."""

    def register(self, fd: int, wish: int, /) -> None:
        raise OSError(errno.ENOSPC, "no room")


def test_when_sockets_cannot_be_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then each request fails, and none waits for ever."""
    monkeypatch.setattr("opilio.fetchers.http.curl_loop.poll", lambda: Full(selectors.DefaultSelector()))

    async def check() -> None:
        async with serving(_pages) as server, reaching(server, total_seconds=0.2) as transport:
            for answer in await asyncio.gather(*(transport.get(f"http://host{n}.example/{n}") for n in range(3))):
                assert answer.error.startswith("timeout")
                assert answer.status == 0

    asyncio.run(asyncio.wait_for(check(), 60))


class Broken(Selected):
    def register(self, fd: int, wish: int, /) -> None:
        raise ValueError("a fault of ours")


def test_when_curl_cannot_go_on(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("opilio.fetchers.http.curl_loop.poll", lambda: Broken(selectors.DefaultSelector()))

    async def check() -> None:
        async with serving(_pages) as server, reaching(server) as transport:
            assert (await transport.get("http://host.example/1")).error.startswith("curl 11")

    asyncio.run(asyncio.wait_for(check(), 60))
    assert "a fault of ours" in capfd.readouterr().err
