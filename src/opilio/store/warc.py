"""WARC files: records to append, and reading what others wrote.

Every record is a gzip member of its own, so that a page is read by its offset alone. A block of bytes that does not
follow the format ends in UnreadableError with the file and the offset; what a server got wrong inside a record (chunks
that are none, a body that is not compressed) is passed on as it is.
"""

from __future__ import annotations

import re
from base64 import b32encode
from collections.abc import Iterator, Mapping
from hashlib import sha1
from http.client import responses
from pathlib import Path
from typing import BinaryIO, NamedTuple
from uuid import UUID

from isal import igzip, isal_zlib

from ..errors import UnreadableError
from .bodies import CHUNK, DAMAGED, decoded

HEAD = 1 << 17  # WARC and HTTP headers together end within this many bytes
SLACK = 64  # bytes after a record's block that some writers leave; more than that is another record
BODY = 32 << 20
# The body is stored decoded, so these would be untrue; the prefix is the custom of other crawlers.
DECODED = {"content-encoding", "transfer-encoding", "content-length"}
SINGLE = {"location", "content-type", "content-length"}  # repeated: the first counts


class Entry(NamedTuple):
    """One response or resource record: where it is and what it is."""

    url: str  # as written in the file
    status: int  # 200 for a resource, 0 when the answer is not HTTP
    location: str  # of a redirect, as written
    mime: str
    offset: int
    length: int  # bytes in the file


class Response(NamedTuple):
    """What a record holds, with transfer and content encoding undone."""

    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes


# Writing


def warcinfo_record(name: str, fields: Mapping[str, str], date: str) -> bytes:
    """The record a file starts with: who wrote it, and how."""
    block = _lines({"format": "WARC File Format 1.1"} | dict(fields))
    return _record("warcinfo", {"WARC-Filename": name}, date, "application/warc-fields", block, block)


def request_record(url: str, headers: Mapping[str, str], date: str, method: str = "GET", answer: str = "") -> bytes:
    """What was asked; `answer` is the record_id of the response that came."""
    path = re.sub(r"^[a-z]+://[^/?]*", "", _clean(url)) or "/"
    block = f"{method} {path} HTTP/1.1\r\n".encode() + _lines(headers) + b"\r\n"
    named = {"WARC-Target-URI": url} | ({"WARC-Concurrent-To": answer} if answer else {})
    return _record("request", named, date, "application/http; msgtype=request", block, b"")


def response_record(url: str, status: int, headers: Mapping[str, str], body: bytes, date: str) -> bytes:
    """What came back, `body` decoded; the headers that speak of its encoding are kept under X-Crawler names."""
    told = {f"X-Crawler-{name}" if name.lower() in DECODED else name: value for name, value in headers.items()}
    block = f"HTTP/1.1 {status} {responses.get(status, 'Unknown')}\r\n".encode() + _lines(
        told | {"Content-Length": str(len(body))}
    )
    named = {"WARC-Target-URI": url}
    return _record("response", named, date, "application/http; msgtype=response", block + b"\r\n" + body, body)


def record_id(kind: str, url: str, date: str, payload: bytes) -> str:
    """The name of a record, the same for the same content."""
    digest = sha1(f"{kind} {url} {date} {_digest(payload)}".encode(), usedforsecurity=False)
    return f"<urn:uuid:{UUID(bytes=digest.digest()[:16], version=5)}>"


def _record(kind: str, named: Mapping[str, str], date: str, mime: str, block: bytes, payload: bytes) -> bytes:
    subject = named.get("WARC-Target-URI") or named.get("WARC-Filename", "")
    headers = {"WARC-Type": kind, "WARC-Record-ID": record_id(kind, subject, date, payload), "WARC-Date": date}
    digests = {"WARC-Payload-Digest": _digest(payload)} if kind != "warcinfo" else {}
    headers |= {**named, **digests, "Content-Type": mime, "Content-Length": str(len(block))}
    packed: bytes = igzip.compress(b"WARC/1.1\r\n" + _lines(headers) + b"\r\n" + block + b"\r\n\r\n", mtime=0)
    return packed


def _lines(headers: Mapping[str, str]) -> bytes:
    return "".join(f"{_clean(name)}: {_clean(value)}\r\n" for name, value in headers.items()).encode("utf-8", "replace")


def _clean(text: str) -> str:
    # A line break in a value would forge the next header.
    return " ".join(text.splitlines()).strip()


def _digest(payload: bytes) -> str:
    return f"sha1:{b32encode(sha1(payload, usedforsecurity=False).digest()).decode()}"


# Reading


def index(path: Path) -> Iterator[Entry]:
    """The response and resource records of a file, in order."""
    try:
        with path.open("rb") as file:
            for record in _records(file, path):
                if record.headers.get("warc-type") in ("response", "resource"):
                    yield _entry(record)
    except OSError as error:
        raise UnreadableError(f"{path}: it cannot be read ({error.strerror}); check that the file is there") from None


