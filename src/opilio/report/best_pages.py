"""The best pages of a crawl, each with the piece of its text that says most about the topic."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ..engine.run_folder import configured
from ..engine.stored_pages import copy
from ..errors import OpilioError
from ..nouns import RELEVANT, Page
from ..store.reader import reading
from ..text.tokens import words

ENOUGH = 5  # times as many rows are read as are wanted: copies of each other count once
READ = 20_000  # characters of a text in which a snippet is looked for
LONG = 32  # words of a snippet
TITLE = 300  # characters
WORD = re.compile(r"(\S{1,24})(\s?)")  # scripts without spaces are cut into pieces
MOST = 240  # characters of a snippet


class Best(NamedTuple):
    """A page that was judged relevant."""

    number: int
    url: str
    title: str
    relevance: float
    snippet: list[tuple[str, bool]]  # pieces of text, and whether each is a word of the topic


def best_pages(folder: Path, most: int) -> list[Best]:
    """The most relevant pages, copies of each other once."""
    with closing(reading(folder)) as db:
        rows = _rows(db, most)
    topic = topic_of(folder)
    return [_best(folder, row, topic) for row in rows]


def snippets(folder: Path, numbers: Sequence[int]) -> dict[int, list[tuple[str, bool]]]:
    """What some pages say of the topic, by their numbers."""
    topic = topic_of(folder)
    with closing(reading(folder)) as db:
        db.row_factory = sqlite3.Row
        marks = ", ".join("?" * len(numbers))
        rows = db.execute(f"SELECT * FROM pages WHERE number IN ({marks})", tuple(numbers)).fetchall()
    return {row["number"]: _best(folder, row, topic).snippet for row in rows}


def topic_of(folder: Path) -> str:
    """The words of a crawl's topic; "" where it has none or its settings are gone."""
    try:
        return configured(folder).topic
    except OpilioError:
        return ""


def _rows(db: sqlite3.Connection, most: int) -> list[sqlite3.Row]:
    """The rows of the best pages, the best first."""
    ranked = "SELECT number FROM pages WHERE relevance >= ? ORDER BY relevance DESC, number LIMIT ?"
    cursor = db.cursor()
    cursor.row_factory = sqlite3.Row
    query = f"SELECT * FROM pages WHERE number IN ({ranked}) ORDER BY relevance DESC, number"
    found: dict[object, sqlite3.Row] = {}
    for row in cursor.execute(query, (RELEVANT, ENOUGH * most)):
        key = row["duplicate_group"] if row["duplicate_group"] is not None else row["url"]
        found.setdefault(key, row)
    return list({row["url"]: row for row in found.values()}.values())[:most]


def _best(folder: Path, row: sqlite3.Row, topic: str) -> Best:
    page = copy(folder, row)
    parts = snippet(_text(page), topic, row["language"] or "") if page else []
    return Best(row["number"], row["url"], (row["title"] or "")[:TITLE], row["relevance"] or 0.0, parts)


def _text(page: Page) -> str:
    return " ".join((page.main or page.text)[:READ].split())


def snippet(text: str, topic: str, language: str = "", long: int = LONG, most: int = MOST) -> list[tuple[str, bool]]:
    """The stretch of a text with most words of the topic, in pieces; its beginning where it has none."""
    pieces, stems = WORD.findall(text), frozenset(words(topic, language))
    marked = [bool(stems) and not stems.isdisjoint(words(piece, language)) for piece, _ in pieces]
    start = _densest(marked, long)
    joined: list[tuple[str, bool]] = [("… ", False)] if start else []
    end, letters = start, 0
    while end < min(start + long, len(pieces)) and letters < most:
        piece, space = pieces[end]
        _put(joined, piece, marked[end])
        _put(joined, space, False)
        end, letters = end + 1, letters + len(piece) + len(space)
    return joined + ([("…", False)] if end < len(pieces) else [])


def _put(joined: list[tuple[str, bool]], text: str, is_match: bool) -> None:
    if not text:
        return
    if joined and joined[-1][1] is is_match:
        joined[-1] = (joined[-1][0] + text, is_match)
    else:
        joined.append((text, is_match))


def _densest(marked: list[bool], long: int) -> int:
    """Where the window with most marks begins."""
    counts = [0]
    for is_match in marked:
        counts.append(counts[-1] + is_match)
    last = max(0, len(marked) - long)
    return max(range(last + 1), key=lambda at: (counts[min(at + long, len(marked))] - counts[at], -at))
