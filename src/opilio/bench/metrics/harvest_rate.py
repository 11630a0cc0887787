from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from ..truth import Truth, counted, found, metric, ratio


@metric("topic", "type", "user-content", "tag")
def harvest_rate(trace: Sequence[str], truth: Truth) -> list[float]:
    """Share of the fetches that brought a relevant page.

    harvest rate(n) = relevant pages among the first n fetches / n

    In tag tasks both counts are of detail pages alone.
    """
    fetches = accumulate(map(int, counted(trace, truth)))
    return [ratio(good, n) for good, n in zip(found(trace, truth.relevant), fetches, strict=True)]
