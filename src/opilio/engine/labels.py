"""What people say of pages: kept in the run folder as labels.csv, which they may edit; and which pages to ask them about."""

from __future__ import annotations

import csv
import io
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from .. import durable
from ..errors import ConfigError, UnreadableError
from ..store.reader import reading
from ..urls import canonical, site
from .labelled_pages import NO, YES
from .stored_pages import copy as stored_copy

FILE = "labels.csv"
HEADER = ("url", "relevant")
EXCERPT = 400  # characters
CLOSE = 2000  # pages nearest to 0.5 among which different sites are looked for


class Doubtful(NamedTuple):
    """A page that a person should judge."""

    number: int
    url: str
    title: str
    relevance: float


def labels(folder: Path) -> dict[str, bool]:
    """What was said of each URL, the last word counting; UnreadableError names the line that is not understood."""
    path = folder / FILE
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        return dict(
            _said(path, number, row) for number, row in enumerate(csv.reader(file), 1) if number > 1 and any(row)
        )


def _said(path: Path, number: int, row: list[str]) -> tuple[str, bool]:
    url = canonical(row[0].strip())
    word = row[1].strip().lower() if len(row) > 1 else ""
    if not url or word not in YES | NO:
        raise UnreadableError(
            f"{path}, line {number}: {','.join(row)[:80]!r} is not a URL with yes or no; fix that line"
        )
    return url, word in YES


def add_label(folder: Path, url: str, relevant: bool) -> None:
    """Say what a page is; a crawl that runs in the folder follows within seconds."""
    address = canonical(url)
    with closing(reading(folder)) as db:
        if not db.execute("SELECT 1 FROM pages WHERE url = ? AND file IS NOT NULL", (address,)).fetchone():
            raise ConfigError(f"{url}: there is no stored page of that URL in {folder}; label one that was fetched")
    row = io.StringIO()
    out = csv.writer(row, lineterminator="\n")
    if new := not (folder / FILE).exists():
        out.writerow(HEADER)
    out.writerow((address, "yes" if relevant else "no"))
    handle = os.open(folder / FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(handle, row.getvalue().encode())  # in one piece, so that nobody reads half of it
        os.fsync(handle)
    finally:
        os.close(handle)
    if new:
        durable.sync_folder(folder)


def doubtful(folder: Path, most: int = 10) -> list[Doubtful]:
    """The pages whose relevance is nearest to 0.5 and that nobody judged yet; each site once before any comes twice."""
    known = labels(folder)
    query = """SELECT max(number), url, title, relevance, coalesce(duplicate_group, -number) AS likes FROM pages
        WHERE relevance IS NOT NULL AND file IS NOT NULL GROUP BY likes ORDER BY abs(relevance - 0.5), number LIMIT ?"""
    with closing(reading(folder)) as db:
        near = [Doubtful(*row[:4]) for row in db.execute(query, (CLOSE + len(known),)) if row[1] not in known]
    turns: dict[str, int] = {}
    ranked = []
    for place, page in enumerate(near):
        name = site(page.url)
        turns[name] = turns.get(name, 0) + 1
        ranked.append((turns[name], place, page))
    return [page for _, _, page in sorted(ranked)[:most]]


def excerpt(folder: Path, number: int) -> str:
    """The beginning of what a stored page says."""
    with closing(reading(folder)) as db:
        db.row_factory = sqlite3.Row
        row = db.execute("SELECT * FROM pages WHERE number = ?", (number,)).fetchone()
    page = stored_copy(folder, row) if row else None
    return " ".join((page.main or page.text).split())[:EXCERPT] if page else ""
