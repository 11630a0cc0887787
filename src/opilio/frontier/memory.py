"""The frontier in memory: for benchmarks, tests and small crawls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..nouns import Offer
from .changes import Changes
from .disk.offers import place_bytes, read_offer, read_place
from .frontier import Merge, RowFrontier, all_floats
from .lanes import Weigh
from .merge import Join
from .queue.bag import Value
from .rows import Place, Row, Rows

NEW = b""


class MemoryFrontier(RowFrontier):
    """Open offers in memory; nothing is left when the process ends."""

    def __init__(
        self, weigh: Weigh, merge: Merge = "max", delay: float = 0.0, alone: bool = False, join: Join | None = None
    ) -> None:
        super().__init__(MemoryRows(merge), Changes(), weigh, delay, alone, join if merge == "join" else None)

    def _fit(self, batch: Sequence[Offer]) -> Sequence[Offer]:
        if not all_floats(batch):
            self._lanes.unpack()
        return batch


class MemoryRows(Rows):
    """Rows in a dict. Of a URL that only waits in one lane there is its offer, packed; of one that was fetched, a sign.

    Millions of small objects are what slows a frontier down: each is a miss in the caches, and one more to the collector.
    """

    def __init__(self, merge: Merge) -> None:
        super().__init__(merge)
        self._rows: dict[int, Row | bytes | None] = {}  # None: fetched, and nothing else

    @property
    def cached(self) -> dict[int, Row | bytes | None]:
        return self._rows

    def load(self, keys: Sequence[int]) -> Iterable[object]:
        return map(self._rows.get, keys)  # not before it is asked for: a row may have become a string of bytes

    def find(self, key: int) -> Row:
        return self.row(key)

    def compare(self, offers: Sequence[Offer]) -> None:
        pass

    def row(self, key: int) -> Row:
        found = self._rows.get(key, NEW)
        if isinstance(found, Row):
            return found
        row = Row(fetched=found is None)
        if found:
            value, lane = read_place(found)
            row.places = (Place(self.queues[lane], value, found),)
        return row

    def changed(self, rows: Mapping[int, Row]) -> None:
        pass

    def keep(self, key: int, row: Row, host: int) -> None:
        if row.places or row.leased or row.cash or row.kept:
            self._rows[key] = _packed(row) or row
        elif row.fetched:
            self._rows[key] = None
        else:
            self._rows.pop(key, None)

    def flush(self) -> None:
        pass

    def save(self) -> None:
        pass

    def total(self) -> Value:
        return sum(row.cash for row in self._rows.values() if isinstance(row, Row))

    def offer(self, place: Place) -> Offer:
        if isinstance(place.offer, bytes):
            place.offer = read_offer(place.offer, place.value, place.queue.name)
        assert place.offer is not None
        return place.offer

    def kept(self, row: Row) -> tuple[Any, ...] | None:
        return row.kept


def _packed(row: Row) -> bytes | None:
    """All there is to say of a row, if that is not more than one offer at a price that fits."""
    if len(row.places) != 1 or row.leased or row.fetched or row.cash or row.kept:
        return None
    place = row.places[0]
    if isinstance(place.offer, Offer) and type(place.value) is float:
        return place_bytes(place.offer, place.value, place.queue.number)
    return None
