"""Pages that the wanted ones are like: where they are from, and how like one of them another page is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..nouns import Page
from ..urls import site

Bag = Mapping[str, int]  # element paths with their counts; paths.py has the same, and numpy with it

ALIKE = 0.75  # overlap from which two pages are rather of one template than of two
STEEP = 20.0  # how fast that becomes certain


class Like:
    """Some pages of the type that is wanted. Like a topic it judges a page, by its layout instead of its words."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.pages = list(pages)
        self._sites: dict[str, list[Page]] = {}
        for page in self.pages:
            self._sites.setdefault(site(page.url), []).append(page)

    def on(self, name: str) -> list[Page]:
        """The examples from a site; where there are none, all of them."""
        return self._sites.get(name, self.pages)

    def page(self, page: Page) -> float:
        """How likely a page is of the same template as an example from its site, in [0, 1]; it learns nothing."""
        shared = max((overlap(page.paths, example.paths) for example in self.on(site(page.url))), default=0.0)
        return 1 / (1 + math.exp(-STEEP * (shared - ALIKE)))


def overlap(one: Bag, other: Bag) -> float:
    """How much two pages share: 1 for the same paths in the same shares, 0 for none (Bhattacharyya, of log(count + 1))."""
    first, second = _sizes(one), _sizes(other)
    whole = math.sqrt(sum(first.values()) * sum(second.values()))
    return (
        sum(math.sqrt(size * second[path]) for path, size in first.items() if path in second) / whole if whole else 0.0
    )


def _sizes(bag: Bag) -> dict[str, float]:
    return {path: math.log1p(count) for path, count in bag.items()}
