"""The last pages of a crawl: by what they were chosen, and what they and the links first seen on them brought.

The yield of a page with relevance r, on which links to k pages were first seen that have been fetched since, with relevance
r1 ... rk, is max(r, (r + r1 + ... + rk) / (1 + k)): the relevant pages per fetch that came of fetching it. A list that is
not about the topic but leads to many pages that are has a high yield.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..codec import saved
from ..key_index.by_numpy import Numbers
from ..text.vocabulary import Floats

MOST = 1000  # pages remembered
RELEVANCE, CHILDREN, GAINED, CHOSEN, SIGNALS = range(5)  # columns, from the last one on there is one for each signal


@saved
@dataclass(slots=True, eq=False)
class VisitLog:
    """Pages in rows, of which the oldest is used again: it is saved with every commit, so it is few large things."""

    signals: int  # how many there are
    rows: Floats | None = None
    urls: dict[str, int] = field(default_factory=dict)  # the rows of pages, in the order in which these were fetched
    kinds: list[bytes] = field(default_factory=list)  # of the links that led to each: their keys

    def add(self, url: str, signals: Sequence[float], relevance: float, kinds: Numbers) -> None:
        """A page, with the signals it was chosen by, if it was."""
        row = self.urls.pop(url, None)
        if row is None and len(self.urls) < MOST:
            row = len(self.urls)
        elif row is None:
            row = self.urls.pop(next(iter(self.urls)))
        self.urls[url] = row
        self.kinds[row : row + 1] = [kinds.tobytes()]
        self._table[row] = 0.0
        self._table[row, RELEVANCE] = relevance
        if len(signals):
            self._table[row, CHOSEN:] = [1.0, *signals]

    def credit(self, parent: str, relevance: float) -> tuple[Numbers, float]:
        """A page that was first seen on another brought so much: the kinds of that one, and how much higher its yield is."""
        row = self.urls.get(parent)
        if row is None:
            return np.zeros(0, np.int64), 0.0
        visit = self._table[row : row + 1]
        before = _brought(visit)
        visit[0, [CHILDREN, GAINED]] += [1.0, relevance]
        return np.frombuffer(self.kinds[row], np.int64), float((_brought(visit) - before)[0])

    def relevance(self, url: str) -> float:
        """Of a page that is remembered."""
        return float(self._table[self.urls[url], RELEVANCE])

    def examples(self) -> tuple[Floats, Floats]:
        """Signals and yields of the pages that were chosen by signals, in the order in which they were fetched."""
        rows = self._table[list(self.urls.values())]
        chosen = rows[rows[:, CHOSEN] > 0]
        return chosen[:, SIGNALS:], _brought(chosen)

    @property
    def _table(self) -> Floats:
        if self.rows is None:
            self.rows = np.zeros((MOST, SIGNALS + self.signals))
        return self.rows


def _brought(rows: Floats) -> Floats:
    """The yields of pages."""
    relevance, children = rows[:, RELEVANCE], rows[:, CHILDREN]
    found: Floats = np.maximum(relevance, (relevance + rows[:, GAINED]) / (1 + children))
    return found
