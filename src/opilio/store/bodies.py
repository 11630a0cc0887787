"""Bodies of HTTP answers, with transfer and content encoding undone; what is not as announced is passed on as it is."""

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


def decoded(body: bytes, headers: Mapping[str, str], limit: int) -> bytes:
    """The body as it was meant, by what the headers (names in lower case) say; each expansion ends at the limit."""
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = _dechunked(body)
    for coding in reversed(headers.get("content-encoding", "").lower().split(",")):
        body = _expanded(body, coding.strip(), limit)
    return body


SIZE = re.compile(rb"(?:\r?\n)?([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")


def _dechunked(body: bytes) -> bytes:
    size = SIZE.match(body)
    if not size:
        return body  # some archives keep the header although the chunks are gone
    parts = []
    while size and (length := int(size[1], 16)):
        end = size.end() + length
        parts.append(body[size.end() : end])
        size = SIZE.match(body, end)
    return b"".join(parts)


def _expanded(body: bytes, coding: str, limit: int) -> bytes:
    try:
        match coding:
            case "gzip" | "x-gzip":
                return bytes(isal_zlib.decompressobj(wbits=31).decompress(body, limit))
            case "deflate":
                # Meant to be wrapped, often sent bare; the first byte of the wrapper tells.
                return bytes(isal_zlib.decompressobj(wbits=15 if body[:1] == b"x" else -15).decompress(body, limit))
            case "br" | "zstd":
                return _drained(_reader(coding)(io.BytesIO(body)), limit)
    except (DAMAGED, OSError):
        pass  # the header says one thing, the bytes another: some archives store decoded bodies
    return body


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
