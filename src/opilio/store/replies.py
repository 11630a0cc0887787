"""Which records an answer becomes: a response, or a revisit where its bytes are in the archive already."""

from __future__ import annotations

import sqlite3
from functools import cached_property
from typing import NamedTuple

from ..key_index import Index
from ..nouns import INTERNAL, Page
from .archive import Archive, Place
from .tables import Waiting
from .warc_records import Earlier, date_of, digest_of, exchange, response_record

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


class Answers:
    """Writes answers into the archive, and knows which bytes are there already."""

    def __init__(self, pages: Waiting, archive: Archive) -> None:
        self._pages, self._archive = pages, archive

    def add(self, page: Page, number: int, now: float) -> tuple[Place | None, Stored]:
        """Write the records of a page; the place of a revisit record, and where the bytes are."""
        wire = page.wire
        if not wire or not wire.head:
            record = response_record(page.url, page.status, page.headers, page.body, date_of(now))
            return None, self._remember(page, number, digest_of(page.body), self._archive.append(record))
        digest = digest_of(wire.payload)
        same = self._same(page, digest)
        earlier = Earlier(same["url"], date_of(same["time"]), same["digest"]) if same else None
        place = self._archive.append(*exchange(page.url, wire, digest, earlier, _cut(page.error)))
        if not same:
            return None, self._remember(page, number, digest, place)
        return place, Stored(same["digest"], same["file"], same["offset"], same["length"])

    def note(self, page: Page) -> Stored:
        """Write the records of an answer that is no page; where its bytes are."""
        assert page.wire
        digest = digest_of(page.wire.payload)
        return Stored(digest, *self._archive.append(*exchange(page.url, page.wire, digest, truncated=_cut(page.error))))

    def _remember(self, page: Page, number: int, digest: str, place: Place) -> Stored:
        if page.status == OK and not page.error:
            key = hash(_alike(page, digest))
            if not self._first.get(key):
                self._first.set({key: number})
        return Stored(digest, *place)

    @cached_property
    def _first(self) -> Index:
        """By digest, length and type of a body: the first page that has it, with a response record that is whole."""
        query = """SELECT digest, bytes, mime, number FROM pages WHERE digest IS NOT NULL AND status = 200 AND error = ''
            AND number NOT IN (SELECT page FROM revisits) ORDER BY number DESC"""
        return Index.of(
            (hash((digest, size, mime)), number) for digest, size, mime, number in self._pages.db.execute(query)
        )

    def _same(self, page: Page, digest: str) -> sqlite3.Row | None:
        """The row of the response record whose bytes this answer has."""
        if page.status == NOT_MODIFIED:
            last = "SELECT digest, bytes, mime FROM pages WHERE url = ? AND status = 200 ORDER BY number DESC LIMIT 1"
            alike = self._pages.db.execute(last, (page.url,)).fetchone()
        else:
            whole = page.status == OK and not page.error and page.wire and len(page.wire.payload) >= LEAST_SHARED
            alike = _alike(page, digest) if whole else None
        number = self._first.get(hash(alike)) if alike else 0
        return self._row(number, alike) if number else None

    def _row(self, number: int, alike: tuple[str, int, str]) -> sqlite3.Row | None:
        cursor = self._pages.db.cursor()
        cursor.row_factory = sqlite3.Row
        query = "SELECT * FROM pages WHERE number = ? AND digest = ? AND bytes = ? AND mime = ?"
        row: sqlite3.Row | None = cursor.execute(query, (number, *alike)).fetchone()
        return row


def _alike(page: Page, digest: str) -> tuple[str, int, str]:
    # The same bytes may mean something else under another encoding or type.
    return digest, len(page.body), page.headers.get("content-type", "")


def _cut(error: str) -> str:
    """Why an answer that ended in an error is not whole, in the words of the standard."""
    if not error or error.startswith(("http ", INTERNAL)):
        return ""
    return next((reason for start, reason in CUT.items() if error.startswith(start)), "disconnect")
