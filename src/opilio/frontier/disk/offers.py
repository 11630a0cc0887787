"""Offers and notes as bytes in a table that only grows at its end; what is out of date is cleared from its beginning."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from struct import Struct
from typing import Any

from ...codec import UnsavableError, link_of, link_parts, offer_of, other_parts, pack, unpack
from ...nouns import Lane, Offer

READ = "SELECT id, data FROM frontier_texts WHERE id"
CLEAR = 256  # texts
MOST = 512  # numbers in one question to the database
HEAD = Struct(
    ">2xdxd"
)  # value and lane before an offer, as msgpack writes them: they are found without unpacking all of it
LINK_PARTS, PARTS = 7, 12  # of a link, and of an offer without them
SLACK = 1 << 16  # texts that may be out of date in any case
# Apart, both are found at once; asked for together, SQLite reads the whole table.
ENDS = "SELECT (SELECT min(id) FROM frontier_texts), (SELECT max(id) FROM frontier_texts)"


class Texts:
    """Bytes by number; what is added must be flushed before it is read."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        first, last = db.execute(ENDS).fetchone()
        self.first, self._last = first or 1, last or 0
        self._new: list[tuple[int, int, bytes]] = []

    def add(self, key: int, data: bytes) -> int:
        """Its number."""
        self._last += 1
        self._new.append((self._last, key, data))
        return self._last

    def read(self, number: int) -> bytes:
        found: bytes = self._db.execute("SELECT data FROM frontier_texts WHERE id = ?", (number,)).fetchone()[0]
        return found

    def many(self, numbers: list[int]) -> Iterable[tuple[int, bytes]]:
        """Some with their numbers, in no order."""
        return asked(self._db, READ, numbers)

    def flush(self) -> int:
        """Write what is new into the database; how much that was."""
        count = len(self._new)
        if count:
            self._db.executemany("INSERT INTO frontier_texts VALUES (?, ?, ?)", self._new)
            self._new = []
        return count

    def crowded(self, live: int) -> bool:
        """Whether more than half is out of date, if `live` are not."""
        return self._last - self.first > 2 * live + SLACK

    def clear(self, move: Callable[[Iterable[tuple[int, int, bytes]]], None]) -> None:
        """Hand out the oldest and forget them; the caller adds those again that are still needed."""
        end = self.first + CLEAR
        move(self._db.execute("SELECT * FROM frontier_texts WHERE id < ?", (end,)).fetchall())
        self._db.execute("DELETE FROM frontier_texts WHERE id < ?", (end,))
        self.first = end


def asked(db: sqlite3.Connection, query: str, ids: list[int]) -> Iterable[tuple[int, bytes]]:
    """What a query that ends in the name of a number says of these numbers."""
    if len(ids) == 1:
        return db.execute(f"{query} = ?", ids)
    return _asked(db, query, ids)


def _asked(db: sqlite3.Connection, query: str, ids: list[int]) -> Iterator[tuple[int, bytes]]:
    for start in range(0, len(ids), MOST):
        some = filled(ids[start : start + MOST])
        yield from db.execute(f"{query} IN ({','.join('?' * len(some))})", some)


def filled(numbers: list[int]) -> list[int]:
    """Filled up with the last one to a power of two, so that the same few statements serve all batches."""
    return numbers + numbers[-1:] * ((1 << (len(numbers) - 1).bit_length()) - len(numbers))


def place_bytes(offer: Offer, value: float, lane: int) -> bytes:
    """An offer with its value, in the lane of that number."""
    return _saved(offer, [value, float(lane), *_parts(offer)])


def read_place(data: bytes) -> tuple[float, int]:
    """Value and lane."""
    value, lane = HEAD.unpack_from(data)
    return value, int(lane)


def source_of(offer: Offer | bytes) -> str:
    """Of an offer, packed or not."""
    return offer.link.source if isinstance(offer, Offer) else _packed_source(offer)


@lru_cache(maxsize=1 << 14)  # offers of equal value, as those of one depth, are compared again and again
def _packed_source(data: bytes) -> str:
    found: str = unpack(data)[1 - PARTS]
    return found


def offer_bytes(offer: Offer) -> bytes:
    """All of an offer but its value and lane, which are known where it is used."""
    return _saved(offer, _parts(offer))


def _saved(offer: Offer, parts: list[Any]) -> bytes:
    try:
        return pack(parts)
    except UnsavableError as error:
        raise UnsavableError(f"of the note of the offer for {offer.link.url}, {error}") from None


def _parts(offer: Offer) -> list[Any]:
    return [*link_parts(offer.link), *other_parts(offer)]


def read_offer(data: bytes, value: float, lane: Lane) -> Offer:
    """The offer again, whether it was packed with its place or without."""
    parts = unpack(data)[-PARTS:]
    return offer_of(link_of(parts[:LINK_PARTS]), value, lane, parts[LINK_PARTS:])
