"""Shark: fish with a sense of smell; relevance is inherited and fades (Hersovici et al. 1998)."""

from __future__ import annotations

from collections.abc import Iterable

from ..nouns import RELEVANT, Link, Offer, Page, Say, Strategy, Terms, Topic


class Shark(Strategy):
    """value = b·inherited + (1-b)·neighbourhood.

    inherited = δ·R(parent) if the parent is relevant, else δ·(what the parent inherited);
    neighbourhood = γ·R(anchor) + (1-γ)·R(context), where the context counts as 1 when the anchor is relevant.
    Note: inherited, anchor, context.
    """

    terms = Terms("link promise")
    most_at_once = 1  # the best URL is next
    notes = ("inherited", "anchor", "context")

    def __init__(self, topic: Topic, delta: float = 0.5, gamma: float = 0.8, b: float = 0.5) -> None:
        self.topic = topic
        self.delta, self.gamma, self.b = delta, gamma, b

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return (Offer(link, 1.0, note=(1.0, 1.0, 1.0)) for link in seeds)

    def observe(self, page: Page) -> Iterable[Say]:
        if not page.links:
            return
        relevance = self.topic.page(page)
        before = page.offer.note[0] if page.offer.note else 0.0
        inherited = self.delta * (relevance if relevance >= RELEVANT else before)
        for link, context in zip(page.links, self.topic.links(page), strict=True):
            anchor = self.topic.text(link.anchor) if link.anchor else 0.0
            around = 1.0 if anchor >= RELEVANT else context
            near = self.gamma * anchor + (1 - self.gamma) * around
            yield Offer(link, self.b * inherited + (1 - self.b) * near, note=(inherited, anchor, around))
