"""What a lane is worth: how much better links on pages of its genre, and of its other kinds, do than links on all pages."""

from __future__ import annotations

from typing import NamedTuple

from ...nouns import Lane
from .outcomes import Outcomes

STEPS = 10  # that confidence is told in


class LaneWorth(NamedTuple):
    """By what links have led to so far."""

    outcomes: Outcomes
    relevance: float | None  # the weight of R, as in the paper; None: measured
    online: bool

    def shift(self, lane: Lane) -> float:
        """The part of the price that a lane (I, C in tenths, G, further kinds) adds."""
        outcomes, (relevance, steps, genre, *others) = self.outcomes, lane
        sure = int(steps) / STEPS
        if self.relevance is not None:
            return (1 - self.relevance) * sure * outcomes.rate(relevance, genre)
        further = sum(
            outcomes.differ(relevance, place) * self._promise(relevance, kind) for place, kind in enumerate(others, 1)
        )
        first = sure * outcomes.differ(relevance) * self._promise(relevance, genre)
        return (first + further) / outcomes.slope()

    def _promise(self, relevance: str, kind: str) -> float:
        # Without hope, a genre that was never tried would stay behind one that is a hair above the average.
        outcomes = self.outcomes
        return outcomes.gain(relevance, kind) + (outcomes.hope(relevance, kind) if self.online else 0.0)
