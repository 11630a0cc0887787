"""The pages that a crawl brought, some at a time; where to go on is said by the last one, so that page 2,000 costs as page 1."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..store.reader import LARGEST, reading
from ..urls import host

SHOWN = 50
TITLE = 300  # characters
ORDERS = ("newest", "relevance")
COLUMNS = f"""number, url, substr(title, 1, {TITLE}) AS title, status, error, relevance, language, genre, page_type, time, bytes,
    substr(mime, 1, 100) AS mime, location"""


class Filter(NamedTuple):
    """Which pages to show; what is not given does not matter."""

    site: str = ""
    language: str = ""
    genre: str = ""
    page_type: str = ""
    least: float | None = None  # relevance
    kind: Literal["", "pages", "errors"] = ""
    error: str = ""  # pages that failed this way


class Part(NamedTuple):
    """Some pages, and the mark that the next ones come after; "" when there are no more."""

    pages: list[dict[str, Any]]
    after: str


def found(folder: Path, wanted: Filter, order: str = "newest", after: str = "", most: int = SHOWN) -> Part:
    """The next pages after a mark that an earlier part gave."""
    rules, values = _rules(wanted)
    by_relevance = order == "relevance"
    if by_relevance:
        rules.append("relevance IS NOT NULL")
    if mark := _mark(after, by_relevance):
        rules.append("(relevance, number) < (?, ?)" if by_relevance else "number < ?")
        values += mark
    where = f"WHERE {' AND '.join(rules)}" if rules else ""
    ranked = "relevance DESC, number DESC" if by_relevance else "number DESC"
    with closing(reading(folder)) as db:
        db.row_factory = sqlite3.Row
        db.create_function("host_of", 1, host, deterministic=True)
        # The numbers first: sorting whole rows would move long titles about.
        inner = f"SELECT number FROM pages {where} ORDER BY {ranked} LIMIT {most + 1}"
        rows = db.execute(f"SELECT {COLUMNS} FROM pages WHERE number IN ({inner}) ORDER BY {ranked}", values).fetchall()
    shown = [dict(row) for row in rows[:most]]
    return Part(shown, _marked(shown[-1], by_relevance) if len(rows) > most else "")


def _rules(wanted: Filter) -> tuple[list[str], list[Any]]:
    told = {
        "language = ?": wanted.language, "genre = ?": wanted.genre, "page_type = ?": wanted.page_type,
        "relevance >= ?": wanted.least, "error = ?": wanted.error,
    }  # fmt: skip
    given = {rule: value for rule, value in told.items() if value not in ("", None)}
    rules, values = list(given), list(given.values())
    if wanted.kind:
        rules.append("error = ''" if wanted.kind == "pages" else "error != ''")
    if wanted.site:
        name = wanted.site.lower()
        # The index over URLs alone is read, and few of them are looked at closely.
        rules.append(
            "number IN (SELECT number FROM pages INDEXED BY pages_url WHERE instr(url, ?) AND "
            "(host_of(url) = ? OR substr(host_of(url), -length(?)) = ?))"
        )
        values += [name, name, f".{name}", f".{name}"]
    return rules, values


def _mark(after: str, by_relevance: bool) -> list[Any]:
    parts = after.split("_")
    try:
        number = int(parts[-1])
        if abs(number) > LARGEST or len(parts) != 1 + by_relevance:
            return []
        return [float.fromhex(parts[0]), number] if by_relevance else [number]
    except (ValueError, OverflowError):
        return []  # a mark of another order, or none of ours: from the start


def _marked(row: dict[str, Any], by_relevance: bool) -> str:
    return f"{row['relevance'].hex()}_{row['number']}" if by_relevance else str(row["number"])
