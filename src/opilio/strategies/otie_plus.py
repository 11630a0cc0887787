"""OTIE plus: topical importance that also learns which kinds of links bring anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..learning import link_kinds
from ..learning.link_kinds_picture import link_kinds_picture
from ..nouns import Lane, Lesson, Link, Offer, Page, PastCrawl, Say, Terms, Topic, Weight
from ..picture import Section
from .otie import Otie


class OtiePlus(Otie):
    """price = cash · yield, where the yield is what links of this kind have brought so far.

    Shares go by similarity · yield, and a page that is relevant gets fresh cash: c·(1 + reward) + r / (number of seeds).
    A kind is where a link stands on its page and where it leads; what it brings is the mean relevance of the pages fetched
    through it, dead links counting 0.
    """

    terms = Terms("cash", scale="record of such links", lane="kind of link")
    whole_batches = False  # it learns as it goes
    topic_model = "auto"

    def __init__(
        self,
        topic: Topic,
        a: float = 0.85,
        d: float = 3.0,
        beta: float = 0.25,
        recrawl: int = 100,
        recall: bool = False,
    ) -> None:
        super().__init__(topic, a, d, beta, recrawl)
        self.recall = recall
        self.table_: link_kinds.Table = {}
        self.lanes_ = link_kinds.Lanes()
        self.weighed_ = 0
        self.seeds_ = 1

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        offers = list(super().start(seeds, pages))
        self.seeds_ = max(1, len(offers))
        return offers

    def similarities(self, links: Sequence[Link], promised: list[float]) -> list[float]:
        return [
            value * link_kinds.worth(self.table_, link_kinds.parts(link))
            for link, value in zip(links, promised, strict=True)
        ]

    def revised(self, page: Page, relevance: float) -> float:
        return super().revised(page, relevance) + relevance / self.seeds_

    def observe(self, page: Page) -> Iterable[Say]:
        for say in super().observe(page):
            yield replace(say, lane=self.lanes_.of(say.link)) if isinstance(say, Offer) and say.again else say
        yield from link_kinds.observed(self, page, self.topic.page(page) if page.document else 0.0)

    def study(self, lesson: Lesson) -> Iterable[Say]:
        return link_kinds.studied(self, lesson)

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return [*super().picture(crawl), *link_kinds_picture(self.table_)]

    def weigh(self, lane: Lane) -> Weight:
        known = super().weigh(lane)
        return Weight(0.0, link_kinds.worth(self.table_, lane)) if len(lane) > 1 else known
