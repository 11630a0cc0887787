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
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from .. import durable
from ..codec import pack, unpack
from ..errors import UnwritableError
from ..key_index import Index
from ..nouns import RELEVANT, Lease, Letter, News, Offer, Page
from . import cdxj, duplicates, tables
from .archive import FILE, Archive, prefix_of
from .damage import readable
from .lock import lock
from .reader import check_states, check_unused, state_file
from .replies import NOT_STORED, Answers
from .warc import Response, read

ERROR_LOG = "errors.log"  # tracebacks of pages that failed
LAST = "url = ? AND file IS NOT NULL ORDER BY number DESC LIMIT 1"  # what was stored last of a URL


class Marks(NamedTuple):
    """How far letters have come, by shard."""

    posted: dict[int, int]  # the last to each
    heard: dict[int, int]  # the last of each


class CommitLog(Protocol):
    """Where commits go besides the disk, which then is only a cache."""

    life: int  # of the shard; archive files of different lives have different names
    marks: Marks | None  # of the last commit that is there; None: none of this life
    error: BaseException | None  # why nothing goes there any more

    @property
    def full(self) -> bool:
        """Whether so much waits to get there that the crawl has to."""

    @property
    def behind(self) -> float:
        """Seconds since the oldest commit that is not there."""

    def committed(self, db: sqlite3.Connection, archive: tuple[str, int], marks: Marks) -> None:
        """A transaction was committed, with the archive up to this position."""

    def bring(self, file: str) -> None:
        """Have an archive file of an earlier life at hand."""


