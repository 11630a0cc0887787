"""Shards take turns by price: together they fetch what one frontier for all would fetch next.

Sites are dealt by a hash, so one shard may have most of what is worth fetching. If all just ran, the poorer ones would spend
their part of the budget on offers that are cheaper than what others have waiting. So each says what it would take next, and
the best of all these offers may be fetched, wherever they are: as many at a time as a small share of the pages so far, which
hardly matters for what a crawl learns and finds, and lets more and more shards work at once.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from operator import neg

import numpy as np

from .protocol import Report

SHARE = 0.06  # of the pages so far: offers that may be fetched at a time, one batch at least
LISTED = 2  # batches that a shard lists, and that it may be allowed in advance, so that it seldom waits for leave
DEEP = 16  # batches that one whose list is full is taken to have, at the last of its prices


def listed(batch: int) -> int:
    """How many offers a shard lists with their prices."""
    return LISTED * batch


def turns(reports: Sequence[Report | None], batch: int) -> list[int]:
    """How many more pages each shard may send for: its offers among the best of all.

    One that has nothing else waiting may send for one more, so that it need not ask when something comes up.
    """
    lists = [report.prices if report else [] for report in reports]
    pages = sum(report.pages for report in reports if report)
    least = _least(lists, batch, min(max(batch, int(SHARE * pages)), listed(batch) * len(lists)))
    wanted = [bisect_right(prices, -least, key=neg) for prices in lists]
    return [count + (count == len(prices)) for count, prices in zip(wanted, lists, strict=True)]


def _least(lists: Sequence[list[float]], batch: int, most: int) -> float:
    """The price of the last one of the best few of all offers."""
    full = listed(batch)
    counts = [np.ones(len(prices)) for prices in lists]
    for prices, count in zip(lists, counts, strict=True):
        if len(prices) >= full:
            count[-1] += DEEP * batch - full
    every, weights = np.concatenate([*map(np.array, lists), []]), np.concatenate([*counts, []])
    order = np.argsort(-every, kind="stable")
    place = int(np.searchsorted(np.cumsum(weights[order]), most))
    return float(every[order[place]]) if place < len(order) else -math.inf
