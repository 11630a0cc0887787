"""What a crawl brought, as tables for other programs; row by row, so that a million pages need no memory."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import BinaryIO

from ..engine.stored_content import StoredContent
from ..engine.stored_pages import INDEXED, copy, rows
from ..errors import ConfigError, UnreadableError, unknown
from ..frontier.inspect import CASH, know_keys
from ..nouns import Strategy
from ..store.reader import Reading, reading
from ..store.tables import PRICE
from ..system import durable
from .formats import FORMATS, Column, Row
from .note_parts import named, strategy_of

Tick = Callable[[int, int], None]  # pages done, pages in all
OFTEN = 100  # pages between two ticks

PAGES = (
    Column("number", "integer"),
    Column("url"),
    Column("status", "integer"),
    Column("error"),
    Column("time", "time"),
    Column("bytes", "integer"),
    Column("title"),
    Column("language"),
    Column("relevance", "number"),
    Column("genre"),
    Column("page_type"),
    Column("duplicate_group", "integer"),
    Column("parent"),
    Column("anchor"),
    Column("path"),
    Column("location"),
    Column("lane", "object"),
    Column("score", "number"),
    Column("value", "number"),
    Column("parts", "object"),
    Column("importance", "number"),
    Column("warc_file"),
    Column("warc_offset", "integer"),
    Column("warc_length", "integer"),
)
CONTENT = tuple(map(Column, ("text", "markdown", "date", "author")))  # after those of a page
LINKS = (
    Column("page", "integer"),
    Column("source"),
    Column("url"),
    Column("anchor"),
    Column("context"),
    Column("path"),
    Column("rel"),
    Column("image", "truth"),
)
# Columns whose name in the file is not that in the database.
EXPRESSIONS = {
    "parent": "source",
    "score": PRICE,
    "parts": "note",
    "warc_file": "file",
    "warc_offset": "offset",
    "warc_length": "length",
}
HISTORY = "history_of(pages.url)"  # the cash that a page had at all its visits


def export(
    folder: Path,
    target: Path,
    kind: str,
    *,
    links: bool = False,
    least: float | None = None,
    noindex: bool = False,
    content: bool = False,
    tick: Tick | None = None,
) -> int:
    """Write the pages of a crawl, or the links on them, to a file (`-`: stdout); how many rows. The file is whole or not there.

    `least` leaves out pages of less relevance; `noindex` lets pages in that ask to be left out; `content` adds the main text.
    """
    if kind not in FORMATS:
        raise ConfigError(unknown("format", kind, FORMATS))
    with closing(reading(folder)) as db:
        columns = LINKS if links else PAGES + CONTENT if content else PAGES
        where = wanted(least, noindex)
        table = _links(db, folder, where, tick) if links else _pages(db, folder, where, tick, content)
        if str(target) == "-":
            return FORMATS[kind](sys.stdout.buffer, columns, table)
        return whole_file(target, lambda file: FORMATS[kind](file, columns, table))


def format_of(target: Path) -> str:
    """The format that a file's name asks for; ConfigError when it asks for none."""
    kind = target.suffix.removeprefix(".")
    if kind not in FORMATS:
        raise ConfigError(
            f"{target}: its suffix is not a known format; end it in .{', .'.join(FORMATS)} or add --format"
        )
    return kind


def whole_file(target: Path, write: Callable[[BinaryIO], int]) -> int:
    """Write a file, all of it or nothing; what the disk refuses is one sentence."""
    try:
        with durable.whole(target) as file:
            return write(file)
    except OSError as error:
        raise UnreadableError(f"{target}: cannot be written ({error.strerror}); name another file with -o") from None


def _pages(db: Reading, folder: Path, where: str, tick: Tick | None, content: bool) -> Iterator[Row]:
    strategy = strategy_of(folder)
    places = {column.name: place for place, column in enumerate(PAGES)}
    with StoredContent(folder) if content else nullcontext() as contents:
        for row in watched(db, rows(db, _query(db, strategy) + where), tick):
            values = list(row)
            values[places["lane"]] = json.loads(row["lane"])
            values[places["parts"]] = named(strategy, json.loads(row["parts"]))
            yield values + (_content(db, contents, row["number"]) if contents else [])


def _content(db: Reading, contents: StoredContent, number: int) -> list[str]:
    """The columns of the content of a page."""
    (row,) = rows(db, f"SELECT * FROM pages WHERE number = {number:d}")
    found = contents.of(row)._asdict()
    return [found[column.name] for column in CONTENT]


def _query(db: Reading, strategy: type[Strategy] | None) -> str:
    """Every column by its name; those that this crawl does not have are missing."""
    know_keys(db)
    present = {name for _, name, *_ in db.execute("PRAGMA table_info(pages)")}
    expressions = dict(EXPRESSIONS)
    if strategy and strategy.merge == "sum":
        know_history(db)
        expressions["importance"] = f"{HISTORY} + {CASH}"
    chosen = [expressions.get(c.name, c.name if c.name in present else "NULL") + f" AS {c.name}" for c in PAGES]
    return f"SELECT {', '.join(chosen)} FROM pages"


def know_history(db: Reading) -> None:
    """Queries on this connection can say history_of(url). (A query over the tables of all shards would read all of them.)"""

    def history_of(url: str) -> float:
        visits = (shard.execute("SELECT total(value) FROM pages WHERE url = ?", (url,)) for shard in db.shards)
        return float(sum(row.fetchone()[0] for row in visits))

    db.create_function("history_of", 1, history_of)


def wanted(least: float | None, noindex: bool) -> str:
    """The condition on pages that are exported."""
    relevant = "true" if least is None else f"relevance >= {least:f}"
    return f" WHERE {relevant}" + ("" if noindex else f" AND url {INDEXED}")


def _links(db: Reading, folder: Path, where: str, tick: Tick | None) -> Iterator[Row]:
    for row in watched(db, rows(db, f"SELECT * FROM pages{where} AND file IS NOT NULL"), tick):
        page = copy(folder, row)
        for link in page.links if page else ():
            texts = (link.url, link.anchor, link.context, link.path, " ".join(link.rel))
            yield (row["number"], row["url"], *texts, link.image)


def watched(db: sqlite3.Connection, found: Iterator[sqlite3.Row], tick: Tick | None) -> Iterator[sqlite3.Row]:
    """Rows as they are; whoever waits is told how many are done."""
    total = db.execute("SELECT coalesce(max(number), 0) FROM pages").fetchone()[0] if tick else 0
    for row in found:
        if tick and row["number"] % OFTEN == 0:
            tick(row["number"], total)
        yield row


def write_all(
    folder: Path,
    kind: str,
    *,
    links: bool = False,
    least: float | None = None,
    noindex: bool = False,
    content: bool = False,
    tick: Tick | None = None,
) -> dict[str, int]:
    """Write pages and links, or links alone, into the run folder itself; the paths with their rows."""
    written: dict[str, int] = {}
    for name in ("links",) if links else ("pages", "links"):
        path, only = folder / f"{name}.{kind}", name == "links"
        options = {"links": only, "noindex": noindex, "content": content and not only}
        written[str(path)] = export(folder, path, kind, least=least, tick=tick, **options)
    return written
