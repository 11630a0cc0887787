"""A topic that remembers its judgements."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from ..nouns import Page, Topic


class Memo(Topic):
    """Judges a page, and the links on it, once; for recorded pages, which do not change."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self._pages: dict[str, float] = {}
        self._links: dict[str, array[float]] = {}

    def text(self, text: str) -> float:
        return self.topic.text(text)

    def page(self, page: Page) -> float:
        if page.url not in self._pages:
            self._pages[page.url] = self.topic.page(page)
        return self._pages[page.url]

    def links(self, page: Page) -> Sequence[float]:
        if page.url not in self._links:
            self._links[page.url] = array("d", self.topic.links(page))
        return self._links[page.url]
