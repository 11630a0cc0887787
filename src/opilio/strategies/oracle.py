"""Oracle: knows the labels. The ceiling that no crawler can pass, for benchmarks only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..nouns import Link, Offer, Page, Say, Strategy, Terms


class Oracle(Strategy):
    """value = what the page behind the link is worth: 1 for a target, less the farther it is from one."""

    terms = Terms("true worth of the page")

    def __init__(self, truth: Mapping[str, float]) -> None:
        self.truth = truth

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return (Offer(link, self.truth.get(link.url, 0.0)) for link in seeds)

    def observe(self, page: Page) -> Iterable[Say]:
        return (Offer(link, self.truth.get(link.url, 0.0)) for link in page.links)
