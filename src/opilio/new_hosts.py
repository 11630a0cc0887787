"""How many hosts a page and a site may bring that the crawl did not know: names cost their maker nothing, and us memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .urls import site

MOST_OF_PAGE = 500  # a link list of a directory has fewer
MOST_OF_SITE = 5_000


def limits(page: str, hosts: int) -> list[str]:
    """The reasons why a link of a page that links to so many hosts may not have been taken."""
    return [*([_beyond_page()] if hosts > MOST_OF_PAGE else []), _beyond_site(site(page))]


def _beyond_page() -> str:
    return f"hosts: a page brought more than {MOST_OF_PAGE} new ones"


def _beyond_site(name: str) -> str:
    """Few sites are ever named here, as each has brought so many hosts before."""
    return f"hosts: {name} brought more than {MOST_OF_SITE} new ones"


def origin(url: str) -> str:
    """Scheme, host and port of a canonical URL."""
    return url[: url.find("/", 8)]


class NewHosts:
    """Counts them; a host is new if nothing was offered on it since the program started."""

    def __init__(self) -> None:
        self._known: set[int] = set()  # hashes of origins
        self._of_site: Counter[str] = Counter()
        self._source, self._of_page = "", 0  # the page that was looked at last

    def unknown(self, urls: Iterable[str]) -> list[int]:
        """Which of these URLs, by their places, are on a host that is new."""
        known = self._known
        return [place for place, url in enumerate(urls) if hash(origin(url)) not in known]

    def reason(self, url: str, source: str) -> str:
        """Why a URL on a new host, found on a page, is not taken; "" when it is, and its host is known from now on."""
        name = hash(origin(url))
        if name in self._known:
            return ""
        if source != self._source:
            self._source, self._of_page = source, 0
        finder = site(source) if source else ""
        if self._of_page >= MOST_OF_PAGE:
            return _beyond_page()
        if self._of_site[finder] >= MOST_OF_SITE:
            return _beyond_site(finder)
        self._known.add(name)
        if source:
            self._of_page += 1
            self._of_site[finder] += 1
        return ""
