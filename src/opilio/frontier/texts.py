"""Offers and notes as bytes in a table that only grows at its end; what is out of date is cleared from its beginning."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

from ..nouns import Lane, Link, Offer
from ..packing import pack, unpack

CLEAR = 256  # texts
SLACK = 1 << 16  # texts that may be out of date in any case
# Apart, both are found at once; asked for together, SQLite reads the whole table.
ENDS = "SELECT (SELECT min(id) FROM frontier_texts), (SELECT max(id) FROM frontier_texts)"


class Texts:
    """Bytes by number; what is added must be flushed before it is read."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        first, last = db.execute(ENDS).fetchone()
        self._first, self._last = first or 1, last or 0
        self._new: list[tuple[int, int, bytes]] = []

    def add(self, key: int, data: bytes) -> int:
        """Its number."""
        self._last += 1
        self._new.append((self._last, key, data))
        return self._last

    def read(self, number: int) -> bytes:
        found: bytes = self._db.execute("SELECT data FROM frontier_texts WHERE id = ?", (number,)).fetchone()[0]
        return found

    def flush(self) -> int:
        """Write what is new into the database; how much that was."""
        count = len(self._new)
        if count:
            self._db.executemany("INSERT INTO frontier_texts VALUES (?, ?, ?)", self._new)
            self._new = []
        return count

    def crowded(self, live: int) -> bool:
        """Whether more than half is out of date, if `live` are not."""
        return self._last - self._first > 2 * live + SLACK

    def clear(self, move: Callable[[Iterable[tuple[int, int, bytes]]], None]) -> None:
        """Give the oldest to somebody who adds those again that he needs, and forget them."""
        end = self._first + CLEAR
        move(self._db.execute("SELECT * FROM frontier_texts WHERE id < ?", (end,)).fetchall())
        self._db.execute("DELETE FROM frontier_texts WHERE id < ?", (end,))
        self._first = end


def offer_bytes(offer: Offer) -> bytes:
    """All of an offer but its value and lane, which are known where it is used."""
    link, again = offer.link, offer.again
    texts = [link.url, link.source, link.anchor, link.context, link.path]
    lists: list[Any] = [list(link.rel), list(offer.note), None if again is None else list(again)]
    return pack([*texts, link.image, *lists, offer.hops, offer.tries])


def read_offer(data: bytes, value: float, lane: Lane) -> Offer:
    """The offer again."""
    url, source, anchor, context, path, image, rel, note, again, hops, tries = unpack(data)
    link = Link(url, source, anchor, context, path, image, tuple(rel))
    return Offer(link, value, lane, tuple(note), None if again is None else tuple(again), hops, tries)
