"""What links have led to, by the kind of page they stood on: how often to something relevant, and what that changes.

Kinds are compared within a class of relevance, since links on relevant pages lead to relevant pages more often whatever the
kind is.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import NamedTuple

DOUBT = 5.0  # links' worth of doubt: a kind that was seen this often is believed half
FIRST = 0.5  # what links lead to before anything is known
LEAST_SLOPE, FIRST_SLOPE = 0.05, 1.0
FEW = 1.0  # the sum of squares that the first guess at the slope is worth: 20 pages of a usual spread


class Outcomes(NamedTuple):
    """Plain containers, so that it can be saved; `Outcomes(*saved)` is it again."""

    rows: dict[
        tuple[str, str], list[float]
    ]  # (class, kind) to [links followed, relevant pages they led to]; kind "": all
    sums: list[float]  # over links followed: 1, R of the page they stood on, led to a relevant page, R², both

    @classmethod
    def empty(cls) -> Outcomes:
        return cls({}, [0.0] * 5)

    def note(self, relevance: str, kinds: Iterable[str], good: bool) -> None:
        """A link on a page of that class and those kinds was followed, and led to a relevant page or not."""
        for kind in ("", *kinds):
            row = self.rows.setdefault((relevance, kind), [0.0, 0.0])
            row[0] += 1
            row[1] += good

    def compare(self, parent: float, good: bool) -> None:
        """A link on a page of that relevance was followed: what it says about the slope."""
        for place, value in enumerate((1.0, parent, good, parent * parent, parent * good)):
            self.sums[place] += value

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

    def differ(self, relevance: str, kinds: Iterable[str]) -> float:
        """How much of what the kinds differ by is more than chance: 1 - df/Q by Cochran's Q, 0 where nothing is."""
        every, best = self.rows.get((relevance, ""), (0.0, 0.0))
        mean = (best + FIRST) / (every + 1)
        rows = [row for kind in kinds if (row := self.rows.get((relevance, kind)))]
        spread = sum((good - seen * mean) ** 2 / seen for seen, good in rows) / (mean * (1 - mean))
        return max(0.0, 1 - (len(rows) - 1) / spread) if len(rows) > 1 and spread else 0.0

    def slope(self) -> float:
        """By how much the chance rises where the relevance of the page that a link stands on rises by 1: least squares."""
        count, parents, good, squares, both = self.sums
        if not count:
            return FIRST_SLOPE
        spread, joint = squares - parents * parents / count, both - parents * good / count
        return max(LEAST_SLOPE, (joint + FEW * FIRST_SLOPE) / (spread + FEW))
