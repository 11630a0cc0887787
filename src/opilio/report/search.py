"""Full-text search in what was harvested: words and phrases, the best match first (BM25).

The index is a file of its own beside the crawl, made from the archive: whoever searches first adds what came since. So it
costs the crawl nothing, works on a running one, and holds nothing that a crash could take back, because only committed
pages are read.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ..engine.stored_pages import INDEXED, copy, rows
from ..errors import ConfigError, UnreadableError, UnwritableError
from ..store.reader import Reading, reading, state_files, unite
from ..text.tokens import HAN, HIRAGANA, KATAKANA, OTHERS
from ..urls import site
from .snippets import APART, OFF, ON, TOKENIZE, Snippet, snippets

VERSION = 2
SCHEMA = f"""
CREATE TABLE docs (number INTEGER PRIMARY KEY, url TEXT NOT NULL, site TEXT NOT NULL);
CREATE INDEX docs_by_url ON docs (url);
CREATE TABLE done (shard INTEGER PRIMARY KEY, last INTEGER NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(title, text, tokenize = "{TOKENIZE}");
"""
BATCH = 200  # pages of a transaction
FULL, READ_ONLY = "disk is full", "readonly database"  # what SQLite says then
WAIT = 60.0  # seconds for another search to finish adding pages
LONGEST = 1_000_000  # characters of a page that are searched
TITLE = 5.0  # a word in the title counts as much as this many in the text
UNSPACED = re.compile(f"([{HAN}{HIRAGANA}{KATAKANA}{OTHERS}])")
NOT_TEXT = re.compile(
    r"[\x00-\x1f\x7f\ud800-\udfff]"
)  # control characters and lone surrogates: SQLite takes no such text
MOST_TERMS, MOST_LETTERS = 32, 1000  # of a query: the cost grows faster than their number
TERM = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')


class Hit(NamedTuple):
    """One page that was found."""

    number: int
    url: str
    title: str
    site: str
    language: str
    relevance: float | None
    score: float  # the higher, the better
    snippet: Snippet


class Found(NamedTuple):
    total: int
    hits: list[Hit]


class Wanted(NamedTuple):
    """Which pages to look at; what is not given does not matter."""

    site: str = ""
    language: str = ""
    least: float | None = None  # relevance
    genre: str = ""
    page_type: str = ""
    noindex: bool = False  # also pages that ask to be left out of an index


ANYTHING = Wanted()


def search(folder: Path, query: str, wanted: Wanted = ANYTHING, most: int = 10, skip: int = 0) -> Found:
    """The pages that have all the words of the query, the best first, as far as the index knows them: `update` it before."""
    asked = check(query, wanted)
    with _index(folder) as db:
        where, values = _where(db, wanted)
        source = f"words JOIN docs ON docs.number = words.rowid JOIN pages ON pages.number = docs.number {where}"
        total = db.execute(f"SELECT count(*) FROM {source}", (asked, *values)).fetchone()[0]
        columns = f"docs.number, docs.url, pages.title, docs.site, pages.language, pages.relevance, -bm25(words, {TITLE}, 1.0)"
        best = db.execute(
            f"SELECT {columns} FROM {source} ORDER BY 7 DESC, 1 LIMIT ? OFFSET ?", (asked, *values, most, skip)
        ).fetchall()
        around = snippets(db, " OR ".join(_terms(query)[0]), [row[0] for row in best])
        return Found(total, [Hit._make((*row, around[row[0]])) for row in best])


def update(folder: Path, tick: Callable[[int, int], None] | None = None, most: int | None = None) -> int:
    """Add the pages that came since to the index, at most this many; how many it read."""
    count = 0
    with _index(folder) as db, closing(reading(folder)) as crawl:
        total = crawl.execute("SELECT count(*) FROM pages").fetchone()[0]
        before = _done(db, len(crawl.shards))
        while (most is None or count < most) and (added := _add_all(db, crawl, folder)):
            count += added
            if tick:
                tick(min(total, before + count), total)
    return count


def _done(db: sqlite3.Connection, shards: int) -> int:
    """How many pages are in the index, or were looked at."""
    return sum(-(-last // shards) for (last,) in db.execute("SELECT last FROM done"))


def _add_all(db: sqlite3.Connection, crawl: Reading, folder: Path) -> int:
    return sum(_add(db, index, shard, folder, len(crawl.shards)) for index, shard in enumerate(crawl.shards))


def check(query: str, wanted: Wanted) -> str:
    """Whether this can be searched for; the query in the words of the index."""
    check_relevance(wanted.least)
    return match(query)


def check_relevance(least: float | None) -> None:
    """Relevance is a number from 0 to 1, whoever asks for it."""
    if least is not None and (not isinstance(least, float | int) or not 0 <= least <= 1):
        shown = f"{least:g}" if isinstance(least, float) else least
        raise ConfigError(f"relevance {shown} is not allowed; give a number from 0 to 1, as in 0.5")


def match(query: str) -> str:
    """The query in the words of the index: all words, "phrases", words* that go on, and -words that must not be there."""
    yes, no = _terms(query)
    return " ".join(yes) + "".join(f" NOT {term}" for term in no)


def _terms(query: str) -> tuple[list[str], list[str]]:
    """What must be on a page, and what must not."""
    query = NOT_TEXT.sub(" ", query)
    if len(query) > MOST_LETTERS or len(re.findall(r"\w+", query)) > MOST_TERMS:
        raise ConfigError(
            f'"{query[:40]}…": the query is too long; it may have {MOST_TERMS} words and {MOST_LETTERS:,} letters'
        )
    yes: list[str] = []
    no: list[str] = []
    for minus, phrase, word in TERM.findall(query):
        text = (phrase or word).replace('"', " ")
        star = "*" if word.endswith("*") else ""
        if re.search(r"\w", text):
            (no if minus else yes).append(f'"{_spaced(text)}"{star}')
    if not yes:
        raise ConfigError(f'"{query}": there is no word in it to search for; write one or more words')
    return list(dict.fromkeys(yes)), list(dict.fromkeys(no))


@contextmanager
def _index(folder: Path) -> Iterator[sqlite3.Connection]:
    """The index, with the tables of the crawl beside it."""
    reading(folder).close()
    path = folder / "search.db"
    db = sqlite3.connect(path.absolute().as_uri(), uri=True, timeout=WAIT, isolation_level=None)
    try:
        if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            _make(db)
        first, *others = state_files(folder)
        db.execute("ATTACH ? AS crawl", (f"{first.absolute().as_uri()}?mode=ro",))
        unite(db, others, "crawl")
        yield db
    except sqlite3.DatabaseError as error:
        if FULL in str(error):
            raise UnwritableError(f"{path}: the index cannot be written ({error}); free some space") from None
        if READ_ONLY in str(error):
            raise UnwritableError(
                f"{path}: the index cannot be written ({error}); permit writing there, or search a copy"
            ) from None
        raise UnreadableError(f"{path}: the index cannot be used ({error}); remove it, and it is rebuilt") from None
    finally:
        db.close()


def _make(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("BEGIN IMMEDIATE")
    if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:  # nobody else made it in the meantime
        for table in ("docs", "done", "words"):
            db.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in filter(None, map(str.strip, SCHEMA.split(";"))):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {VERSION}")
    db.execute("COMMIT")


def _add(db: sqlite3.Connection, index: int, crawl: sqlite3.Connection, folder: Path, shards: int) -> int:
    """One transaction: the next pages of a shard, read under the lock so that two searches never add the same."""
    db.execute("BEGIN IMMEDIATE")
    try:
        row = db.execute("SELECT last FROM done WHERE shard = ?", (index,)).fetchone()
        last = before = row[0] if row else 0
        end = before + BATCH * shards  # of each shard, every n-th number is a page
        for row in rows(crawl, "SELECT * FROM pages WHERE true", before, BATCH):
            last = row["number"]
            _put(db, folder, row)
            if last >= end:
                break
        db.execute("INSERT OR REPLACE INTO done VALUES (?, ?)", (index, last))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # SQLite ends it by itself when the disk is full
            db.execute("ROLLBACK")
        raise
    return -(-int(last - before) // shards)


def _put(db: sqlite3.Connection, folder: Path, row: sqlite3.Row) -> None:
    page = copy(folder, row) if 200 <= row["status"] < 300 else None
    if page is None or not page.document:
        return
    for (old,) in db.execute("SELECT number FROM docs WHERE url = ?", (row["url"],)).fetchall():
        db.execute("DELETE FROM words WHERE rowid = ?", (old,))
        db.execute("DELETE FROM docs WHERE number = ?", (old,))
    db.execute("INSERT INTO docs VALUES (?, ?, ?)", (row["number"], row["url"], site(row["url"])))
    texts = [_clean(text) for text in (page.title, page.main or page.text)]
    db.execute("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", (row["number"], *texts))


def _clean(text: str) -> str:
    return _spaced(text[:LONGEST].replace(ON, " ").replace(OFF, " "))


def _spaced(text: str) -> str:
    return UNSPACED.sub(rf"{APART}\1{APART}", text)


def _where(db: sqlite3.Connection, wanted: Wanted) -> tuple[str, list[Any]]:
    present = {name for _, name, *_ in db.execute("PRAGMA table_info(pages)")}
    filters = {
        "docs.site = ?": wanted.site, "pages.language = ?": wanted.language, "pages.genre = ?": wanted.genre,
        "pages.page_type = ?": wanted.page_type, "pages.relevance >= ?": wanted.least,
    }  # fmt: skip
    given = {rule: value for rule, value in filters.items() if value not in ("", None)}
    for rule in given:
        name = rule.partition(".")[2].partition(" ")[0]
        if rule.startswith("pages.") and name not in present:
            raise ConfigError(f"this crawl has noted no {name.replace('_', ' ')} of its pages; leave that filter out")
    shown = [] if wanted.noindex else [f"docs.url {INDEXED}"]
    return " AND ".join(["WHERE words MATCH ?", *given, *shown]), list(given.values())
