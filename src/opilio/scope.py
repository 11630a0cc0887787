"""Which URLs a crawl may have at all: hosts, patterns, schemes, a number for each site, and limits that end traps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

from isal import isal_zlib

from .batch import Many, column
from .new_hosts import NewHosts
from .nouns import RELEVANT, Link, Offer, Page, Say
from .traps import Traps, shape
from .urls import SHORT, digest, host, site

Visited: TypeAlias = tuple[
    str, str, int, str, float | None, bool
]  # url, source, depth that its offer had, location, relevance, the first with its text


REMEMBERED = 1 << 14  # URLs
# URLs beyond these are traps.
LONGEST_URL = 2000  # characters
MOST_PATH_PARTS = 30
MOST_REPEATS = 3  # of one part of a path, or one parameter
FOREIGN = re.compile(r"scope: \S+ is not among hosts")  # there may be millions of them: counted together


@dataclass(frozen=True)
class Bounds:
    """What is in scope; a list that is empty and a number that is 0 keep nothing out."""

    hosts: Sequence[str] = ()  # these and all below them
    patterns: Sequence[str] = ()  # of whole URLs; * stands for any characters
    exclude: Sequence[str] = ()  # hosts with all below them, or patterns: what has a * or a / is one
    languages: Sequence[str] = ()  # pages in others offer nothing
    max_per_site: int = 0
    max_depth: int = 0  # links on the way from a seed
    max_url_length: int = 0
    max_path_parts: int = 0
    max_repeats: int = 0  # of one part of a path, or one parameter
    max_barren: int = 0  # pages alike that bring nothing new

    def reason(self, url: str) -> str:
        """Why a canonical URL is out of scope, whatever the crawl has done so far; "" when it is not."""
        return (self._host_reason(host(url)) if self.hosts or self._not_hosts else "") or self._url_reason(url)

    def foreign(self, page: Page) -> bool:
        """Whether a page is in a language that is not wanted."""
        return bool(self.languages and page.language and page.language not in self.languages)

    @cached_property
    def open(self) -> bool:
        """Whether no URL can be out of scope."""
        counted = ("languages", "max_per_site", "max_barren")  # these are looked at when a URL is to be fetched, or was
        return self == Bounds(**{name: getattr(self, name) for name in counted})

    def _host_reason(self, name: str) -> str:
        names = _above(name)
        if named := self._not_hosts.intersection(names):
            return f"scope: exclude has {min(named)}"
        if self._hosts and self._hosts.isdisjoint(names):
            return f"scope: {name} is not among hosts"
        return ""

    def _url_reason(self, url: str) -> str:
        if self._not_patterns and self._not_patterns.fullmatch(url):
            return "scope: it is like a pattern of exclude"
        if self.patterns and not self._patterns.fullmatch(url):
            return "scope: it is like none of patterns"
        if self.max_url_length and len(url) > self.max_url_length:
            return f"trap: longer than {self.max_url_length} characters"
        return self._shape_reason(url)

    def _shape_reason(self, url: str) -> str:
        deep = url.count("/") - 3
        if self.max_path_parts and deep >= self.max_path_parts:
            return f"trap: more than {self.max_path_parts} parts in its path"
        # Most URLs are too short to repeat anything so often.
        if self.max_repeats and deep + url.count("&") >= self.max_repeats:
            path, _, query = url.partition("://")[2].partition("/")[2].partition("?")
            parts = Counter(part for part in path.split("/") if part and not part.isdigit())
            parts.update(query.split("&") if query else ())
            if parts and parts.most_common(1)[0][1] > self.max_repeats:
                return f"trap: a part occurs more than {self.max_repeats} times"
        return ""

    @cached_property
    def _hosts(self) -> frozenset[str]:
        return frozenset(map(str.lower, self.hosts))

    @cached_property
    def _not_hosts(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.exclude if not _is_pattern(name))

    @cached_property
    def _patterns(self) -> re.Pattern[str]:
        return _any(self.patterns)

    @cached_property
    def _not_patterns(self) -> re.Pattern[str] | None:
        patterns = list(filter(_is_pattern, self.exclude))
        return _any(patterns) if patterns else None


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


def _above(name: str) -> list[str]:
    """A host and all domains that it is in."""
    parts = name.split(".")
    return [".".join(parts[at:]) for at in range(len(parts))]


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(url_pattern, patterns)))


def _is_pattern(text: str) -> bool:
    """Whether a part of `exclude` is a pattern of URLs, and not a host."""
    return "*" in text or "/" in text


def url_pattern(pattern: str) -> str:
    """A pattern of whole URLs, * for any characters, as a regular expression.

    What comes after a * is looked for once, from the left, and only what comes last at the end: no way back is tried.
    """
    first, *parts = map(re.escape, pattern.split("*"))
    if not parts:
        return first
    return first + "".join(f"(?>.*?{part})" for part in parts[:-1]) + f".*{parts[-1]}"
