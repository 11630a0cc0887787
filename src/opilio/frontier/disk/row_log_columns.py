"""The log as columns, for those who read all of it; with numpy, which a new crawl can do without."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from itertools import pairwise

import numpy as np

from ...key_index import Index
from ...key_index.by_numpy import Numbers, find
from .row_log_records import DONE, FETCHED, FIRST, NOTED, RECORD, START, TEXT, VOID, WHOLE, Record, Records

SCAN = 1 << 10  # blocks that are read at a time: some megabytes, a few times over
COLUMNS = np.dtype(list(zip(Record._fields, ["<i8", "<i8", "<f8", "<f8", "<i8", "<i8", "<i4", "<i4"], strict=True)))


def entries(db: sqlite3.Connection) -> Iterator[tuple[bytes, bytes]]:
    """Keys, and what the index says of them, as it takes them; the newest versions last."""
    for ats, records in _scan(db):
        starts = np.flatnonzero(records["flags"] & START)
        heads = records[starts]
        idle = (heads["lane"] < 0) & (heads["worth"] == 0) & (heads["kept"] == 0) & (heads["flags"] & NOTED == 0)
        entry = np.where(idle, np.where(heads["flags"] & FETCHED, DONE, VOID), WHOLE)
        numbers = np.where(heads["flags"] & FIRST, heads["offer"] << 2 | TEXT, ats[starts] << 2 | entry)
        yield heads["key"].tobytes(), numbers.tobytes()


def newest(db: sqlite3.Connection, index: Index) -> Iterator[Records]:
    """The records that count, some at a time."""
    for ats, records in _scan(db):
        yield _current(index, ats, records)


def newest_in(blocks: list[tuple[int, bytes]], index: Index) -> Iterator[tuple[int, bytes]]:
    """Keys of some blocks of the log, with their records that count, packed."""
    records = _current(index, *_columns(blocks))
    starts, data, size = np.flatnonzero(records["flags"] & START), records.tobytes(), RECORD.size
    for key, (start, end) in zip(
        records["key"][starts].tolist(), pairwise([*starts.tolist(), len(records)]), strict=True
    ):
        yield key, data[start * size : end * size]


def but(records: Records, keys: Collection[int]) -> Records:
    """Those that have none of these keys."""
    left: Records = records[~np.isin(records["key"], np.fromiter(keys, dtype=np.int64, count=len(keys)))]
    return left


def by_bag(records: Records) -> Iterator[tuple[tuple[int, int], bytes]]:
    """Lane and host, with the ranks that stand there, packed."""
    records = records[np.lexsort((records["host"], records["lane"]))]
    ranks = np.empty(len(records), dtype=[("value", "<f8"), ("key", "<i8")])
    ranks["value"], ranks["key"] = -records["worth"], records["key"]
    packed, size = ranks.tobytes(), ranks.itemsize
    changes = (np.diff(records["host"]) != 0) | (np.diff(records["lane"]) != 0)
    edges = [0, *(np.flatnonzero(changes) + 1).tolist(), len(records)] if len(records) else [0]
    lanes, hosts = records["lane"].tolist(), records["host"].tolist()
    for start, end in pairwise(edges):
        yield (lanes[start], hosts[start]), packed[start * size : end * size]


def _scan(db: sqlite3.Connection) -> Iterator[tuple[Numbers, Records]]:
    """All records with their places in the log, oldest first, some blocks at a time."""
    found = db.execute("SELECT id, records FROM frontier_urls ORDER BY id")
    while some := found.fetchmany(SCAN):
        yield _columns(some)


def _columns(blocks: list[tuple[int, bytes]]) -> tuple[Numbers, Records]:
    lengths = np.array([len(data) // RECORD.size for _, data in blocks])
    firsts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    ats = np.repeat(np.array([block for block, _ in blocks]) << 6, lengths) + np.arange(lengths.sum()) - firsts
    return ats, np.frombuffer(b"".join(data for _, data in blocks), dtype=COLUMNS)


def _current(index: Index, ats: Numbers, records: Records) -> Records:
    """Those of the newest versions."""
    starts = np.flatnonzero(records["flags"] & START)
    found, offers = find(index.table, records["key"][starts]), records["offer"][starts]
    counts = found >> 2 == np.where(found & 3 == TEXT, offers, ats[starts])
    counts &= (found & 3 == TEXT) == (records["flags"][starts] & FIRST != 0)
    current: Records = records[np.repeat(counts, np.diff(starts, append=len(records)))]
    return current
