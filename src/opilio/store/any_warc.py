"""Archives that anybody wrote, read from beginning to end: what is damaged or hostile costs a record, not the file.

`warc.py` reads a corpus, where every record has to be found again by its offset, and says what is wrong with a file. Here
nothing has to be right: gzip members may be damaged, hold several records or a part of one, lengths may be wrong. A file is
read once, in one direction, a piece at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from isal import isal_zlib

from ..errors import UnreadableError
from ..http_message import CHUNK, DAMAGED, fields, split
from .warc import BODY, HEAD, SLACK

GZIP, ZSTD = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"
ARC = (b"filedesc:", b"Internet Archive")
PIECE = 1 << 20  # bytes that are unpacked at a time
MOST_DAMAGE = 1000  # places in one file; more are there to keep us busy
START, NEXT = b"WARC/", b"\nWARC/1."
LENGTH = re.compile("[0-9]{1,18}")


class Record(NamedTuple):
    """One record; of a very long block only the beginning."""

    headers: dict[str, str]  # names in lower case
    block: bytes
    whole: bool


class Damage(NamedTuple):
    """Something that is no record, or a broken one."""

    what: str


def records(file: BinaryIO, limit: int = BODY) -> Iterator[Record | Damage]:
    """All records of a file; UnreadableError when it is of a kind that cannot be read at all."""
    unpacked, places = _Unpacked(_pieces(file)), 0
    while unpacked.begin():
        while found := _next(unpacked, limit):
            yield found
            places += isinstance(found, Damage)
            if places > MOST_DAMAGE:
                yield Damage("the rest of a file with too many damaged places")
                return


def _next(unpacked: _Unpacked, limit: int) -> Record | Damage | None:
    """The next record before a gap; None when there is nothing more."""
    unpacked.skip_blank()
    if not unpacked.ready:
        return None
    if not unpacked.ready.startswith(START):
        unpacked.seek()
        return Damage("bytes that are no record")
    _, lines, start = split(unpacked.first(HEAD))
    headers = fields(lines)
    length = headers.get("content-length", "")
    if not start or not LENGTH.fullmatch(length):
        unpacked.seek()
        return Damage("a record whose headers cannot be read")
    unpacked.drop(start)
    return _with_block(unpacked, headers, int(length), limit)


def _with_block(unpacked: _Unpacked, headers: dict[str, str], length: int, limit: int) -> Record | Damage:
    block = unpacked.take(min(length, limit))
    whole = unpacked.drop(length - min(length, limit)) and len(block) == min(length, limit)
    if not whole or (NEXT in block and not unpacked.at_start()):
        unpacked.give_back(block)  # the length is wrong: other records may be in there
        unpacked.seek()
        return Damage("a record that ends too early, or too late")
    return Record(headers, block, length <= limit)


class _Unpacked:
    """The bytes of a file up to the next gap: a damaged place, or a gzip member that begins with a record."""

    def __init__(self, pieces: Iterator[tuple[bool, bytes]]) -> None:
        self._pieces = pieces
        self._coming = next(pieces, None)
        self.ready = bytearray()

    def begin(self) -> bool:
        """Go over the gap; False at the end of the file."""
        self.ready.clear()
        return self._coming is not None and self._more(over_gap=True)

    def _more(self, over_gap: bool = False) -> bool:
        if self._coming is None or (self._coming[0] and not over_gap):
            return False
        self.ready += self._coming[1]
        self._coming = next(self._pieces, None)
        return True

    def first(self, count: int) -> bytes:
        """The next bytes, which stay."""
        while len(self.ready) < count and self._more():
            pass
        return bytes(self.ready[:count])

    def take(self, count: int) -> bytes:
        taken = self.first(count)
        del self.ready[:count]
        return taken

    def drop(self, count: int) -> bool:
        """Leave bytes out; whether there were as many."""
        while len(self.ready) < count:
            count -= len(self.ready)
            self.ready.clear()
            if not self._more():
                return False
        del self.ready[:count]
        return True

    def give_back(self, taken: bytes) -> None:
        self.ready[:0] = taken

    def skip_blank(self) -> None:
        while (blank := len(self.ready) - len(self.ready.lstrip(b"\r\n"))) or not self.ready:
            del self.ready[:blank]
            if not self.ready and not self._more():
                return
        self.first(len(START))

    def at_start(self) -> bool:
        """Whether a record may start here, or nothing follows."""
        following = self.first(SLACK).lstrip(b"\r\n")
        return not following or following.startswith(START)

    def seek(self) -> None:
        """Go on to where the next record seems to start."""
        del self.ready[:1]
        while (found := self.ready.find(NEXT)) < 0:
            del self.ready[: max(0, len(self.ready) - len(NEXT))]
            if not self._more():
                self.ready.clear()
                return
        del self.ready[: found + 1]


# What is in the file: pieces of unpacked bytes, each with whether there is a gap before it


def _pieces(file: BinaryIO) -> Iterator[tuple[bool, bytes]]:
    data = file.read(CHUNK)
    if data.startswith(ZSTD):
        raise UnreadableError("it is compressed by zstd; unpack it first: zstd -d FILE")
    for number, piece in enumerate(_members(file, data) if data.startswith(GZIP) else _plain(file, data)):
        if not number and piece[1].startswith(ARC):
            raise UnreadableError(
                "this is an ARC file; `warcio recompress FILE.arc FILE.warc.gz` makes a WARC file of it"
            )
        yield piece


def _plain(file: BinaryIO, data: bytes) -> Iterator[tuple[bool, bytes]]:
    while data:
        yield False, data
        data = file.read(CHUNK)


def _members(file: BinaryIO, data: bytes) -> Iterator[tuple[bool, bytes]]:
    while data := _at_member(file, data):
        member, fresh = isal_zlib.decompressobj(wbits=31), True
        try:
            while not member.eof:
                text = member.decompress(data, PIECE)
                if text:
                    yield fresh and text.startswith(START), text
                    fresh = False
                data = member.unused_data if member.eof else member.unconsumed_tail or file.read(CHUNK)
                if not data and not member.eof and not text:
                    break
        except DAMAGED:
            yield True, b"\n"  # whatever was being read is over
            data = data[1:]
        data = data or file.read(CHUNK)


def _at_member(file: BinaryIO, data: bytes) -> bytes:
    """The data from the next gzip member on; empty at the end of the file."""
    while (found := data.find(GZIP)) < 0:
        more = file.read(CHUNK)
        if not more:
            return b""
        data = data[-2:] + more
    return data[found:]
