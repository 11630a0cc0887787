"""The frontier in memory: for benchmarks, tests and small crawls."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from ..nouns import Lease, Offer
from .lanes import Weigh
from .ledger import Ledger, Merge
from .queues import Bag, Queue, Rank, Value
from .rows import Place, Row, Rows


class MemoryFrontier(Ledger):
    """Open offers in memory; nothing is left when the process ends."""

    def __init__(self, weigh: Weigh, merge: Merge = "max", delay: float = 0.0) -> None:
        super().__init__(MemoryRows(merge), weigh, delay)


class MemoryBag(Bag):
    """A heap that may hold entries whose URL has moved or gone: the rows know."""

    __slots__ = ("heap", "rows")

    def __init__(self, queue: Queue, host: int, rows: MemoryRows) -> None:
        super().__init__(queue, host)
        self.rows = rows
        self.heap: list[Rank] = []

    def put(self, rank: Rank) -> None:
        if len(self.heap) > 2 * self.size + 64:
            # Each once: an entry that was left and came back with the same value would stay twice, and fill the heap again.
            self.heap = list({rank for rank in self.heap if self.rows.holds(self.queue, rank)})
            heapify(self.heap)
        heappush(self.heap, rank)

    def remove(self, rank: Rank) -> None:
        pass

    def head(self) -> Rank | None:
        heap = self.heap
        while heap:
            if self.rows.holds(self.queue, heap[0]):
                return heap[0]
            heappop(heap)
        return None


class MemoryRows(Rows):
    """Rows in a dict; of a URL that was fetched and left nothing behind, only the key is kept."""

    def __init__(self, merge: Merge) -> None:
        super().__init__(merge)
        self._rows: dict[int, Row] = {}
        self._done: set[int] = set()

    def load(self, keys: Sequence[int]) -> None:
        pass

    def row(self, key: int) -> Row:
        row = self._rows.get(key)
        return Row(fetched=key in self._done) if row is None else row

    def keep(self, key: int, row: Row, host: int) -> None:
        if row.places or row.leased or row.cash or row.kept:
            self._rows[key] = row
            return
        self._rows.pop(key, None)
        if row.fetched:
            self._done.add(key)

    def clear(self, key: int) -> None:
        pass

    def flush(self) -> None:
        pass

    def bag(self, queue: Queue, host: int) -> Bag:
        return MemoryBag(queue, host, self)

    def holds(self, queue: Queue, rank: Rank) -> bool:
        """Whether the URL stands in that lane, with that value."""
        row = self._rows.get(rank[1])
        if row is None or row.leased:
            return False
        place = row.place(queue)
        return place is not None and self.worth(row, place) == -rank[0]

    def free(self, queue: Queue) -> int:
        keys = {rank[1] for bag in queue.bags.values() if isinstance(bag, MemoryBag) for rank in bag.heap}
        return sum(self._leave(queue, key) for key in keys)

    def _leave(self, queue: Queue, key: int) -> bool:
        row = self.row(key)
        if row.leased or row.place(queue) is None:
            return False
        row.places = tuple(place for place in row.places if place.queue is not queue)
        self.keep(key, row, 0)
        return not row.places

    def total(self) -> Value:
        return sum(row.cash for row in self._rows.values())

    def offer(self, place: Place) -> Offer:
        assert isinstance(place.offer, Offer)
        return place.offer

    # The rest is in the objects themselves.

    def touch(self, queue: Queue) -> None:
        pass

    def lease(self, key: int, lease: Lease, queue: Queue) -> None:
        pass

    def settle(self, key: int, number: int) -> None:
        pass

    def rest(self, host: int, until: float) -> None:
        pass

    def delay(self, host: int, seconds: float) -> None:
        pass
