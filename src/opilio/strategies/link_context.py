"""Link-context: a link is worth what its page and the words around it promise (Pant and Srinivasan 2006)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

from ..learning.link_promise import predicted
from ..nouns import Link, Offer, Page, Say, Strategy, Terms, Topic


class LinkContext(Strategy):
    """value = β·R(parent) + (1-β)·R(context); a URL found twice keeps the higher. Note: R(parent), R(context)."""

    terms = Terms("link promise")
    whole_batches = True
    topic_model = "svm"
    notes = ("parent", "context")

    def __init__(self, topic: Topic, beta: float = 0.25) -> None:
        self.topic = topic
        self.beta = beta

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return (Offer(link, 1.0) for link in seeds)

    def observe(self, page: Page) -> Iterable[Say]:
        parent, contexts, values = predicted(self.topic, page, self.beta)
        return map(Offer, page.links, values, repeat(()), zip(repeat(parent), contexts, strict=False))
