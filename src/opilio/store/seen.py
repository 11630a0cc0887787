"""What was stored before, kept in memory where the database need not be asked: texts, and URLs that have a record."""

from __future__ import annotations

from functools import cached_property

from ..key_index import Index
from .tables import Waiting


class Texts:
    """The first page with each text."""

    def __init__(self, tables: Waiting) -> None:
        self._tables = tables

    def add(self, key: int, page: int) -> bool:
        """Whether a page is the first whose text has this key; enters it if so."""
        key -= 1 << 63  # SQLite's integers have a sign
        if self._pages.get(key):
            return False
        self._pages.set({key: page})
        self._tables.add("INSERT INTO texts VALUES (?, ?)", (page, key))
        return True

    @cached_property
    def _pages(self) -> Index:
        return Index.of(self._tables.db.execute("SELECT key, page FROM texts"))


class StoredUrls:
    """The URLs of pages that have a record: most that are looked for have none."""

    def __init__(self, tables: Waiting) -> None:
        self._tables = tables

    def add(self, url: str, page: int) -> None:
        if "_pages" in vars(self):  # not before somebody asks
            self._pages.set({hash(url): page})

    def __contains__(self, url: str) -> bool:
        return bool(self._pages.get(hash(url)))

    @cached_property
    def _pages(self) -> Index:
        rows = self._tables.db.execute("SELECT url, number FROM pages WHERE file IS NOT NULL")
        return Index.of((hash(url), number) for url, number in rows)
