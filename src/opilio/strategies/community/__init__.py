"""Community: find the sites that belong together first, then crawl inside them (Shen, Sun and Yang 2015, FRTW)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from ...nouns import DROP, PARK, Lane, Link, News, Offer, Page, PastCrawl, Reweigh, Say, Strategy, Terms, Weight
from ...picture import Section
from ...urls import canonical, digest, host, site
from .friend_links import friend_links, is_home
from .frtw import grown
from .home_pages import Home, Neighbourhood, Survey, counted, home_of
from .judge import BySimilarity, Judge
from .picture import community_picture
from .similarity import Similarity
from .site_graph import SiteGraph
from .url_lexicon import commonest, terms

HOMES, PAGES = "homes", "pages"  # lanes: (HOMES, site) and (PAGES, site)


class Community(Strategy):
    """Round one fetches home pages, FRTW finds the community of the most relevant site, round two stays inside it.

    value = α·SC(D,T)/n + β·SC(anchor,T) + γ·SC(url), n the links on the parent D, SC(url) the share of the URL's words that
    are in the lexicon of round one. T is what the words and example pages of the topic say; without any, the seeds' pages.
    Note: the three terms, weighted.
    """

    terms = Terms(
        "promise of the page", scale="weight of its site", shift="bonus of its site", lane="kind of page and site"
    )
    notes = ("parent", "anchor", "address")
    recall = True  # round two begins at home pages that round one has fetched
    mutual = False  # of the site graph: whether two links of a pair weigh 2
    common = 1.0  # the share of all sites that, linking to one site, are too many

    def __init__(
        self, words: str, theta: float = 0.5, alpha: float = 0.3, beta: float = 0.3, gamma: float = 0.4,
        phi: float = 0.0, homes: int = 500, most: int = 1000, unit: Literal["site", "host"] = "site",
    ) -> None:  # fmt: skip
        self.words, self.theta, self.alpha, self.beta, self.gamma = words, theta, alpha, beta, gamma
        self.phi, self.homes, self.most, self.unit = phi, homes, most, unit
        self.site = site if unit == "site" else host
        self.round_, self.queued_, self.phi_ = 1, 0, 0.0
        self.similarity_, self.taught_, self.survey_ = Similarity(theta), False, Survey()
        self.seeds_: list[str] = []  # their sites
        self.doors_: dict[str, str] = {}  # home pages that were fetched here, by site
        self.lexicon_: Counter[str] = Counter()
        self.members_: set[str] = set()
        self.edges_: list[tuple[str, str]] = []  # of the site graph; for people to look at
        self.outside_: Counter[str] = Counter()  # links that led out of the community, by site

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        links = {link.url: link for link in seeds}
        self.seeds_ = sorted({self.site(url) for url in links})
        for title, content in [(self.words, self.words), *((page.title, page.text) for page in pages)]:
            self.similarity_.teach(title, content)
        self.taught_ = bool(self.similarity_.content)
        doors = {door: Link(door) for url in links if (door := canonical("/", url))}
        return list(map(self.queued, (doors | links).values()))

    def observe(self, page: Page) -> Iterable[Say]:
        if page.kept is None and page.document:
            self.meet(page)
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

    def meet(self, page: Page) -> None:
        """A page was crawled."""
        self.similarity_.see(page)
        if not self.taught_ and self.site(page.url) in self.seeds_:
            self.similarity_.teach(page.title, page.text)

    def judge(self) -> Judge:
        return BySimilarity(self.similarity_, self.lexicon_)

    # round one

    def queued(self, link: Link) -> Offer:
        """Home pages are visited in the order in which they were found."""
        self.queued_ += 1
        return Offer(link, -float(self.queued_), (HOMES, self.site(link.url)))

    def home(self, page: Page) -> Iterator[Say]:
        """The sites that a home page recommends are next; the words of all these URLs are the lexicon."""
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

    def url_terms(self, page: Page, friends: Sequence[Link]) -> tuple[str, ...]:
        """What a home page adds to the lexicon."""
        return terms([page.url, *(link.url for link in friends)])

    def learn(self, key: int, sites: tuple[str, ...], home: Home, words: tuple[str, ...]) -> Iterator[Say]:
        if self.round_ == 1 and self.survey_.learn(key, sites, home):
            self.lexicon_.update(words)
            if len(self.survey_.asked) == self.homes:
                yield Reweigh()

    # between the rounds

    def community(self, around: Neighbourhood) -> set[str]:
        """The members around the most relevant site that has links; without any, the seed sites."""
        graph = around.graph
        linked = [name for name in graph.names if graph.neighbours(graph.number(name)).size]
        best = min(linked, key=lambda name: (-self.survey_.homes[name][0], name), default="")
        return self.grown(graph, best) if best else around.standing_for(self.seeds_)

    def grown(self, graph: SiteGraph, name: str) -> set[str]:
        group = grown(graph, name, self.phi)
        self.phi_ = group.phi
        return set(group.names(graph))

    # round two

    def inside(self, page: Page) -> Iterator[Say]:
        """Links with their scores; those beyond the community are counted, and dropped by their lane."""
        judge = self.judge()
        parent = self.alpha * judge.inherited(page) if page.links else 0.0
        for link, anchor in zip(page.links, judge.anchors(page), strict=True):
            name, parts = self.site(link.url), (parent, self.beta * anchor, self.gamma * judge.address(link.url))
            if name not in self.members_:
                counted(self.outside_, name)
            yield Offer(link, sum(parts), (PAGES, name), parts)
