"""Answers from a recording. A URL without a record leads out of it: such links are left out, or are answered 404."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..batch import column, some
from ..html import Document
from ..html.announced import Announced
from ..nouns import Fetcher, Link, Offer, Page
from .to_page import answered


class Recorded(NamedTuple):
    """One recorded answer."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes


MISSING = Recorded(404, {}, b"")
ROOM = 1 << 28  # bytes of answers that are kept in memory


class Replay(Fetcher):
    """Every page is parsed once, whatever number of crawls ask for it; `find` gives what was recorded for a URL.

    With `recorded`, links and redirects to URLs of which it says no are left out: nobody knows what was there. Without it
    they are answered 404.
    """

    def __init__(self, find: Callable[[str], Recorded | None], recorded: Callable[[str], bool] | None = None) -> None:
        self._find, self._recorded = find, recorded
        self._parsed: dict[str, Document] = {}
        self._read: dict[str, Recorded] = {}
        self._room = ROOM

    async def fetch(self, offer: Offer) -> Page:
        return self.answer(offer)

    def answer(self, offer: Offer) -> Page:
        """The same, for callers that do not wait."""
        page = answered(offer, *self._answer(offer.link.url), self._parse)
        if page.location and self._recorded and not self._recorded(page.location):
            page.location, page.error = "", "redirect out of the recording"
        return page

    def _answer(self, url: str) -> Recorded:
        """What was recorded; read and decompressed once, while there is room for it."""
        if url in self._read:
            return self._read[url]
        found = self._find(url) or MISSING
        if self._room > 0:
            self._room -= len(found.body)
            self._read[url] = found
        return found

    def _parse(self, body: bytes, url: str, content_type: str, announced: Announced) -> Document:
        if url not in self._parsed:
            arguments = (body, url, content_type, announced)
            self._parsed[url] = Inside(*arguments, self._recorded) if self._recorded else Document(*arguments)
        return self._parsed[url]


class Inside(Document):
    """A page without its links that lead out of the recording."""

    def __init__(
        self, body: bytes, url: str, content_type: str, announced: Announced, recorded: Callable[[str], bool]
    ) -> None:
        super().__init__(body, url, content_type, announced)
        self._recorded = recorded
        self._inside: Sequence[Link] | None = None

    @property
    def links(self) -> Sequence[Link]:
        if self._inside is None:
            links = super().links
            kept = [number for number, url in enumerate(column(links, "url")) if self._recorded(url)]
            self._inside = links if len(kept) == len(links) else some(links, kept)
        return self._inside
