"""The content of stored pages, extracted once: a file of its own beside the crawl, which costs the crawl nothing.

It holds nothing that cannot be made again from the archive, so it may be removed at any time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..content.extract import extracted
from ..errors import UnreadableError, UnwritableError
from ..nouns import Content
from .stored_pages import copy

NAME = "content.db"
VERSION = 1  # of what is extracted, and how
WAIT = 60.0  # seconds for another export to write
BATCH = 50  # pages of a transaction
FIELDS = ", ".join(Content._fields)
TABLE = f"CREATE TABLE contents (digest TEXT, url TEXT, {FIELDS}, PRIMARY KEY (digest, url)) WITHOUT ROWID"


class StoredContent:
    """Content by page; what is new is committed every few pages, and on leaving the block."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._added = folder, 0
        self._path = folder / NAME

    def __enter__(self) -> StoredContent:
        try:
            self._db = self._opened(str(self._path))
        except sqlite3.OperationalError:  # nothing can be written there: then it is made anew each time
            self._db = self._opened(":memory:")
        except sqlite3.DatabaseError as error:
            raise UnreadableError(f"{self._path}: cannot be used ({error}); remove it, and it is rebuilt") from None
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(sqlite3.OperationalError):  # no room for it: it can be made again
            self._db.commit()
        self._db.close()

    def of(self, row: Mapping[str, Any] | sqlite3.Row) -> Content:
        """The content of the page of a row with all its columns; nothing of a page that was not stored, or is an error."""
        if row["file"] is None or (not 200 <= row["status"] < 300 and row["status"] != 304):
            return Content()
        key = (row["digest"], row["url"])
        known = self._db.execute(f"SELECT {FIELDS} FROM contents WHERE digest = ? AND url = ?", key).fetchone()
        return Content(*known) if known else self._made(row, key)

    def _made(self, row: Mapping[str, Any] | sqlite3.Row, key: tuple[str, str]) -> Content:
        page = copy(self._folder, row)
        made = extracted(page) if page and not page.location else Content()
        marks = ", ".join("?" * (2 + len(made)))
        try:
            self._db.execute(f"INSERT OR REPLACE INTO contents VALUES ({marks})", (*key, *map(_storable, made)))
            self._added += 1
            if self._added % BATCH == 0:
                self._db.commit()
        except sqlite3.OperationalError as error:
            raise UnwritableError(f"{self._path}: cannot be written ({error}); free some space") from None
        return made

    def _opened(self, path: str) -> sqlite3.Connection:
        db = sqlite3.connect(path, timeout=WAIT)
        try:
            if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                with db:
                    db.execute("BEGIN IMMEDIATE")
                    db.execute("DROP TABLE IF EXISTS contents")
                    db.execute(TABLE)
                    db.execute(f"PRAGMA user_version = {VERSION}")
        except sqlite3.DatabaseError:
            db.close()
            raise
        return db


def _storable(text: str) -> str:
    """Text without lone surrogates, which SQLite does not take."""
    return text.encode("utf-8", "replace").decode()
