"""The run folder of a crawl: WARC files and state.db, committed together.

Commit: the WARC bytes are synced first, then one transaction takes the page rows with their WARC offsets, the frontier's
changes, the letters and the learned state. After a crash the WARC file goes on at its committed length.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from ..errors import UnwritableError
from ..nouns import RELEVANT, Lease, Page
from ..system import durable
from . import cdxj, duplicates, tables
from .archive import FILE, Archive, prefix_of
from .commit_log import CommitLog
from .damage import readable
from .lock import lock
from .mailbox import Mailbox
from .reader import check_states, check_unused, state_file
from .replies import NOT_STORED, Answers
from .seen import StoredUrls, Texts
from .warc import Response, read

ERROR_LOG = "errors.log"  # tracebacks of pages that failed
LAST = "url = ? AND file IS NOT NULL ORDER BY number DESC LIMIT 1"  # what was stored last of a URL


class RunStore:
    """Opens a run folder to go on with it; `db` has a transaction open between commits, and the frontier writes into it."""

    lasts = True

    def __init__(
        self,
        folder: Path,
        index: int = 0,
        shards: int = 1,
        *,
        file_size: int = FILE,
        log: CommitLog | None = None,
    ) -> None:
        """One of several shards has files of its own in the folder, and every n-th page number."""
        self.folder, self.index, self.shards, self.log = folder, index, shards, log
        self.elsewhere = log is not None  # other shards may be on other machines
        self.error_log = folder / ERROR_LOG
        with writing(folder), ExitStack() as undo:
            durable.make_folder(folder)
            check_states(folder)
            self._lock = undo.enter_context(closing(lock(folder, f"lock-{index}" if shards > 1 else "lock")))
            self._files = index if shards > 1 else 0  # whose files in the folder are its own
            state = state_file(folder, self._files)
            self._db = undo.enter_context(closing(sqlite3.connect(state, isolation_level=None)))
            tables.create(self._db)
            if log:
                self._db.executescript(tables.AS_A_CACHE)
            self._db.execute("BEGIN")
            self._waiting = tables.Waiting(self._db)
            self.archive = self._opened_archive(file_size)
            undo.callback(self.archive.close)
            self._answers = Answers(self._waiting, self.archive)
            self._groups = duplicates.StoredGroups(self._waiting)
            self._texts, self._urls = Texts(self._waiting), StoredUrls(self._waiting)
            self._index_full_files()
            self._restore()
            undo.pop_all()

    def _restore(self) -> None:
        self.pages, self.bytes = meta(self.db, "pages") or 0, meta(self.db, "bytes") or 0
        self.seconds = meta(self.db, "seconds") or 0.0
        self.started = bool(meta(self.db, "started"))
        self._saved: dict[str, bytes] = {}
        self.mail = Mailbox(self._waiting, self.index, self.log)

    @property
    def db(self) -> sqlite3.Connection:
        """The database with all that was added, committed or not."""
        return self._waiting.db

    def close(self) -> None:
        """Lets go of the folder; what was not committed is forgotten."""
        self._db.rollback()
        self.archive.close()
        with suppress(OSError, sqlite3.DatabaseError):  # no room for it: the next one to open the folder writes it
            cdxj.write(self._db, self.archive.path)
        self._db.close()
        self._lock.close()

    def add(self, lease: Lease, page: Page, relevance: float | None, note: tuple[Any, ...] | None = None) -> None:
        """Append a page, with a strategy's note; a fetch that got no answer, or one that is not to be kept, has a row and no
        record."""
        now = page.wire.time if page.wire else time.time()
        number, answered = self._number, page.status and page.stored
        revisit, stored = self._answers.add(page, number, now) if answered else (None, NOT_STORED)
        tables.add_page(
            self._waiting,
            number,
            now,
            lease,
            page,
            relevance,
            *self._groups.of_page(page, number),
            *stored,
            *tables.kept(note),
        )
        if revisit:
            self._db.execute("INSERT INTO revisits VALUES (?, ?, ?, ?)", (number, *revisit))
        if page.directives:
            self._db.execute(
                "INSERT OR REPLACE INTO directives VALUES (?, ?)", (page.url, ", ".join(sorted(page.directives)))
            )
        elif lease.kept is not None:  # what it asked for the last time no longer counts
            self._db.execute("DELETE FROM directives WHERE url = ?", (page.url,))
        if stored.file:
            self._urls.add(lease.offer.link.url, number)
        self.pages += 1
        self.bytes += len(page.body)

    @property
    def _number(self) -> int:
        """The number of the next page: no other shard has it."""
        return 1 + self.index + self.shards * self.pages if self.shards > 1 else 1 + self.pages

    def _opened_archive(self, file_size: int) -> Archive:
        """The archive at its committed position. A new one is committed before it gets a page: so pages without a position
        are those of a crawl whose state was lost."""
        position, prefix = meta(self.db, "archive"), prefix_of(self._files)
        if position is None:
            check_unused(self.folder, self._files)
        if self.log:
            _note_end(self.db, position)
            prefix, position = f"{prefix}{self.log.life:04}", None
        archive = Archive(self.folder / "archive", tuple(position) if position else None, file_size, prefix)
        if position is None:
            self._commit(archive=_json_position(archive))
            durable.sync_folder(self.folder)
        return archive

    def _commit(self, **values: str | float) -> None:
        """Put values into `meta`, as JSON is written (numbers need no encoder), and commit everything."""
        rows = [(name, str(value)) for name, value in values.items()]
        self.db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)
        self.db.execute("COMMIT")
        self.db.execute("BEGIN")

    def note(self, page: Page) -> None:
        """Append an answer that is no page but speaks for its host, as a robots.txt does."""
        assert page.wire
        tables.add_file(self._db, page, page.wire.time, self._answers.note(page))

    def keep(self, url: str, note: tuple[Any, ...]) -> None:
        """Store a strategy's note with the last visit to a page."""
        tables.keep(self.db, url, note)

    def _index_full_files(self) -> None:
        """Every file but the one that grows has its index; that one gets it when the crawl stops."""
        cdxj.index_of(self.archive.path).unlink(missing_ok=True)
        for path in sorted(self.archive.path.parent.glob(f"{self.archive.prefix}*.warc.gz")):
            if path != self.archive.path and not cdxj.index_of(path).exists():
                cdxj.write(self.db, path)
        self._indexed = self.archive.path

    def refuse(self, lease: Lease, page: Page) -> None:
        """Note why a page was not fetched."""
        link = lease.offer.link
        row = (link.url, page.error, time.time(), link.source, link.anchor)
        self._db.execute("INSERT OR REPLACE INTO refusals VALUES (?, ?, ?, ?, ?)", row)

    def commit(self, state: Mapping[str, bytes]) -> None:
        for name, data in state.items():
            if self._saved.get(name) != data:
                self.db.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, data))
                self._saved[name] = data
        self.started = True
        self.mail.write()
        position = _json_position(self.archive)
        counts = {"pages": self.pages, "bytes": self.bytes, "seconds": self.seconds}
        self._commit(archive=position, **counts, started="true")
        marks = self.mail.committed()
        if self.log:
            self.log.committed(self._db, self.archive.position, marks)
        if self.archive.path != self._indexed:
            self._index_full_files()

    def state(self, name: str) -> bytes | None:
        row = self.db.execute("SELECT data FROM state WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def fetched(self) -> Iterator[tuple[str, str, int, str, float | None, bool]]:
        """Of every fetch so far: URL, source, depth, location, relevance, and whether it was the first with its text."""
        first = "EXISTS (SELECT 1 FROM texts WHERE page = number)"
        rows = self.db.execute(f"SELECT url, source, depth, location, relevance, {first} FROM pages ORDER BY number")
        return ((*row, bool(new)) for *row, new in rows)

    def new_text(self, key: int) -> bool:
        """Whether the page added last is the first whose text has this key."""
        return self._texts.add(key, self._number - self.shards)

    def relevant(self, skip: int = 0) -> list[bool]:
        """Whether each page was relevant, oldest first; without the first ones."""
        return relevant(self.db, skip)

    def find(self, url: str) -> Response | None:
        """What was stored for a URL, at its last visit."""
        row = self.row(LAST, url) if url in self._urls else None
        return read(self.folder / "archive" / row["file"], row["offset"]) if row else None

    def row(self, where: str, value: object) -> sqlite3.Row | None:
        """The first row of a page for which this holds; its record can be read, whether it was committed or not."""
        cursor = self.db.cursor()
        cursor.row_factory = sqlite3.Row
        found: sqlite3.Row | None = cursor.execute(f"SELECT * FROM pages WHERE {where}", (value,)).fetchone()
        if found:
            self.archive.flush()
            if self.log and found["file"]:
                self.log.bring(found["file"])
        return found


def _json_position(archive: Archive) -> str:
    """Where the archive ends, on the disk, as `meta` has it."""
    file, size = archive.sync()
    return f'["{file}", {size}]'


def meta(db: sqlite3.Connection, name: str) -> Any:
    """What a run notes of itself under a name."""
    row = db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return json.loads(row[0]) if row else None


def _note_end(db: sqlite3.Connection, position: list[Any] | None) -> None:
    """Note where the archive of an earlier life ends: its files are elsewhere, and none of them goes on."""
    if position:
        ends = json.dumps([*(meta(db, "archives") or []), position])
        db.execute("INSERT OR REPLACE INTO meta VALUES ('archives', ?)", (ends,))


def count_relevant(db: sqlite3.Connection) -> int:
    """How many pages are relevant."""
    return int(db.execute("SELECT count(*) FROM pages WHERE relevance >= ?", (RELEVANT,)).fetchone()[0])


def relevant(db: sqlite3.Connection, skip: int) -> list[bool]:
    """Whether each page was relevant, oldest first; without the first ones."""
    rows = db.execute("SELECT relevance >= ? FROM pages ORDER BY number LIMIT -1 OFFSET ?", (RELEVANT, skip))
    return [bool(good) for (good,) in rows]


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """What the disk refuses inside is one sentence; everything up to the last commit is safe."""
    try:
        with readable(folder):
            yield
    except (OSError, sqlite3.OperationalError) as error:
        reason = getattr(error, "strerror", "") or str(error)
        raise UnwritableError(
            f"{folder}: it cannot be written ({reason}); free some space, or permit writing there. What was committed is "
            f"safe: opilio resume {folder}"
        ) from error
