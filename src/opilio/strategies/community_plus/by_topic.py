"""What pages, anchors and addresses have to do with the topic, by any topic model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...nouns import RELEVANT, Page, Topic
from ..community.friend_links import Unit
from ..community.relevance import Judge
from ..community.url_lexicon import known_share, path_words, terms


@dataclass(frozen=True, slots=True)
class ByTopic(Judge):
    """An address is known by the words of its path; with `shared`, the links of a page share its relevance."""

    topic: Topic
    lexicon: Mapping[str, int]
    shared: bool

    def page(self, page: Page) -> float:
        return self.topic.page(page)

    def anchors(self, page: Page) -> list[float]:
        return [self.topic.text(link.anchor) if link.anchor else 0.0 for link in page.links]

    def inherited(self, page: Page) -> float:
        return self.page(page) / len(page.links) if self.shared else self.page(page)

    def address(self, url: str) -> float:
        return known_share(url, self.lexicon, path_words)


def own_terms(page: Page, unit: Unit, topic: Topic | None) -> tuple[str, ...]:
    """The words of the links that a home page has to its own site; with a topic, of those whose anchors are about it."""
    own = (link for link in page.links if unit(link.url) == unit(page.url))
    return terms((link.url for link in own if topic is None or topic.text(link.anchor) >= RELEVANT), path_words)
