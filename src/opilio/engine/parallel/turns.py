"""Shards take turns by price: one that fetches what one frontier for all would leave for later has to wait for the others.

Sites are dealt by a hash, so one shard may have most of what is worth fetching. If all just ran, the poorer ones would spend
their part of the budget on offers that are cheaper than what others have waiting. What a shard pays at least for its last
pages tells what waits there: whatever another one pays less for is out of turn. A few pages too early do no harm, and let all
of them work.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .protocol import Report

LEAST = 2  # batches out of turn that are always allowed, to all shards together
EARLY = 0.06  # pages out of turn that all shards together may have, as a share of all; and shards that nobody waits for
REMEMBERED = 1 << 12  # prices, of the last pages of each shard; half of them may be out of turn, at most
RECENT = 256  # pages by which it is known what a shard pays now
CHEAP = EARLY / 2  # share of them that does not count: the rest costs more than what a shard pays at least


class Turns:
    """What was paid for the last pages of each shard, and what each pays now."""

    def __init__(self, batch: int, shards: int) -> None:
        self._least, self._early = LEAST * batch / shards, EARLY / shards  # of each shard
        self._paid = np.full((shards, REMEMBERED), np.inf)
        self._count = [0] * shards
        self._price = np.full(shards, -np.inf)  # that each pays at least

    def note(self, index: int, prices: Sequence[float]) -> None:
        """These were paid by a shard, in this order."""
        if prices:
            places = np.arange(self._count[index], self._count[index] + len(prices)) % REMEMBERED
            self._paid[index, places] = prices
            self._count[index] += len(prices)
            last = np.arange(max(0, self._count[index] - RECENT), self._count[index]) % REMEMBERED
            self._price[index] = np.sort(self._paid[index, last])[int(CHEAP * len(last))]

    def waiting(self, reports: Sequence[Report | None]) -> NDArray[np.bool_]:
        """Which shards are too far ahead of those that have higher-priced offers, and have their hands full with them."""
        working = [
            index
            for index, report in enumerate(reports)
            if report and not report.idle and not report.short and self._count[index]
        ]
        if not working:
            return np.zeros(len(reports), bool)
        ahead = np.sort(self._price[working])[::-1][int(EARLY * len(working))]  # the best of a few
        allowed = max(self._least, self._early * sum(report.pages for report in reports if report))
        early: NDArray[np.intp] = np.count_nonzero(self._paid < ahead, axis=1)
        return np.asarray((early > min(allowed, REMEMBERED // 2)) & (self._price < ahead), bool)
