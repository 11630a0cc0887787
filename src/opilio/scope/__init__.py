"""Which offers of a crawl are let through: those within its bounds, and limits on sites, depth, new hosts and traps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from isal import isal_zlib

from ..batch import Many, column
from ..html.size_limits import MOST_LINK_TEXT
from ..nouns import RELEVANT, Link, Offer, Page, Say
from ..urls import SHORT, digest, site
from .bounds import Bounds
from .new_hosts import NewHosts
from .traps import Traps, shape

# url, source, depth that its offer had, location, relevance, the first with its text
Visited: TypeAlias = tuple[str, str, int, str, float | None, bool]

TOO_MUCH = f"links: those of a page hold more than {MOST_LINK_TEXT:,} characters together"
REMEMBERED = 1 << 14  # URLs
FOREIGN = re.compile(r"scope: \S+ is not among hosts")  # there may be millions of them: counted together


@dataclass
class Scope:
    """Bounds, and what has to be counted to keep them; the counts of refusals are saved with the crawl."""

    bounds: Bounds = field(default_factory=Bounds)
    refused_: Counter[str] = field(default_factory=Counter)  # offers, by reason

    def __post_init__(self) -> None:
        self._fine: set[str] = set()  # URLs that were found in scope recently, and always are
        self.new_hosts = NewHosts()
        self._sent: Counter[str] = Counter()  # fetches, by site
        self._depths: dict[int, int] = {}  # of pages, by the digest of their URL; only where there is a limit
        self._traps = Traps(self.bounds.max_barren) if self.bounds.max_barren else None
        self.barren = self._traps.defers if self._traps else None  # which URLs come after all others

    def keep(self, says: Iterable[Say | Many[Offer]]) -> Iterable[Say | Many[Offer]]:
        """The says without offers that are out of scope."""
        return list(self._few_hosts(says if self.bounds.open else self._in_bounds(says)))

    def _few_hosts(self, says: Iterable[Say | Many[Offer]]) -> Iterable[Say | Many[Offer]]:
        """The says without offers on more new hosts than one page or one site may bring."""
        for say in says:
            if isinstance(say, Many):
                yield self._of_few_hosts(say)
            elif not isinstance(say, Offer) or self._is_of_few_hosts(say.link):
                yield say

    def _of_few_hosts(self, offers: Many[Offer]) -> Many[Offer]:
        links = offers.column("link")
        fresh = self.new_hosts.unknown(column(links, "url"))
        beyond = {place for place in fresh if not self._is_of_few_hosts(links[place])}
        return offers.some([place for place in range(len(offers)) if place not in beyond]) if beyond else offers

    def _is_of_few_hosts(self, link: Link) -> bool:
        reason = self.new_hosts.reason(link.url, link.source)
        if reason:
            self.refused_[reason] += 1
        return not reason

    def _in_bounds(self, says: Iterable[Say | Many[Offer]]) -> Iterable[Say | Many[Offer]]:
        fine, takes = self._fine, self._takes
        kept = (self._within(say) if isinstance(say, Many) else say for say in says)
        return [say for say in kept if not isinstance(say, Offer) or say.link.url in fine or takes(say.link)]

    def _within(self, offers: Many[Offer]) -> Many[Offer]:
        """Those that are in scope."""
        links, fine = offers.column("link"), self._fine
        urls = column(links, "url")
        if fine.issuperset(urls):
            return offers
        return offers.some([number for number, url in enumerate(urls) if url in fine or self._takes(links[number])])

    def silence(self, page: Page, says: Iterable[Say | Many[Offer]]) -> Iterable[Say | Many[Offer]]:
        """The says about a page; one in a language that is not wanted offers nothing."""
        if not self.bounds.foreign(page):
            return says
        kept = [say for say in says if not isinstance(say, Offer | Many)]
        self.refused_[f"scope: {page.language} is not among languages"] += 1
        return kept

    def full(self, url: str) -> str:
        """Why a URL that was offered is not fetched after all; "" when it is."""
        most = self.bounds.max_per_site
        if most and self._sent[site(url)] >= most:
            return f"scope: {site(url)} has had its max_per_site = {most}"
        return self._traps.reason(url) if self._traps else ""

    def count(self, url: str, visits: int = 1) -> None:
        """A URL is visited now, or was not after all."""
        if self.bounds.max_per_site:
            self._sent[site(url)] += visits

    def saw(self, page: Page, relevance: float | None, new: Callable[[int], bool] | None) -> None:
        """A page was fetched. Relevant ones are news; where pages are not judged, those whose words are new."""
        if page.document and page.document.left_out:
            self.refused_[TOO_MUCH] += page.document.left_out
        source = page.offer.link.source
        self._place(page.url, source, page.offer.depth)
        if not self._traps:
            return
        if page.location and shape(page.location) != shape(page.url):
            return  # it is the target that counts
        news = _has_new_text(page, new) if new else (relevance or 0.0) >= RELEVANT
        self._traps.saw(page.url, source, news)

    def remember(self, visits: Iterable[Visited], judged: bool) -> None:
        """These were fetched in an earlier life."""
        if not self.bounds.max_per_site and not self.bounds.max_depth and not self._traps:
            return
        for url, source, depth, location, relevance, first in visits:
            self.count(url)
            self._place(url, source, depth)
            if self._traps and not (location and shape(location) != shape(url)):
                self._traps.saw(url, source, (relevance or 0.0) >= RELEVANT if judged else first)

    def _takes(self, link: Link) -> bool:
        reason = self.bounds.reason(link.url) or self._depth_reason(link.source)
        if reason:
            self.refused_[FOREIGN.sub("scope: not among hosts", reason)] += 1
        elif not self.bounds.max_depth and len(link.url) <= SHORT:
            self._remember(link.url)
        return not reason

    def _remember(self, url: str) -> None:
        if len(self._fine) >= REMEMBERED:
            self._fine.clear()
        self._fine.add(url)

    def placed(self, offer: Offer) -> Offer:
        """An offer for another shard, with its depth if that is limited: only here is it known how far its source is."""
        if offer.depth or not self.bounds.max_depth or not offer.link.source:
            return offer
        return replace(offer, depth=self._after(offer.link.source))

    def _place(self, url: str, source: str, depth: int) -> None:
        """Note how far from the seeds a page is, by the way it was found."""
        if self.bounds.max_depth:
            self._depths.setdefault(digest(url), depth or (self._after(source) if source else 0))

    def _after(self, source: str) -> int:
        """The depth of the links of a page."""
        return self._depths.get(digest(source), 0) + 1

    def _depth_reason(self, source: str) -> str:
        most = self.bounds.max_depth
        deep = most and source and self._after(source) > most
        return too_deep(most) if deep else ""


def too_deep(most: int) -> str:
    """The reason why the links of a page at the greatest depth are out of scope."""
    return f"scope: more than max_depth = {most} links from the seeds"


def _has_new_text(page: Page, new: Callable[[int], bool]) -> bool:
    """Whether its words (bytes, where there are none) are those of no page before; numbers do not count."""
    words = _without_numbers(page.text) or page.body
    return bool(words) and not page.error and new(_key(words))


def _without_numbers(text: str) -> bytes:
    if text.isascii():  # most texts are, and bytes are ten times as fast
        return text.encode().translate(None, b"0123456789")
    return re.sub(r"\d+", "", text).encode(errors="surrogatepass")


def _key(words: bytes) -> int:
    return isal_zlib.crc32(words) << 32 | isal_zlib.adler32(words)  # no secret, and a quarter of what a digest costs
