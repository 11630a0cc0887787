"""Strategies that remember which of their offers wait: see blend_memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from opilio.frontier.disk.offers import place_bytes
from opilio.nouns import Offer, Page, Say, Topic
from opilio.strategies.blend import Blend
from opilio.strategies.otie import Otie


class Waiting(dict[str, Offer]):
    """The last offer of each URL that was not fetched."""

    def sizes(self) -> np.ndarray:
        return np.array([len(place_bytes(offer, offer.value, 0)) for offer in self.values()])


class WatchedBlend(Blend):
    seen: ClassVar[list[WatchedBlend]] = []

    def __init__(self, topic: Topic, words: str = "") -> None:
        super().__init__(topic, words=words)
        self.waiting = Waiting()
        self.seen.append(self)

    def observe(self, page: Page) -> Iterable[Say]:
        self.waiting.pop(page.offer.link.url, None)
        return super().observe(page)

    def reprice(self, offers: Sequence[Offer]) -> Sequence[float]:
        self.waiting.update((offer.link.url, offer) for offer in offers)
        return super().reprice(offers)


class WatchedOtie(Otie):
    seen: ClassVar[list[WatchedOtie]] = []

    def __init__(self, topic: Topic) -> None:
        super().__init__(topic)
        self.waiting = Waiting()
        self.seen.append(self)

    def observe(self, page: Page) -> Iterable[Say]:
        self.waiting.pop(page.offer.link.url, None)
        for say in super().observe(page):
            if isinstance(say, Offer):
                self.waiting[say.link.url] = say
            yield say
