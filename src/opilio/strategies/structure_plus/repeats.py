"""Kinds of pages that say only what other pages have said: lists of excerpts, old versions, views in another order.

What counts is the share of lines that were new, on the last pages of a rule of URLs. A single page that says nothing new may be
a short one; a rule of which nearly all pages do is not what users wrote.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...codec import saved
from ...nouns import Page
from ...urls import digest
from .remembered import Remembered

WORDS = 5  # of a line that counts: fewer stand on many pages
LINES = 50  # of a page that are compared with the next page of its rule: what both have belongs to their template
RECENT = 20  # pages of a rule that count: what repeats others may come before them
MOST = 2_000  # rules
ENOUGH = 2  # times what is new of what a page says: excerpts of it may have stood in lists


@saved
@dataclass(slots=True)
class Repeats:
    """Lines that were seen; of each rule, by digest, its last page, how many there were, and how much of those was new."""

    lines: Remembered = field(default_factory=Remembered)
    last: dict[int, list[int]] = field(default_factory=dict)
    pages: dict[int, int] = field(default_factory=dict)
    fresh: dict[int, float] = field(default_factory=dict)

    def see(self, rule: str, page: Page) -> None:
        """A page was fetched; one without a line that counts says nothing about its rule."""
        key = digest(rule)
        if key not in self.last and len(self.last) >= MOST:
            return
        lines = {digest(line) for line in page.main.splitlines() if len(line.split()) >= WORDS}
        before, self.last[key] = self.last.get(key, ()), list(lines)[:LINES]
        if own := lines.difference(before):
            self._count(key, sum(map(self.lines.is_new, own)) / len(own))

    def _count(self, key: int, share: float) -> None:
        self.pages[key] = count = min(self.pages.get(key, 0) + 1, RECENT)
        before = self.fresh.get(key, 1.0)
        self.fresh[key] = before + (share - before) / (count + 1)  # as if there had been one that was all new

    def worth(self, rule: str) -> float:
        """What is left of the worth of pages of a rule: all, as long as half of what they say is new."""
        return min(1.0, ENOUGH * self.fresh.get(digest(rule), 1.0))
