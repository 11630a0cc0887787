"""The frontier in memory: for benchmarks, tests and small crawls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..nouns import Lane, Lease, Offer
from .lanes import Weigh
from .ledger import Ledger, Merge
from .piles import Value
from .queues import Bag, Queue
from .rows import Place, Row, Rows


class MemoryFrontier(Ledger):
    """Open offers in memory; nothing is left when the process ends."""

    def __init__(self, weigh: Weigh, merge: Merge = "max", delay: float = 0.0, alone: bool = False) -> None:
        super().__init__(MemoryRows(merge), weigh, delay, alone)


class MemoryRows(Rows):
    """Rows in a dict. Of a URL that only waits in one lane there is its offer alone; of one that was fetched, the key.

    Millions of small objects are what slows a frontier down: each is a miss in the caches, and one more to the collector.
    """

    def __init__(self, merge: Merge) -> None:
        super().__init__(merge)
        self._rows: dict[int, Row | Offer] = {}
        self._done: set[int] = set()
        self._queues: dict[Lane, Queue] = {}

    def load(self, keys: Sequence[int]) -> None:
        pass

    def row(self, key: int) -> Row:
        found = self._rows.get(key)
        if found is None:
            return Row(fetched=key in self._done)
        if isinstance(found, Row):
            return found
        row = Row()
        row.places = (Place(self._queues[found.lane], found.value, found),)
        return row

    def keep(self, key: int, row: Row, host: int) -> None:
        if row.places or row.leased or row.cash or row.kept:
            self._rows[key] = _only_offer(row) or row
            return
        self._rows.pop(key, None)
        if row.fetched:
            self._done.add(key)

    def flush(self) -> None:
        pass

    def bag(self, queue: Queue, host: int) -> Bag:
        return Bag(queue, host)

    def total(self) -> Value:
        return sum(row.cash for row in self._rows.values() if isinstance(row, Row))

    def offer(self, place: Place) -> Offer:
        assert isinstance(place.offer, Offer)
        return place.offer

    def kept(self, row: Row) -> tuple[Any, ...] | None:
        assert not isinstance(row.kept, int)
        return row.kept

    def touch(self, queue: Queue) -> None:
        self._queues[queue.name] = queue

    # The rest is in the objects themselves.

    def lease(self, key: int, lease: Lease, queue: Queue) -> None:
        pass

    def settle(self, key: int, number: int) -> None:
        pass

    def rest(self, host: int, until: float) -> None:
        pass

    def delay(self, host: int, seconds: float) -> None:
        pass


def _only_offer(row: Row) -> Offer | None:
    """The offer that says all there is to say of a row, if there is one."""
    if len(row.places) != 1 or row.leased or row.fetched or row.cash or row.kept:
        return None
    place = row.places[0]
    offer = place.offer
    assert isinstance(offer, Offer)
    return offer if offer.lane == place.queue.name and offer.value is place.value else None
