"""The run folder of a crawl: WARC files and state.db, committed together.

Commit: the WARC bytes are synced first, then one transaction takes the page rows with their WARC offsets, the frontier's
changes, the letters and the learned state. After a crash the WARC file is cut to its committed length.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import ConfigError, UnreadableError
from ..nouns import RELEVANT, Lease, Letter, News, Offer, Page
from ..packing import pack, unpack
from .archive import Archive
from .warc import Response, read, response_record

SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, data BLOB);
CREATE TABLE IF NOT EXISTS pages (
    number INTEGER PRIMARY KEY, url TEXT, status INTEGER, error TEXT, time REAL, bytes INTEGER, title TEXT, language TEXT,
    relevance REAL, location TEXT, source TEXT, anchor TEXT, path TEXT, lane TEXT, value REAL, shift REAL, scale REAL,
    note TEXT, hops INTEGER, file TEXT, offset INTEGER, length INTEGER);
CREATE INDEX IF NOT EXISTS pages_url ON pages (url);
CREATE TABLE IF NOT EXISTS refusals (url TEXT PRIMARY KEY, reason TEXT, time REAL, source TEXT, anchor TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS letters (receiver INTEGER, number INTEGER, say BLOB, PRIMARY KEY (receiver, number));
CREATE TABLE IF NOT EXISTS heard (sender INTEGER PRIMARY KEY, number INTEGER);
CREATE TABLE IF NOT EXISTS posted (receiver INTEGER PRIMARY KEY, number INTEGER);
"""


class RunStore:
    """Opens a run folder to go on with it; `db` has a transaction open between commits, and the frontier writes into it."""

    def __init__(self, folder: Path, index: int = 0) -> None:
        self.folder, self.index = folder, index
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = lock(folder)
        self.db = sqlite3.connect(folder / "state.db", isolation_level=None)
        self.db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;" + SCHEMA)
        self.db.execute("BEGIN")
        position = self._meta("archive")
        self.archive = Archive(folder / "archive", tuple(position) if position else None)
        self.pages, self.bytes = self._meta("pages") or 0, self._meta("bytes") or 0
        self.seconds = self._meta("seconds") or 0.0
        self.started = bool(self._meta("started"))
        self._saved: dict[str, bytes] = {}

    def close(self) -> None:
        """Lets go of the folder; what was not committed is forgotten."""
        self.db.rollback()
        self.db.close()
        self.archive.close()
        self._lock.close()

    def add(self, lease: Lease, page: Page, relevance: float | None) -> None:
        """Append a page; a fetch that got no answer has a row and no record."""
        where: tuple[str, int, int] | tuple[None, None, None] = (None, None, None)
        now = time.time()
        if page.status:
            date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
            where = self.archive.append(response_record(page.url, page.status, page.headers, page.body, date))
        offer, link = lease.offer, lease.offer.link
        row = (
            link.url,
            page.status,
            page.error,
            now,
            len(page.body),
            page.title,
            page.language,
            relevance,
            page.location,
        )
        why = (link.source, link.anchor, link.path, json.dumps(offer.lane), float(offer.value), *lease.weight[:2])
        rest = (json.dumps(offer.note, default=str), offer.hops, *where)
        self.db.execute(f"INSERT INTO pages VALUES (NULL{', ?' * 21})", row + why + rest)
        self.pages += 1
        self.bytes += len(page.body)

    def refuse(self, lease: Lease, page: Page) -> None:
        """Note why a page was not fetched."""
        link = lease.offer.link
        row = (link.url, page.error, time.time(), link.source, link.anchor)
        self.db.execute("INSERT OR REPLACE INTO refusals VALUES (?, ?, ?, ?, ?)", row)

    def commit(self, state: Mapping[str, bytes]) -> None:
        for name, data in state.items():
            if self._saved.get(name) != data:
                self.db.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, data))
                self._saved[name] = data
        self.started = True
        values = {"archive": self.archive.sync(), "pages": self.pages, "bytes": self.bytes, "seconds": self.seconds}
        rows = [(name, json.dumps(value)) for name, value in {**values, "started": True}.items()]
        self.db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)
        self.db.execute("COMMIT")
        self.db.execute("BEGIN")

    def state(self, name: str) -> bytes | None:
        row = self.db.execute("SELECT data FROM state WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def recent(self, window: int) -> list[bool]:
        """Whether each of the last pages was relevant, oldest first."""
        rows = self.db.execute("SELECT relevance FROM pages ORDER BY number DESC LIMIT ?", (window,)).fetchall()
        return [(relevance or 0.0) >= RELEVANT for (relevance,) in reversed(rows)]

    def find(self, url: str) -> Response | None:
        """What was stored for a URL, at its last visit."""
        query = "SELECT file, offset FROM pages WHERE url = ? AND file IS NOT NULL ORDER BY number DESC LIMIT 1"
        row = self.db.execute(query, (url,)).fetchone()
        return read(self.folder / "archive" / row[0], row[1]) if row else None

    def post(self, receiver: int, say: Offer | News) -> None:
        number = self._number("posted", "receiver", receiver) + 1
        self.db.execute("INSERT OR REPLACE INTO posted VALUES (?, ?)", (receiver, number))
        self.db.execute("INSERT INTO letters VALUES (?, ?, ?)", (receiver, number, pack(say)))

    def letters(self) -> Iterator[Letter]:
        """Letters that were not forgotten yet, in order."""
        rows = self.db.execute("SELECT receiver, number, say FROM letters ORDER BY receiver, number").fetchall()
        return (Letter(self.index, receiver, number, unpack(say)) for receiver, number, say in rows)

    def forget(self, receiver: int, number: int) -> None:
        self.db.execute("DELETE FROM letters WHERE receiver = ? AND number <= ?", (receiver, number))

    def heard(self, sender: int) -> int:
        return self._number("heard", "sender", sender)

    def hear(self, sender: int, number: int) -> bool:
        """Whether this is the next letter from the sender; notes it if so."""
        if number != self.heard(sender) + 1:
            return False
        self.db.execute("INSERT OR REPLACE INTO heard VALUES (?, ?)", (sender, number))
        return True

    def _number(self, table: str, column: str, key: int) -> int:
        row = self.db.execute(f"SELECT number FROM {table} WHERE {column} = ?", (key,)).fetchone()
        return row[0] if row else 0

    def _meta(self, name: str) -> Any:
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return json.loads(row[0]) if row else None


def lock(folder: Path) -> Any:
    """One process at a time works on a run folder."""
    file = (folder / "lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise ConfigError(f"{folder}: another process is crawling into this folder; wait for it or stop it") from None
    return file


def reading(folder: Path) -> sqlite3.Connection:
    """The tables of a run folder, to look at while a crawl may go on."""
    path = folder / "state.db"
    if not path.is_file():
        raise UnreadableError(f"{folder}: this is no run folder (no state.db in it); name one that `opilio crawl` made")
    db = sqlite3.connect(f"file:{path.absolute()}?mode=ro", uri=True)
    try:
        db.execute("SELECT count(*) FROM meta")
    except sqlite3.DatabaseError as error:
        db.close()
        raise UnreadableError(f"{path}: not readable as a state database ({error})") from None
    return db
