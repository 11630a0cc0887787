"""Whether pages whose URLs are made by two rules are of one type: those of one type do not lie nearer to their own kind."""

from __future__ import annotations

import numpy as np

from ...learning.clusters import LEAST_POINTS, SAME, distances
from ...learning.paths import Matrix

COMPARED = 40  # pages of each rule


def separation(ones: Matrix, others: Matrix) -> float:
    """How surely pages of two rules can be told apart by what they are made of.

    1 where the nearest page is always one of the same rule, 0 where that is a matter of chance, or few pages are known.
    """
    count = min(len(ones), len(others), COMPARED)
    if count < LEAST_POINTS:
        return 0.0
    rows = np.vstack([ones[:count], others[:count]])
    away = distances(rows, rows) + np.diag(np.full(2 * count, np.inf))
    halves = away[:, :count].min(1), away[:, count:].min(1)
    own, other = (np.concatenate([halves[n][:count], halves[1 - n][count:]]) for n in (0, 1))
    nearer = np.where(np.abs(own - other) < SAME, 0.5, own < other)
    return max(0.0, 2 * float(nearer.mean()) - 1)
