from __future__ import annotations

from collections.abc import Sequence

from ..truth import Truth, found, metric


@metric("user-content")
def valid_ratio(trace: Sequence[str], truth: Truth) -> list[float]:
    """Share of the fetches that brought user-created content.

    valid ratio(n) = pages of user-created content among the first n fetches / n
    """
    return [good / n for n, good in enumerate(found(trace, truth.relevant), 1)]
