"""What came of pages of a kind: how many were fetched, how relevant they were, and what the links first seen on them brought.

A kind is a key of 64 bits (see evidence_kinds): links in one list, links at one place of a site's pages, links with one word,
pages of one folder or host. What is known of a kind leans on what is known of the wider kind around it, by a few pages' worth
of doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp

import numpy as np

from ..codec import saved
from ..key_index import Index
from ..key_index.by_numpy import Numbers, find
from ..text.vocabulary import Floats

DOUBT = 2.0  # pages' worth of doubt
MOST = 20_000  # kinds remembered; when there are more, the half of which least is known is forgotten
SLOTS = 1 << 16  # of the index: at most a third full, so that most kinds are where they are first looked for
ROWS = 64  # that there is room for at first
FIRST = 0.5  # what pages bring before anything is known
FAR = 4.0  # log odds are cut off here
LEAST = 1.0 / (1.0 + exp(FAR))  # the chance that has them
UNKNOWN = 0  # the row of every kind of which nothing is known: it stays empty


@saved
@dataclass(slots=True, eq=False)
class TrackRecord:
    """A row for each kind: pages, the sum of their relevance, and the sum of their yields (see VisitLog)."""

    kinds: Numbers = field(default_factory=lambda: np.zeros(ROWS, np.int64))
    rows: Floats = field(default_factory=lambda: np.zeros((ROWS, 3)))
    known: int = 0  # kinds
    pages: float = 0.0
    relevance: float = 0.0
    yields: float = 0.0
    index: Index = field(init=False)  # the row of each kind

    def __post_init__(self) -> None:
        self._reindex()

    def count(self, relevance: float) -> None:
        """One more page was fetched, of whatever kind."""
        self.pages += 1
        self.relevance += relevance
        self.yields += relevance

    def learn(self, kinds: Numbers, relevance: float | Sequence[float] | Floats) -> None:
        """A page of these kinds was fetched, or is linked by a link of these kinds; one relevance for all, or each its own."""
        if self.known + len(kinds) > MOST:
            self._forget()
        numbers = self.numbers(kinds)
        unknown = np.flatnonzero(numbers == UNKNOWN)
        if len(unknown):
            numbers[unknown] = self._add(kinds[unknown])
        more = np.ones((len(kinds), 3))
        more[:, 1:] = np.reshape(relevance, (-1, 1))
        np.add.at(self.rows, numbers, more)

    def improve(self, kinds: Numbers, more: float) -> None:
        """The yield of a page of these kinds is higher by so much than it seemed."""
        self.yields += more
        np.add.at(self.rows[:, 2], self.numbers(kinds), more)
        self.rows[UNKNOWN] = 0.0

    @property
    def base(self) -> Floats:
        """The mean relevance and the mean yield of all pages."""
        return np.array([self.relevance + FIRST, self.yields + FIRST]) / (self.pages + 1)

    def numbers(self, kinds: Numbers) -> Numbers:
        """The rows of kinds."""
        return find(self.index.table, kinds)

    def rates(self, numbers: Numbers, around: Floats) -> Floats:
        """Relevance and yield of kinds, by their rows and what is known of the wider kinds."""
        rows = self.rows.take(numbers, axis=0)
        found: Floats = (rows[:, 1:] + DOUBT * around) / (rows[:, :1] + DOUBT)
        return found

    def seen(self, kind: int) -> tuple[float, float]:
        """How many pages of a kind there were, and the sum of their relevance."""
        pages, good, _ = self.rows[self.index.get(kind)].tolist()
        return pages, good

    def _add(self, kinds: Numbers) -> list[int]:
        """Rows for kinds that are new, some more than once; the row of each."""
        each = kinds.tolist()
        new = {kind: row for row, kind in enumerate(dict.fromkeys(each), self.known + 1)}
        while self.known + len(new) >= len(self.rows):
            self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])
            self.kinds = np.concatenate([self.kinds, np.zeros_like(self.kinds)])
        self.kinds[self.known + 1 : self.known + 1 + len(new)] = list(new)
        self.known += len(new)
        self.index.set(new)
        return [new[kind] for kind in each]

    def _forget(self) -> None:
        """The half of which least is known; of those with equally many pages, the older."""
        kept = 1 + np.argsort(self.rows[1 : self.known + 1, 0], kind="stable")[self.known // 2 :]
        rows, kinds = self.rows[kept], self.kinds[kept]
        self.rows[:], self.kinds[:], self.known = 0.0, 0, len(kept)
        self.rows[1 : self.known + 1], self.kinds[1 : self.known + 1] = rows, kinds
        self._reindex()

    def _reindex(self) -> None:
        self.index = Index(SLOTS)
        kinds = self.kinds[1 : self.known + 1]
        self.index.fill(kinds.tobytes(), np.arange(1, self.known + 1).tobytes())


def log_odds(p: Floats) -> Floats:
    """ln(p / (1 - p)), cut off where little is known of so extreme chances."""
    inside = np.minimum(np.maximum(p, LEAST), 1.0 - LEAST)
    found: Floats = np.log(inside / (1.0 - inside))
    return found
