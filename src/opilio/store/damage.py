"""State databases that are damaged: whatever is asked of one, the answer is a sentence."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import UnreadableError


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """What SQLite finds damaged inside is one sentence about this file or folder."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if type(error) is not sqlite3.DatabaseError:  # the subclasses are about locks, disks and mistakes of our own
            raise
        raise unreadable(path, error) from error


def unreadable(path: Path, error: sqlite3.Error) -> UnreadableError:
    return UnreadableError(
        f"{path}: not readable as a state database ({error}); put a copy back, or crawl into another folder. The pages "
        f"that were fetched are in archive/ beside it"
    )


class Checked(sqlite3.Connection):
    """A connection whose queries find damage at whatever row it shows."""

    path: Path

    def cursor(self, *kind: Any) -> Any:
        return super().cursor(Rows)

    def execute(self, *query: Any) -> sqlite3.Cursor:
        return super().cursor(Rows).execute(*query)


class Rows(sqlite3.Cursor):
    """A query on such a connection."""

    def __init__(self, db: sqlite3.Connection) -> None:
        super().__init__(db)
        assert isinstance(db, Checked)
        self._path = db.path

    def execute(self, *query: Any) -> Rows:
        with readable(self._path):
            return super().execute(*query)

    def fetchone(self) -> Any:
        with readable(self._path):
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        with readable(self._path):
            return super().fetchall()

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        with readable(self._path):
            yield from iter(super().fetchone, None)
