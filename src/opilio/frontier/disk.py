"""The frontier on disk: changes are written inside the caller's transaction, and a new object goes on from there."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..nouns import Lease, Offer, Weight
from ..packing import pack, unpack
from . import tables, texts
from .lanes import Weigh
from .ledger import Ledger, Merge
from .log import FETCHED, Log, Record, Records, by_bag, heads, newest
from .piles import Value
from .queues import Bag, PackedBag, Queue
from .rows import Place, Row, Rows
from .schedule import Schedule
from .texts import Texts, offer_bytes, read_offer


class DiskFrontier(Ledger):
    """Open offers in a database; leases that were out when it was left are handed out again."""

    def __init__(
        self, db: sqlite3.Connection, weigh: Weigh, merge: Merge = "max", delay: float = 0.0, alone: bool = False
    ) -> None:
        tables.create(db)
        rows = DiskRows(db, merge)
        super().__init__(rows, weigh, delay, alone)
        rows.restore(self._schedule)
        self._lanes.queues = {queue.name: queue for queue in rows.queues}
        self._intake.open = rows.open
        self._number = tables.next_number(db)
        self._left = list(rows.leases())
        self._hosts.delays = tables.delays(db)

    def offer(self, offers: Iterable[Offer]) -> None:
        # A number that the database would round would no longer be found at its rank.
        super().offer(o if type(o.value) is float else replace(o, value=float(o.value)) for o in offers)


class DiskRows(Rows):
    """Rows in a log; those of one batch are read together, changed, and written together."""

    def __init__(self, db: sqlite3.Connection, merge: Merge) -> None:
        super().__init__(merge)
        self.open = 0  # URLs
        self._db = db
        self._log = Log(db)
        self._texts = Texts(db)
        self._leased: dict[int, int] = dict(db.execute("SELECT key, number FROM frontier_leases"))
        self._rows: dict[int, Row] = {}
        self._were: dict[int, tuple[bool, int, bool]] = {}  # open, places, kept: of the rows as they were read
        self._dirty: dict[int, int] = {}  # keys and hosts
        self._leases: list[tuple[Any, ...]] = []
        self._touched: dict[int, Queue] = {}
        self._places = self._keeps = self._written = 0

    def load(self, keys: Sequence[int]) -> None:
        for key, records in self._log.read(key for key in keys if key not in self._rows).items():
            row = self._rows[key] = self._row(records)
            row.leased = self._leased.get(key, 0)
            self._were[key] = _figures(row)

    def _row(self, records: list[Record]) -> Row:
        first = records[0]
        row = Row(bool(first.flags & FETCHED), first.worth if self.sums else 0, first.kept or None)
        row.places = tuple(Place(self.queues[r.lane], r.best, r.offer) for r in records if r.lane >= 0)
        return row

    def row(self, key: int) -> Row:
        return self._rows.setdefault(key, Row())

    def keep(self, key: int, row: Row, host: int) -> None:
        self._rows[key] = row
        self._dirty[key] = host

    def flush(self) -> None:
        if self._dirty:
            self._write()
        if self._leases:
            self._db.executemany("INSERT INTO frontier_leases VALUES (?, ?, ?, ?, ?, ?, ?, ?)", self._leases)
            self._leases = []
        if self._touched:
            self._write_lanes()
        self._rows, self._were = {}, {}

    def _write(self) -> None:
        before = self.open
        for key, host in self._dirty.items():
            row = self._rows[key]
            self._count(self._were.get(key, (False, 0, False)), _figures(row))
            self._log.write(self._records(key, row, host))
        self._dirty = {}
        self._written += self._save()
        while self._written >= texts.CLEAR // 2:  # twice as many are cleared as are written, so that it comes to an end
            self._written -= texts.CLEAR // 2
            if self._texts.crowded(self._places + self._keeps):
                self._texts.clear(self._move)
                self._save()
        if self.open != before:
            self._db.execute("INSERT OR REPLACE INTO frontier_open VALUES (1, ?)", (self.open,))

    def _save(self) -> int:
        self._log.flush(self._places + len(self._log.index))
        return self._texts.flush()

    def _count(self, was: tuple[bool, int, bool], now: tuple[bool, int, bool]) -> None:
        self.open += now[0] - was[0]
        self._places += now[1] - was[1]
        self._keeps += now[2] - was[2]

    def _records(self, key: int, row: Row, host: int) -> list[Record]:
        if isinstance(row.kept, tuple):
            row.kept = self._texts.add(key, pack(row.kept)) if row.kept else None
        kept, flags = row.kept or 0, FETCHED if row.fetched else 0
        if not row.places:
            return [Record(key, 0, float(row.cash), 0.0, 0, kept, -1, flags)]
        return [
            Record(key, host, *self._worths(row, place), self._number(key, place), kept, place.queue.number, flags)
            for place in row.places
        ]

    def _worths(self, row: Row, place: Place) -> tuple[float, float]:
        return float(self.worth(row, place)), float(place.value)

    def _number(self, key: int, place: Place) -> int:
        if isinstance(place.offer, Offer):
            return self._texts.add(key, offer_bytes(place.offer))
        return place.offer

    def _move(self, old: Iterable[tuple[int, int, bytes]]) -> None:
        """Add those again that a row needs."""
        found = self._log.read({key for _, key, _ in old})
        moved = {}
        for number, key, data in old:
            records = found.get(key, [])
            if any(number in (record.offer, record.kept) for record in records):
                new = {number: self._texts.add(key, data)}
                found[key] = moved[key] = [
                    r._replace(offer=new.get(r.offer, r.offer), kept=new.get(r.kept, r.kept)) for r in records
                ]
        for records in moved.values():
            self._log.write(records)

    def _write_lanes(self) -> None:
        touched, self._touched = self._touched, {}
        self._db.executemany(
            "INSERT OR REPLACE INTO frontier_lanes VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(q.number, pack(list(q.name)), *map(float, q.weight), q.left, q.dropped) for q in touched.values()],
        )

    def bag(self, queue: Queue, host: int) -> Bag:
        return PackedBag(queue, host)

    def total(self) -> Value:
        return float(sum(heads(records)["worth"].sum() for records in self._newest())) if self.sums else 0

    def _newest(self) -> Iterator[Records]:
        return newest(self._db, self._log.index)

    def offer(self, place: Place) -> Offer:
        if isinstance(place.offer, Offer):
            return place.offer
        return read_offer(self._texts.read(place.offer), place.value, place.queue.name)

    def kept(self, row: Row) -> tuple[Any, ...] | None:
        return unpack(self._texts.read(row.kept)) if isinstance(row.kept, int) else row.kept

    def touch(self, queue: Queue) -> None:
        self._touched[queue.number] = queue

    def lease(self, key: int, lease: Lease, queue: Queue) -> None:
        self._leased[key] = lease.number
        offer = lease.offer
        values = (lease.number, key, queue.number, float(offer.value), *map(float, lease.weight), offer_bytes(offer))
        self._leases.append(values)

    def settle(self, key: int, number: int) -> None:
        del self._leased[key]
        self._db.execute("DELETE FROM frontier_leases WHERE number = ?", (number,))

    def rest(self, host: int, until: float) -> None:
        self._db.execute(
            "INSERT INTO frontier_hosts VALUES (?, ?, NULL) ON CONFLICT (host) DO UPDATE SET until = excluded.until",
            (host, until),
        )

    def delay(self, host: int, seconds: float) -> None:
        self._db.execute(
            "INSERT INTO frontier_hosts VALUES (?, NULL, ?) ON CONFLICT (host) DO UPDATE SET delay = excluded.delay",
            (host, seconds),
        )

    def restore(self, schedule: Schedule) -> None:
        """Lanes, bags and resting hosts as they were."""
        self.queues += tables.queues(self._db)
        for records in self._newest():
            self._refill(records)
        for queue in self.queues:
            queue.open = sum(bag.size for bag in queue.bags.values())
            for bag in queue.bags.values():
                if (rank := bag.head()) is not None:
                    schedule.post(bag, rank)
        for host, until in tables.rests(self._db):
            schedule.rest(host, until)

    def _refill(self, records: Records) -> None:
        first = heads(records)
        places = records[records["lane"] >= 0]
        self._places += len(places)
        self._keeps += int(np.count_nonzero(first["kept"]))
        leased = np.fromiter(self._leased, dtype=np.int64, count=len(self._leased))
        self.open += int(np.count_nonzero((first["lane"] >= 0) & ~np.isin(first["key"], leased)))
        for (lane, host), ranks in by_bag(places[~np.isin(places["key"], leased)]):
            queue = self.queues[lane]
            bag = queue.bags.get(host)
            if bag is None:
                bag = queue.bags[host] = PackedBag(queue, host)
            bag.fill(ranks)

    def leases(self) -> Iterator[Lease]:
        """The leases that are out, in their order."""
        leases = tables.leases(self._db)
        self.load([lease[1] for lease in leases])
        for number, key, lane, value, shift, scale, most, offer in leases:
            written = read_offer(offer, value, self.queues[lane].name)
            yield Lease(number, written, Weight(shift, scale, most), self.known(self.row(key)))


def _figures(row: Row) -> tuple[bool, int, bool]:
    return bool(row.places) and not row.leased, len(row.places), bool(row.kept)
