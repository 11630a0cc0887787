"""Shards take turns by price: one that fetches what one frontier for all would leave for later has to wait for the others.

Sites are dealt by a hash, so one shard may have most of what is worth fetching. If both just ran, the poorer one would
spend half of the budget on offers that are cheaper than what the other has waiting. A few pages too early do no harm, and
let both work.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .protocol import Report

LEAST = 2  # batches out of turn that are always allowed, to all shards together
EARLY = 0.06  # pages out of turn that all shards together may have, as a share of all
REMEMBERED = 1 << 12  # prices, of the last pages of each shard; half of them may be out of turn, at most


class Turns:
    """What was paid for the last pages of each shard, and what each pays now."""

    def __init__(self, batch: int, shards: int) -> None:
        self._least, self._early = LEAST * batch / shards, EARLY / shards  # of each shard
        self._paid = np.full((shards, REMEMBERED), np.inf)
        self._count = [0] * shards
        self._price = [-np.inf] * shards

    def note(self, index: int, prices: Sequence[float]) -> None:
        """These were paid by a shard, in this order."""
        if prices:
            places = np.arange(self._count[index], self._count[index] + len(prices)) % REMEMBERED
            self._paid[index, places] = prices
            self._count[index] += len(prices)
            self._price[index] = float(np.median(prices))

    def waits(self, index: int, reports: Sequence[Report | None]) -> bool:
        """Whether a shard is too far ahead of one that has higher-priced offers, and has its hands full with them."""
        others = [
            self._price[other]
            for other, report in enumerate(reports)
            if other != index and report and not report.idle and not report.short
        ]
        highest = max(others, default=-np.inf)
        if highest <= self._price[index]:
            return False
        allowed = max(self._least, self._early * sum(report.pages for report in reports if report))
        return int(np.count_nonzero(self._paid[index] < highest)) > min(allowed, REMEMBERED // 2)
