"""A crawl in two rounds: home pages tell which sites belong together, then the pages of those sites are crawled."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ...nouns import DROP, PARK, Lane, Link, News, Offer, Page, PastCrawl, Reweigh, Say, Strategy, Terms, Weight
from ...picture import Section
from ...urls import canonical, digest, host, site
from .friend_links import friend_links, is_home
from .frtw import grown
from .home_pages import Home, Neighbourhood, Survey, counted, home_of
from .picture import community_picture
from .relevance import Judge, TermWeights
from .site_graph import SiteGraph, Weights
from .url_lexicon import commonest

HOMES, PAGES = "homes", "pages"  # lanes: (HOMES, site) and (PAGES, site)


class TwoRounds(Strategy):
    """Round one asks `homes` home pages, first in, first out; round two begins at those of the community's members."""

    terms = Terms(
        "promise of the page", scale="weight of its site", shift="bonus of its site", lane="kind of page and site"
    )
    notes = ("parent", "anchor", "address")
    recall = True  # round two begins at home pages that round one has fetched
    mutual = False  # of the site graph: whether two links of a pair weigh 2
    common = 1.0  # the share of all sites that, linking to one site, are too many

    def __init__(self, weights: TermWeights, phi: float, homes: int, most: int, unit: str) -> None:
        self.weights, self.phi, self.homes, self.most, self.unit = weights, phi, homes, most, unit
        self.site = site if unit == "site" else host
        self.round_, self.queued_, self.phi_ = 1, 0, 0.0
        self.survey_ = Survey()
        self.seeds_: list[str] = []  # their sites
        self.doors_: dict[str, str] = {}  # home pages that were fetched here, by site
        self.lexicon_: Counter[str] = Counter()
        self.members_: set[str] = set()
        self.edges_: list[tuple[str, str]] = []  # of the site graph; for people to look at
        self.outside_: Counter[str] = Counter()  # links that led out of the community, by site

    @abstractmethod
    def judge(self) -> Judge:
        """What pages, anchors and addresses have to do with the topic, by what is known now."""

    @abstractmethod
    def url_terms(self, page: Page, friends: Sequence[Link]) -> tuple[str, ...]:
        """What a home page adds to the lexicon."""

    @abstractmethod
    def community(self, around: Neighbourhood) -> set[str]:
        """The members, by what round one has found."""

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        links = {link.url: link for link in seeds}
        self.seeds_ = sorted({self.site(url) for url in links})
        doors = {door: Link(door) for url in links if (door := canonical("/", url))}
        return list(map(self.queued, (doors | links).values()))

    def observe(self, page: Page) -> Iterable[Say]:
        return self.home(page) if self.round_ == 1 else self.inside(page)

    def weigh(self, lane: Lane) -> Weight:
        kind, name = lane or (PAGES, "")
        if self.round_ == 1:
            return Weight() if kind == HOMES and len(self.survey_.asked) < self.homes else PARK
        return Weight() if name in self.members_ and kind == PAGES else DROP

    def hear(self, news: News) -> Iterable[Say]:
        match news.fact:
            case ("home", key, sites, home, words):
                return list(self.learn(key, sites, home, words))
        return ()

    def dry(self) -> Iterable[Say]:
        """Round one is over when the queue is empty or enough home pages have answered; round two begins at the members'."""
        if self.round_ == 2:
            return
        found = self.survey_.neighbourhood(self.most, self.mutual, self.common)
        self.members_, self.edges_ = self.community(found), found.graph.pairs()
        self.lexicon_, self.survey_, self.round_ = commonest(self.lexicon_), Survey(), 2
        yield Reweigh()
        for name in sorted(self.members_ & self.doors_.keys()):
            yield Offer(Link(self.doors_[name]), 1.0, (PAGES, name), again=(PAGES, name))

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return community_picture(self.edges_, self.seeds_, self.members_, self.outside_)

    def queued(self, link: Link) -> Offer:
        """Home pages are visited in the order in which they were found."""
        self.queued_ += 1
        return Offer(link, -float(self.queued_), (HOMES, self.site(link.url)))

    def home(self, page: Page) -> Iterator[Say]:
        """Round one: the sites that a home page recommends are next; the words of all these URLs are the lexicon."""
        own = self.site(page.url)
        friends = list(friend_links(page.links, own, self.site))
        home = home_of(page, self.judge().page, {self.site(link.url) for link in friends}, self.most)
        if not page.error:
            self.doors_.setdefault(own, page.url)
        sites = tuple(sorted({own, *page.offer.lane[1:]}))
        fact = (digest(page.url), sites, home, () if page.error else self.url_terms(page, friends))
        yield News(("home", *fact))
        yield from self.learn(*fact)
        yield from map(self.queued, {link.url: link for link in friends if is_home(link.url)}.values())

    def learn(self, key: int, sites: tuple[str, ...], home: Home, words: tuple[str, ...]) -> Iterator[Say]:
        """What a home page tells, on this shard or on another."""
        if self.round_ == 1 and self.survey_.learn(key, sites, home):
            self.lexicon_.update(words)
            if len(self.survey_.asked) == self.homes:
                yield Reweigh()

    def grown(self, graph: SiteGraph, name: str, relevance: Weights | None = None) -> set[str]:
        """The community around a site, by FRTW."""
        group = grown(graph, name, self.phi, relevance)
        self.phi_ = group.phi
        return set(group.names(graph))

    def inside(self, page: Page) -> Iterator[Say]:
        """Round two: links with their scores; those beyond the community are counted, and dropped by their lane."""
        for link, terms in zip(page.links, self.judge().terms(page, self.weights), strict=True):
            name = self.site(link.url)
            if name not in self.members_:
                counted(self.outside_, name)
            yield Offer(link, sum(terms), (PAGES, name), terms)
