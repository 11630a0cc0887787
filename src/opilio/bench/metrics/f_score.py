from __future__ import annotations

from collections.abc import Sequence

from ..truth import Truth, metric, ratio
from .harvest_rate import harvest_rate
from .target_recall import target_recall


@metric("topic", "type", "user-content", "tag")
def f_score(trace: Sequence[str], truth: Truth) -> list[float]:
    """Harmonic mean of harvest rate (for user content the same as the valid ratio) and target recall.

    F(n) = 2 · harvest rate(n) · target recall(n) / (harvest rate(n) + target recall(n)), 0 when both are 0
    """
    pairs = zip(harvest_rate(trace, truth), target_recall(trace, truth), strict=True)
    return [ratio(2 * harvest * recall, harvest + recall) for harvest, recall in pairs]
