"""The tables of state.db that tell of pages and links; docs/archive.md says what every column means."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ..errors import UnreadableError
from ..nouns import Lease, Link, Page
from . import near

VERSION = 2
# A crawl of a million pages changes leaves all over its indexes: they are written back seldom, many changes at a time.
PRAGMAS = """
PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -16000;
"""
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, data BLOB);
CREATE TABLE IF NOT EXISTS pages (
    number INTEGER PRIMARY KEY, url TEXT, status INTEGER, error TEXT, time REAL, bytes INTEGER, mime TEXT, title TEXT,
    language TEXT, relevance REAL, genre TEXT, page_type TEXT, fingerprint INTEGER, duplicate_group INTEGER, location TEXT,
    source TEXT, anchor TEXT, path TEXT, lane TEXT, value REAL, shift REAL, scale REAL, note TEXT, hops INTEGER, kept TEXT,
    digest TEXT, file TEXT, offset INTEGER, length INTEGER);
CREATE INDEX IF NOT EXISTS pages_url ON pages (url);
CREATE INDEX IF NOT EXISTS pages_digest ON pages (digest) WHERE digest IS NOT NULL;
CREATE TABLE IF NOT EXISTS revisits (page INTEGER PRIMARY KEY, file TEXT, offset INTEGER, length INTEGER);
CREATE TABLE IF NOT EXISTS links (
    page INTEGER, place INTEGER, url TEXT, anchor TEXT, path TEXT, rel TEXT, image INTEGER,
    PRIMARY KEY (page, place)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS refusals (url TEXT PRIMARY KEY, reason TEXT, time REAL, source TEXT, anchor TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wishes (url TEXT PRIMARY KEY, said TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    number INTEGER PRIMARY KEY, url TEXT, status INTEGER, time REAL, mime TEXT, digest TEXT, file TEXT, offset INTEGER,
    length INTEGER);
CREATE TABLE IF NOT EXISTS texts (key INTEGER PRIMARY KEY, page INTEGER);
CREATE INDEX IF NOT EXISTS texts_page ON texts (page);
CREATE TABLE IF NOT EXISTS letters (receiver INTEGER, number INTEGER, say BLOB, PRIMARY KEY (receiver, number));
CREATE TABLE IF NOT EXISTS heard (sender INTEGER PRIMARY KEY, number INTEGER);
CREATE TABLE IF NOT EXISTS posted (receiver INTEGER PRIMARY KEY, number INTEGER);
{near.SCHEMA}
PRAGMA user_version = {VERSION};
"""
LABELS = {
    "genre": "genre",
    "type": "page_type",
}  # what a strategy may say of a page in the note it keeps, and the column


def create(db: sqlite3.Connection, name: str) -> None:
    """Make what is missing; tables of another version of the program are left alone."""
    made = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'pages'").fetchone()[0]
    if made and db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        raise UnreadableError(f"{name}: made by another version of opilio; go on with that one, or start a new crawl")
    db.executescript(PRAGMAS + SCHEMA)


def add_page(db: sqlite3.Connection, lease: Lease, page: Page, found: Mapping[str, Any]) -> None:
    """Enter a page with what else was found out about it."""
    offer, link = lease.offer, lease.offer.link
    row = {
        "url": link.url,
        "status": page.status,
        "error": page.error,
        "bytes": len(page.body),
        "mime": page.headers.get("content-type", ""),
        "title": page.title,
        "language": page.language,
        "location": page.location,
        "source": link.source,
        "anchor": link.anchor,
        "path": link.path,
        "lane": written(offer.lane),
        "value": float(offer.value),
        "shift": lease.weight.shift,
        "scale": lease.weight.scale,
        "note": written(offer.note),
        "hops": offer.hops,
        **found,
    }
    db.execute(_inserting("pages", tuple(row)), tuple(row.values()))


written = json.JSONEncoder(default=str).encode  # made once: json.dumps would make one for each note


@lru_cache(maxsize=64)
def _inserting(table: str, names: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"


def add_file(db: sqlite3.Connection, page: Page, time: float, found: Mapping[str, Any]) -> None:
    """Enter an answer that is no page but speaks for its host, as a robots.txt does."""
    mime = page.headers.get("content-type", "")
    row = {"url": page.url, "status": page.status, "time": time, "mime": mime, **found}
    db.execute(_inserting("files", tuple(row)), tuple(row.values()))


def enter_group(db: sqlite3.Connection, number: int, page: Page) -> dict[str, int]:
    """Note which pages a page is nearly the same as; the columns that say so."""
    bits = near.fingerprint(page.main)
    return {} if bits is None else {"fingerprint": bits, "duplicate_group": near.group(db, bits, number)}


def add_links(db: sqlite3.Connection, number: int, links: Iterable[Link]) -> None:
    rows = (
        (number, place, link.url, link.anchor, link.path, " ".join(link.rel), link.image)
        for place, link in enumerate(links)
    )
    db.executemany("INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def keep(db: sqlite3.Connection, url: str, note: tuple[Any, ...]) -> None:
    """Store a strategy's note with the last visit to a page; pairs such as ("genre", "blog") fill columns of their own."""
    told = {
        LABELS[str(part[0])]: str(part[1])
        for part in note
        if isinstance(part, tuple | list) and len(part) == 2 and str(part[0]) in LABELS
    }
    row = {"kept": written(note), **told}
    last = "(SELECT number FROM pages WHERE url = :url ORDER BY number DESC LIMIT 1)"
    sets = ", ".join(f"{name} = :{name}" for name in row)
    db.execute(f"UPDATE pages SET {sets} WHERE number = {last}", row | {"url": url})
