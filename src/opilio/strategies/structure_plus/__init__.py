"""Structure-plus: structure that harvests while it samples, goes on learning where links lead, and leaves dead ones alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...learning.page_likeness import Like
from ...nouns import DROP, Lane, Link, Offer, Page, PastCrawl, Say, Strategy, Terms, Topic, Weight
from ...picture import Paragraph, Section
from ...urls import site
from .goals import Plan
from .harvest import Harvest
from .lane_worths import LaneWorths
from .lanes import of_site, with_site
from .site_crawl import SiteCrawl


class StructurePlus(Strategy):
    """worth of a link = Σ P(C | C(p), apath)·Score(C), by what the sample and all pages since it have shown.

    Score = α·a + (1-α)·h; a is 1 for pages like the example, or, without one, how many pages a cluster has; h are its hubs.
    Each site is learned by itself. Lanes are (site, cluster, apath) or narrower. Note: the cluster of the page that the link
    stands on (in the sample, the depth), the lane which led there, and the URL, which a redirect changes.
    """

    terms = Terms("link", scale="worth of its navigation", lane="site, page type and path of the link")
    notes = ("page type of the parent, or depth in the sample", "page type before it", "way to the parent", "asked for")
    most_at_once = 10  # what pages bring decides what comes next: a batch of fifty goes on where nothing is left

    def __init__(
        self,
        goal: str = "",
        example: Page | None = None,
        like: Like | None = None,
        topic: Topic | None = None,
        seed: int = 0,
        sample: int = 100,
        alpha: float = 0.8,
        near: float = 0.1,
    ) -> None:
        self.like = like or Like([example] if example else [])
        self.plan = Plan.of(goal, self.like, topic if like else None, seed, sample, alpha, near)
        self.sites_: dict[str, SiteCrawl] = {}
        self._known: tuple[str, str] | None = None  # text and name of a site file, until the first site begins

    def know_site(self, text: str, name: str) -> None:
        from ..structure.survey_file import read  # crawls that know no site start sooner without

        read(text, name)
        self._known = (text, name)

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        """Seeds open the sample of their site; where it was learned before, its harvest."""
        for link in seeds:
            name = site(link.url)
            if name not in self.sites_:
                self.sites_[name] = self._begun()
            yield with_site(name, self.sites_[name].start(link, self._plan(name)))

    def observe(self, page: Page) -> Iterable[Say]:
        name, *lane = page.offer.lane or (site(page.url), "")
        if name in self.sites_:
            yield from of_site(name, self.sites_[name].observe(page, tuple(lane), self._plan(name)))

    def wasted(self, offer: Offer) -> Iterable[Say]:
        name, *lane = offer.lane or (site(offer.link.url), "")
        if name in self.sites_:
            yield from of_site(name, self.sites_[name].wasted(offer, tuple(lane)))

    def dry(self) -> Iterable[Say]:
        for name, crawl in self.sites_.items():
            yield from of_site(name, crawl.dry(self._plan(name)))

    def reasons(self, offer: Offer) -> Sequence[str]:
        """What is wanted on the site, and where links at the place of this one have led."""
        name, *lane = offer.lane or (site(offer.link.url),)
        crawl = self.sites_.get(name)
        if not self.plan.target:
            return ()
        wanted = [f"wanted on {name}: pages like {' or '.join(page.url for page in self.like.on(name))}"]
        return wanted + (crawl.harvest.worths.record(tuple(lane)) if crawl and crawl.harvest and lane else [])

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        from ..structure.picture import sitemap_picture  # crawls start sooner without

        return [*self._asked(), *sitemap_picture(crawl)]

    def _asked(self) -> Iterator[Section]:
        if self.plan.target:
            about = ", and about the topic" if self.plan.topic else ""
            told = [
                f"Wanted on {name}: pages like {page.url}{about}."
                for name in self.sites_
                for page in self.like.on(name)
            ]
            yield Section("Pages like these", list(map(Paragraph, told)))

    def weigh(self, lane: Lane) -> Weight:
        return self.sites_[lane[0]].weigh(lane[1:]) if lane[0] in self.sites_ else DROP

    def _plan(self, name: str) -> Plan:
        """What is wanted on a site: pages like the examples from there, or, without any, like the others."""
        return self.plan._replace(examples=self.like.on(name)) if self.plan.target else self.plan

    def _begun(self) -> SiteCrawl:
        if self._known is None:
            return SiteCrawl()
        from ..structure.survey_file import read

        known, self._known = self._known, None
        sitemap, table = read(*known)
        return SiteCrawl(sampling=None, harvest=Harvest(sitemap, LaneWorths(table)))
