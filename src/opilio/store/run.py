"""The run folder of a crawl: WARC files and state.db, committed together.

Commit: the WARC bytes are synced first, then one transaction takes the page rows with their WARC offsets, the frontier's
changes, the letters and the learned state. After a crash the WARC file is cut to its committed length.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from ..errors import ConfigError, UnreadableError, UnwritableError
from ..nouns import RELEVANT, Lease, Letter, News, Offer, Page
from ..packing import pack, unpack
from . import cdxj, tables
from .answers import archived
from .archive import FILE, Archive
from .warc import Response, read


class RunStore:
    """Opens a run folder to go on with it; `db` has a transaction open between commits, and the frontier writes into it."""

    def __init__(self, folder: Path, index: int = 0, *, keep_links: bool = False, file_size: int = FILE) -> None:
        self.folder, self.index, self.keep_links = folder, index, keep_links
        with writing(folder), ExitStack() as undo:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = undo.enter_context(closing(lock(folder)))
            self.db = undo.enter_context(closing(sqlite3.connect(folder / "state.db", isolation_level=None)))
            tables.create(self.db, str(folder))
            self.db.execute("BEGIN")
            position = self._meta("archive")
            self.archive = Archive(folder / "archive", tuple(position) if position else None, file_size)
            self._index_full_files()
            undo.pop_all()
        self.pages, self.bytes = self._meta("pages") or 0, self._meta("bytes") or 0
        self.seconds = self._meta("seconds") or 0.0
        self.started = bool(self._meta("started"))
        self._saved: dict[str, bytes] = {}

    def close(self) -> None:
        """Lets go of the folder; what was not committed is forgotten."""
        self.db.rollback()
        self.archive.close()
        with suppress(OSError):  # no room for it: the next one to open the folder writes it
            cdxj.write(self.db, self.archive.path)
        self.db.close()
        self._lock.close()

    def add(self, lease: Lease, page: Page, relevance: float | None) -> None:
        """Append a page; a fetch that got no answer, or one that is not to be kept, has a row and no record."""
        now = page.wire.time if page.wire else time.time()
        revisit, found = archived(self.db, self.archive, page, now) if page.status and page.stored else (None, {})
        number = tables.add_page(self.db, lease, page, {"time": now, "relevance": relevance, **found})
        if revisit:
            self.db.execute("INSERT INTO revisits VALUES (?, ?, ?, ?)", (number, *revisit))
        if page.document:
            tables.enter_group(self.db, number, page)
        if page.wishes:
            self.db.execute("INSERT OR REPLACE INTO wishes VALUES (?, ?)", (page.url, ", ".join(sorted(page.wishes))))
        if self.keep_links:
            tables.add_links(self.db, number, page.links)
        self.pages += 1
        self.bytes += len(page.body)

    def keep(self, url: str, note: tuple[Any, ...]) -> None:
        """Store a strategy's note with the last visit to a page."""
        tables.keep(self.db, url, note)

    def _index_full_files(self) -> None:
        """Every file but the one that grows has its index; that one gets it when the crawl stops."""
        cdxj.index_of(self.archive.path).unlink(missing_ok=True)
        for path in sorted(self.archive.path.parent.glob("opilio-*.warc.gz")):
            if path != self.archive.path and not cdxj.index_of(path).exists():
                cdxj.write(self.db, path)
        self._indexed = self.archive.path

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
        if self.archive.path != self._indexed:
            self._index_full_files()

    def state(self, name: str) -> bytes | None:
        row = self.db.execute("SELECT data FROM state WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def fetched(self) -> Iterator[tuple[str, str, str, float | None, bool]]:
        """Of every fetch so far: URL, source, location, relevance, and whether it was the first with its text."""
        first = "EXISTS (SELECT 1 FROM texts WHERE page = number)"
        rows = self.db.execute(f"SELECT url, source, location, relevance, {first} FROM pages ORDER BY number")
        return ((url, source, location, relevance, bool(new)) for url, source, location, relevance, new in rows)

    def new_text(self, key: int) -> bool:
        """Whether the page added last is the first whose text has this key."""
        row = (key - (1 << 63), self.pages)  # SQLite's integers have a sign
        return self.db.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", row).rowcount == 1

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


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """What the disk refuses inside is one sentence; everything up to the last commit is safe."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        reason = getattr(error, "strerror", "") or str(error)
        raise UnwritableError(
            f"{folder}: it cannot be written ({reason}); make room or give leave to write there. What was committed is "
            f"safe: opilio resume {folder}"
        ) from error


def lock(folder: Path) -> Any:
    """One process at a time works on a run folder; the file says which."""
    file = (folder / "lock").open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise ConfigError(f"{folder}: another process is crawling into this folder; wait for it or stop it") from None
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
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
