"""Which records an answer becomes: a response, or a revisit where its bytes are in the archive already."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from ..nouns import Page
from .archive import Archive, Place
from .records import Earlier, date_of, digest_of, exchange, response_record

OK, NOT_MODIFIED = 200, 304
LEAST_SHARED = 1024  # bytes of a payload; below that a reference is no shorter
CUT = {"timeout": "time", "too large": "length"}  # how an error begins -> why the payload is not whole


class Stored(NamedTuple):
    """What the tables say of the bytes of an answer."""

    digest: str | None = None
    file: str | None = None
    offset: int | None = None
    length: int | None = None


NOT_STORED = Stored()


def archived(db: sqlite3.Connection, archive: Archive, page: Page, now: float) -> tuple[Place | None, Stored]:
    """Write the records of an answer; the place of a revisit record, and where the bytes are."""
    wire = page.wire
    if not wire or not wire.head:
        record = response_record(page.url, page.status, page.headers, page.body, date_of(now))
        return None, Stored(digest_of(page.body), *archive.append(record))
    digest = digest_of(wire.payload)
    same = _same(db, page, digest)
    earlier = Earlier(same["url"], date_of(same["time"]), same["digest"]) if same else None
    place = archive.append(*exchange(page.url, wire, digest, earlier, _cut(page.error)))
    if not same:
        return None, Stored(digest, *place)
    return place, Stored(same["digest"], same["file"], same["offset"], same["length"])


def noted(archive: Archive, page: Page) -> Stored:
    """Write the records of an answer that is no page; where its bytes are."""
    assert page.wire
    digest = digest_of(page.wire.payload)
    return Stored(digest, *archive.append(*exchange(page.url, page.wire, digest, truncated=_cut(page.error))))


def _same(db: sqlite3.Connection, page: Page, digest: str) -> sqlite3.Row | None:
    """The row of the response record whose bytes this answer has."""
    if page.status == NOT_MODIFIED:
        last = "SELECT digest, bytes, mime FROM pages WHERE url = ? AND status = 200 ORDER BY number DESC LIMIT 1"
        alike = db.execute(last, (page.url,)).fetchone()
    else:
        whole = page.status == OK and not page.error and page.wire and len(page.wire.payload) >= LEAST_SHARED
        # The same bytes may mean something else under another encoding or type.
        alike = (digest, len(page.body), page.headers.get("content-type", "")) if whole else None
    return _first(db, alike) if alike else None


def _first(db: sqlite3.Connection, alike: tuple[str, int, str]) -> sqlite3.Row | None:
    if not db.execute("SELECT 1 FROM pages WHERE digest = ?", alike[:1]).fetchone():
        return None  # nearly always, and that is found out soon
    cursor = db.cursor()
    cursor.row_factory = sqlite3.Row
    query = """SELECT * FROM pages WHERE digest = ? AND bytes = ? AND mime = ? AND status = 200 AND error = ''
        AND NOT EXISTS (SELECT 1 FROM revisits WHERE page = number) ORDER BY number LIMIT 1"""
    row: sqlite3.Row | None = cursor.execute(query, alike).fetchone()
    return row


def _cut(error: str) -> str:
    """Why an answer that ended in an error is not whole, in the words of the standard."""
    if not error or error.startswith("http "):
        return ""
    return next((reason for start, reason in CUT.items() if error.startswith(start)), "disconnect")
