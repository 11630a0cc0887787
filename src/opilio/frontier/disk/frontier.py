"""The frontier on disk: changes are written inside the caller's transaction, and a new object goes on from there."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...nouns import Offer
from ..frontier import Merge, RowFrontier, all_floats
from ..lanes import Weigh
from ..merge import Join
from . import tables
from .changes import DiskChanges
from .restore import leases, restore
from .rows import DiskRows


class DiskFrontier(RowFrontier):
    """Open offers in a database; leases that were out when it was left are handed out again.

    `now` is the time at which it is opened: rests that were noted later, by a clock that was set back since, count from then.
    Each change is written at once, into the transaction that is open; or, if it `waits`, together with others by `save`.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        weigh: Weigh,
        merge: Merge = "max",
        delay: float = 0.0,
        alone: bool = False,
        waits: bool = False,
        now: float = math.inf,
        join: Join | None = None,
    ) -> None:
        tables.create(db)
        self.waits = waits
        changes = DiskChanges(db)
        rows = DiskRows(db, changes, merge, waits)
        super().__init__(rows, changes, weigh, delay, alone, join if merge == "join" else None)
        restore(db, rows, changes, self._schedule, now)
        self._lanes.queues = {queue.name: queue for queue in rows.queues}
        self._intake.open = rows.open
        self._leases.next_number = tables.next_number(db)
        self._leases.left = list(leases(db, rows))
        self._hosts.delays = tables.delays(db)

    def _fit(self, batch: Sequence[Offer]) -> Sequence[Offer]:
        # A number that the database would round would no longer be found at its rank.
        return batch if all_floats(batch) else [replace(offer, value=float(offer.value)) for offer in batch]

    def offer(self, offers: Iterable[Offer]) -> None:
        super().offer(offers)
        if not self.waits:
            self.save()

    def save(self) -> None:
        """Write what waits to be written; for those who let it wait, before each commit."""
        self._intake.join_all()
        self._rows.save()
