"""What came of pages of a kind: how many were fetched, how relevant they were, and what the links first seen on them brought.

A kind is a text: links in one list, links at one place of a site's pages, links with one word, pages of one folder or host.
What is known of a kind leans on what is known of the wider kind around it, by a few pages' worth of doubt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from math import exp

import numpy as np

from ..codec import saved
from ..text.vocabulary import Floats, Ints

DOUBT = 2.0  # pages' worth of doubt
MOST = 20_000  # kinds remembered; when there are more, the half of which least is known is forgotten
ROWS = 64  # that there is room for at first
FIRST = 0.5  # what pages bring before anything is known
FAR = 4.0  # log odds are cut off here
LEAST = 1.0 / (1.0 + exp(FAR))  # the chance that has them
UNKNOWN = 0  # the number of every kind of which nothing is known: its row stays empty


@saved
@dataclass(slots=True, eq=False)
class TrackRecord:
    """For each kind the number of its row: pages, the sum of their relevance, and the sum of their yields (see VisitLog)."""

    kinds: dict[str, int] = field(default_factory=dict)
    rows: Floats = field(default_factory=lambda: np.zeros((ROWS, 3)))
    pages: float = 0.0
    relevance: float = 0.0
    yields: float = 0.0

    def count(self, relevance: float) -> None:
        """One more page was fetched, of whatever kind."""
        self.pages += 1
        self.relevance += relevance
        self.yields += relevance

    def learn(self, kinds: Sequence[str], relevance: float | Sequence[float]) -> None:
        """A page of these kinds was fetched, or is linked by a link of these kinds; one relevance for all, or each its own."""
        if len(self.kinds) + len(kinds) > MOST:
            self._forget()
        self._add(kinds)
        more = np.ones((len(kinds), 3))
        more[:, 1:] = np.reshape(relevance, (-1, 1))
        np.add.at(self.rows, self.numbers(kinds), more)

    def improve(self, kinds: Iterable[str], more: float) -> None:
        """The yield of a page of these kinds is higher by so much than it seemed."""
        self.yields += more
        np.add.at(self.rows[:, 2], self.numbers(kinds), more)
        self.rows[UNKNOWN] = 0.0

    @property
    def base(self) -> Floats:
        """The mean relevance and the mean yield of all pages."""
        return np.array([self.relevance + FIRST, self.yields + FIRST]) / (self.pages + 1)

    def numbers(self, kinds: Iterable[str]) -> Ints:
        """The rows of kinds."""
        return np.fromiter(map(self.kinds.get, kinds, repeat(UNKNOWN)), np.intp)

    def rates(self, numbers: Ints, around: Floats) -> Floats:
        """Relevance and yield of kinds, by their pages and what is known of the wider kinds."""
        rows = self.rows[numbers]
        found: Floats = (rows[:, 1:] + DOUBT * around) / (rows[:, :1] + DOUBT)
        return found

    def seen(self, kind: str) -> tuple[float, float]:
        """How many pages of a kind there were, and the sum of their relevance."""
        pages, good, _ = self.rows[self.kinds.get(kind, UNKNOWN)].tolist()
        return pages, good

    def _add(self, kinds: Iterable[str]) -> None:
        for kind in kinds:
            self.kinds.setdefault(kind, len(self.kinds) + 1)
        while len(self.kinds) >= len(self.rows):
            self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])

    def _forget(self) -> None:
        """The half of which least is known; of those with equally many pages, the older."""
        names = list(self.kinds)
        order = np.argsort(self.rows[1 : len(names) + 1, 0], kind="stable")[len(names) // 2 :]
        kept = np.zeros_like(self.rows)
        kept[1 : len(order) + 1] = self.rows[1 + order]
        self.rows, self.kinds = kept, {names[place]: number for number, place in enumerate(order.tolist(), 1)}


def log_odds(p: Floats) -> Floats:
    """ln(p / (1 - p)), cut off where little is known of so extreme chances."""
    inside = np.minimum(np.maximum(p, LEAST), 1.0 - LEAST)
    found: Floats = np.log(inside / (1.0 - inside))
    return found
