from __future__ import annotations

from collections.abc import Sequence

from ..truth import Truth, found, metric, ratio


@metric("topic", "type")
def precision(trace: Sequence[str], truth: Truth) -> list[float]:
    """Share of the pages brought home that are relevant; redirects, dead links and repeats do not count.

    precision(n) = relevant pages among the first n fetches / different pages among the first n fetches
    """
    return [
        ratio(good, pages) for good, pages in zip(found(trace, truth.relevant), found(trace, truth.pages), strict=True)
    ]
