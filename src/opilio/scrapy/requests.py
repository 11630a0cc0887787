"""The requests of spiders, kept beside the frontier: what is leased is a URL, and what is fetched is its request."""

from __future__ import annotations

import os
import pickle
import sqlite3
from collections.abc import Callable

from scrapy import Request, Spider
from scrapy.utils.request import request_from_dict

from ..urls import canonical

TABLE = """CREATE TABLE IF NOT EXISTS scrapy_requests
    (fingerprint BLOB PRIMARY KEY, key TEXT NOT NULL, data BLOB) WITHOUT ROWID"""
BY_KEY = "CREATE UNIQUE INDEX IF NOT EXISTS scrapy_keys ON scrapy_requests (key)"


class Requests:
    """Requests by the key that the frontier has for each: its URL, with a mark where the URL alone does not tell it apart."""

    def __init__(self, db: sqlite3.Connection, spider: Spider, fingerprint: Callable[[Request], bytes]) -> None:
        self._db, self._spider, self._fingerprint = db, spider, fingerprint
        self._unstored: dict[str, Request] = {}  # those that cannot be written to a file
        db.execute(TABLE)
        db.execute(BY_KEY)

    def key(self, request: Request) -> str | None:
        """The key of a request that is known; None for a new one."""
        if _is_again(request):
            return None
        mark = self._fingerprint(request)
        row = self._db.execute("SELECT key FROM scrapy_requests WHERE fingerprint = ?", (mark,)).fetchone()
        return str(row[0]) if row else None

    def add(self, request: Request) -> str:
        """Keep a new request; its key."""
        mark = self._fingerprint(request) + (os.urandom(8) if _is_again(request) else b"")
        key = canonical(request.url) or request.url
        if request.method != "GET" or request.body or self.has(key):
            key += f"#{mark.hex()}"
        self._db.execute("INSERT INTO scrapy_requests VALUES (?, ?, ?)", (mark, key, self._data(key, request)))
        return key

    def is_same(self, key: str, request: Request) -> bool:
        """Whether a request is the one of a key, which has others of the same kind where they count as new each time."""
        held = self.get(key)
        return held is not None and self._fingerprint(held) == self._fingerprint(request)

    def replace(self, key: str, request: Request) -> None:
        """Keep another request under a key, as a retry is."""
        self._db.execute("UPDATE scrapy_requests SET data = ? WHERE key = ?", (self._data(key, request), key))

    def get(self, key: str) -> Request | None:
        """The request of a key; None if it could not be stored, and the process that had it is gone."""
        if key in self._unstored:
            return self._unstored[key]
        row = self._db.execute("SELECT data FROM scrapy_requests WHERE key = ?", (key,)).fetchone()
        # Unpickled as Scrapy unpickles the requests of its own job folders: whoever can write there can run code.
        return request_from_dict(pickle.loads(row[0]), spider=self._spider) if row and row[0] else None

    def has(self, key: str) -> bool:
        """Whether a spider has asked for this."""
        return self._db.execute("SELECT 1 FROM scrapy_requests WHERE key = ?", (key,)).fetchone() is not None

    def done(self, key: str) -> None:
        """A request was answered; it stays known, and a strategy may want it again."""
        self._unstored.pop(key, None)

    @property
    def unstored(self) -> int:
        """How many requests live in memory alone."""
        return len(self._unstored)

    def _data(self, key: str, request: Request) -> bytes | None:
        try:
            return pickle.dumps(request.to_dict(spider=self._spider), protocol=4)
        except (
            pickle.PicklingError,
            ValueError,
            TypeError,
            AttributeError,
        ):  # a callback or meta that no file can hold
            self._unstored[key] = request
            return None


def _is_again(request: Request) -> bool:
    """Whether a request counts as new each time. A start request does not: a spider yields it whenever it starts."""
    return request.dont_filter and not request.meta.get("is_start_request")
