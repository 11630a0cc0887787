"""WARC 1.1 records to append: every one is a gzip member of its own, so that a page is read by its offset alone.

The block of a response is what came over the wire, byte for byte. There is no such thing for HTTP/2, whose heads are
binary; they are written as the HTTP/1.1 heads that mean the same, and WARC-Protocol says so.
"""

from __future__ import annotations

import re
import time
from base64 import b32encode
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha1
from typing import NamedTuple

from isal import igzip_lib

from ..nouns import Wire

# The body is stored decoded, so these would be untrue; the prefix is the custom of other crawlers.
DECODED = {"content-encoding", "transfer-encoding", "content-length"}
PROFILE = "http://netpreserve.org/warc/1.1/revisit/"
REQUEST, RESPONSE = "application/http; msgtype=request", "application/http; msgtype=response"
LEVEL = 2  # of compression: the highest, 3, saves two hundredths of the bytes and takes twice the time
_BINARY = re.compile(rb"HTTP/([23])(?:\.0)?[ \t]+(\d{3})[^\r\n]*")
_ASKED = re.compile(rb"(\S+ \S+ )HTTP/[23](?:\.0)?(?=\r?\n)")


class Earlier(NamedTuple):
    """The response record whose payload a later answer has."""

    url: str
    date: str
    digest: str


def warcinfo_record(name: str, fields: Mapping[str, str], date: str) -> bytes:
    """The record a file starts with: who wrote it, and how."""
    block = _lines({"format": "WARC File Format 1.1", **fields}).encode()
    named = _told({"WARC-Filename": name, "Content-Type": "application/warc-fields"})
    return _record("warcinfo", record_id("warcinfo", name, date, ""), date, named, block)


def response_record(url: str, status: int, headers: Mapping[str, str], body: bytes, date: str) -> bytes:
    """What came back, `body` decoded; the headers that speak of its encoding are kept under X-Crawler names."""
    renamed = {f"X-Crawler-{name}" if name.lower() in DECODED else name: value for name, value in headers.items()}
    lines = _lines({**renamed, "Content-Length": str(len(body))})
    head = f"HTTP/1.1 {status} {_phrase(status)}\r\n{lines}\r\n".encode("utf-8", "replace")
    digest = digest_of(body)
    named = _told({"WARC-Target-URI": url, "WARC-Payload-Digest": digest, "Content-Type": RESPONSE})
    return _record("response", record_id("response", url, date, digest), date, named, head, body)


def copied_record(kind: str, url: str, date: str, content_type: str, block: bytes, truncated: str = "") -> bytes:
    """A record of another archive: its block stays as it is."""
    named = _told({"WARC-Target-URI": url, "WARC-Truncated": truncated, "Content-Type": content_type})
    return _record(kind, record_id(kind, url, date, content_type), date, named, block)


def exchange(url: str, wire: Wire, digest: str, earlier: Earlier | None = None, truncated: str = "") -> list[bytes]:
    """The records of one fetch: the response, or a revisit where an earlier one has its payload; then the request.

    `truncated` says why the payload is not whole: length, time or disconnect.
    """
    date, kind = date_of(wire.time), "revisit" if earlier else "response"
    name = record_id(kind, url, date, digest)
    head, protocol = _head(wire.head)
    both = f"WARC-Target-URI: {_clean(url)}\r\n{_server(wire.address, protocol)}"
    cut = f"WARC-Truncated: {truncated}\r\n" if truncated else ""
    answer = f"{both}{cut}Content-Type: {RESPONSE}\r\n{_payload(earlier, wire.head, digest)}"
    records = [_record(kind, name, date, answer, head, b"" if earlier else wire.payload)]
    if wire.request:
        question = f"{both}WARC-Concurrent-To: {name}\r\nContent-Type: {REQUEST}\r\n"
        asked = record_id("request", url, date, name)
        records.append(_record("request", asked, date, question, _asked(wire.request) if protocol else wire.request))
    return records


