"""What is known of every URL, on disk: each change appends a new version of its row, and the newest one counts.

URLs come and go in the order of their hashes and of their values, that is: in none. Written in place, each change would
cost a page of the database; appended, a page takes sixty-four. Where the newest version lies is known in memory. When more
than half of the log is out of date, its oldest part is cleared as new parts are written.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping
from itertools import starmap

from ...key_index import Index
from ..rows import host_of
from .offers import READ, asked, read_offer, read_place
from .row_log_records import DONE, FETCHED, FIRST, RECORD, START, TEXT, WHOLE, Record, Records, version_at

BLOCK = 64  # versions at most to a row of the table: it fits into a page
CLEAR = 4096  # records at least that are cleared at a time
SLACK = 1 << 16  # records that may be out of date in any case
TAIL = 1 << 14  # blocks, the last ones, that are in memory too: what was written recently is read again soon
# Apart, both are found at once; asked for together, SQLite reads the whole table.
ENDS = "SELECT (SELECT min(id) FROM frontier_urls), (SELECT max(id) FROM frontier_urls)"
TABLE = "CREATE TABLE IF NOT EXISTS frontier_urls (id INTEGER PRIMARY KEY, records BLOB NOT NULL)"
BLOCKS = "SELECT id, records FROM frontier_urls WHERE id"


class Log:
    """Versions by key; what is written must be flushed before it is read."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.index = index_of(db)
        self.size: int = db.execute("SELECT coalesce(sum(length(records)), 0) FROM frontier_urls").fetchone()[0]
        self.size //= RECORD.size  # all records, those that are out of date too
        self._db = db
        first, last = db.execute(ENDS).fetchone()
        self._first: int = first or 1  # the oldest block
        self._block: int = (last or 0) + 1  # the next one
        self._new = bytearray()  # what will be in it
        self._ats: dict[int, int] = {}  # what the index will say
        self._fresh = 0  # records in full blocks since these were last saved
        self._full: list[tuple[int, bytes]] = []
        self.tail: dict[int, bytes] = {}
        self._due = 0  # records that were written, not copied, since something was cleared

    def write_cash(self, data: bytes) -> None:
        """New versions of rows in one lane: their records, one after the other."""
        if self._new:
            self._close()
        keys, numbers, size = memoryview(data).cast("q")[:: RECORD.size // 8], b"", BLOCK * RECORD.size
        for start in range(0, len(data), size):
            self._new += data[start : start + size]
            first, count = self._block << 8 | WHOLE, len(self._new) // RECORD.size
            numbers += struct.pack(f"{count}q", *range(first, first + (count << 2), 1 << 2))
            self._close()
        self.index.fill(keys.tobytes(), numbers)

    def write(self, versions: Iterable[tuple[int, bytes, int]]) -> None:
        """New versions of rows: their keys, their records, and what the index says of them; for TEXT, with its number."""
        new, ats, size, full = self._new, self._ats, RECORD.size, BLOCK * RECORD.size
        for key, data, entry in versions:
            if len(new) >= full:
                self._close()
            ats[key] = entry if entry >= TEXT else (self._block << 6 | len(new) // size) << 2 | entry
            new += data

    def _close(self) -> None:
        self.tail[self._block] = data = bytes(self._new)
        self.tail.pop(self._block - TAIL, None)
        self._full.append((self._block, data))
        self._fresh += len(self._new) // RECORD.size
        self._new.clear()
        self._block += 1

    def read(self, keys: Iterable[int]) -> dict[int, list[Record]]:
        """The newest versions; of a URL that was never seen there is none."""
        texts, others = self.apart(keys)
        found = {key: list(starmap(Record, RECORD.iter_unpack(data))) for key, data in self.versions(others).items()}
        for number, data in asked(self._db, READ, list(texts)) if texts else ():
            (value, lane), key = read_place(data), texts[number]
            host = host_of(read_offer(data, value, ()).link.url)
            found[key] = [Record(key, host, value, value, number, 0, lane, START | FIRST)]
        return found

    def apart(self, keys: Iterable[int]) -> tuple[dict[int, int], dict[int, int]]:
        """What the index says: the texts that say all of a row, with their keys; and other keys, with their numbers."""
        texts: dict[int, int] = {}
        others: dict[int, int] = {}
        get = self.index.get
        for key in keys:
            number = get(key)
            if number & 3 == TEXT:
                texts[number >> 2] = key
            elif number:
                others[key] = number
        return texts, others

    def versions(self, numbers: Mapping[int, int]) -> dict[int, bytes]:
        """The newest versions, packed, of rows of which the index says this."""
        found: dict[int, bytes] = {}
        wanted: dict[int, list[tuple[int, int]]] = {}
        tail = self.tail
        for key, number in numbers.items():
            if number & 3:
                found[key] = RECORD.pack(key, 0, 0.0, 0.0, 0, 0, -1, FETCHED if number & 3 == DONE else 0)
            elif data := tail.get(number >> 8):
                found[key] = version_at(data, number >> 2 & 63)
            else:
                wanted.setdefault(number >> 8, []).append((key, number >> 2 & 63))
        for block, data in asked(self._db, BLOCKS, list(wanted)) if wanted else ():
            for key, at in wanted[block]:
                found[key] = version_at(data, at)
        return found

    def newest(self) -> Iterator[Records]:
        """All records that count, some at a time."""
        if self.size:
            from .row_log_columns import newest  # numpy comes with it: a new crawl starts sooner without

            yield from newest(self._db, self.index)

    def flush(self, live: int) -> None:
        """Write what is new into the database; `live` records are up to date, at most."""
        self._due += self._save()
        while self._due >= CLEAR // 2:
            self._due -= CLEAR // 2
            if self.size > 2 * live + SLACK:
                self._clear()
                self._save()

    def _save(self) -> int:
        self.index.set(self._ats)
        self._ats = {}
        if self._new:
            self._close()
        if self._full:
            self._db.executemany("INSERT INTO frontier_urls VALUES (?, ?)", self._full)
            self._full = []
        count, self._fresh = self._fresh, 0
        self.size += count
        return count

    def _clear(self) -> None:
        """Copy what counts of the oldest blocks to the end."""
        from .row_log_columns import newest_in

        blocks: list[tuple[int, bytes]] = []
        cleared = 0
        for block in self._db.execute("SELECT * FROM frontier_urls WHERE id >= ? ORDER BY id", (self._first,)):
            if cleared >= CLEAR:
                break
            blocks.append(block)
            cleared += len(block[1]) // RECORD.size
        self.write((key, data, _kept_entry(self.index.get(key))) for key, data in newest_in(blocks, self.index))
        self._first = blocks[-1][0] + 1
        self._db.execute("DELETE FROM frontier_urls WHERE id < ?", (self._first,))
        for number, _ in blocks:  # nothing in them counts, and where few URLs are known they would fill the tail
            self.tail.pop(number, None)
        self.size -= cleared


def index_entry(records: list[Record]) -> int:
    """What the index says of a version that has to be read."""
    return records[0].offer << 2 | TEXT if records[0].flags & FIRST else WHOLE


def _kept_entry(number: int) -> int:
    """The same of a version that is written again."""
    return number if number & 3 == TEXT else number & 3


def index_of(db: sqlite3.Connection) -> Index:
    """Where the newest version of every row lies."""
    index = Index()
    if db.execute("SELECT 1 FROM frontier_urls LIMIT 1").fetchone():
        from .row_log_columns import entries

        for keys, numbers in entries(db):
            index.fill(keys, numbers)
    return index


def newest_of(db: sqlite3.Connection, key: int) -> list[Record]:
    """The newest version of one row, found without learning where all others lie; empty when there is none."""
    blocks = db.execute(
        "SELECT records FROM frontier_urls WHERE instr(records, ?) ORDER BY id DESC", (struct.pack("=q", key),)
    )
    for (data,) in blocks:
        for at in reversed(range(len(data) // RECORD.size)):
            version = list(starmap(Record, RECORD.iter_unpack(version_at(data, at))))
            if version[0].key == key and version[0].flags & START:
                return version
    return []
