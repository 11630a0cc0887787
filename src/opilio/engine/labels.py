"""What people say of pages: kept in the run folder as labels.csv, which they may edit."""

from __future__ import annotations

import csv
import io
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from ..errors import ConfigError, UnreadableError
from ..store.reader import reading
from ..system import durable
from ..urls import canonical
from .labelled_pages import NO, YES
from .stored_pages import copy as stored_copy

FILE = "labels.csv"
HEADER = ("url", "relevant")
EXCERPT = 400  # characters


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


def take_back(folder: Path, url: str) -> None:
    """Unsay what was said last of a page; what was said of it before counts again."""
    path, address = folder / FILE, canonical(url)
    if address not in labels(folder):
        raise ConfigError(f"{url}: that page has no label in {path}; name one that is in it")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    del rows[
        max(place for place, row in enumerate(rows) if place and any(row) and canonical(row[0].strip()) == address)
    ]
    kept = io.StringIO()
    csv.writer(kept, lineterminator="\n").writerows(rows)
    durable.write(path, kept.getvalue())


def excerpt(folder: Path, number: int) -> str:
    """The beginning of what a stored page says."""
    with closing(reading(folder)) as db:
        db.row_factory = sqlite3.Row
        row = db.execute("SELECT * FROM pages WHERE number = ?", (number,)).fetchone()
    page = stored_copy(folder, row) if row else None
    return " ".join((page.main or page.text).split())[:EXCERPT] if page else ""
