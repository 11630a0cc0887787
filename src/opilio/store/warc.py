"""WARC files, read: what we wrote, and what others wrote.

Every record is a gzip member of its own, so that a page is read by its offset alone. A block of bytes that does not
follow the format ends in UnreadableError with the file and the offset; what a server got wrong inside a record (chunks
that are none, a body that is not compressed) is passed on as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

from isal import isal_zlib

from ..errors import UnreadableError
from ..http_message import CHUNK, DAMAGED, decoded, fields, split

HEAD = 1 << 17  # WARC and HTTP headers together end within this many bytes
SLACK = 64  # bytes after a record's block that some writers leave; more than that is another record
BODY = 32 << 20


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
    status, headers, body = _http(block)
    return Response(status, headers, decoded(body, headers, limit)[:limit])


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
    status, headers, _ = _http(record.block)
    return Entry(url, status, headers.get("location", ""), _mime(headers), record.offset, record.length)


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
    _, lines, start = split(raw)
    if not start:
        raise _broken(path, offset, "the headers of the record have no end", "fetch the file again")
    return fields(lines), start


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
    first, lines, start = split(block)
    status = re.match(rb"HTTP/\S+\s+([0-9]{3})\b", first)
    return int(status[1]) if status else 0, fields(lines), block[start:] if start else b""
