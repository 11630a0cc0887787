"""A run folder as readers see it: one set of tables, however many shards wrote them.

Every shard has a database of its own. Pages have numbers that no two shards share, so their tables can stand one after
the other; what a frontier keeps has numbers of its own, and is looked at shard by shard.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from ..errors import UnreadableError
from . import tables, warc
from .archive import prefix_of
from .damage import Checked, readable, unreadable

ARCHIVED = re.compile(r"(?:opilio|shard(\d+))-\d+\.warc\.gz")  # a file of the first shard's archive, or of another's
ALL = "united.db"  # pages of all shards, where there are more of them than SQLite attaches
MOST = 10  # shards that it does
LARGEST = 2**63 - 1  # number that SQLite takes
UNITED = ("pages", "refusals", "directives", "revisits", "files")  # tables that readers see as one

JUDGED_AGAIN = "judged again"  # in meta: how many pages there were when stored ones were judged once more


def state_file(folder: Path, index: int = 0) -> Path:
    """The database of one shard; the first one's has the name that it has where there is only one."""
    return folder / (f"state-{index}.db" if index else "state.db")


def state_files(folder: Path) -> list[Path]:
    """The databases of all shards in a run folder, in their order."""
    others = (path for path in folder.glob("state-*.db") if path.stem[6:].isdigit())
    return [state_file(folder), *sorted(others, key=lambda path: int(path.stem[6:]))]


def check_states(folder: Path) -> None:
    """Refuse a run folder in which a shard has archived pages and no state database: it is damaged, and nothing may touch it."""
    found = (ARCHIVED.fullmatch(path.name) for path in (folder / "archive").glob("*.warc.gz"))
    for index in sorted({int(name[1] or 0) for name in found if name}):
        state = state_file(folder, index)
        if not state.is_file() or not state.stat().st_size:
            check_unused(folder, index)


def check_unused(folder: Path, index: int) -> None:
    """Refuse to begin a crawl over the archive of an earlier one, whose state was lost; a file without pages does not count."""
    archive = folder / "archive"
    files = sorted(archive.glob(f"{prefix_of(index)}*.warc.gz"))
    if any(map(_has_pages, files)):
        raise UnreadableError(
            f"{state_file(folder, index)}: it is missing or empty, but {archive} holds the pages of a crawl; nothing was "
            f"changed. Restore it from a backup; without it this crawl cannot continue or be inspected. To start again, name "
            f"another folder (opilio crawl --out); the pages can be read by any program for WARC files, or be crawled "
            f"again as a corpus (docs/archive.md)"
        )


def begun(folder: Path) -> bool:
    """Whether every shard has made its tables: a power cut before that leaves a database without any."""
    return all(map(_has_tables, state_files(folder)))


def _has_tables(path: Path) -> bool:
    if not path.is_file():
        return False
    with readable(path), closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
        return db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone() is not None


def _has_pages(path: Path) -> bool:
    try:
        return next(warc.index(path), None) is not None
    except UnreadableError:  # there is something, and whatever it is, it is not ours to judge
        return True


class Reading(Checked):
    """The tables of a run folder; those of several shards look like one."""

    shards: Sequence[sqlite3.Connection] = ()  # each by itself; what is not united is there alone

    def close(self) -> None:
        for shard in self.shards:
            if shard is not self:
                shard.close()
        self.shards = ()
        super().close()


def not_a_run(folder: Path, missing: str) -> UnreadableError:
    """The sentence for what is named as a run folder and has not what one has."""
    what = f"this is not a run folder (no {missing} in it)" if folder.is_dir() else "there is no such folder"
    what = what if folder.is_dir() or not folder.exists() else "this is a file, not a run folder"
    return UnreadableError(f"{folder}: {what}; name one that `opilio crawl` made")


def reading(folder: Path) -> Reading:
    """The tables of a run folder, to look at while a crawl may go on."""
    check_states(folder)
    path, *others = state_files(folder)
    if not path.is_file():
        raise not_a_run(folder, path.name)
    db = _read_only(path)
    db.shards = (_read_only(path), *map(_read_only, others)) if others else (db,)
    unite(db, others, "main")
    return db


def unite(db: sqlite3.Connection, others: Sequence[Path], first: str) -> None:
    """Let queries see the pages of all shards; `first` is what the connection calls the first shard's database."""
    if others and (united := others[0].with_name(ALL)).is_file():
        db.execute("ATTACH ? AS united", (f"{united.absolute().as_uri()}?mode=ro",))
        _view(db, ["united"])
        return
    names = [first]
    for number, path in enumerate(others, 1):
        names.append(f"shard{number}")
        db.execute(f"ATTACH ? AS {names[-1]}", (f"{path.absolute().as_uri()}?mode=ro",))
    if others:
        _view(db, names)


def _view(db: sqlite3.Connection, names: Sequence[str]) -> None:
    for table in UNITED:
        parts = " UNION ALL ".join(f"SELECT * FROM {name}.{table}" for name in names)
        db.execute(f"CREATE TEMP VIEW {table} AS {parts}")


def write_united(folder: Path) -> None:
    """Copy the tables that readers see as one into one file, where there are more shards than can be read together."""
    with closing(sqlite3.connect(folder / ALL, isolation_level=None)) as db:
        tables.create(db)
        for path in state_files(folder):
            db.execute("ATTACH ? AS shard", (str(path),))
            db.execute("BEGIN")
            for table in UNITED:
                own = "NULL, url, status, time, mime, digest, file, offset, length" if table == "files" else "*"
                db.execute(f"INSERT OR REPLACE INTO {table} SELECT {own} FROM shard.{table}")
            db.execute("COMMIT")
            db.execute("DETACH shard")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _read_only(path: Path) -> Reading:
    try:
        with ExitStack() as undo:
            db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, factory=Reading)
            undo.callback(db.close)
            db.path = path
            db.execute("SELECT count(*) FROM meta")
            undo.pop_all()
    except sqlite3.OperationalError as error:
        raise unreadable(path, error) from None
    return db
