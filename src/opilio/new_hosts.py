"""How many hosts a page and a site may bring that the crawl did not know: names cost their maker nothing, and us memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .urls import site

MOST_OF_PAGE = 500  # a link list of a directory has fewer
MOST_OF_SITE = 5_000


class NewHosts:
    """Counts them; a host is new if nothing was offered on it since the program started."""

    def __init__(self) -> None:
        self._known: set[int] = set()  # hashes of origins
        self._of_site: Counter[str] = Counter()
        self._source, self._of_page = "", 0  # the page that was looked at last

    def unknown(self, urls: Iterable[str]) -> list[int]:
        """Which of these URLs, by their places, are on a host that is new."""
        known = self._known
        return [place for place, url in enumerate(urls) if hash(url[: url.find("/", 8)]) not in known]

    def reason(self, url: str, source: str) -> str:
        """Why a URL on a new host, found on a page, is not taken; "" when it is, and its host is known from now on."""
        origin = hash(url[: url.find("/", 8)])
        if origin in self._known:
            return ""
        if source != self._source:
            self._source, self._of_page = source, 0
        finder = site(source) if source else ""
        if self._of_page >= MOST_OF_PAGE:
            return f"hosts: a page brought more than {MOST_OF_PAGE} new ones"
        if self._of_site[finder] >= MOST_OF_SITE:
            return f"hosts: a site brought more than {MOST_OF_SITE} new ones"
        self._known.add(origin)
        if source:
            self._of_page += 1
            self._of_site[finder] += 1
        return ""
