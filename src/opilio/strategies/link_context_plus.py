"""Link-context plus: what a link promises, times what links of its kind have kept of their promises."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..learning import link_kinds
from ..learning.link_kinds_picture import link_kinds_picture
from ..nouns import Lane, Lesson, Offer, Page, PastCrawl, Say, Terms, Topic, Weight
from ..picture import Section
from .link_context import LinkContext


class LinkContextPlus(LinkContext):
    """price = (β·R(parent) + (1-β)·R(context)) · (what links of this kind have brought so far).

    A kind is where a link stands on its page and where it leads; what it brings is the mean relevance of the pages fetched
    through it, dead links counting 0.
    """

    terms = Terms("link promise", scale="record of such links", lane="kind of link")
    whole_batches = False  # it learns as it goes
    topic_model = "auto"

    def __init__(self, topic: Topic, beta: float = 0.25) -> None:
        super().__init__(topic, beta)
        self.table_: link_kinds.Table = {}
        self.lanes_ = link_kinds.Lanes()
        self.weighed_ = 0

    def observe(self, page: Page) -> Iterable[Say]:
        for say in super().observe(page):
            yield replace(say, lane=self.lanes_.of(say.link)) if isinstance(say, Offer) else say
        yield from link_kinds.observed(self, page, self.topic.page(page) if page.document else 0.0)

    def study(self, lesson: Lesson) -> Iterable[Say]:
        return link_kinds.studied(self, lesson)

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return link_kinds_picture(self.table_)

    def weigh(self, lane: Lane) -> Weight:
        return Weight(0.0, link_kinds.worth(self.table_, lane)) if lane else Weight()
