"""How often a page changes, learned from its visits so far and from those to its site.

Changes are taken as a Poisson process. A page that was seen to change x times in t seconds has the rate (x + 1) / (t + 1 / s),
where s is the rate of its site, learned in the same way; so a page that was visited once is expected to change as its site does.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from ..urls import site

USUAL = 1 / (30 * 86400)  # changes a second where nothing is known: one a month


class Visit(NamedTuple):
    """A visit that brought a page, in the order of their times."""

    url: str
    time: float
    digest: str


class Seen(NamedTuple):
    """How often a page was seen to change, in how many seconds, up to when."""

    changes: int = 0
    seconds: float = 0.0
    last: Visit | None = None

    def visited(self, visit: Visit) -> Seen:
        if not self.last:
            return Seen(last=visit)
        return Seen(
            self.changes + (visit.digest != self.last.digest), self.seconds + visit.time - self.last.time, visit
        )


def chances(visits: Iterable[Visit], now: float) -> dict[str, float]:
    """The probability that each page has changed since its last visit, the highest first."""
    pages: dict[str, Seen] = {}
    for visit in visits:
        pages[visit.url] = pages.get(visit.url, Seen()).visited(visit)
    sites: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    for url, seen in pages.items():
        changes, seconds = sites[site(url)]
        sites[site(url)] = (changes + seen.changes, seconds + seen.seconds)
    found = {url: _chance(seen, _rate(*sites[site(url)], USUAL), now) for url, seen in pages.items()}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _rate(changes: int, seconds: float, before: float) -> float:
    return (changes + 1) / (seconds + 1 / before)


def _chance(seen: Seen, usual: float, now: float) -> float:
    assert seen.last
    age = max(0.0, now - seen.last.time)
    return 1 - math.exp(-_rate(seen.changes, seen.seconds, usual) * age)
