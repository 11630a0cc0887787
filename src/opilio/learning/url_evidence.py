"""What speaks for an open URL: gathered from every page that links to it, and carried in the note of its offer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import log, sqrt
from typing import Any, NamedTuple, TypeAlias

from ..nouns import Link
from ..text.tokens import LONGEST, tokens
from ..urls import digest, host
from ..urls import words as url_words
from .named_words import NamedWords
from .percentiles import Percentiles
from .track_record import TrackRecord, log_odds

LINKS = 16  # whose places and lists are remembered
ANCHOR, ADDRESS, AROUND = 8, 8, 20  # words of a link, of its URL and around it that count
LETTERS = 400  # of an anchor or a URL that are looked at: what is remembered of a page is small, whatever it holds
EDGE = 0.02  # how near to 0 or 1 a share may come
FLOW = (-3.0, 5.0)  # how far cash counts
LIFT = 5.0

NOTES = (
    "promise of the words around its best link",
    "pages with a link to it whose words promise something",
    "highest relevance of a page that links to it",
    "relevance of all those together",
    "pages that link to it",
    "importance that flowed to it",
    "",  # the words of the topic that its links have, as bits: for machines
    "first page that linked to it",
    "",  # the kinds of these links: for machines
)
PRIOR = {  # the signals, and what each counts before anything is learned
    "words of the topic in the link": 2.0,
    "words around the link": 0.25,
    "pages with such words around the link": 0.2,
    "relevance of its parents": 0.2,
    "relevant pages among those that link to it": 0.4,
    "links at such places": 0.3,
    "what links at such places led to": 0.4,
    "links in such lists": 0.3,
    "what links in such lists led to": 0.2,
    "other links of the pages that link to it": 0.4,
    "links with such words": 0.3,
    "what links with such words led to": 0.4,
    "links with such words around": 0.3,
    "pages of its host": 0.3,
    "pages of its folder": 0.3,
    "what pages of its folder led to": 0.2,
    "importance that flows to it": 0.3,
    "little known of its host": 0.3,
}


class Kinds(NamedTuple):
    """What a link has in common with others: its place on pages of the host, its list on the page, the page."""

    place: str
    listed: str
    page: str


@lru_cache(maxsize=1 << 14)
def parted(kinds: str) -> Kinds:
    """The kinds of a link, which are carried as one text with spaces: an offer that waits has many, and is often written."""
    place, listed, page = kinds.split(" ")
    return Kinds(f"place {place}", f"list {listed}", f"page {page}")


class Evidence(NamedTuple):
    """As in NOTES."""

    context: float
    promising: int
    parent: float
    good: float
    links: int
    cash: float
    named: int
    first: str
    kinds: tuple[str, ...]  # of each link, see `parted`

    @classmethod
    def of(cls, note: tuple[Any, ...]) -> Evidence:
        """As the note of an offer holds it."""
        return cls(*note)

    def joined(self, other: Evidence) -> Evidence:
        """With what another page says; the first one stays the first."""
        return Evidence(
            max(self.context, other.context),
            self.promising + other.promising,
            max(self.parent, other.parent),
            self.good + other.good,
            self.links + other.links,
            self.cash + other.cash,
            self.named | other.named,
            self.first,
            (*self.kinds, *(kinds for kinds in other.kinds if kinds not in self.kinds))[:LINKS],
        )

    def each_kind(self) -> Iterable[str]:
        """Places and lists as often as there are links, pages once."""
        links = [parted(kinds) for kinds in self.kinds]
        for link in links:
            yield link.place
            yield link.listed
        yield from dict.fromkeys(link.page for link in links)


class PageKinds:
    """The kinds of links on one page."""

    def __init__(self, url: str) -> None:
        self._url, self._host, self._page = url, host(url), digest(url)
        self._found: dict[str, str] = {}

    def __call__(self, path: str) -> str:
        found = self._found.get(path)
        if found is None:
            place, listed = digest(f"{self._host} {path}"), digest(f"{self._url} {path}")
            found = self._found[path] = f"{place:x} {listed:x} {self._page:x}"
        return found


def word_kinds(link: Link) -> tuple[str, ...]:
    """The words of a link, each a kind of links."""
    return _word_kinds(link.anchor[:LETTERS], link.url[:LETTERS])


@lru_cache(maxsize=1 << 14)  # a link that waits is priced again and again
def _word_kinds(anchor: str, url: str) -> tuple[str, ...]:
    said, address = dict.fromkeys(tokens(anchor)[:ANCHOR]), dict.fromkeys(url_words(url)[:ADDRESS])
    kinds = *(f"anchor {word}" for word in said), *(f"word {word}" for word in address)
    return tuple(kind for kind in kinds if len(kind) <= LONGEST)


def title_kinds(title: str) -> tuple[str, ...]:
    """The words of a page's title: as if they stood in a link to it."""
    return _word_kinds(title[:LETTERS], "")


