from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from ..truth import Truth, metric
from .target_recall import target_recall


@metric("topic", "type", "user-content", "tag")
def auc(trace: Sequence[str], truth: Truth) -> list[float]:
    """Area under the curve of target recall as a share of the greatest there could be; high when targets came early.

    auc(n) = (1/n) · Σ target recall(i) for i = 1 ... n

    A run that ended before its budget keeps its last recall for the rest of it, so this curve goes on to the budget.
    """
    recall = target_recall(trace, truth)
    recall += [recall[-1] if recall else 0.0] * (truth.budget - len(recall))
    return [area / n for n, area in enumerate(accumulate(recall), 1)]
