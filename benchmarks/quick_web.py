"""The web of the speed benchmark in any size, without files: its pages are made as they are asked for, in some 100 µs each."""

from __future__ import annotations

import random
import re
from functools import lru_cache

from opilio.fetchers.to_page import answered
from opilio.nouns import Fetcher, Offer, Page

from .speed_web import HOSTS, OWN, TOPICS, Web

TEMPLATES = 200  # pages of which all others have the text; a multiple of the number of topics
PORT = 8080
HREF = re.compile(rb'href="[^"]*"')


class QuickWeb(Fetcher):
    """Page n has the text of page n mod 200, and links of its own."""

    def __init__(self, pages: int) -> None:
        self.pages = pages

    def url(self, number: int) -> str:
        return f"http://127.0.0.{number % HOSTS + 1}:{PORT}/{_place(number % TEMPLATES)}-{number}.html"

    def body(self, number: int) -> bytes:
        parts, dice = _parts(number % TEMPLATES), random.Random(number)
        hrefs = [f'href="{self.url(self._target(number, dice))}"'.encode() for _ in parts[1:]]
        return b"".join(part for pair in zip(parts, [*hrefs, b""], strict=True) for part in pair)

    def _target(self, number: int, dice: random.Random) -> int:
        found = int(dice.random() * self.pages)
        return found - found % TOPICS + number % TOPICS if dice.random() < OWN else found

    async def fetch(self, offer: Offer) -> Page:
        number = int(offer.link.url.rpartition("-")[2].partition(".")[0])
        return answered(offer, 200, {"content-type": "text/html; charset=utf-8"}, self.body(number))


@lru_cache(maxsize=TEMPLATES)
def _place(number: int) -> str:
    return Web(TEMPLATES, PORT).place(number or TEMPLATES).rpartition("-")[0]


@lru_cache(maxsize=TEMPLATES)
def _parts(number: int) -> list[bytes]:
    return HREF.split(Web(TEMPLATES, PORT).body(number or TEMPLATES))
