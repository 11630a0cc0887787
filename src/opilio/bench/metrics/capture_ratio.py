from __future__ import annotations

from collections.abc import Sequence

from ..truth import Truth, found, metric


@metric("tag")
def capture_ratio(trace: Sequence[str], truth: Truth) -> list[float]:
    """Share of the fetches that brought a detail page, relevant or not.

    capture ratio(n) = detail pages among the first n fetches / n
    """
    return [pages / n for n, pages in enumerate(found(trace, truth.details), 1)]
