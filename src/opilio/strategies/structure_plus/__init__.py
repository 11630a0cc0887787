"""Structure-plus: structure that harvests while it samples, goes on learning where links lead, and leaves dead ones alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...learning import dead_links
from ...learning.clusters import OUTLIER
from ...learning.page_types import learn_styled
from ...learning.sample import SAMPLE, inside
from ...nouns import DROP, Keep, Lane, Link, Offer, Page, PastCrawl, Reweigh, Say, Strategy, Terms, Weight
from ...picture import Section
from .goals import Plan
from .harvest import Harvest
from .lanes import offer
from .sampling import Sampling


class StructurePlus(Strategy):
    """worth of a link = Σ P(C | C(p), apath)·Score(C), by what the sample and all pages since it have shown.

    Score = α·a + (1-α)·h; a is 1 for pages like the example, or, without one, how many pages a cluster has; h are its hubs.
    Lanes are (cluster, apath) or narrower. Note: the cluster of the page that the link stands on (in the sample, the depth), the
    lane which led there, and the URL, which a redirect changes.
    """

    terms = Terms("link", scale="worth of its navigation", lane="page type and path of the link")
    notes = ("page type of the parent, or depth in the sample", "page type before it", "way to the parent", "asked for")

    def __init__(
        self,
        goal: str = "",
        example: Page | None = None,
        seed: int = 0,
        sample: int = 200,
        alpha: float = 0.8,
        near: float = 0.1,
    ) -> None:
        self.plan = Plan.of(goal, example, seed, sample, alpha, near)
        self.example = example if self.plan.target else None
        self.visits_ = 0
        self.sampling_: Sampling | None = Sampling()  # None: it is over
        self.harvest_: Harvest | None = None  # None: it has not begun
        self.alive_: dead_links.Seen = {}
        self.turned_: set[int] = set()  # URLs that redirected to pages known

    def know_site(self, text: str, name: str) -> None:
        from ..structure.survey_file import read  # crawls that know no site start sooner without

        self.sampling_, self.harvest_ = None, Harvest(*read(text, name))

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        """Seeds open the sample; where the site was learned before, they open the harvest."""
        if self.harvest_ is None:
            return [Offer(link, 0.0, (SAMPLE, ""), (0,)) for link in seeds]
        if self.example:
            self.harvest_.want(self.example)
        self.harvest_.score(self.plan, self.visits_)
        return [Offer(link, 1.0, (str(OUTLIER), ""), (OUTLIER,)) for link in seeds]

    def observe(self, page: Page) -> Iterable[Say]:
        self.visits_ += 1
        links = inside(page)
        dead_links.heed(self.alive_, self.turned_, page, links)
        yield from self._harvested(page, links, self.harvest_) if self.harvest_ else self._sampled(page, links)
        if self.sampling_ is not None and self.sampling_.gather(page, links, self.plan, self.visits_):
            yield from self._learned(self.sampling_)

    def dry(self) -> Iterable[Say]:
        """Nothing is open but what waits: end the sample, or let everything have another try."""
        if self.harvest_:
            self.harvest_.retry()
        elif self.sampling_ and not self.sampling_.retry():
            yield from self._learned(self.sampling_)
        yield Reweigh()

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        from ..structure.picture import sitemap_picture  # crawls start sooner without

        return sitemap_picture(crawl)

    def weigh(self, lane: Lane) -> Weight:
        if self.harvest_:
            return DROP if lane[0] == SAMPLE else self.harvest_.weigh(lane)
        return self.sampling_.weigh(lane) if self.sampling_ else DROP

    def _sampled(self, page: Page, links: list[Link]) -> Iterator[Say]:
        yield Keep((("type", ""),))
        if page.document and self.sampling_:
            yield from self.sampling_.offers(page.offer, links, self.plan, self.alive_)

    def _learned(self, sampling: Sampling) -> Iterator[Say]:
        """Find the clusters of the sample, fill the table anew, and offer the links that were put by."""
        before = self.harvest_
        found = learn_styled(sampling.pages.bags(), self.example.styled if self.example else None)
        found = found.renamed(sampling.names, max([*(before.sitemap.clusters if before else []), OUTLIER]) + 1)
        yield from [
            Reweigh(lane) for lane in (*sampling.quotas.heard, *(before.quotas.heard if before else ()), (SAMPLE, ""))
        ]
        self.harvest_ = before or Harvest(found.sitemap, example=self.example.url if self.example else "")
        for row, lane in self.harvest_.relearn(found, sampling, self.alive_, self.plan, self.visits_):
            link = Link(row.url, row.source, path=row.path)
            yield offer(self.alive_, link, lane, (int(lane[0]),), self.plan.target)
        yield Reweigh()
        if self.plan.target or self.plan.full(self.visits_):
            self.sampling_ = None

    def _harvested(self, page: Page, links: list[Link], known: Harvest) -> Iterator[Say]:
        name, kinds = known.visit(page)
        if self.sampling_ is not None and page.document:
            self.sampling_.names.append(name)
        settled = name >= 0 and (self.sampling_ is None or self.plan.past(self.visits_))
        yield Keep((("type", str(name) if settled else ""),))
        if page.offer.lane[:1] != (SAMPLE,):
            yield from known.teach(page, kinds, self.plan, self.visits_)
        yield from known.raise_floor(self.plan.near * known.worth.get(page.offer.lane, 0.0))
        note, lanes = (name, *page.offer.lane[:2]), known.lanes(page.url, links, name, self.alive_, self.plan.target)
        yield from [
            offer(self.alive_, link, lane, note, self.plan.target) for link, lane in zip(links, lanes, strict=True)
        ]
        yield from known.rescore(self.plan, self.visits_)
