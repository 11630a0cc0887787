"""What links have led to, by the kind of page they stood on: how often to something relevant, and what that changes.

Kinds are compared within a class of relevance, since links on relevant pages lead to relevant pages more often whatever the
kind is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import sqrt

from ...codec import saved

DOUBT = 5.0  # links' worth of doubt: a kind that was seen this often is believed half
FIRST = 0.5  # what links lead to before anything is known
LEAST_SLOPE, FIRST_SLOPE = 0.05, 1.0
FEW = 1.0  # the sum of squares that the first guess at the slope is worth: 20 pages of a usual spread


@saved
@dataclass(slots=True)
class Outcomes:
    """What was followed so far."""

    # (class, kind) to [links followed, what they led to]; kind "": all
    rows: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    # (class, place among a page's kinds) to [kinds, Σ good²/seen]
    families: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    # by kinds: [links followed, mean R of where they stood, mean of what they led to]
    means: dict[str, list[float]] = field(default_factory=dict)
    # over links followed, about the means of their kinds
    squares: float = 0.0  # of R
    products: float = 0.0  # of R and of what they led to

    def note(self, relevance: str, kinds: Iterable[str], good: float) -> None:
        """A link on a page of that class and those kinds was followed, and led to a page that is relevant by so much."""
        self._add(relevance, "", good)
        for place, kind in enumerate(kinds):
            family = self.families.setdefault((relevance, place), [0.0, 0.0])
            family[0] += (relevance, kind) not in self.rows
            family[1] += self._add(relevance, kind, good)

    def _add(self, relevance: str, kind: str, good: float) -> float:
        """By how much good²/seen of a kind rises."""
        row = self.rows.setdefault((relevance, kind), [0.0, 0.0])
        before = row[1] ** 2 / row[0] if row[0] else 0.0
        row[0] += 1
        row[1] += good
        return row[1] ** 2 / row[0] - before

    def compare(self, parent: float, good: float, kinds: Iterable[str]) -> None:
        """A link on a page of that relevance and those kinds was followed: what it says about the slope."""
        row = self.means.setdefault(" ".join(kinds), [0.0, 0.0, 0.0])
        off = parent - row[1]
        row[0] += 1
        row[1] += off / row[0]
        row[2] += (good - row[2]) / row[0]
        self.squares += off * (parent - row[1])
        self.products += off * (good - row[2])

    def rate(self, relevance: str, kind: str) -> float:
        """P[I,G]: the chance that a link leads to a relevant page, drawn to that of its class where little is known."""
        seen, good = self.rows.get((relevance, kind), (0.0, 0.0))
        every, best = self.rows.get((relevance, ""), (0.0, 0.0))
        return (good + DOUBT * (best + FIRST) / (every + 1)) / (seen + DOUBT)

    def gain(self, relevance: str, kind: str) -> float:
        """P[I,G] - P[I]: what the kind adds to the chance; drawn to 0 where little is known, 0 where a class has one kind."""
        seen, good = self.rows.get((relevance, kind), (0.0, 0.0))
        every, best = self.rows.get((relevance, ""), (0.0, 0.0))
        return (good - seen * best / every) / (seen + DOUBT) if seen != every else 0.0

    def hope(self, relevance: str, kind: str) -> float:
        """How much more than `gain` it may be: the standard error, less that of the class. New kinds are tried for it."""
        seen, _ = self.rows.get((relevance, kind), (0.0, 0.0))
        every, best = self.rows.get((relevance, ""), (0.0, 0.0))
        mean = (best + FIRST) / (every + 1)
        return sqrt(mean * (1 - mean)) * (1 / sqrt(seen + DOUBT) - 1 / sqrt(every + DOUBT))

    def differ(self, relevance: str, place: int = 0) -> float:
        """How much of what the kinds at that place differ by is more than chance: 1 - df/Q by Cochran's Q, 0 where nothing is."""
        every, best = self.rows.get((relevance, ""), (0.0, 0.0))
        kinds, squares = self.families.get((relevance, place), (0.0, 0.0))
        mean = (best + FIRST) / (every + 1)
        spread = (squares - 2 * mean * best + mean * mean * every) / (mean * (1 - mean))
        return max(0.0, 1 - (kinds - 1) / spread) if kinds > 1 and spread > 0 else 0.0

    def slope(self) -> float:
        """By how much the chance rises where the relevance of the page that a link stands on rises by 1: least squares.

        Only links on pages of the same kinds are compared. Links of little relevance are followed where their kind is good, so
        over all links the kind's merit would be taken for that of little relevance, and kinds would come to decide alone.
        """
        return max(LEAST_SLOPE, (self.products + FEW * FIRST_SLOPE) / (self.squares + FEW))
