"""Random: every open link is as good as any other. What chance alone brings."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from ..nouns import Link, Offer, Page, Say, Strategy


class Random(Strategy):
    """value = a hash of the seed and the URL, so the order is the same wherever and whenever a link is found."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return (self._offer(link) for link in seeds)

    def observe(self, page: Page) -> Iterable[Say]:
        return (self._offer(link) for link in page.links)

    def _offer(self, link: Link) -> Offer:
        digest = blake2b(link.url.encode(), digest_size=6, key=str(self.seed).encode()).digest()
        return Offer(link, int.from_bytes(digest) / 2**48)
