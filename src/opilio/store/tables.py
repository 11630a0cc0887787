"""The tables of state.db that tell of pages and links; docs/archive.md says what every column means."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from ..errors import UnreadableError
from ..nouns import Lease, Page

VERSION = 16  # raised whenever tables change, or what a strategy or topic of ours saves
# A commit is on the disk when it returns: other shards forget letters by it.
# A crawl of a million pages changes leaves all over its indexes: they are written back seldom, many changes at a time. Some
# builds of SQLite write zeros over what is deleted; leases and old versions of rows go all the time, and are no secret.
PRICE = "shift + scale * value"  # of the offer that a page was fetched for, as Weight.price has it
PRAGMAS = """
PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -16000;
PRAGMA secure_delete = OFF;
"""
# Where commits are kept elsewhere, they are copied out of the write-ahead log, which is emptied by whoever copies.
AS_A_CACHE = "PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF;"
SCHEMA = f"""
BEGIN;
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, data BLOB);
CREATE TABLE IF NOT EXISTS pages (
    number INTEGER PRIMARY KEY, url TEXT, status INTEGER, error TEXT, time REAL, bytes INTEGER, mime TEXT, title TEXT,
    language TEXT, relevance REAL, genre TEXT, page_type TEXT, fingerprint INTEGER, duplicate_group INTEGER, location TEXT,
    source TEXT, anchor TEXT, path TEXT, lane TEXT, value REAL, shift REAL, scale REAL, note TEXT, hops INTEGER, depth INTEGER,
    kept TEXT, digest TEXT, file TEXT, offset INTEGER, length INTEGER);
CREATE INDEX IF NOT EXISTS pages_url ON pages (url);
CREATE TABLE IF NOT EXISTS revisits (page INTEGER PRIMARY KEY, file TEXT, offset INTEGER, length INTEGER);
CREATE TABLE IF NOT EXISTS refusals (url TEXT PRIMARY KEY, reason TEXT, time REAL, source TEXT, anchor TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS directives (url TEXT PRIMARY KEY, said TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    number INTEGER PRIMARY KEY, url TEXT, status INTEGER, time REAL, mime TEXT, digest TEXT, file TEXT, offset INTEGER,
    length INTEGER);
CREATE TABLE IF NOT EXISTS texts (page INTEGER PRIMARY KEY, key INTEGER);
CREATE TABLE IF NOT EXISTS letters (receiver INTEGER, number INTEGER, say BLOB, PRIMARY KEY (receiver, number));
CREATE TABLE IF NOT EXISTS heard (sender INTEGER PRIMARY KEY, number INTEGER);
CREATE TABLE IF NOT EXISTS posted (receiver INTEGER PRIMARY KEY, number INTEGER);
PRAGMA user_version = {VERSION};
COMMIT;
"""
LABELS = {
    "genre": "genre",
    "type": "page_type",
}  # what a strategy may say of a page in the note it keeps, and the column
KEEP = f"""UPDATE pages SET kept = ?, {", ".join(f"{column} = coalesce(?, {column})" for column in LABELS.values())}
    WHERE number = (SELECT number FROM pages WHERE url = ? ORDER BY number DESC LIMIT 1)"""


def create(db: sqlite3.Connection) -> None:
    """Make what is missing; tables of another version of the program are left alone."""
    made = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'pages'").fetchone()[0]
    if made:
        check_version(db)
    db.executescript(PRAGMAS + SCHEMA)


def check_version(db: sqlite3.Connection) -> None:
    """Refuse what another version of the program has learned."""
    found = db.execute("PRAGMA user_version").fetchone()[0]
    if found != VERSION:
        raise of_another_version(file_of(db), f"its state has version {found}, and this one reads {VERSION}")


def of_another_version(file: str, why: str) -> UnreadableError:
    """The sentence for what has been learned and cannot be restored."""
    return UnreadableError(
        f"{file}: written by another version of opilio, or of its strategy ({why}); nothing was changed. Continue with that "
        f"version, or start a new crawl in another folder (opilio crawl --out); the pages in the archive can be read by any "
        f"program for WARC files, or be crawled again as a corpus (docs/archive.md)"
    )


def file_of(db: sqlite3.Connection) -> str:
    """The file that a database is in."""
    return str(db.execute("PRAGMA database_list").fetchone()[2])


COLUMNS = (
    "number", "url", "status", "error", "time", "bytes", "mime", "title", "language", "relevance", "location",
    "source", "anchor", "path", "lane", "value", "shift", "scale", "note", "hops", "depth",
    "fingerprint", "duplicate_group", "digest", "file", "offset", "length", "kept", *LABELS.values(),
)  # fmt: skip
ADD = f"INSERT INTO pages ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"


class Waiting:
    """Rows that are written many at a time, which costs a third; whoever reads them asks for the database here."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._rows: dict[str, list[tuple[Any, ...]]] = {}  # by statement

    def add(self, statement: str, row: tuple[Any, ...]) -> None:
        self._rows.setdefault(statement, []).append(row)

    @property
    def db(self) -> sqlite3.Connection:
        """The database, with all of them."""
        if self._rows:
            self._write()
        return self._db

    def _write(self) -> None:
        while self._rows:
            self._db.executemany(*self._rows.popitem())


def add_page(
    pages: Waiting, number: int, time: float, lease: Lease, page: Page, relevance: float | None, *found: Any
) -> None:
    """Enter a page with what else was found out about it, in the order of the columns: bits, group, digest, place, note."""
    offer, link, (shift, scale, _) = lease.offer, lease.offer.link, lease.weight
    pages.add(ADD, (
        number, link.url, page.status, page.error, time, len(page.body), page.headers.get("content-type", ""), page.title,
        page.language, relevance, page.location, link.source, link.anchor, link.path, written(offer.lane), float(offer.value),
        shift, scale, written(offer.note), offer.hops, offer.depth, *found,
    ))  # fmt: skip


FLOATS = frozenset([float])
_encode = json.JSONEncoder(default=str).encode  # made once: json.dumps would make one for each note


def written(note: tuple[Any, ...]) -> str:
    """A note as JSON. Most are floats, which Python writes as JSON does, but for nan and inf."""
    if not note:
        return "[]"
    plain = str(list(note)) if FLOATS.issuperset(map(type, note)) else "n"
    return _encode(note) if "n" in plain else plain


def add_file(db: sqlite3.Connection, page: Page, time: float, found: tuple[Any, ...]) -> None:
    """Enter an answer that is no page but speaks for its host, as a robots.txt does."""
    row = (page.url, page.status, time, page.headers.get("content-type", ""), *found)
    db.execute("INSERT INTO files VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def kept(note: tuple[Any, ...] | None) -> tuple[str | None, ...]:
    """The columns of a strategy's note: what it is, and what pairs in it such as ("genre", "blog") say."""
    if note is None:
        return (None,) * (1 + len(LABELS))
    labels = {str(part[0]): str(part[1]) for part in note if isinstance(part, tuple | list) and len(part) == 2}
    return written(note), *map(labels.get, LABELS)


def keep(db: sqlite3.Connection, url: str, note: tuple[Any, ...]) -> None:
    """Store a strategy's note with the last visit to a page."""
    db.execute(KEEP, (*kept(note), url))
