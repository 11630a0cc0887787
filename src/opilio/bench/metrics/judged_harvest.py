from __future__ import annotations

from collections.abc import Sequence

from ..truth import Truth, found, metric


@metric("judged")
def judged_harvest(trace: Sequence[str], truth: Truth) -> list[float]:
    """Share of the fetches that brought a page which at least two of three classifiers (svm, bayes, net) call relevant.

    judged harvest(n) = different pages judged relevant among the first n fetches / n

    The classifiers learn from the examples that strategies are given; where pages have no labels, this is all there is.
    """
    return [good / n for n, good in enumerate(found(trace, truth.judged), 1)]
