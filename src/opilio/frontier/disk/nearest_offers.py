"""The offers that are nearest to their turn, as they were written, in memory: a take of one of them need not read.

What is taken next was written at any time before, and its page of the database may have to come from the disk, which costs
more time than all else that a take does. Which offers are nearest is known when they are written; what moves up later, by a
new weight or by cash that is added, is read when its turn comes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...nouns import Weight
from ..queue.bag import Rank
from ..queue.lane import Queue
from ..rows import Place
from .offers import read_place

MOST = 1 << 16  # offers; some 30 MB
FEW = MOST >> 3  # if there are no more than that, any offer is near


class Near:
    """Packed offers by the keys of their URLs, of each URL the one that was written last."""

    def __init__(self, queues: Sequence[Queue]) -> None:
        self._queues = queues  # by number
        self._texts: dict[int, bytes] = {}
        self._last: Rank = math.inf, 0  # what comes after it is not near

    def put(self, key: int, place: Place, data: bytes) -> None:
        """An offer was written."""
        if _rank(place.queue.weight, place.value, key) <= self._last:
            self._texts[key] = data
            if len(self._texts) > MOST:
                self._part()
        else:
            self.drop(key)

    def get(self, key: int, place: Place) -> bytes | None:
        """The offer that a URL has in a place, if it is here."""
        data = self._texts.get(key)
        return data if data and read_place(data) == (place.value, place.queue.number) else None

    def drop(self, key: int) -> None:
        """A URL waits no longer."""
        if self._texts.pop(key, None) and len(self._texts) <= FEW:
            self._last = math.inf, 0

    def _part(self) -> None:
        """Keep the nearer half, by what lanes weigh now."""
        weights = [queue.weight for queue in self._queues]
        ranks = []
        for key, data in self._texts.items():
            value, lane = read_place(data)
            ranks.append(_rank(weights[lane], value, key))
        ranks.sort()
        self._last = ranks[MOST // 2 - 1]
        self._texts = {key: self._texts[key] for _, key in ranks[: MOST // 2]}


def _rank(weight: Weight, value: float, key: int) -> Rank:
    """Where an offer stands among those of all lanes."""
    return -weight.price(value), key
