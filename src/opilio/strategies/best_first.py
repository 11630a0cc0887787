"""Best-first: a link is worth what the page it stands on is worth (Menczer et al. 2001, the naive best-first crawler)."""

from __future__ import annotations

from collections.abc import Iterable

from ..nouns import Link, Offer, Page, Say, Strategy, Terms, Topic


class BestFirst(Strategy):
    """value = R(parent); a URL found on several pages keeps the best."""

    terms = Terms("relevance of the page it was found on")
    most_at_once = 1  # the best URL is next

    def __init__(self, topic: Topic) -> None:
        self.topic = topic

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return (Offer(link, 1.0) for link in seeds)

    def observe(self, page: Page) -> Iterable[Say]:
        relevance = self.topic.page(page) if page.links else 0.0
        return (Offer(link, relevance) for link in page.links)
