"""Breadth-first: pages nearest to the seeds first. The lower bound for anything that calls itself focused."""

from __future__ import annotations

from collections.abc import Iterable

from ..batch import many
from ..nouns import Link, Offer, Page, Say, Strategy, Terms


class BreadthFirst(Strategy):
    """value = -depth; among equals the order is that of the URLs' hashes, not of arrival."""

    terms = Terms("minus the number of links from a seed")

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return (Offer(link, 0.0) for link in seeds)

    def observe(self, page: Page) -> Iterable[Say]:
        return many(Offer, page.links, page.value - 1)
