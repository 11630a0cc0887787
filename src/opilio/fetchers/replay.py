"""Answers from a recording: what is not in it is a 404."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..html import Document
from ..nouns import Fetcher, Offer, Page
from .answer import answered


class Recorded(NamedTuple):
    """One recorded answer."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes


MISSING = Recorded(404, {}, b"")


class Replay(Fetcher):
    """Every page is parsed once, whatever number of crawls ask for it; `find` gives what was recorded for a URL."""

    def __init__(self, find: Callable[[str], Recorded | None]) -> None:
        self._find = find
        self._parsed: dict[str, Document] = {}

    async def fetch(self, offer: Offer) -> Page:
        return self.answer(offer)

    def answer(self, offer: Offer) -> Page:
        """The same, for callers that do not wait."""
        return answered(offer, *(self._find(offer.link.url) or MISSING), self._parse)

    def _parse(self, body: bytes, url: str, content_type: str) -> Document:
        if url not in self._parsed:
            self._parsed[url] = Document(body, url, content_type)
        return self._parsed[url]
