"""The last pages of a crawl: by what they were chosen, and what they and the links first seen on them brought.

The yield of a page with relevance r, on which links to k pages were first seen that have been fetched since, with relevance
r1 ... rk, is max(r, (r + r1 + ... + rk) / (1 + k)): the relevant pages per fetch that came of fetching it. A list that is
not about the topic but leads to many pages that are has a high yield.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..codec import saved
from ..text.vocabulary import Floats

MOST = 1000  # pages remembered


@saved
@dataclass(slots=True)
class Visit:
    """One page."""

    signals: list[float]  # as they were when it was taken
    relevance: float
    kinds: list[str]  # of the links that led to it
    children: int = 0  # pages first seen here that were fetched since
    gained: float = 0.0  # their relevance together

    @property
    def brought(self) -> float:
        """Its yield."""
        return max(self.relevance, (self.relevance + self.gained) / (1 + self.children))


@saved
@dataclass(slots=True)
class VisitLog:
    """Pages by URL, in the order in which they were fetched."""

    visits: dict[str, Visit] = field(default_factory=dict)

    def add(self, url: str, visit: Visit) -> None:
        self.visits.pop(url, None)
        self.visits[url] = visit
        if len(self.visits) > MOST:
            del self.visits[next(iter(self.visits))]

    def credit(self, parent: str, relevance: float) -> tuple[list[str], float]:
        """A page that was first seen on another brought so much: the kinds of that one, and how much higher its yield is."""
        visit = self.visits.get(parent)
        if visit is None:
            return [], 0.0
        before = visit.brought
        visit.children += 1
        visit.gained += relevance
        return visit.kinds, visit.brought - before

    def examples(self) -> tuple[Floats, Floats]:
        """Signals and yields of the pages that were chosen by signals."""
        chosen = [visit for visit in self.visits.values() if visit.signals]
        return np.array([visit.signals for visit in chosen]), np.array([visit.brought for visit in chosen])
