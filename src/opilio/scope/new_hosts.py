"""How many hosts a page and a site may bring that the crawl did not know: names cost their maker nothing, and us memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property

from ..urls import digest, site

MOST_OF_PAGE = 500  # a link list of a directory has fewer
MOST_OF_SITE = 5_000
NOTED = 8_192  # URLs that were not taken, at most, for those who ask why


def why_left_out(url: str, left_out: Mapping[str, bytes]) -> str:
    """The limit that kept a URL out, by what was noted; "" when none did, or when more were kept out than are noted."""
    key = _key(url)
    return next((reason for reason, keys in left_out.items() if key in _parted(keys)), "")


def _key(url: str) -> bytes:
    return digest(url).to_bytes(8)


def _parted(keys: bytes) -> set[bytes]:
    return {keys[start : start + 8] for start in range(0, len(keys), 8)}


def _beyond_page() -> str:
    return f"hosts: a page brought more than {MOST_OF_PAGE} new ones"


def _beyond_site(name: str) -> str:
    """Few sites are ever named here, as each has brought many hosts before."""
    return f"hosts: {name} brought more than {MOST_OF_SITE} new ones"


def origin(url: str) -> str:
    """Scheme, host and port of a canonical URL."""
    return url[: url.find("/", 8)]


class NewHosts:
    """Counts them; a host is new if nothing was offered on it since the program started."""

    def __init__(self) -> None:
        self.left_out_: dict[str, bytes] = {}  # the keys of URLs that were not taken, by reason
        self._known: set[int] = set()  # hashes of origins
        self._of_site: Counter[str] = Counter()
        self._source, self._of_page = "", 0  # the page that was looked at last

    def unknown(self, urls: Iterable[str]) -> list[int]:
        """Which of these URLs, by their places, are on a host that is new."""
        known = self._known
        return [place for place, url in enumerate(urls) if hash(url[: url.find("/", 8)]) not in known]  # see `origin`

    def reason(self, url: str, source: str) -> str:
        """Why a URL on a new host, found on a page, is not taken; "" when it is, and its host is known from now on."""
        reason = self._reason(url, source)
        if reason:
            self._note(url, reason)
        return reason

    def _note(self, url: str, reason: str) -> None:
        """Note for later why a URL was not taken, as long as there are not too many."""
        if len(self._noted) < NOTED and (key := _key(url)) not in self._noted:
            self._noted.add(key)
            self.left_out_[reason] = self.left_out_.get(reason, b"") + key

    @cached_property
    def _noted(self) -> set[bytes]:
        return set().union(*map(_parted, self.left_out_.values()))

    def _reason(self, url: str, source: str) -> str:
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
