"""Random: every open link is as good as any other. What chance alone brings."""

from __future__ import annotations

import math
from collections.abc import Iterable
from hashlib import blake2b

from ..nouns import Link, Offer, Page, Say, Strategy, Terms


class Random(Strategy):
    """value = value of the parent - E, where E is exponential, drawn by a hash of the seed and the URL.

    Each link is a clock that starts when it is found and rings after E; the next to ring is fetched. Such clocks have no
    memory, so at any moment all open links are equally likely, old ones and new ones.
    """

    terms = Terms("number drawn by chance")

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return (self._offer(link, 0.0) for link in seeds)

    def observe(self, page: Page) -> Iterable[Say]:
        return (self._offer(link, page.value) for link in page.links)

    def _offer(self, link: Link, now: float) -> Offer:
        digest = blake2b(link.url.encode(), digest_size=6, key=str(self.seed).encode()).digest()
        return Offer(link, now + math.log((int.from_bytes(digest) + 1) / 2**48))
