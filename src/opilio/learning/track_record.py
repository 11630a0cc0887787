"""What came of pages of a kind: how many were fetched, how relevant they were, and what the links first seen on them brought.

A kind is a text: links in one list, links at one place of a site's pages, links with one word, pages of one folder or host.
What is known of a kind leans on what is known of the wider kind around it, by a few pages' worth of doubt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import exp, log

from ..codec import saved

DOUBT = 2.0  # pages' worth of doubt
MOST = 20_000  # kinds remembered; when there are more, the half of which least is known is forgotten
FIRST = 0.5  # what pages bring before anything is known
FAR = 4.0  # log odds are cut off here
LEAST = 1.0 / (1.0 + exp(FAR))  # the chance that has them


@saved
@dataclass(slots=True)
class TrackRecord:
    """For each kind: pages, the sum of their relevance, and the sum of their yields (see VisitLog)."""

    kinds: dict[str, list[float]] = field(default_factory=dict)
    pages: float = 0.0
    relevance: float = 0.0
    yields: float = 0.0

    def count(self, relevance: float) -> None:
        """One more page was fetched, of whatever kind."""
        self.pages += 1
        self.relevance += relevance
        self.yields += relevance

    def learn(self, kinds: Iterable[str], relevance: float) -> None:
        """A page of these kinds was fetched, or is linked by a link of these kinds."""
        for kind in kinds:
            row = self.kinds.get(kind) or self._row(kind)
            row[0] += 1
            row[1] += relevance
            row[2] += relevance

    def improve(self, kinds: Iterable[str], more: float) -> None:
        """The yield of a page of these kinds is higher by so much than it seemed."""
        self.yields += more
        for kind in kinds:
            if row := self.kinds.get(kind):
                row[2] += more

    @property
    def base(self) -> tuple[float, float]:
        """The mean relevance and the mean yield of all pages."""
        return (self.relevance + FIRST) / (self.pages + 1), (self.yields + FIRST) / (self.pages + 1)

    def rates(self, kind: str, around: tuple[float, float]) -> tuple[float, float]:
        """Relevance and yield of a kind, by its pages and what is known of the wider kind."""
        row = self.kinds.get(kind)
        if row is None:
            return around
        seen, good, brought = row
        doubt = seen + DOUBT
        return (good + DOUBT * around[0]) / doubt, (brought + DOUBT * around[1]) / doubt

    def seen(self, kind: str) -> tuple[float, float]:
        """How many pages of a kind there were, and the sum of their relevance."""
        pages, good, _ = self.kinds.get(kind, (0.0, 0.0, 0.0))
        return pages, good

    def _row(self, kind: str) -> list[float]:
        if len(self.kinds) >= MOST:
            rows = sorted(
                self.kinds.items(), key=lambda item: item[1][0]
            )  # of those with equally many, the older first
            self.kinds = dict(rows[len(rows) // 2 :])
        row = self.kinds[kind] = [0.0, 0.0, 0.0]
        return row


def log_odds(p: float) -> float:
    """ln(p / (1 - p)), cut off where little is known of so extreme chances."""
    if LEAST < p < 1.0 - LEAST:
        return log(p / (1.0 - p))
    return FAR if p > 0.5 else -FAR
