"""What went over the wire, read: heads into fields, bodies with transfer and content encoding undone.

What is not as announced is passed on as it is.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Mapping
from typing import BinaryIO, cast

from isal import isal_zlib
from isal.igzip_lib import IsalError

DAMAGED = cast("type[Exception]", IsalError)  # its stub says it is an instance
CHUNK = 1 << 16
MOST_CHUNKS = 100_000  # a body in more chunks is there to keep us busy
MOST_CODINGS = 10  # one upon the other; more are there to keep us busy


def decoded(body: bytes, headers: Mapping[str, str], limit: int) -> bytes:
    """The body as it was meant, by what the headers (names in lower case) say; each expansion ends at the limit."""
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = _dechunked(body)
    encoding = headers.get("content-encoding", "")
    codings = encoding.lower().split(",") if encoding else []
    for coding in reversed(codings if len(codings) <= MOST_CODINGS else ()):
        body = _expanded(body, coding.strip(), limit)
    return body


SIZE = re.compile(rb"(?:\r?\n)?([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")


def _dechunked(body: bytes) -> bytes:
    size = SIZE.match(body)
    if not size:
        return body  # some archives keep the header although the chunks are gone
    content, number = bytearray(), 0  # no list: a chunk may be one byte
    while size and (length := int(size[1], 16)) and (number := number + 1) <= MOST_CHUNKS:
        end = size.end() + length
        content += body[size.end() : end]
        size = SIZE.match(body, end)
    return bytes(content)


def _expanded(body: bytes, coding: str, limit: int) -> bytes:
    try:
        match coding:
            case "gzip" | "x-gzip":
                return _inflated(body, 31, limit)
            case "deflate":
                # Meant to be wrapped, often sent bare; the first byte of the wrapper tells.
                return _inflated(body, 15 if body[:1] == b"x" else -15, limit)
            case "br" | "zstd":
                return _drained(_reader(coding)(io.BytesIO(body)), limit)
    except OSError:
        pass  # the header says one thing, the bytes another: some archives store decoded bodies
    return body


def _inflated(body: bytes, wbits: int, limit: int) -> bytes:
    try:
        return bytes(isal_zlib.decompressobj(wbits=wbits).decompress(body, limit))
    except DAMAGED:
        return _salvaged(body, wbits, limit) or body


def _salvaged(body: bytes, wbits: int, limit: int) -> bytes:
    """What comes before the damage."""
    content, inflater, step = bytearray(), isal_zlib.decompressobj(wbits=wbits), 256
    try:
        for start in range(0, len(body), step):
            content += inflater.decompress(body[start : start + step])
            if len(content) > limit:
                break
    except DAMAGED:
        pass
    return bytes(content[:limit])


def _reader(coding: str) -> Callable[[BinaryIO], BinaryIO]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns, as soon as it is imported, of old classes of its own
        from fastwarc import stream_io
    reader: Callable[[BinaryIO], BinaryIO] = {"br": stream_io.BrotliReader, "zstd": stream_io.ZstdReader}[coding]
    return reader


def _drained(stream: BinaryIO, limit: int) -> bytes:
    """All there is up to the limit; a stream that breaks off gives what came before."""
    content = bytearray()
    try:
        while piece := stream.read(min(CHUNK, limit - len(content))):
            content += piece
    except OSError:
        if not content:
            raise
    return bytes(content)


# Heads

SINGLE = {"location", "content-type", "content-length"}  # repeated: the first counts
FOLDED = (" ", "\t")  # so a line begins that goes on with the one before
END = re.compile(rb"\n\r?\n")  # begins with a fixed byte, which is found fast


def split(raw: bytes) -> tuple[bytes, list[bytes], int]:
    """First line, header lines, and where the rest starts (0: the headers do not end)."""
    end = END.search(raw)
    head = raw[: end.start()].removesuffix(b"\r") if end else raw
    first, *lines = head.splitlines() or [b""]
    return first, lines, end.end() if end else 0


def fields(lines: list[bytes]) -> dict[str, str]:
    """Header lines by name in lower case; what is said twice is joined by commas, unless only one can count."""
    found: dict[str, list[str]] = {}
    name, whole = "", b"\n".join(lines)
    for line in whole.decode().split("\n") if lines and whole.isascii() else map(_text, lines):
        if name and line[:1] in FOLDED:
            found[name].append(" " + line.strip())
            continue
        name, _, value = line.partition(":")
        name, value = name.strip().lower(), value.strip()
        if name not in found:
            found[name] = [value]
        elif name not in SINGLE:
            found[name].append(f", {value}")
    return {name: "".join(values) for name, values in found.items()}


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
