"""What a page is worth to a crawl: how much it is about the topic, like an example page, or both."""

from __future__ import annotations

from collections.abc import Sequence

from ..nouns import Page, Topic
from ..urls import site
from .page_likeness import Like


class Wanted:
    """A topic, pages that the wanted ones are like, or both; one at least."""

    def __init__(self, topic: Topic | None, like: Like | None) -> None:
        self._topic, self._like = topic, like

    def page(self, page: Page) -> float:
        """How likely a page is a wanted one, in [0, 1]: where it has to be about the topic and like an example, the product."""
        relevance = self._topic.page(page) if self._topic else 1.0
        return relevance * self._like.page(page) if self._like else relevance

    def links(self, page: Page) -> Sequence[float]:
        """What the words around each link of a page promise; nothing, where no topic is wanted."""
        return self._topic.links(page) if self._topic else [0.0] * len(page.links)

    def reasons(self, url: str) -> list[str]:
        """What pages are to be like on the site of a URL, in words."""
        if not self._like:
            return []
        name = site(url)
        return [f"wanted on {name}: pages like {' or '.join(page.url for page in self._like.on(name))}"]
