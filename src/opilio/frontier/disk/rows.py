"""What is known of each URL, on disk: rows that are read when they are needed, and written when they changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...codec import unpack
from ...nouns import Lease, Offer, Weight
from ..queue.bag import Value
from ..queue.lane import Bag, Queue
from ..queue.schedule import Schedule
from ..rows import ADDRESSES, Note, Place, Row, Rows, noted
from . import tables
from .log import Log
from .log_records import FETCHED, FIRST, NOTED, RECORD, Records, float_of, heads
from .nearest_offers import Near
from .offers import Texts, read_offer
from .writer import Versions, figures

CACHED = 1 << 14  # rows, and as many that are older


class DiskRows(Rows):
    """Rows in a log. Some thousands stay in the cache, since who asks what is known of a URL will often offer it next."""

    def __init__(self, db: sqlite3.Connection, merge: str, waits: bool) -> None:
        super().__init__(merge)
        self.waits = waits  # for somebody to say when to write
        self._db = db
        self._log = Log(db)
        self._texts = Texts(db)
        self._leased: dict[int, int] = dict(db.execute("SELECT key, number FROM frontier_leases"))
        self._rows: dict[int, Row] = {}
        self._older: dict[int, Row] = {}  # cached too, until there are as many newer ones again
        self._unknown: set[int] = set()  # keys that nothing is known of, as was found since something was last written
        self._dirty: dict[int, Row] = {}
        self._near = Near(self.queues)
        self._versions = Versions(self._log, self._texts, self._near, self.sums)
        self._changes = tables.Changes(db)

    @property
    def open(self) -> int:
        """URLs that are."""
        return self._versions.open

    @property
    def cached(self) -> dict[int, Row]:
        return self._rows

    def load(self, keys: Sequence[int]) -> list[Row | None]:
        find = self._rows.get
        found = list(map(find, keys))
        if not all(found):
            self._fetch([key for key in keys if key not in self._rows and key not in self._unknown])
            found = list(map(find, keys))
        return found

    def expect(self, keys: Sequence[int]) -> None:
        unread: dict[int, Place] = {}
        for key, row in zip(keys, self.load(keys), strict=True):
            for place in row.places if row else ():
                if place.offer is None and (data := self._near.get(key, place)):
                    place.offer = data
                elif place.offer is None:
                    unread[place.number] = place
        if unread:
            for number, data in self._texts.many(list(unread)):
                unread[number].offer = data

    def compare(self, offers: Sequence[Offer]) -> None:
        equal: list[int] = []
        for offer in offers:
            key = ADDRESSES[offer.link.url][0]
            row = self._rows.get(key)
            if row and any(place.offer is None and place.value == offer.value for place in row.places):
                equal.append(key)
        self.expect(equal)

    def _fetch(self, missing: list[int]) -> None:
        rows = self._rows
        if self._older:
            rows.update((key, self._older[key]) for key in missing if key in self._older)
            missing = [key for key in missing if key not in rows]
        if missing:
            self._read(missing)

    def _read(self, missing: list[int]) -> None:
        """Load rows into the cache, or note that nothing is known of them, wherever they are."""
        rows = self._rows
        texts, others = self._log.apart(missing)
        for key, data in self._log.versions(others).items():
            rows[key] = self._row(key, data)
        for number, key in texts.items():
            rows[key] = self._first(key, number)
        self._unknown.update(key for key in missing if key not in rows)

    def _first(self, key: int, number: int) -> Row:
        """A row as it was when its first offer had been written."""
        value, lane = self._versions.firsts.get(number)
        row = Row(cash=value if self.sums else 0)
        row.places = (Place(self.queues[lane], value, None, number),)
        row.leased = self._leased.get(key, 0)
        row.written = figures(row)
        return row

    def _row(self, key: int, data: bytes) -> Row:
        _, _, worth, best, offer, kept, lane, flags = RECORD.unpack_from(data)
        row = Row(bool(flags & FETCHED), worth if self.sums else 0)
        if flags & NOTED:
            row.kept = (float_of(kept),)
        else:
            row.number = kept
        if len(data) > RECORD.size:
            row.places = tuple(Place(self.queues[r[6]], r[3], None, r[4]) for r in RECORD.iter_unpack(data))
        elif lane >= 0:
            row.places = (Place(self.queues[lane], best, None, offer),)
            row.record = data if self.sums else b""
        row.leased = self._leased.get(key, 0)
        row.written = figures(row)
        return row

    def find(self, key: int) -> Row:
        row = self._rows.get(key)
        return super().find(key) if row is None else row

    def row(self, key: int) -> Row:
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = Row()
        return row

    def known_all(self, urls: list[str]) -> list[Note]:
        found, missing = noted(urls, self._rows)
        if missing:
            rows = self.load([ADDRESSES[urls[place]][0] for place in missing])
            if unread := {row.number: row for row in rows if row and row.kept is None and row.number}:
                for number, data in self._texts.many(list(unread)):
                    unread[number].kept = unpack(data)
            for place, row in zip(missing, rows, strict=True):
                found[place] = self.known(row) if row else None
        return found

    def changed(self, rows: Mapping[int, Row]) -> None:
        self._dirty.update(rows)

    def keep(self, key: int, row: Row, host: int) -> None:
        self._dirty[key] = row
        row.host, row.record = host, b""

    def flush(self) -> None:
        if not self.waits or len(self._dirty) > CACHED:
            self.save()

    def save(self) -> None:
        """Write what changed since the last time."""
        if self._dirty:
            before = self.open
            for key in self._versions.write(self._dirty):
                self._rows.pop(key, None)
                self._older.pop(key, None)
            self._dirty, self._unknown = {}, set()
            if self.open != before:
                self._db.execute("INSERT OR REPLACE INTO frontier_open VALUES (1, ?)", (self.open,))
        self._changes.save()
        if len(self._rows) > CACHED:
            self._rows, self._older = {}, self._rows

    def bag(self, queue: Queue, host: int) -> Bag:
        return Bag(queue, host)

    def total(self) -> Value:
        self.save()
        return float(sum(heads(records)["worth"].sum() for records in self._log.newest())) if self.sums else 0

    def offer(self, place: Place) -> Offer:
        return self._versions.offer(place)

    def kept(self, row: Row) -> tuple[Any, ...] | None:
        if row.kept is None and row.number:
            row.kept = unpack(self._texts.read(row.number))
        return row.kept

    def touch(self, queue: Queue) -> None:
        self._changes.touch(queue)

    def lease(self, key: int, lease: Lease, queue: Queue) -> None:
        self._leased[key] = lease.number
        self._changes.lease(key, lease, queue)

    def settle(self, key: int, number: int) -> None:
        del self._leased[key]
        self._changes.settle(number)

    def rest(self, host: int, until: float, noted: float) -> None:
        self._changes.rest(host, until, noted)
        self.flush()

    def delay(self, host: int, seconds: float) -> None:
        self._db.execute(tables.DELAY, (host, seconds))

    def restore(self, schedule: Schedule, now: float) -> None:
        """Lanes, bags and waiting hosts as they were."""
        self.queues += tables.queues(self._db)
        for records in self._log.newest():
            self._refill(records)
        for queue in self.queues:
            queue.open = sum(bag.size for bag in queue.bags.values())
            for bag in queue.bags.values():
                if (rank := bag.head()) is not None:
                    schedule.post(bag, rank)
        for host, until in tables.rests(self._db, now):
            schedule.waiting_hosts.rest(host, until)

    def _refill(self, records: Records) -> None:
        from .log_columns import but, by_bag

        first, places = heads(records), records[records["lane"] >= 0]
        self._versions.firsts.fill(first[first["flags"] & FIRST != 0])
        self._versions.places += len(places)
        self._versions.keeps += int(((first["kept"] != 0) & (first["flags"] & NOTED == 0)).sum())
        self._versions.open += int((but(first, self._leased)["lane"] >= 0).sum())
        for (lane, host), ranks in by_bag(but(places, self._leased)):
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