def read(path: Path, offset: int, limit: int = BODY) -> Response:
    """The record at an offset that `index` gave; a body longer than `limit` bytes is cut."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            raw = _unpacked(file, path, offset, limit + HEAD)
    except OSError as error:
        raise UnreadableError(f"{path}: it cannot be read ({error.strerror}); check that the file is there") from None
    headers, start = _warc_headers(raw, path, offset)
    block = raw[start : start + _content_length(headers, path, offset)]
    if not _is_http(headers):
        return Response(200, {"content-type": headers.get("content-type", "")}, block[:limit])
    status, told, body = _http(block)
    return Response(status, told, decoded(body, told, limit)[:limit])


class _Raw(NamedTuple):
    headers: dict[str, str]
    block: bytes  # the beginning of it
    offset: int
    length: int


def _entry(record: _Raw) -> Entry:
    # wget writes the target as <http://example.com/>
    url = record.headers.get("warc-target-uri", "").removeprefix("<").removesuffix(">")
    if not _is_http(record.headers):
        status = 200 if record.headers["warc-type"] == "resource" else 0
        return Entry(url, status, "", _mime(record.headers), record.offset, record.length)
    status, told, _ = _http(record.block)
    return Entry(url, status, told.get("location", ""), _mime(told), record.offset, record.length)


def _records(file: BinaryIO, path: Path) -> Iterator[_Raw]:
    magic = file.read(5)
    file.seek(0)
    for offset, length, head, size in _members(file, path) if magic[:2] == b"\x1f\x8b" else _plain(file, path):
        headers, start = _warc_headers(head, path, offset)
        end = start + _content_length(headers, path, offset)
        if end > size:
            raise _broken(path, offset, "the record ends too early", "fetch the file again")
        if size > end + SLACK:
            raise _broken(path, offset, "one gzip member holds several records", "`warcio recompress` repairs it")
        yield _Raw(headers, head[start:end], offset, length)


def _members(file: BinaryIO, path: Path) -> Iterator[tuple[int, int, bytes, int]]:
    """Offset and length of every gzip member, the beginning of its content and the content's size."""
    offset, data = 0, file.read(CHUNK)
    while data:
        member = isal_zlib.decompressobj(wbits=31)
        taken, head, size = 0, b"", 0
        while not member.eof:
            text = _inflate(member, data, path, offset)
            taken, size = taken + len(data), size + len(text)
            head += text[: HEAD - len(head)]
            data = b"" if member.eof else file.read(CHUNK)
        yield offset, taken - len(member.unused_data), head, size
        offset += taken - len(member.unused_data)
        data = member.unused_data or file.read(CHUNK)


def _inflate(member: isal_zlib.Decompress, data: bytes, path: Path, offset: int, most: int = 0) -> bytes:
    if not data:
        raise _broken(path, offset, "the gzip data is cut off", "fetch the file again")
    try:
        text: bytes = member.decompress(data, most)
    except DAMAGED as error:
        raise _broken(path, offset, f"the gzip data is damaged ({error})", "fetch the file again") from None
    return text


def _plain(file: BinaryIO, path: Path) -> Iterator[tuple[int, int, bytes, int]]:
    size, offset = path.stat().st_size, 0
    while offset < size:
        file.seek(offset)
        head = file.read(HEAD)
        headers, start = _warc_headers(head, path, offset)
        end = start + _content_length(headers, path, offset)
        file.seek(offset + end)
        gap = file.read(SLACK)
        blank = len(gap) - len(gap.lstrip(b"\r\n"))
        yield offset, end + blank, head, min(end + blank, size - offset)
        offset += end + blank


def _unpacked(file: BinaryIO, path: Path, offset: int, most: int) -> bytes:
    data = file.read(CHUNK)
    if data[:2] != b"\x1f\x8b":
        return data + file.read(most - CHUNK) if len(data) == CHUNK else data
    member, raw = isal_zlib.decompressobj(wbits=31), bytearray()
    while not member.eof and len(raw) < most:
        raw += _inflate(member, data, path, offset, most - len(raw))
        data = b"" if member.eof else file.read(CHUNK)
    return bytes(raw)


def _warc_headers(raw: bytes, path: Path, offset: int) -> tuple[dict[str, str], int]:
    """The headers of a record, and where its block starts."""
    if not raw.startswith(b"WARC/"):
        arc = raw.startswith((b"filedesc:", b"Internet Archive"))
        what = "this is an ARC file" if arc else "no WARC record starts here"
        raise _broken(path, offset, what, "Opilio reads *.warc and *.warc.gz files")
    _, lines, start = _split(raw)
    if not start:
        raise _broken(path, offset, "the headers of the record have no end", "fetch the file again")
    return _fields(lines), start


def _content_length(headers: Mapping[str, str], path: Path, offset: int) -> int:
    length = headers.get("content-length", "")
    if not re.fullmatch("[0-9]{1,18}", length):
        raise _broken(path, offset, f'the record has Content-Length "{length}"', "a number is needed there")
    return int(length)


def _broken(path: Path, offset: int, what: str, remedy: str) -> UnreadableError:
    return UnreadableError(f"{path}, byte {offset}: {what}; {remedy}")


def _is_http(headers: Mapping[str, str]) -> bool:
    return _mime(headers) == "application/http"


def _mime(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _http(block: bytes) -> tuple[int, dict[str, str], bytes]:
    first, lines, start = _split(block)
    status = re.match(rb"HTTP/\S+\s+([0-9]{3})\b", first)
    return int(status[1]) if status else 0, _fields(lines), block[start:] if start else b""


END = re.compile(rb"\r?\n\r?\n")


def _split(raw: bytes) -> tuple[bytes, list[bytes], int]:
    """First line, header lines, and where the rest starts (0: the headers do not end)."""
    end = END.search(raw)
    first, *lines = raw[: end.start() if end else None].splitlines() or [b""]
    return first, lines, end.end() if end else 0


def _fields(lines: list[bytes]) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        if line[:1] in (b" ", b"\t") and name:  # a folded line
            fields[name] += " " + _text(line)
            continue
        name, _, value = (_text(part) for part in line.partition(b":"))
        name = name.lower()
        if name not in fields:
            fields[name] = value
        elif name not in SINGLE:
            fields[name] += f", {value}"
    return fields


def _text(raw: bytes) -> str:
    try:
        return raw.decode().strip()
    except UnicodeDecodeError:
        return raw.decode("latin-1").strip()
