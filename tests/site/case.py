"""A fault: what the server says and does, step by step, and what must come of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


class Do(Enum):
    """Things that a server can do to a connection."""

    RESET = "reset it"
    HALF_CLOSE = "close one direction, and wait"
    HANG = "say nothing more"
    KEEP = "wait for the next request"


@dataclass(frozen=True, slots=True)
class Endless:
    """The same bytes again and again, until the other side has enough."""

    piece: bytes
    pause: float = 0.0


Step: TypeAlias = bytes | float | Do | Endless  # a number is a pause in seconds
Script: TypeAlias = Sequence[Step]  # at its end the connection is closed


@dataclass(frozen=True, slots=True)
class Case:
    """A page of the site. `error` is how the error begins, "" for none; `status` 0 means that there was no answer."""

    name: str
    script: Script
    status: int | tuple[int, ...] = 200
    error: str | tuple[str, ...] = ""
    body: bytes | None = None  # exactly this, with its encoding undone
    location: str | None = None  # where it leads, in canonical form; "" for nowhere
    door: str = "http"  # the listener behind which it is

    @property
    def url(self) -> str:
        scheme = "http" if self.door in ("http", "closed") else "https"
        return f"{scheme}://{self.name}.{self.door}.test/{self.name}"

    @property
    def statuses(self) -> tuple[int, ...]:
        return (self.status,) if isinstance(self.status, int) else self.status

    @property
    def errors(self) -> tuple[str, ...]:
        return (self.error,) if isinstance(self.error, str) else self.error


HELLO = b"<html><title>hello</title><p>hello there</p></html>"
TYPE = b"Content-Type: text/html\r\n"


def head(*lines: bytes | str, first: str = "HTTP/1.1 200 OK") -> bytes:
    """A head with these lines."""
    rows = [first.encode(), *(line.encode() if isinstance(line, str) else line for line in lines)]
    return b"".join(row + b"\r\n" for row in rows) + b"\r\n"


def answer(body: bytes = HELLO, *lines: bytes | str, first: str = "HTTP/1.1 200 OK", kind: str = "text/html") -> bytes:
    """A whole answer in which nothing is wrong but what the caller puts in."""
    return head(f"Content-Type: {kind}", f"Content-Length: {len(body)}", *lines, first=first) + body


def chunked(*chunks: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
