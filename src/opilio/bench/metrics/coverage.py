from __future__ import annotations

from collections.abc import Sequence

from ..truth import Truth, found, metric, ratio


@metric("topic")
def coverage(trace: Sequence[str], truth: Truth) -> list[float]:
    """Share of all relevant pages that were fetched, seeds and training pages counted in.

    coverage(n) = relevant pages among the first n fetches / relevant pages that links lead to
    """
    return [ratio(good, len(truth.relevant)) for good in found(trace, truth.relevant)]
