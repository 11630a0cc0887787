"""The pages that a crawl brought, some at a time; where to go on is said by the last one, so that page 2,000 costs as page 1."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..store.reader import LARGEST, reading
from ..urls import host

SHOWN = 50
TITLE = 300  # characters
Order = Literal["newest", "relevance", "title", "site", "language", "type", "status", "bytes"]
# What pages can be sorted by; text is cut, since a title may have megabytes.
ORDERS = {
    "newest": "number", "relevance": "relevance", "title": "substr(coalesce(title, ''), 1, 100)", "site": "substr(url, 1, 200)",
    "language": "coalesce(language, '')", "type": "coalesce(page_type, genre, '')", "status": "status", "bytes": "bytes",
}  # fmt: skip
FALLING = ("newest", "relevance", "bytes")  # what is looked at from the top
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


def found(
    folder: Path, wanted: Filter, order: str = "newest", after: str = "", most: int = SHOWN, reverse: bool = False
) -> Part:
    """The next pages after a mark that an earlier part gave."""
    rules, values = _rules(wanted)
    column, falls = ORDERS[order], (order in FALLING) is not reverse
    if order == "relevance":
        rules.append("relevance IS NOT NULL")
    if mark := _mark(after, order):
        rules.append(f"({column}, number) {'<' if falls else '>'} (?, ?)")
        values += mark
    where = f"WHERE {' AND '.join(rules)}" if rules else ""
    way = "DESC" if falls else "ASC"
    ranked = f"{column} {way}, number {way}"
    with closing(reading(folder)) as db:
        db.row_factory = sqlite3.Row
        db.create_function("host_of", 1, host, deterministic=True)
        # The numbers first: sorting whole rows would move long titles about.
        inner = f"SELECT number FROM pages {where} ORDER BY {ranked} LIMIT {most + 1}"
        columns = f"{COLUMNS}, {column} AS mark"
        rows = db.execute(f"SELECT {columns} FROM pages WHERE number IN ({inner}) ORDER BY {ranked}", values).fetchall()
    shown = [dict(row) for row in rows[:most]]
    marks = [row.pop("mark") for row in shown]
    return Part(shown, json.dumps([marks[-1], shown[-1]["number"]]) if len(rows) > most else "")


def _rules(wanted: Filter) -> tuple[list[str], list[Any]]:
    asked = {
        "language = ?": wanted.language, "genre = ?": wanted.genre, "page_type = ?": wanted.page_type,
        "relevance >= ?": wanted.least, "error = ?": wanted.error,
    }  # fmt: skip
    given = {rule: value for rule, value in asked.items() if value not in ("", None)}
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


def _mark(after: str, order: str) -> list[Any]:
    """Value and number of the last row that was shown; empty for a mark of another order, or none of ours."""
    try:
        value, number = json.loads(after[:2000])
    except (ValueError, TypeError, RecursionError):
        return []
    is_text = ORDERS[order].startswith(("substr", "coalesce"))
    fits = isinstance(value, str) if is_text else _is_number(value)
    return [value, number] if fits and type(number) is int and abs(number) <= LARGEST else []


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= LARGEST
