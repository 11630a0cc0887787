"""How many new links to wanted pages a lane has brought: what makes a list worth fetching before its links were followed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...codec import saved
from ...learning.navigation import fallbacks
from ...nouns import Lane
from ...urls import digest
from .remembered import Remembered

RECENT = 10  # pages of a lane that count: lists run dry


@saved
@dataclass(slots=True)
class Yields:
    """The mean yield of the last pages of each lane, and of what it leans on; and which URLs were seen in links."""

    pages: dict[Lane, float] = field(default_factory=dict)
    means: dict[Lane, float] = field(default_factory=dict)
    seen: Remembered = field(default_factory=Remembered)

    def is_new(self, url: str) -> bool:
        """Whether no page before had a link to that URL; it is remembered."""
        return self.seen.is_new(digest(url))

    def note(self, lane: Lane, brought: float) -> None:
        """A page of that lane had new links worth so many wanted pages."""
        for key in (lane, *fallbacks(lane)):
            self._add(key, brought)

    def _add(self, key: Lane, brought: float) -> None:
        count = min(self.pages.get(key, 0.0) + 1, RECENT)
        before = self.means.get(key, 0.0)
        self.pages[key], self.means[key] = count, before + (brought - before) / count

    def expected(self, leaned_on: Iterable[Lane], first: float) -> float:
        """What a page of a lane will bring, by what it leans on, the farthest first, each as one more page of the next."""
        mean = first
        for key in leaned_on:
            if count := self.pages.get(key):
                mean = (mean + count * self.means[key]) / (1 + count)
        return mean


def return_of(wanted: float, brought: float) -> float:
    """Wanted pages for each fetch: the page is one itself with that chance, and leads to so many."""
    return (wanted + brought) / (1 + brought)
