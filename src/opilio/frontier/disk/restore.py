"""A frontier as it was left: its lanes, their bags, the hosts that wait, and the leases that are out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from ...nouns import Lease, Weight
from ..queue.schedule import Schedule
from . import tables
from .changes import DiskChanges
from .offers import read_offer
from .rows import DiskRows


def restore(db: sqlite3.Connection, rows: DiskRows, changes: DiskChanges, schedule: Schedule, now: float) -> None:
    """Fill rows and schedule; rests that were noted later than now, by a clock that was set back since, count from then."""
    rows.queues += tables.queues(db)
    for records in rows.restore():
        from .row_log_columns import but, by_bag  # with numpy, which a new crawl can do without

        for (lane, host), ranks in by_bag(but(records[records["lane"] >= 0], changes.leased)):
            rows.queues[lane].bag(host).fill(ranks)
    for queue in rows.queues:
        schedule.restore(queue)
    for host, until in tables.rests(db, now):
        schedule.waiting_hosts.rest(host, until)


def leases(db: sqlite3.Connection, rows: DiskRows) -> Iterator[Lease]:
    """The leases that are out, in their order."""
    found = tables.leases(db)
    rows.load([lease[1] for lease in found])
    for number, key, lane, value, shift, scale, most, offer in found:
        written = read_offer(offer, value, rows.queues[lane].name)
        yield Lease(number, written, Weight(shift, scale, most), rows.known(rows.row(key)))