def record_id(kind: str, url: str, date: str, digest: str) -> str:
    """The name of a record, the same for the same content."""
    mixed = sha1(f"{kind} {url} {date} {digest}".encode(errors="replace"), usedforsecurity=False).digest()
    return as_uuid(mixed)


def as_uuid(digest: bytes) -> str:
    """The first bytes of a digest as a UUID."""
    name = digest.hex()
    variant = "89ab"[int(name[16], 16) & 3]  # of the RFC; the version is 5, a name by SHA-1
    return f"<urn:uuid:{name[:8]}-{name[8:12]}-5{name[13:16]}-{variant}{name[17:20]}-{name[20:32]}>"


def digest_of(payload: bytes) -> str:
    """SHA-1 in base 32, as archives write it."""
    digest = sha1(payload, usedforsecurity=False).digest()
    return f"sha1:{in_letters(digest)}"


def in_letters(digest: bytes) -> str:
    """Bytes in base 32."""
    return b32encode(digest).decode()


def date_of(seconds: float) -> str:
    """A time as a record's date."""
    whole = int(seconds)
    return f"{_second(whole)}.{int((seconds - whole) * 1e6):06}Z"


@lru_cache(maxsize=64)  # many pages come in one second
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def _head(head: bytes) -> tuple[bytes, str]:
    """The head as HTTP/1.1, and the protocol that it came by where that was another."""
    found = None if head.startswith(b"HTTP/1") else _BINARY.match(head)
    if not found:
        return head, ""
    line = b"HTTP/1.1 %b %b" % (found[2], _phrase(int(found[2])).encode())
    return line + head[found.end() :], f"h{found[1].decode()}"


def _asked(request: bytes) -> bytes:
    """The request as HTTP/1.1."""
    found = _ASKED.match(request)
    return found[1] + b"HTTP/1.1" + request[found.end() :] if found else request


@lru_cache(maxsize=1024)  # many pages come from one server
def _server(address: str, protocol: str) -> str:
    return _told({"WARC-IP-Address": address, "WARC-Protocol": protocol})


def _payload(earlier: Earlier | None, head: bytes, digest: str) -> str:
    """What a record says of its payload, or of the earlier record that has it."""
    if not earlier:
        return f"WARC-Payload-Digest: {digest}\r\n"
    unchanged = re.match(rb"HTTP/\S+\s+304\b", head) is not None
    return _told({
        "WARC-Payload-Digest": earlier.digest,
        "WARC-Profile": PROFILE + ("server-not-modified" if unchanged else "identical-payload-digest"),
        "WARC-Refers-To": record_id("response", earlier.url, earlier.date, earlier.digest),
        "WARC-Refers-To-Target-URI": earlier.url,
        "WARC-Refers-To-Date": earlier.date,
    })  # fmt: skip


def _record(kind: str, name: str, date: str, named: str, *block: bytes) -> bytes:
    first = f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {name}\r\nWARC-Date: {date}\r\n"
    head = f"{first}{named}Content-Length: {sum(map(len, block))}\r\n\r\n".encode("utf-8", "replace")
    return igzip_lib.compress(b"".join([head, *block, b"\r\n\r\n"]), LEVEL, igzip_lib.COMP_GZIP)


def _told(headers: Mapping[str, str]) -> str:
    """A line for each that has a value; the names are ours."""
    return "".join([f"{name}: {_clean(value)}\r\n" for name, value in headers.items() if value])


def _lines(headers: Mapping[str, str]) -> str:
    return "".join([f"{_clean(name)}: {_clean(value)}\r\n" for name, value in headers.items()])


def _clean(text: str) -> str:
    # A line break in a value would forge the next header.
    return text if text.isprintable() and text[:1] != " " != text[-1:] else " ".join(text.splitlines()).strip()


def _phrase(status: int) -> str:
    from http import HTTPStatus  # seldom needed: over HTTP/1, servers say it themselves

    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
