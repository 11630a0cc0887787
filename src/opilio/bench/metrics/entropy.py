from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from ..truth import Truth, metric, news


@metric("type", "user-content", "tag")
def entropy(trace: Sequence[str], truth: Truth) -> list[float]:
    """How diverse the fetched pages are, in bits: 0 for one page type, log2 k for k types in equal parts.

    entropy(n) = - Σ p_t · log2 p_t, p_t the share of page type t among the different typed pages in the first n fetches
    """
    # with c_t pages of type t and N = Σ c_t this is log2 N - (Σ c_t · log2 c_t) / N, and one page changes one term
    counts: Counter[str] = Counter()
    total, terms, curve = 0, 0.0, []
    for url, fresh in zip(trace, news(trace, truth.types), strict=True):
        if fresh:
            kind = truth.types[url]
            terms -= _term(counts[kind])
            counts[kind] += 1
            terms += _term(counts[kind])
            total += 1
        curve.append(max(0.0, math.log2(total) - terms / total) if total else 0.0)
    return curve


def _term(count: int) -> float:
    return count * math.log2(count) if count else 0.0
