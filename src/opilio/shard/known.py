"""What is known of URLs, as a page can be asked for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..batch import column
from ..nouns import Frontier, Known, Link


class Asking(Known):
    """Asks the frontier; who asks for one link of a page mostly asks for all, so these are looked up together."""

    def __init__(self, frontier: Frontier, links: Sequence[Link] = ()) -> None:
        self._frontier, self._links = frontier, links  # not the page: it has this
        self._found: dict[str, tuple[Any, ...] | None] = {}

    def __call__(self, url: str) -> tuple[Any, ...] | None:
        if self._links:
            urls = column(self._links, "url")
            self._found, self._links = dict(zip(urls, self._frontier.known_all(urls), strict=True)), ()
        return self._found[url] if url in self._found else self._frontier.known(url)

    def all(self, urls: Sequence[str]) -> Sequence[tuple[Any, ...] | None]:
        return self._frontier.known_all(urls)
