from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from ..truth import Truth, counted, metric, news, ratio

KINDS = ("topic", "tag")
WINDOW = 1000


@metric("topic", "tag")
def sliding_harvest(trace: Sequence[str], truth: Truth) -> list[float]:
    """Harvest rate of the last 1,000 fetches (of all while there are fewer): whether a crawl still finds anything.

    sliding harvest(n) = relevant pages first fetched in (n - 1000, n] / fetches in (n - 1000, n]

    In tag tasks both counts are of detail pages alone.
    """
    good = [0, *accumulate(map(int, news(trace, truth.relevant)))]
    fetches = [0, *accumulate(map(int, counted(trace, truth)))]
    starts = [max(0, n - WINDOW) for n in range(len(good))]
    return [ratio(good[n] - good[s], fetches[n] - fetches[s]) for n, s in enumerate(starts) if n]
