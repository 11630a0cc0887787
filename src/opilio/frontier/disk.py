"""The frontier on disk: changes are written inside the caller's transaction, and a new object goes on from there."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..nouns import Lane, Lease, Link, Offer, Weight
from ..packing import pack, unpack
from . import tables
from .lanes import Weigh
from .ledger import Ledger, Merge
from .queues import Bag, Queue, Rank, Value
from .rows import Place, Row, Rows
from .schedule import Schedule

LOAD = 64  # entries a bag reads at a time
FRESH = 8  # entries a bag remembers of what came in since, so that a million small bags fit into memory
LOADED = 4096  # bags that remember more than that


class DiskFrontier(Ledger):
    """Open offers in a database; leases that were out when it was left are handed out again."""

    def __init__(self, db: sqlite3.Connection, weigh: Weigh, merge: Merge = "max", delay: float = 0.0) -> None:
        tables.create(db)
        rows = DiskRows(db, merge)
        super().__init__(rows, weigh, delay)
        rows.restore(self._schedule)
        self._lanes.queues = {queue.name: queue for queue in rows.queues}
        self._intake.open = tables.open_urls(db)
        self._number = tables.next_number(db)
        self._left = list(rows.leases())
        self._hosts.delays = tables.delays(db)

    def offer(self, offers: Iterable[Offer]) -> None:
        # A number that the database would round would no longer be found at its rank.
        super().offer(o if type(o.value) is float else replace(o, value=float(o.value)) for o in offers)


class DiskBag(Bag):
    """The first entries of a bag, exactly; the rest is read when they are used up."""

    __slots__ = ("first", "rows")

    def __init__(self, queue: Queue, host: int, rows: DiskRows) -> None:
        super().__init__(queue, host)
        self.rows = rows
        self.first: list[Rank] = []

    def put(self, rank: Rank) -> None:
        first = self.first
        if len(first) == self.size - 1 or (first and rank < first[-1]):
            insort(first, rank)
            if len(first) > max(FRESH, self.rows.room(self)):
                first.pop()

    def remove(self, rank: Rank) -> None:
        at = bisect_left(self.first, rank)
        if at < len(self.first) and self.first[at] == rank:
            del self.first[at]

    def head(self) -> Rank | None:
        if not self.first and self.size:
            self.first = self.rows.first(self)
        return self.first[0] if self.first else None


class DiskRows(Rows):
    """Rows in tables; those of one batch are read together, changed, and written together."""

    def __init__(self, db: sqlite3.Connection, merge: Merge) -> None:
        super().__init__(merge)
        self._db = db
        self._leased: dict[int, int] = dict(db.execute("SELECT key, number FROM frontier_leases"))
        self._rows: dict[int, Row] = {}
        self._stored: set[int] = set()  # of these, the ones that frontier_urls has
        self._dirty: dict[int, tuple[Row, int]] = {}
        self._touched: dict[int, Queue] = {}
        self._loaded: dict[DiskBag, None] = {}

    def load(self, keys: Sequence[int]) -> None:
        self.flush()
        self._rows, self._stored = {}, set()
        for start in range(0, len(keys), 512):
            self._read(keys[start : start + 512])

    def _read(self, keys: Sequence[int]) -> None:
        wanted, some = _padded(keys)
        for key, fetched, cash, kept in self._db.execute(f"SELECT * FROM frontier_urls WHERE key IN {some}", wanted):
            self._stored.add(key)
            self._rows[key] = Row(bool(fetched), cash, None if kept is None else unpack(kept))
        found = self._db.execute(
            f"SELECT key, lane, worth, best, offer FROM frontier_places WHERE key IN {some}", wanted
        )
        for key, lane, worth, best, offer in found:
            row = self._rows.setdefault(key, Row())
            row.places += (Place(self.queues[lane], best, offer),)
            if self.sums:  # written with every place, leased or not
                row.cash = worth
        for key in self._leased.keys() & set(keys):
            self._rows.setdefault(key, Row()).leased = self._leased[key]

    def row(self, key: int) -> Row:
        return self._rows.setdefault(key, Row())

    def keep(self, key: int, row: Row, host: int) -> None:
        self._dirty[key] = row, host

    def clear(self, key: int) -> None:
        self._db.execute("DELETE FROM frontier_places WHERE key = ?", (key,))

    def flush(self) -> None:
        if self._dirty:
            dirty, self._dirty = self._dirty, {}
            self._write_places(dirty)
            self._write_urls(dirty)
        if self._touched:
            self._write_lanes()

    def _write_places(self, dirty: dict[int, tuple[Row, int]]) -> None:
        self._db.executemany(
            """INSERT INTO frontier_places (key, lane, host, worth, best, offer) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (key, lane) DO UPDATE SET host = excluded.host, worth = excluded.worth, best = excluded.best,
            offer = excluded.offer""",
            [
                (key, place.queue.number, None if row.leased else host, *self._worths(row, place), _packed(place.offer))
                for key, (row, host) in dirty.items()
                for place in row.places
            ],
        )

    def _worths(self, row: Row, place: Place) -> tuple[float, float]:
        return float(self.worth(row, place)), float(place.value)

    def _write_urls(self, dirty: dict[int, tuple[Row, int]]) -> None:
        """A URL that is only open needs no row here: its cash is in its places."""
        write: list[tuple[Any, ...]] = []
        void: list[tuple[int]] = []
        for key, (row, _) in dirty.items():
            idle = 0.0 if row.places and not row.leased else float(row.cash)
            if row.fetched or idle:
                write.append((key, row.fetched, idle, None if row.kept is None else pack(row.kept)))
            elif key in self._stored:
                void.append((key,))
        if write:
            self._db.executemany("INSERT OR REPLACE INTO frontier_urls VALUES (?, ?, ?, ?)", write)
        if void:
            self._db.executemany("DELETE FROM frontier_urls WHERE key = ?", void)

    def _write_lanes(self) -> None:
        touched, self._touched = self._touched, {}
        self._db.executemany(
            "INSERT OR REPLACE INTO frontier_lanes VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(q.number, pack(list(q.name)), *map(float, q.weight), q.left, q.dropped) for q in touched.values()],
        )

    def bag(self, queue: Queue, host: int) -> Bag:
        return DiskBag(queue, host, self)

    def room(self, bag: DiskBag) -> int:
        """How many entries a bag may remember."""
        return LOAD if bag in self._loaded else FRESH

    def first(self, bag: DiskBag) -> list[Rank]:
        """The first entries of a bag; the one that was read longest ago has to shrink."""
        self._loaded.pop(bag, None)
        self._loaded[bag] = None
        if len(self._loaded) > LOADED:
            oldest = next(iter(self._loaded))
            del self._loaded[oldest], oldest.first[FRESH:]
        found = self._db.execute(
            "SELECT -worth, key FROM frontier_places WHERE lane = ? AND host = ? ORDER BY worth DESC, key LIMIT ?",
            (bag.queue.number, bag.host, LOAD),
        )
        return found.fetchall()

    def free(self, queue: Queue) -> int:
        alone = """FROM frontier_places AS p WHERE lane = ? AND host IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM frontier_places AS other WHERE other.key = p.key AND other.lane != p.lane)"""
        number = (queue.number,)
        self.flush()
        closed: int = self._db.execute(f"SELECT count(*) {alone}", number).fetchone()[0]
        if self.sums:
            self._db.execute(
                f"INSERT INTO frontier_urls SELECT key, 0, worth, NULL {alone}"
                " ON CONFLICT (key) DO UPDATE SET cash = cash + excluded.cash",
                number,
            )
        self._db.execute("DELETE FROM frontier_places WHERE lane = ? AND host IS NOT NULL", number)
        return closed

    def total(self) -> Value:
        return tables.total(self._db) if self.sums else 0

    def offer(self, place: Place) -> Offer:
        if isinstance(place.offer, bytes):
            place.offer = read_offer(place.offer, place.value, place.queue.name)
        return place.offer

    def touch(self, queue: Queue) -> None:
        self._touched[queue.number] = queue

    def lease(self, key: int, lease: Lease, queue: Queue) -> None:
        self._leased[key] = lease.number
        offer = lease.offer
        values = (lease.number, key, queue.number, float(offer.value), *map(float, lease.weight), _packed(offer))
        self._db.execute("INSERT INTO frontier_leases VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)

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
        """Lanes, bags and resting hosts as they were; each bag says what it holds at most, and reads it when asked."""
        self.queues += tables.queues(self._db)
        for lane, host, worth, key, size in tables.bags(self._db):
            bag = DiskBag(self.queues[lane], host, self)
            bag.size = size
            bag.first = [(-worth, key)] if size == 1 else []
            bag.queue.open += size
            bag.queue.bags[host] = bag
            schedule.post(bag, (-worth, key))
        for host, until in tables.rests(self._db):
            schedule.rest(host, until)

    def leases(self) -> Iterator[Lease]:
        """The leases that are out, in their order."""
        leases = tables.leases(self._db)
        self.load([lease[1] for lease in leases])
        for number, key, lane, value, shift, scale, most, offer in leases:
            written = read_offer(offer, value, self.queues[lane].name)
            yield Lease(number, written, Weight(shift, scale, most), self.row(key).known)


def _padded(keys: Iterable[int]) -> tuple[list[int], str]:
    """Keys and their placeholders, filled up to a power of two, so that the same few statements serve all batches."""
    wanted = list(keys)
    wanted += wanted[-1:] * ((1 << (len(wanted) - 1).bit_length()) - len(wanted))
    return wanted, f"({','.join('?' * len(wanted))})"


def _packed(offer: Offer | bytes) -> bytes:
    """All of an offer but its value and lane, which have columns of their own."""
    if isinstance(offer, bytes):
        return offer
    link, again = offer.link, offer.again
    texts = [link.url, link.source, link.anchor, link.context, link.path]
    lists = [list(link.rel), list(offer.note), None if again is None else list(again)]
    return pack([*texts, link.image, *lists, offer.hops, offer.tries])


def read_offer(data: bytes, value: float, lane: Lane) -> Offer:
    url, source, anchor, context, path, image, rel, note, again, hops, tries = unpack(data)
    link = Link(url, source, anchor, context, path, image, tuple(rel))
    return Offer(link, value, lane, tuple(note), None if again is None else tuple(again), hops, tries)
