"""What pages, anchors and addresses have to do with the topic, by any topic model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...nouns import Page, Topic
from ..community.judge import Judge
from ..community.url_lexicon import known_share, path_words


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
