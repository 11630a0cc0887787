"""The write-ahead log of SQLite, as far as it has to be understood to be copied: up to its last commit.

A header of 32 bytes, then frames: 24 bytes and a page each. The frame that ends a transaction says how large the database is
then, all others say 0; a frame belongs to the log if it has the salts of its header. Checksums are left to SQLite, which goes
through them when it reads the copy.
"""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path

from ...errors import UnreadableError

HEAD, FRAME = 32, 24
SALTS = slice(16, 24)  # in the header
COMMIT, FRAME_SALTS = slice(4, 8), slice(8, 16)  # in a frame


def log_of(database: Path) -> Path:
    """Where the log of a database is."""
    return database.with_name(f"{database.name}-wal")


def page_size(header: bytes) -> int:
    """Of the database whose log has this header; 65,536 is too large for the field and written as 1."""
    size: int = struct.unpack_from(">I", header, 8)[0]
    return 65536 if size == 1 else size


def committed(header: bytes, frames: bytes) -> int:
    """How many bytes of these frames belong to transactions that are committed."""
    step = FRAME + page_size(header)
    for number in range(len(frames) // step, 0, -1):
        head = frames[(number - 1) * step : (number - 1) * step + FRAME]
        if head[COMMIT] != bytes(4) and head[FRAME_SALTS] == header[SALTS]:
            return number * step
    return 0


class WalReader:
    """What has been committed since the last look; whoever empties the log says `restart`."""

    def __init__(self, database: Path) -> None:
        self._path = log_of(database)
        self.restart()

    def restart(self) -> None:
        self.offset, self._header = 0, b""

    def fresh(self) -> bytes:
        """The bytes of all transactions since the last look; the first of them follow the header."""
        try:
            with self._path.open("rb") as log:
                first = not self._header
                header = log.read(HEAD) if first else self._header
                if len(header) < HEAD:
                    return b""
                log.seek(max(self.offset, HEAD))
                frames = log.read()
        except FileNotFoundError:
            return b""
        length = committed(header, frames)
        if not length:
            return b""
        self._header = header
        found = (header if first else b"") + frames[:length]
        self.offset += len(found)
        return found


def empty(database: Path) -> None:
    """A database in WAL mode without tables: SQLite throws a log away whose database is empty."""
    with closing(sqlite3.connect(database)) as db:
        db.execute("PRAGMA journal_mode = WAL")


def apply(database: Path) -> None:
    """Let SQLite bring everything that stands in the log of a database into it."""
    log = log_of(database)
    size = log.stat().st_size if log.exists() else 0
    if not size:
        return
    with log.open("rb") as file:
        frames = (size - HEAD) // (FRAME + page_size(file.read(HEAD)))
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()  # it is read, frame by frame
        busy, found, _ = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if busy or found != frames:
        raise UnreadableError(
            f"{database.name}: of {frames} changed pages in the state log, {max(0, found)} are whole; it was damaged where it "
            "is kept"
        )
