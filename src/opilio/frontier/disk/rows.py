"""What is known of each URL, on disk: rows that are read when they are needed, and written when they changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...codec import unpack
from ...nouns import Offer
from ..queue.bag import Value
from ..rows import ADDRESSES, Note, Place, Row, Rows, noted
from .changes import DiskChanges
from .nearest_offers import Near
from .offers import Texts
from .row_log import Log
from .row_log_records import Records, heads
from .row_reader import RowReader
from .row_writer import RowWriter

CACHED = 1 << 14  # rows, and as many that are older


class DiskRows(Rows):
    """Rows in a log. Some thousands stay in the cache, since who asks what is known of a URL will often offer it next."""

    def __init__(self, db: sqlite3.Connection, changes: DiskChanges, merge: str, waits: bool) -> None:
        super().__init__(merge)
        self.waits = waits  # for somebody to say when to write
        self._db = db
        self._log = Log(db)
        self._texts = Texts(db)
        self._rows: dict[int, Row] = {}
        self._older: dict[int, Row] = {}  # cached too, until there are as many newer ones again
        self._unknown: set[int] = set()  # keys that nothing is known of, as was found since something was last written
        self._dirty: dict[int, Row] = {}
        self._near = Near(self.queues)
        self._writer = RowWriter(self._log, self._texts, self._near, self.sums)
        self._reader = RowReader(self._log, self._writer.firsts, self.queues, changes.leased, self.sums)
        self._changes = changes

    @property
    def open(self) -> int:
        """URLs that are."""
        return self._writer.open

    @property
    def cached(self) -> dict[int, Row]:
        return self._rows

    def load(self, keys: Sequence[int]) -> list[Row | None]:
        find = self._rows.get
        found = list(map(find, keys))
        if not all(found):
            self._fetch([key for key in keys if key not in self._rows and key not in self._unknown])
            found = list(map(find, keys))
        return found

    def expect(self, keys: Sequence[int]) -> None:
        unread: dict[int, Place] = {}
        for key, row in zip(keys, self.load(keys), strict=True):
            for place in row.places if row else ():
                if place.offer is None and (data := self._near.get(key, place)):
                    place.offer = data
                elif place.offer is None:
                    unread[place.number] = place
        if unread:
            for number, data in self._texts.many(list(unread)):
                unread[number].offer = data

    def compare(self, offers: Sequence[Offer]) -> None:
        equal: list[int] = []
        for offer in offers:
            key = ADDRESSES[offer.link.url][0]
            row = self._rows.get(key)
            if row and any(place.offer is None and place.value == offer.value for place in row.places):
                equal.append(key)
        self.expect(equal)

    def _fetch(self, missing: list[int]) -> None:
        rows = self._rows
        if self._older:
            rows.update((key, self._older[key]) for key in missing if key in self._older)
            missing = [key for key in missing if key not in rows]
        if missing:
            rows.update(self._reader.read(missing))
            self._unknown.update(key for key in missing if key not in rows)

    def restore(self) -> Iterator[Records]:
        """All records that count, some at a time; what they stand for is counted on the way."""
        for records in self._log.newest():
            self._writer.count(records, self._changes.leased)
            yield records

    def find(self, key: int) -> Row:
        row = self._rows.get(key)
        return super().find(key) if row is None else row

    def row(self, key: int) -> Row:
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = Row()
        return row

    def known_all(self, urls: list[str]) -> list[Note]:
        found, missing = noted(urls, self._rows)
        if missing:
            rows = self.load([ADDRESSES[urls[place]][0] for place in missing])
            if unread := {row.number: row for row in rows if row and row.kept is None and row.number}:
                for number, data in self._texts.many(list(unread)):
                    unread[number].kept = unpack(data)
            for place, row in zip(missing, rows, strict=True):
                found[place] = self.known(row) if row else None
        return found

    def changed(self, rows: Mapping[int, Row]) -> None:
        self._dirty.update(rows)

    def keep(self, key: int, row: Row, host: int) -> None:
        self._dirty[key] = row
        row.host, row.record = host, b""

    def flush(self) -> None:
        if not self.waits or len(self._dirty) > CACHED:
            self.save()

    def save(self) -> None:
        """Write what changed since the last time."""
        if self._dirty:
            before = self.open
            for key in self._writer.write(self._dirty):
                self._rows.pop(key, None)
                self._older.pop(key, None)
            self._dirty, self._unknown = {}, set()
            if self.open != before:
                self._db.execute("INSERT OR REPLACE INTO frontier_open VALUES (1, ?)", (self.open,))
        self._changes.save()
        if len(self._rows) > CACHED:
            self._rows, self._older = {}, self._rows

    def total(self) -> Value:
        self.save()
        return float(sum(heads(records)["worth"].sum() for records in self._log.newest())) if self.sums else 0

    def offer(self, place: Place) -> Offer:
        return self._writer.offer(place)

    def kept(self, row: Row) -> tuple[Any, ...] | None:
        if row.kept is None and row.number:
            row.kept = unpack(self._texts.read(row.number))
        return row.kept
