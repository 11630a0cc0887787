"""Pages as they were when they came: read back from a run folder's archive, parsed anew."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..fetchers.to_page import answered
from ..nouns import Link, Offer, Page
from ..store.warc import read

CHUNK = 1000  # rows read at a time: a long look at a running crawl must not hold up its log


# What the URL of a page must be like that does not ask to be left out of an index.
INDEXED = "NOT IN (SELECT url FROM directives WHERE ', ' || said || ',' LIKE '%, noindex,%')"


def rows(db: sqlite3.Connection, query: str, first: int = 0, chunk: int = CHUNK) -> Iterator[sqlite3.Row]:
    """The rows of a query over `pages` in the order of their numbers, up to the page that is the last one now.

    The query ends in a WHERE clause, which is narrowed here; its first column is `pages.number`.
    """
    last = db.execute("SELECT coalesce(max(number), 0) FROM pages").fetchone()[0]
    cursor = db.cursor()
    cursor.row_factory = sqlite3.Row
    part = f"{query} AND pages.number > ? AND pages.number <= ? ORDER BY pages.number LIMIT {chunk}"
    while found := cursor.execute(part, (first, last)).fetchall():
        yield from found
        first = found[-1][0]


def copy(folder: Path, row: Mapping[str, Any] | sqlite3.Row) -> Page | None:
    """The page of a row with all its columns, with the offer that asked for it; None when nothing came back."""
    if row["file"] is None:
        return None
    return answered(offer(row), *read(folder / "archive" / row["file"], row["offset"]))


def offer(row: Mapping[str, Any] | sqlite3.Row) -> Offer:
    """The offer that a page was fetched for."""
    link = Link(row["url"], row["source"], row["anchor"], path=row["path"])
    return Offer(link, row["value"], tuple(json.loads(row["lane"])), tuple(json.loads(row["note"])), hops=row["hops"])
