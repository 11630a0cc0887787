"""Pages that a topic has judged, as it read them: to judge them again costs a tenth of reading them from the archive.

It is a cache: a crawl that goes on begins without it, and what found no room in it is in the archive.
"""

from __future__ import annotations

from ..nouns import Page
from .kept_material import opened, press

FEW, DOUBTFUL = 200, 0.05  # pages that are kept whatever they were given, and what later ones must have been given


class MetPages:
    """Pages by URL, pressed, nothing cut off: the first, and of the rest those that may be relevant."""

    def __init__(self, room: int) -> None:
        self._pages: dict[str, bytes] = {}
        self._room = room

    def add(self, page: Page, relevance: float = 1.0) -> None:
        worth = len(self._pages) < FEW or relevance >= DOUBTFUL
        if worth and self._room > 0 and page.url not in self._pages:
            self._pages[page.url] = pressed = press(page, self._room)
            self._room -= len(pressed)

    def get(self, url: str) -> Page | None:
        """The page as every model reads it; None if it is not here."""
        pressed = self._pages.get(url)
        return opened(pressed) if pressed is not None else None
