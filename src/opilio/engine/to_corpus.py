"""A crawl that is over becomes a corpus: what it fetched can be crawled again, by any other strategy.

Archive files that no longer grow are linked, the last one is copied up to its committed length. An answer that was
archived as a reference to an earlier one becomes a whole record of its own, for a corpus knows pages by their URL.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from .. import __version__
from ..corpus_folder import corpus_toml, new_folder, topic_task, write_labels
from ..errors import ConfigError, UnreadableError
from ..nouns import RELEVANT
from ..store.lock import lock
from ..store.reader import Reading, reading
from ..store.warc import read
from ..store.warc_records import date_of, response_record
from .run_folder import configured

COLUMNS = ("relevant", "relevance", "language", "genre", "page_type", "duplicate_group")
LABELS = """
SELECT url, CASE WHEN relevance IS NULL THEN '' WHEN relevance >= ? THEN 'yes' ELSE 'no' END AS relevant,
    coalesce(round(relevance, 4), '') AS relevance, coalesce(language, '') AS language, coalesce(genre, '') AS genre,
    coalesce(page_type, '') AS page_type, coalesce(duplicate_group, '') AS duplicate_group
FROM pages WHERE number IN (
    SELECT max(number) FROM pages WHERE status BETWEEN 200 AND 299 AND error = '' GROUP BY url) ORDER BY number
"""


def make_corpus(run: Path, folder: Path) -> int:
    """Write a corpus folder of the pages in a run folder, whole or not at all; how many pages have labels."""
    with closing(reading(run)) as db, closing(lock(run)), new_folder(folder) as half:
        return _fill(db, run, half)


def _fill(db: Reading, run: Path, folder: Path) -> int:
    db.row_factory = sqlite3.Row
    _take_archives(db, run / "archive", folder)
    _write_revisited(db, run / "archive", folder / "revisited.warc.gz")
    labels = [dict(row) for row in db.execute(LABELS, (RELEVANT,))]
    if not labels:
        raise ConfigError(f"{run}: no page came back in this crawl, so there is nothing to make a corpus of")
    write_labels(folder / "labels.csv", COLUMNS, labels)
    (folder / "corpus.toml").write_text(_description(db, run, labels), encoding="utf-8")
    return len(labels)


def _take_archives(db: Reading, archive: Path, folder: Path) -> None:
    for shard in db.shards:
        _take_archive(shard, archive, folder)


def _take_archive(db: sqlite3.Connection, archive: Path, folder: Path) -> None:
    position = db.execute("SELECT value FROM meta WHERE name = 'archive'").fetchone()
    if position is None:
        raise UnreadableError(
            f"{archive}: this crawl has not started; continue it first: opilio resume {archive.parent}"
        )
    last, length = json.loads(position[0])
    for path in sorted(archive.glob(f"{last.rpartition('-')[0]}-*.warc.gz")):
        if path.name < last:
            _link(path, folder / path.name)
    with (archive / last).open("rb") as source, (folder / last).open("wb") as target:
        shutil.copyfileobj(source, target)
        target.truncate(length)


def _link(path: Path, target: Path) -> None:
    try:
        os.link(path, target)
    except OSError:  # on another disk, or one that knows no links
        shutil.copyfile(path, target)


def _write_revisited(db: sqlite3.Connection, archive: Path, path: Path) -> None:
    query = """SELECT p.url, p.time, p.file, p.offset FROM revisits AS r JOIN pages AS p ON p.number = r.page
        WHERE p.status = 200 ORDER BY p.number"""
    with path.open("wb") as file:
        for row in db.execute(query):
            answer = read(archive / row["file"], row["offset"])
            file.write(response_record(row["url"], *answer, date_of(row["time"])))
    if not path.stat().st_size:
        path.unlink()


def _description(db: sqlite3.Connection, run: Path, labels: list[dict[str, Any]]) -> str:
    config = configured(run)
    home = db.execute("SELECT url FROM pages ORDER BY number LIMIT 1").fetchone()[0]
    begun = date_of(db.execute("SELECT min(time) FROM pages").fetchone()[0])[:10]
    about = f"What a crawl{f' for {config.topic}' if config.topic else ''} brought on {begun}"
    head = {
        "name": run.resolve().name,
        "about": about,
        "home": home,
        "source": f"opilio {__version__}, {config.strategy}",
    }
    found = sum(row["relevant"] == "yes" for row in labels)
    return corpus_toml(head, topic_task("relevant", "relevant", {"yes": found}))
