"""Looking at a frontier on disk without touching it, while a crawl may go on."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from ..nouns import Lane, Offer, Weight
from ..packing import unpack
from .disk import read_offer
from .rows import key_of


class Waiting(NamedTuple):
    """One URL in one lane."""

    offer: Offer
    weight: Weight
    ahead: int  # URLs that are dearer


def open_urls(db: sqlite3.Connection) -> int:
    """How many URLs wait, in whatever lane."""
    if not _exists(db):
        return 0
    count: int = db.execute("SELECT count(DISTINCT key) FROM frontier_places WHERE host IS NOT NULL").fetchone()[0]
    return count


def waiting(db: sqlite3.Connection, url: str) -> list[Waiting]:
    """Where a URL waits, the dearest lane first; empty when it does not."""
    if not _exists(db):
        return []
    rows = db.execute(
        """SELECT name, shift, scale, most, worth, offer FROM frontier_places JOIN frontier_lanes ON lane = number
        WHERE key = ? ORDER BY shift + scale * worth DESC""",
        (key_of(url),),
    ).fetchall()
    found = []
    for name, shift, scale, most, worth, offer in rows:
        lane: Lane = tuple(unpack(name))
        found.append(
            Waiting(read_offer(offer, worth, lane), Weight(shift, scale, most), _ahead(db, shift + scale * worth))
        )
    return found


def _ahead(db: sqlite3.Connection, price: float) -> int:
    dearer = """SELECT count(DISTINCT key) FROM frontier_places JOIN frontier_lanes ON lane = number
        WHERE host IS NOT NULL AND shift + scale * worth > ?"""
    count: int = db.execute(dearer, (price,)).fetchone()[0]
    return count


def _exists(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = 'frontier_places'").fetchone() is not None