def around_kinds(link: Link) -> tuple[str, ...]:
    """The words around a link, each a kind of links."""
    return _around_kinds(link.context[:LETTERS])


@lru_cache(maxsize=1 << 14)
def _around_kinds(context: str) -> tuple[str, ...]:
    kinds = (f"around {word}" for word in dict.fromkeys(tokens(context)[:AROUND]))
    return tuple(kind for kind in kinds if len(kind) <= LONGEST)


@lru_cache(maxsize=1 << 14)
def address_kinds(url: str) -> tuple[str, str]:
    """The host and the folder of a URL, each a kind of pages."""
    folder = digest(url.partition("?")[0].rpartition("/")[0])
    return f"host {host(url)}", f"folder {folder:x}"


# What links at the same place and in the same list turned out to be and led to, and the other links of the page.
LinkSignals: TypeAlias = tuple[float, float, float, float, tuple[str, float]]
# Rates of links at a place, their log odds, and how much higher these are than those of all links.
PlaceSignals: TypeAlias = tuple[tuple[float, float], tuple[float, float], float, float]


class Signals:
    """Evidence as numbers, by what is known now: each about 0 when it says nothing, and higher the more it speaks for a URL.

    What a kind says is computed once: one of these serves until something is learned.
    """

    def __init__(self, record: TrackRecord, relevances: Percentiles, named: NamedWords, mean_cash: float) -> None:
        self._record, self._relevances, self._named, self._mean_cash = record, relevances, named, mean_cash
        self._base = record.base
        self._odds = log_odds(self._base[0]), log_odds(self._base[1])
        self._good, self._bad = log(record.relevance + 2), log(record.pages - record.relevance + 2)
        self._by_kind: dict[str, tuple[float, float]] = {}
        self._by_words: dict[tuple[str, ...], tuple[float, float]] = {}
        self._by_link: dict[str, LinkSignals] = {}
        self._by_place: dict[str, PlaceSignals] = {}
        self._by_address: dict[tuple[str, str], tuple[float, float, float, float]] = {}
        self._shares: dict[float, float] = {}

    def of(self, link: Link, evidence: Evidence) -> list[float]:
        """One number for each signal, in the order of PRIOR."""
        flow = log(evidence.cash + 1e-9) - self._mean_cash
        site, folder, led_to, unknown = self._address(*address_kinds(link.url))
        return [
            self._named.share(evidence.named),
            log_odds(evidence.context),
            log(1 + evidence.promising),
            self._parent(evidence.parent),
            self._lift(evidence),
            *self._links(evidence.kinds),
            *self._words(word_kinds(link)),
            self._words(around_kinds(link))[0],
            site,
            folder,
            led_to,
            min(FLOW[1], max(FLOW[0], flow)),
            unknown,
        ]

    def _parent(self, relevance: float) -> float:
        """How high the relevance of the best page that links to it stands among those of all pages."""
        found = self._shares.get(relevance)
        if found is None:
            share = min(1 - EDGE, max(EDGE, self._relevances.of(relevance)))
            found = self._shares[relevance] = log_odds(share)
        return found

    def _address(self, site: str, folder: str) -> tuple[float, float, float, float]:
        """What pages of the host were, pages of the folder were and led to, and how little is known of the host."""
        found = self._by_address.get((site, folder))
        if found is None:
            wide = self._record.rates(site, self._base)
            near = self._record.rates(folder, wide)
            found = self._by_address[site, folder] = (
                log_odds(wide[0]) - self._odds[0],
                log_odds(near[0]) - log_odds(wide[0]),
                log_odds(near[1]) - log_odds(wide[1]),
                1 / (1 + self._record.seen(site)[0]),
            )
        return found

    def _lift(self, evidence: Evidence) -> float:
        """How many more of the relevant pages link to it than of the others."""
        good = log(evidence.good + 1) - self._good
        bad = log(max(0.0, evidence.links - evidence.good) + 1) - self._bad
        return min(LIFT, max(-LIFT, good - bad))

    def _links(self, kinds: Sequence[str]) -> tuple[float, ...]:
        """What links at such places, and in the same lists, turned out to be and led to: means over the links.

        And what other links of the pages that link to it turned out to be: the mean over these pages.
        """
        links = [self._by_link.get(one) or self._link(one) for one in kinds]
        if not links:
            return 0.0, 0.0, 0.0, 0.0, 0.0
        *columns, pages = zip(*links, strict=True)
        others = dict(pages).values()
        return *(sum(column) / len(links) for column in columns), sum(others) / len(others)

    def _link(self, kinds: str) -> LinkSignals:
        place, listed, page = parted(kinds)
        around, at, turned_out, led_to = self._by_place.get(place) or self._place(place)
        better = further = 0.0
        if listed in self._record.kinds:
            inside = self._record.rates(listed, around)
            better, further = log_odds(inside[0]) - at[0], log_odds(inside[1]) - at[1]
        others = (self._by_kind.get(page) or self._kind(page))[0]
        found = self._by_link[kinds] = turned_out, led_to, better, further, (page, others)
        return found

    def _place(self, place: str) -> PlaceSignals:
        around = self._record.rates(place, self._base)
        at = log_odds(around[0]), log_odds(around[1])
        found = self._by_place[place] = around, at, at[0] - self._odds[0], at[1] - self._odds[1]
        return found

    def _words(self, kinds: tuple[str, ...]) -> tuple[float, float]:
        """What links with such words turned out to be and led to."""
        found = self._by_words.get(kinds)
        if found is None:
            known = [self._by_kind.get(kind) or self._kind(kind) for kind in kinds]
            length = sqrt(max(1, len(kinds)))
            found = self._by_words[kinds] = (
                sum([signals[0] for signals in known]) / length,
                sum([signals[1] for signals in known]) / length,
            )
        return found

    def _kind(self, kind: str) -> tuple[float, float]:
        """What links of a kind turned out to be and led to; nothing for one that is not known, as most are not."""
        found = 0.0, 0.0
        if kind in self._record.kinds:
            rates = self._record.rates(kind, self._base)
            found = log_odds(rates[0]) - self._odds[0], log_odds(rates[1]) - self._odds[1]
        self._by_kind[kind] = found
        return found


def merged(links: Sequence[Link], evidence: Callable[[int], Evidence]) -> dict[str, tuple[Link, Evidence]]:
    """The links of one page by URL: with its most promising link, and what all of them say; the page counts once."""
    found: dict[str, tuple[Link, Evidence]] = {}
    for number, link in enumerate(links):
        says = evidence(number)
        if link.url in found:
            held, before = found[link.url]
            both = before.joined(says)._replace(
                promising=max(before.promising, says.promising), good=before.good, links=before.links, cash=before.cash
            )
            found[link.url] = (held if before.context >= says.context else link), both
        else:
            found[link.url] = link, says
    return found