class RunStore:
    """Opens a run folder to go on with it; `db` has a transaction open between commits, and the frontier writes into it."""

    lasts = True

    def __init__(
        self,
        folder: Path,
        index: int = 0,
        shards: int = 1,
        *,
        keep_links: bool = False,
        file_size: int = FILE,
        log: CommitLog | None = None,
    ) -> None:
        """One of several shards has files of its own in the folder, and every n-th page number."""
        self.folder, self.index, self.shards, self.keep_links, self._log = folder, index, shards, keep_links, log
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
            self._index_full_files()
            self._restore()
            undo.pop_all()

    def _restore(self) -> None:
        self.pages, self.bytes = self._meta("pages") or 0, self._meta("bytes") or 0
        self.seconds = self._meta("seconds") or 0.0
        self.started = bool(self._meta("started"))
        self._saved: dict[str, bytes] = {}
        self._outgoing: dict[int, list[Offer | News]] = {}
        self.posted: dict[int, int] = dict(self.db.execute("SELECT receiver, number FROM posted"))  # the last to each
        self._heard: dict[int, int] = dict(self.db.execute("SELECT sender, number FROM heard"))
        self._committed = self._restored = Marks(dict(self.posted), dict(self._heard))

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
            self._waiting, number, now, lease, page, relevance, *self._group(number, page), *stored, *tables.kept(note)
        )
        if revisit:
            self._db.execute("INSERT INTO revisits VALUES (?, ?, ?, ?)", (number, *revisit))
        if page.directives:
            self._db.execute(
                "INSERT OR REPLACE INTO directives VALUES (?, ?)", (page.url, ", ".join(sorted(page.directives)))
            )
        elif lease.kept is not None:  # what it asked for the last time no longer counts
            self._db.execute("DELETE FROM directives WHERE url = ?", (page.url,))
        if self.keep_links:
            tables.add_links(self._db, number, page.links)
        if stored.file and "_stored" in vars(self):  # not before somebody asks
            self._stored.set({hash(lease.offer.link.url): number})
        self.pages += 1
        self.bytes += len(page.body)

    def _group(self, number: int, page: Page) -> tuple[int | None, int | None]:
        """The bits of its text, and the first of the pages that are nearly the same."""
        bits = duplicates.fingerprint(page.main) if page.document else None
        return (None, None) if bits is None else (bits, self._groups.of(bits, number))

    @cached_property
    def _groups(self) -> duplicates.Groups:
        return duplicates.Groups(
            self.db.execute("SELECT fingerprint, number FROM pages WHERE duplicate_group = number")
        )

    @property
    def _number(self) -> int:
        """The number of the next page: no other shard has it."""
        return 1 + self.index + self.shards * self.pages if self.shards > 1 else 1 + self.pages

    def _opened_archive(self, file_size: int) -> Archive:
        """The archive at its committed position. A new one is committed before it gets a page: so pages without a position
        are those of a crawl whose state was lost."""
        position, prefix = self._meta("archive"), prefix_of(self._files)
        if position is None:
            check_unused(self.folder, self._files)
        if self._log:
            self._note_end(position)
            prefix, position = f"{prefix}{self._log.life:04}", None
        archive = Archive(self.folder / "archive", tuple(position) if position else None, file_size, prefix)
        if position is None:
            self._commit(archive=_json_position(archive))
            durable.sync_folder(self.folder)
        return archive

    def _note_end(self, position: list[Any] | None) -> None:
        """Note where the archive of an earlier life ends: its files are elsewhere, and none of them goes on."""
        if position:
            ends = json.dumps([*(self._meta("archives") or []), position])
            self.db.execute("INSERT OR REPLACE INTO meta VALUES ('archives', ?)", (ends,))

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
        self._write_letters()
        position = _json_position(self.archive)
        counts = {"pages": self.pages, "bytes": self.bytes, "seconds": self.seconds}
        self._commit(archive=position, **counts, started="true")
        self._committed = Marks(dict(self.posted), dict(self._heard))
        if self._log:
            self._log.committed(self._db, self.archive.position, self._committed)
        if self.archive.path != self._indexed:
            self._index_full_files()

    def state(self, name: str) -> bytes | None:
        row = self.db.execute("SELECT data FROM state WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def fetched(self) -> Iterator[tuple[str, str, int, str, float | None, bool]]:
        """Of every fetch so far: URL, source, depth, location, relevance, and whether it was the first with its text."""
        first = "EXISTS (SELECT 1 FROM texts WHERE page = number)"
        rows = self.db.execute(f"SELECT url, source, depth, location, relevance, {first} FROM pages ORDER BY number")
        return ((*told, bool(new)) for *told, new in rows)

    def new_text(self, key: int) -> bool:
        """Whether the page added last is the first whose text has this key."""
        key -= 1 << 63  # SQLite's integers have a sign
        if self._texts.get(key):
            return False
        page = self._number - self.shards
        self._texts.set({key: page})
        self._waiting.add("INSERT INTO texts VALUES (?, ?)", (page, key))
        return True

    @cached_property
    def _texts(self) -> Index:
        return Index.of(self.db.execute("SELECT key, page FROM texts"))

    def relevant(self, skip: int = 0) -> list[bool]:
        """Whether each page was relevant, oldest first; without the first ones."""
        return relevant(self.db, skip)

    def count_relevant(self) -> int:
        """How many pages are relevant."""
        row = self.db.execute("SELECT count(*) FROM pages WHERE relevance >= ?", (RELEVANT,)).fetchone()
        return int(row[0])

    def find(self, url: str) -> Response | None:
        """What was stored for a URL, at its last visit."""
        row = self.row(LAST, url) if self._stored.get(hash(url)) else None
        return read(self.folder / "archive" / row["file"], row["offset"]) if row else None

    @cached_property
    def _stored(self) -> Index:
        """The URLs of pages that have a record: most that are looked for have none, and the database need not be asked."""
        rows = self.db.execute("SELECT url, number FROM pages WHERE file IS NOT NULL")
        return Index.of((hash(url), number) for url, number in rows)

    def row(self, where: str, value: object) -> sqlite3.Row | None:
        """The first row of a page for which this holds; its record can be read, whether it was committed or not."""
        cursor = self.db.cursor()
        cursor.row_factory = sqlite3.Row
        found: sqlite3.Row | None = cursor.execute(f"SELECT * FROM pages WHERE {where}", (value,)).fetchone()
        if found:
            self.archive.flush()
            if self._log and found["file"]:
                self._log.bring(found["file"])
        return found

    def post(self, receiver: int, say: Offer | News) -> None:
        """A letter to another shard; it is on its way once it is committed."""
        self._outgoing.setdefault(receiver, []).append(say)

    def _write_letters(self) -> None:
        # Those to one shard are one row, under the number of the last: rows cost more than letters do.
        for receiver, says in self._outgoing.items():
            last = self.posted[receiver] = self.posted.get(receiver, 0) + len(says)
            self.db.execute("INSERT OR REPLACE INTO posted VALUES (?, ?)", (receiver, last))
            self.db.execute("INSERT INTO letters VALUES (?, ?, ?)", (receiver, last, pack(says)))
        self._outgoing = {}

    def bundles(self, receiver: int, after: int, last: int) -> list[tuple[int, bytes]]:
        """Letters to a shard after a number, up to another: the number of the last in each bundle, and their bytes."""
        query = "SELECT number, say FROM letters WHERE receiver = ? AND number > ? AND number <= ? ORDER BY number"
        return self.db.execute(query, (receiver, after, last)).fetchall()

    def letters(self) -> Iterator[Letter]:
        """Committed letters that were not forgotten yet, in order."""
        rows = self.db.execute("SELECT receiver, number, say FROM letters ORDER BY receiver, number").fetchall()
        for receiver, last, data in rows:
            says = unpack(data)
            for number, say in enumerate(says, last - len(says) + 1):
                yield Letter(self.index, receiver, number, say)

    def forget(self, receiver: int, number: int) -> None:
        """Letters up to this number were heard. If they were never posted, the end of this database is lost (an older copy of
        it was put back): new letters need numbers that were not heard yet."""
        self.db.execute("DELETE FROM letters WHERE receiver = ? AND number <= ?", (receiver, number))
        if number > self.posted.get(receiver, 0):
            self.posted[receiver] = number
            self.db.execute("INSERT OR REPLACE INTO posted VALUES (?, ?)", (receiver, number))

    def forgotten(self, receiver: int) -> int:
        """The number of the last letter to a shard that is no longer here."""
        query = "SELECT number, say FROM letters WHERE receiver = ? ORDER BY number LIMIT 1"
        row = self.db.execute(query, (receiver,)).fetchone()
        return row[0] - len(unpack(row[1])) if row else self.posted.get(receiver, 0)

    @property
    def full(self) -> bool:
        """Whether the crawl has to wait until commits are where they are kept."""
        return self._log is not None and self._log.full

    @property
    def behind(self) -> float:
        """Seconds since the oldest commit that is not where commits are kept."""
        return self._log.behind if self._log else 0.0

    def check(self) -> None:
        """Raise what went wrong where commits are kept."""
        if self._log and self._log.error:
            raise self._log.error

    @property
    def sendable(self) -> dict[int, int]:
        """The last letter to each shard that a crash cannot take back."""
        return self._safe.posted

    @property
    def safe(self) -> dict[int, int]:
        """The last letter of each shard whose hearing a crash cannot undo."""
        return self._safe.heard

    @property
    def _safe(self) -> Marks:
        if not self._log:
            return self._committed
        return self._restored if self._log.marks is None else self._log.marks

    @property
    def all_committed(self) -> bool:
        """Whether all letters that were heard are committed."""
        return self._committed.heard == self._heard

    def heard(self, sender: int) -> int:
        return self._heard.get(sender, 0)

    def hear(self, sender: int, number: int, count: int = 1) -> bool:
        """Whether these are the next letters from the sender, so many up to that number; notes them if so."""
        if number != self.heard(sender) + count:
            return False
        self._heard[sender] = number
        self.db.execute("INSERT OR REPLACE INTO heard VALUES (?, ?)", (sender, number))
        return True

    def skip(self, sender: int, number: int) -> int:
        """The sender has no letters up to this number any more; how many are lost for ever."""
        lost = number - self.heard(sender)
        return lost if lost > 0 and self.hear(sender, number, lost) else 0

    def _meta(self, name: str) -> Any:
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return json.loads(row[0]) if row else None


def _json_position(archive: Archive) -> str:
    """Where the archive ends, on the disk, as `meta` has it."""
    file, size = archive.sync()
    return f'["{file}", {size}]'


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
