"""Fish: a school that breeds where there is food and dies out where there is none (De Bra et al. 1994)."""

from __future__ import annotations

from collections.abc import Iterable

from ..nouns import RELEVANT, Link, Offer, Page, Say, Strategy, Terms, Topic


class Fish(Strategy):
    """Children of a relevant page go to the front with the full depth; others get one less than their parent, 0 is dropped.

    In front means in front of everything: the children of the page found relevant last come first. Note: depth left.
    """

    terms = Terms("place in the queue")
    most_at_once = 1  # the best URL is next
    notes = ("depth left",)

    def __init__(self, topic: Topic, depth: int = 3) -> None:
        self.topic = topic
        self.depth = depth
        self.found_ = 0

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return (Offer(link, 1.0, note=(self.depth,)) for link in seeds)

    def observe(self, page: Page) -> Iterable[Say]:
        (left,) = page.offer.note or (self.depth,)
        if page.links and self.topic.page(page) >= RELEVANT:
            self.found_ += 1
            return [Offer(link, float(self.found_), note=(self.depth,)) for link in page.links]
        left -= 1
        return [Offer(link, left - self.depth, note=(left,)) for link in page.links] if left > 0 else []
