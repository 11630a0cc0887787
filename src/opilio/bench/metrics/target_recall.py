from __future__ import annotations

from collections.abc import Sequence

from ..truth import Truth, found, metric, ratio


@metric("topic", "type", "user-content", "tag")
def target_recall(trace: Sequence[str], truth: Truth) -> list[float]:
    """Share of the targets that were fetched.

    target recall(n) = targets among the first n fetches / targets
    """
    return [ratio(hits, len(truth.targets)) for hits in found(trace, truth.targets)]
