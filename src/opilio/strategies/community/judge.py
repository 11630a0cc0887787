"""What pages, anchors and addresses have to do with the topic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from ...nouns import Page
from .similarity import Similarity
from .url_lexicon import known_share


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
