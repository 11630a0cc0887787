"""Community: find the sites that belong together first, then crawl inside them (Shen, Sun and Yang 2015, FRTW)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np

from ...codec import pack, unpack
from ...nouns import (
    DROP,
    PARK,
    RELEVANT,
    Lane,
    Link,
    News,
    Offer,
    Page,
    PastCrawl,
    Reweigh,
    Say,
    Strategy,
    Topic,
    Weight,
)
from ...picture import Section
from ...urls import canonical, digest, host, site
from .friend_links import friend_links, is_home
from .frtw import best_phi, frtw
from .home_pages import DEAD, Home, Neighbourhood, joined, neighbourhood, text_print
from .picture import community_picture
from .site_graph import SiteGraph
from .url_lexicon import commonest, known_share, terms

HOMES, PAGES = "homes", "pages"  # lanes: (HOMES, site) and (PAGES, site)
LISTED = 10_000  # sites outside that are counted
FIRST = 1e9  # the price of seeds in round one
PATIENCE, TWICE = 100, 1.5  # after so many home pages, the relevance of those that recommend a site must add up to this
SLIGHT = 0.01  # relevance below which praise moves no price
VOTES = 3  # relevant pages that must link to a parked site before it joins


class Community(Strategy):
    """Round one fetches home pages, FRTW finds the community of the most relevant seed site, round two stays inside it.

    value = α·R(parent)/n + β·R(anchor) + γ·SC(url), n = 1 or (`share="links"`) the links on the parent, SC(url) the
    share of the URL's words that are in the lexicon of round one. Note: the three terms, weighted.
    """

    notes = ("parent", "anchor", "address")

    def __init__(
        self,
        topic: Topic,
        alpha: float = 0.3,
        beta: float = 0.3,
        gamma: float = 0.4,
        phi: float = 0.0,
        homes: int = 500,
        most: int = 1000,
        share: Literal["links", "none"] = "none",
        lexicon: Literal["all", "topical"] = "all",
        around: Literal["best", "all"] = "best",
        unit: Literal["site", "host"] = "site",
        topical: bool = False,
        mutual: bool = False,
        grow: bool = False,
        members: str = "",
    ) -> None:
        self.topic = topic
        self.alpha, self.beta, self.gamma = alpha, beta, gamma
        self.phi, self.homes, self.most = phi, homes, most
        self.share, self.lexicon, self.around = share, lexicon, around
        self.unit = unit
        self.topical, self.mutual, self.grow, self.members = topical, mutual, grow, members
        self.round_ = 1
        self.seeds_: list[str] = []  # their sites
        self.asked_: set[int] = set()  # keys of the home pages that answered, or did not
        self.homes_: dict[str, Home] = {}
        self.praise_: dict[str, float] = {}  # the relevance of all home pages that recommend a site
        self.words_: Counter[str] = Counter()
        self.members_: set[str] = set()
        self.phi_ = 0.0
        self.graph_ = b""  # the site graph as pairs, packed; for people to look at
        self.outside_: Counter[str] = Counter()  # links that led out of the community, by site
        self.votes_: dict[str, set[int]] = {}

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        links = {link.url: link for link in seeds}
        self.seeds_ = sorted({self._site(url) for url in links})
        doors = {door: Link(door) for url in links if (door := canonical("/", url))}
        if self.members:
            self._begin_round_two(set(self.members.split()), ())
            return [Offer(link, 1.0, (PAGES, self._site(url))) for url, link in (doors | links).items()]
        return [Offer(link, 1.0, (HOMES, self._site(url))) for url, link in (doors | links).items()]

    def observe(self, page: Page) -> Iterable[Say]:
        if self.round_ == 1:
            return self._home(page)
        return self._inside(page) if page.links else ()

    def edges(self) -> list[tuple[str, str]]:
        """The site graph of round one, once that is over."""
        return [(source, target) for source, target in unpack(self.graph_)] if self.graph_ else []

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return community_picture(self.edges(), self.seeds_, self.members_, self.outside_)

    def weigh(self, lane: Lane) -> Weight:
        kind, name = lane or (PAGES, "")
        if self.round_ == 1:
            return self._worth_a_look(name) if kind == HOMES and len(self.asked_) < self.homes else PARK
        if name in self.members_:
            return Weight()
        return PARK if self.grow else DROP

    def hear(self, news: News) -> Iterable[Say]:
        match news.fact:
            case ("home", key, sites, home, words):
                return list(self._learn_home(key, sites, home, words))
            case ("votes", key, sites):
                return list(self._vote(key, sites))
        return ()

    def dry(self) -> Iterable[Say]:
        """Round one is over when every home page in reach has answered, or as many as it may ask."""
        if self.round_ == 2:
            return
        found = neighbourhood(self.homes_, self.most, self.mutual)
        self._begin_round_two(self._community(found), _pairs(found.graph))
        yield Reweigh()

    # round one

    def _home(self, page: Page) -> Iterator[Say]:
        sites = tuple(sorted({self._site(page.url), *page.offer.lane[1:]}))
        own, key = self._site(page.url), digest(page.url)
        home, friends = DEAD, list[Link]()
        words: tuple[str, ...] = ()
        if not page.error:
            friends = list(friend_links(page.links, own, self._site))
            names = sorted({self._site(link.url) for link in friends})[: self.most + 1]
            home = (self.topic.page(page), text_print(page), frozenset(names))
            words = terms(link.url for link in page.links if self._site(link.url) == own and self._tells(link))
        yield News(("home", key, sites, home, words))
        yield from self._learn_home(key, sites, home, words)
        yield from self._onward(page, home[0], {link.url for link in friends})

    def _onward(self, page: Page, relevance: float, friends: set[str]) -> Iterator[Offer]:
        """Front doors of recommended sites are next; everything else waits for round two."""
        for offer in self._scored(page) if page.links else ():
            url = offer.link.url
            if is_home(url) and self._site(url) != self._site(page.url):
                if url in friends:
                    yield Offer(offer.link, relevance, (HOMES, self._site(url)))
            else:
                yield offer

    def _learn_home(self, key: int, sites: tuple[str, ...], home: Home, words: tuple[str, ...]) -> Iterator[Say]:
        if key in self.asked_ or self.round_ == 2:
            return
        self.asked_.add(key)
        for name in sites:
            self.homes_[name] = joined(self.homes_.get(name, DEAD), home)
        self.words_.update(words)
        for friend in sorted(home[2]):
            self.praise_[friend] = self.praise_.get(friend, 0.0) + home[0]
        if len(self.asked_) in (PATIENCE, self.homes):
            yield Reweigh()
        elif len(self.asked_) < self.homes and home[0] > SLIGHT:
            yield from (Reweigh((HOMES, friend)) for friend in sorted(home[2]))

    def _worth_a_look(self, name: str) -> Weight:
        """Seeds first, then the sites that relevant home pages recommend most.

        Once enough home pages have answered, one recommendation is no longer enough: a site with a single link into the
        community would hardly pass FRTW, and there are many of them.
        """
        praise = FIRST if name in self.seeds_ else self.praise_.get(name, 0.0)
        return PARK if len(self.asked_) >= PATIENCE and praise < TWICE else Weight(praise, 0.0)

    def _tells(self, link: Link) -> bool:
        return self.lexicon == "all" or self.topic.text(link.anchor) >= RELEVANT

    # between the rounds

    def _community(self, around: Neighbourhood) -> set[str]:
        """The members around the most relevant seed site with links, or around each; without any, the seed sites."""
        graph = around.graph
        seeds = {around.mirrors.get(name, name) for name in self.seeds_} & set(graph.names)
        ranked = sorted(seeds, key=lambda name: (-self.homes_[name][0], name))
        linked = [name for name in ranked if graph.neighbours(graph.number(name)).size]
        found: set[str] = set()
        for name in linked if self.around == "all" else linked[:1]:
            found |= self._grown(graph, name)
        return found or seeds

    def _grown(self, graph: SiteGraph, name: str) -> set[str]:
        relevance = np.array([self.homes_[name][0] for name in graph.names]) if self.topical else None
        group = frtw(graph, name, self.phi, relevance) if self.phi else best_phi(graph, name, relevance)
        self.phi_ = group.phi
        return set(group.names(graph))

    def _begin_round_two(self, members: set[str], pairs: Iterable[tuple[str, str]]) -> None:
        self.members_, self.graph_ = members, pack(list(pairs))
        self.words_ = commonest(self.words_)
        self.homes_, self.praise_, self.asked_, self.round_ = {}, {}, set(), 2

    # round two

    def _inside(self, page: Page) -> Iterator[Say]:
        promising: set[str] = set()
        for offer in self._scored(page):
            name = offer.lane[1]
            if name not in self.members_:
                self._count_outside(name)
                if offer.note[1] >= self.beta * RELEVANT:
                    promising.add(name)
            yield offer
        if self.grow and promising and self.topic.page(page) >= RELEVANT:
            fact = (digest(page.url), tuple(sorted(promising)))
            yield News(("votes", *fact))
            yield from self._vote(*fact)

    def _vote(self, key: int, sites: tuple[str, ...]) -> Iterator[Say]:
        """A parked site joins once enough relevant pages have a link to it whose own words are relevant."""
        for name in sites:
            if name in self.members_:
                continue
            votes = self.votes_.setdefault(name, set())
            votes.add(key)
            if len(votes) >= VOTES:
                self.members_.add(name)
                del self.votes_[name]
                yield Reweigh((HOMES, name))
                yield Reweigh((PAGES, name))

    def _count_outside(self, name: str) -> None:
        self.outside_[name] += 1
        if len(self.outside_) > 2 * LISTED:
            kept = sorted(self.outside_.items(), key=lambda item: (-item[1], item[0]))[:LISTED]
            self.outside_ = Counter(dict(kept))

    # both

    def _scored(self, page: Page) -> Iterator[Offer]:
        parent = self.alpha * self.topic.page(page) / (len(page.links) if self.share == "links" else 1)
        for link in page.links:
            anchor = self.beta * self.topic.text(link.anchor) if link.anchor else 0.0
            address = self.gamma * known_share(link.url, self.words_)
            lane = (PAGES, self._site(link.url))
            yield Offer(link, parent + anchor + address, lane, (parent, anchor, address))

    def _site(self, url: str) -> str:
        return site(url) if self.unit == "site" else host(url)


def _pairs(graph: SiteGraph) -> Iterator[tuple[str, str]]:
    for number, name in enumerate(graph.names):
        yield from ((name, graph.names[other]) for other in graph.neighbours(number).tolist() if other > number)
