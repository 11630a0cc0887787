"""What pages, anchors and addresses have to do with the topic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ...nouns import Page
from .similarity import Similarity
from .url_lexicon import known_share


class TermWeights(NamedTuple):
    """How much each term of a link's score counts: α, β and γ."""

    parent: float
    anchor: float
    address: float


class Judge(ABC):
    @abstractmethod
    def page(self, page: Page) -> float:
        """How relevant a page is, from 0 to 1."""

    @abstractmethod
    def anchors(self, page: Page) -> list[float]:
        """How relevant the anchor of each link is."""

    @abstractmethod
    def inherited(self, page: Page) -> float:
        """What each link of a page has from it."""

    @abstractmethod
    def address(self, url: str) -> float:
        """How much a URL looks like those of the community."""

    def terms(self, page: Page, weights: TermWeights) -> Iterator[tuple[float, float, float]]:
        """What each link of a page has from the page, its anchor and its address; the sum is its score."""
        parent = weights.parent * self.inherited(page) if page.links else 0.0
        for link, anchor in zip(page.links, self.anchors(page), strict=True):
            yield parent, weights.anchor * anchor, weights.address * self.address(link.url)


@dataclass(frozen=True, slots=True)
class BySimilarity(Judge):
    """The paper's SC(D,T), SC(anchor,T), SC(D,T)/n and SC(url)."""

    similarity: Similarity
    lexicon: Mapping[str, int]

    def page(self, page: Page) -> float:
        return self.similarity.page(page)

    def anchors(self, page: Page) -> list[float]:
        return self.similarity.texts([link.anchor for link in page.links])

    def inherited(self, page: Page) -> float:
        return self.page(page) / len(page.links)

    def address(self, url: str) -> float:
        return known_share(url, self.lexicon)
