"""How much there is in a frontier on disk, while a crawl may go on; without what reads the log."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Protocol


class RunTables(Protocol):
    """The tables of a run folder, whoever reads them: a connection to the database of each shard."""

    @property
    def shards(self) -> Sequence[sqlite3.Connection]: ...


def open_urls(db: RunTables) -> int:
    """How many URLs wait, in whatever lane."""
    rows = (shard.execute("SELECT urls FROM frontier_open").fetchone() for shard in shards(db))
    return sum(row[0] for row in rows if row)


def waiting_hosts(db: RunTables, now: float) -> int:
    """How many hosts are left alone at that time."""
    query = "SELECT count(*) FROM frontier_hosts WHERE until > ?"
    return sum(shard.execute(query, (now,)).fetchone()[0] for shard in shards(db))


def shards(db: RunTables) -> list[sqlite3.Connection]:
    """The connections to all frontiers there are."""
    return [shard for shard in db.shards if _exists(shard)]


def _exists(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = 'frontier_texts'").fetchone() is not None
