"""What is known of each URL, on disk: rows that are read when they are needed, and written when they changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import starmap
from typing import Any

import numpy as np

from ..nouns import Lease, Offer, Weight
from ..packing import pack, unpack
from . import tables, texts
from .log import DONE, FETCHED, RECORD, START, VOID, WHOLE, Log, Record, Records, by_bag, heads, newest
from .piles import Value
from .queues import Bag, Queue
from .rows import Place, Row, Rows
from .schedule import Schedule
from .texts import Texts, offer_bytes, read_offer

OPEN, KEPT = 1, 2
AT_HAND = 1 << 14  # rows, and as many that are older


class DiskRows(Rows):
    """Rows in a log. Some thousands stay at hand, since who asks what is known of a URL will often offer it next."""

    def __init__(self, db: sqlite3.Connection, merge: str, waits: bool) -> None:
        super().__init__(merge)
        self.waits = waits  # for somebody to say when to write
        self.open = 0  # URLs
        self._db = db
        self._log = Log(db)
        self._texts = Texts(db)
        self._leased: dict[int, int] = dict(db.execute("SELECT key, number FROM frontier_leases"))
        self._rows: dict[int, Row] = {}
        self._older: dict[int, Row] = {}  # at hand too, until there are as many newer ones again
        self._dirty: dict[int, int] = {}  # keys and hosts
        self._leases: list[tuple[Any, ...]] = []
        self._settled: list[tuple[int]] = []
        self._touched: dict[int, Queue] = {}
        self._places = self._keeps = self._written = 0

    def load(self, keys: Sequence[int]) -> None:
        rows = self._rows
        missing = [key for key in keys if key not in rows]
        if missing and self._older:
            rows.update((key, self._older[key]) for key in missing if key in self._older)
            missing = [key for key in missing if key not in rows]
        if missing:
            for key, records in self._log.read(missing).items():
                rows[key] = self._row(key, records)

    def _row(self, key: int, records: list[Record]) -> Row:
        first = records[0]
        row = Row(bool(first.flags & FETCHED), first.worth if self.sums else 0, first.kept)
        row.places = tuple(Place(self.queues[r.lane], r.best, None, r.offer) for r in records if r.lane >= 0)
        row.leased = self._leased.get(key, 0)
        row.written = _figures(row)
        return row

    def row(self, key: int) -> Row:
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = Row()
        return row

    def keep(self, key: int, row: Row, host: int) -> None:
        self._dirty[key] = host

    def flush(self) -> None:
        if not self.waits or len(self._dirty) > AT_HAND:
            self.save()

    def save(self) -> None:
        """Write what changed since the last time."""
        if self._dirty:
            self._write()
        if self._leases:
            self._db.executemany("INSERT INTO frontier_leases VALUES (?, ?, ?, ?, ?, ?, ?, ?)", self._leases)
            self._leases = []
        if self._settled:
            self._db.executemany("DELETE FROM frontier_leases WHERE number = ?", self._settled)
            self._settled = []
        if self._touched:
            self._write_lanes()
        if len(self._rows) > AT_HAND:
            self._rows, self._older = {}, self._rows

    def _write(self) -> None:
        before, rows = self.open, self._rows
        self._log.write(self._version(key, host, rows[key]) for key, host in self._dirty.items())
        self._dirty = {}
        self._written += self._flush()
        while self._written >= texts.CLEAR // 2:  # twice as many are cleared as are written, so that it comes to an end
            self._written -= texts.CLEAR // 2
            if self._texts.crowded(self._places + self._keeps):
                self._texts.clear(self._move)
                self._flush()
        if self.open != before:
            self._db.execute("INSERT OR REPLACE INTO frontier_open VALUES (1, ?)", (self.open,))

    def _flush(self) -> int:
        self._log.flush(self._places + len(self._log.index))
        return self._texts.flush()

    def _count(self, row: Row, now: int) -> None:
        was, row.written = row.written, now
        self.open += (now & OPEN) - (was & OPEN)
        self._keeps += (now >> 1 & 1) - (was >> 1 & 1)
        self._places += (now >> 2) - (was >> 2)

    def _version(self, key: int, host: int, row: Row) -> tuple[int, bytes, int]:
        """A row as it goes into the log."""
        places = row.places
        if row.kept and not row.number:
            row.number = self._texts.add(key, pack(row.kept))
        if row.written != (now := _figures(row)):
            self._count(row, now)
        flags = FETCHED if row.fetched else 0
        if not places:
            said = WHOLE if row.cash or row.number else DONE if flags else VOID
            return key, RECORD.pack(key, 0, row.cash, 0.0, 0, row.number, -1, flags | START), said
        data = self._record(key, host, row, places[0], flags | START)
        for place in places[1:]:
            data += self._record(key, host, row, place, flags)
        return key, data, WHOLE

    def _record(self, key: int, host: int, row: Row, place: Place, flags: int) -> bytes:
        value, number = place.value, place.number or self._number(key, place)
        worth = row.cash if self.sums else value
        return RECORD.pack(key, host, worth, value, number, row.number, place.queue.number, flags)

    def _number(self, key: int, place: Place) -> int:
        """Write its offer; packed it stays at hand, since one string is less to the collector than an offer and its link."""
        place.offer = offer_bytes(self.offer(place))
        place.number = self._texts.add(key, place.offer)
        return place.number

    def _move(self, old: Iterable[tuple[int, int, bytes]]) -> None:
        """Add those again that a row needs."""
        found = self._log.read({key for _, key, _ in old})
        moved: dict[int, list[Record]] = {}
        for number, key, data in old:
            records = found.get(key, [])
            if any(number in (record.offer, record.kept) for record in records):
                new = {number: self._texts.add(key, data)}
                found[key] = moved[key] = [
                    r._replace(offer=new.get(r.offer, r.offer), kept=new.get(r.kept, r.kept)) for r in records
                ]
        self._log.write((key, b"".join(starmap(RECORD.pack, records)), WHOLE) for key, records in moved.items())
        for key in moved:  # the numbers in these no longer hold
            self._rows.pop(key, None)
            self._older.pop(key, None)

    def _write_lanes(self) -> None:
        touched, self._touched = self._touched, {}
        self._db.executemany(
            "INSERT OR REPLACE INTO frontier_lanes VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(q.number, pack(list(q.name)), *map(float, q.weight), q.left, q.dropped) for q in touched.values()],
        )

    def bag(self, queue: Queue, host: int) -> Bag:
        return Bag(queue, host)

    def total(self) -> Value:
        self.save()
        return float(sum(heads(records)["worth"].sum() for records in self._newest())) if self.sums else 0

    def _newest(self) -> Iterator[Records]:
        return newest(self._db, self._log.index)

    def offer(self, place: Place) -> Offer:
        if not isinstance(place.offer, Offer):
            data = place.offer or self._texts.read(place.number)
            place.offer = read_offer(data, place.value, place.queue.name)
        return place.offer

    def kept(self, row: Row) -> tuple[Any, ...] | None:
        if row.kept is None and row.number:
            row.kept = unpack(self._texts.read(row.number))
        return row.kept

    def touch(self, queue: Queue) -> None:
        self._touched[queue.number] = queue

    def lease(self, key: int, lease: Lease, queue: Queue) -> None:
        self._leased[key] = lease.number
        offer = lease.offer
        values = (lease.number, key, queue.number, float(offer.value), *map(float, lease.weight), offer_bytes(offer))
        self._leases.append(values)

    def settle(self, key: int, number: int) -> None:
        del self._leased[key]
        self._settled.append((number,))

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
                bag = queue.bags[host] = Bag(queue, host)
            bag.fill(ranks)

    def leases(self) -> Iterator[Lease]:
        """The leases that are out, in their order."""
        leases = tables.leases(self._db)
        self.load([lease[1] for lease in leases])
        for number, key, lane, value, shift, scale, most, offer in leases:
            written = read_offer(offer, value, self.queues[lane].name)
            yield Lease(number, written, Weight(shift, scale, most), self.known(self.row(key)))


def _figures(row: Row) -> int:
    """What a row counts for, in one number: whether it is open, whether something is kept, and how many places it has."""
    places = len(row.places)
    return places << 2 | (KEPT if row.number else 0) | (OPEN if places and not row.leased else 0)
