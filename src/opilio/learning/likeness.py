"""How like an example a page is: a yes or no by cluster, and in between where a cluster turns out to hold two kinds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..codec import saved
from .paths import Matrix

LEAST_PAGES = 8  # fewer tell nothing about two kinds
ONE_KIND, TWO_KINDS = (
    0.6,
    0.8,
)  # share of the variance that lies between two halves: bell 0.64, even 0.75, two bells more


@saved
class Likeness(NamedTuple):
    """1 for pages like the example, 0 for pages like the other kind in its cluster; a cluster of one kind is all 1."""

    example: (
        Matrix  # square roots, so that the product of two pages is their overlap: 1 for the same, 0 for nothing shared
    )
    low: float
    high: float
    trust: float  # 0: the cluster is of one kind; 1: it surely is of two

    def __call__(self, row: Matrix) -> float:
        reach = (float(np.sqrt(row) @ self.example) - self.low) / max(self.high - self.low, 1e-9)
        return 1.0 - self.trust * (1.0 - min(1.0, max(0.0, reach)))


def overlap(example: Matrix, rows: Matrix) -> Matrix:
    """How much each page shares with the example: 1 everything, 0 nothing (Bhattacharyya)."""
    return np.asarray(np.sqrt(rows) @ np.sqrt(example))


def likeness(example: Matrix, rows: Matrix) -> Likeness:
    """Learned from the pages of the example's cluster: overlap with the example, cut where two halves differ most (Otsu)."""
    root = np.sqrt(example)
    shared = np.sort(overlap(example, rows))
    if len(shared) < LEAST_PAGES or np.ptp(shared) < 1e-9:
        return Likeness(root, 0.0, 1.0, 0.0)
    below = np.arange(1, len(shared))
    sums = np.cumsum(shared)
    low, high = sums[:-1] / below, (sums[-1] - sums[:-1]) / (len(shared) - below)
    between = below * (len(shared) - below) * (high - low) ** 2 / len(shared) ** 2
    cut = int(between.argmax())
    share = between[cut] / shared.var()
    trust = min(1.0, max(0.0, (share - ONE_KIND) / (TWO_KINDS - ONE_KIND)))
    apart = min(1.0, 2 * (high[cut] - low[cut]) / high[cut])  # two kinds share half of what pages of one kind share
    return Likeness(root, float(low[cut]), float(high[cut]), float(trust * apart))
