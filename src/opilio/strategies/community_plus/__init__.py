"""Community plus: community by any topic model, with a survey that looks where it pays, and a way out where it is not topical."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np

from ...learning import link_kinds
from ...nouns import DROP, PARK, RELEVANT, Lane, Lesson, Link, News, Offer, Page, Reweigh, Say, Topic, Weight
from ..community.home_pages import Home, Neighbourhood
from ..community.relevance import Judge, TermWeights
from ..community.two_rounds import PAGES, TwoRounds
from .by_topic import ByTopic, own_terms
from .everywhere import lane_weight, promises, read_again
from .praise import praised, worth_a_look
from .votes import ballot, promising, voted

TOPICAL = 0.5  # of the seed sites; a community with fewer of them is not that of the topic


class CommunityPlus(TwoRounds):
    """value = α·R(parent)/n + β·R(anchor) + γ·(share of the path's words in the lexicon), n = 1 or the links on the parent.

    Round one looks first at sites that relevant home pages recommend most; a site that more than half of all recommend is
    left out; the lexicon has the words of the links that home pages have to their own sites; the community is that of the
    most relevant seed site. Where that has fewer than half of the seed sites, and when nothing is left inside, all sites are
    crawled, as link-context-plus would. Note: the three terms, weighted.
    """

    common = 0.5

    def __init__(
        self, topic: Topic, alpha: float = 0.3, beta: float = 0.3, gamma: float = 0.4, phi: float = 0.0, homes: int = 500,
        most: int = 1000, share: Literal["links", "none"] = "none", lexicon: Literal["all", "topical"] = "all",
        around: Literal["best", "all"] = "best", unit: Literal["site", "host"] = "site", topical: bool = False,
        mutual: bool = False, grow: bool = False, beyond: bool = True, members: str = "",
    ) -> None:  # fmt: skip
        super().__init__(TermWeights(alpha, beta, gamma), phi, homes, most, unit)
        self.topic = topic
        self.share, self.lexicon, self.around = share, lexicon, around
        self.topical, self.mutual, self.grow, self.members = topical, mutual, grow, members
        self.beyond = beyond and not members
        self.everywhere_, self.why_ = False, ""
        self.table_: link_kinds.Table = {}  # what kinds of links have brought, where all sites are crawled
        self.lanes_, self.weighed_ = link_kinds.Lanes(), 0
        self.seen_: list[str] = []  # pages of round one, to be read again where all sites are crawled
        self.praise_: dict[str, float] = {}  # the relevance of all home pages that recommend a site
        self.votes_: dict[str, set[int]] = {}

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        offers = [say for say in super().start(seeds, pages) if isinstance(say, Offer)]
        if not self.members:
            return offers
        self.members_, self.round_ = set(self.members.split()), 2
        return [Offer(say.link, 1.0, (PAGES, *say.lane[1:])) for say in offers]

    def weigh(self, lane: Lane) -> Weight:
        if self.round_ == 1:
            known, asked = super().weigh(lane), len(self.survey_.asked)
            return worth_a_look(lane[1], self.seeds_, self.praise_, asked) if known == Weight() else known
        if self.everywhere_:
            return lane_weight(self.table_, lane)
        if lane and lane[1] in self.members_:
            return Weight()
        return PARK if self.grow or self.beyond else DROP

    def dry(self) -> Iterable[Say]:
        """Between the rounds the community is judged; when nothing is left inside it, the crawl goes on outside."""
        if self.round_ == 1:
            yield from super().dry()
        elif self.beyond and not self.everywhere_:
            self._go_everywhere("nothing is left inside the community")
            yield Reweigh()
        if self.everywhere_:
            yield from read_again(self.seen_)
            self.seen_ = []

    def why(self) -> str:
        return self.why_

    def hear(self, news: News) -> Iterable[Say]:
        if news.fact[0] == "votes":
            return list(voted(self.votes_, self.members_, *news.fact[1:]))
        return super().hear(news)

    def study(self, lesson: Lesson) -> Iterable[Say]:
        return link_kinds.studied(self, lesson)

    def judge(self) -> Judge:
        return ByTopic(self.topic, self.lexicon_, self.share == "links")

    def home(self, page: Page) -> Iterator[Say]:
        if self.beyond and not page.error:
            self.seen_.append(page.url)
        return super().home(page)

    def url_terms(self, page: Page, friends: Sequence[Link]) -> tuple[str, ...]:
        return own_terms(page, self.site, self.topic if self.lexicon == "topical" else None)

    def learn(self, key: int, sites: tuple[str, ...], home: Home, words: tuple[str, ...]) -> Iterator[Say]:
        before = len(self.survey_.asked)
        yield from super().learn(key, sites, home, words)
        if len(self.survey_.asked) > before:
            yield from praised(self.praise_, home, before + 1, self.homes)

    def community(self, around: Neighbourhood) -> set[str]:
        """The members around the most relevant seed site with links, or around each; without any, the seed sites."""
        graph, homes, seeds = around.graph, self.survey_.homes, around.standing_for(self.seeds_)
        centres = around.linked(sorted(seeds, key=lambda name: (-homes[name][0], name)))
        relevance = np.array([homes[name][0] for name in graph.names]) if self.topical else None
        groups = [self.grown(graph, name, relevance) for name in (centres if self.around == "all" else centres[:1])]
        self.praise_, members = {}, set().union(*groups) or seeds
        if self.beyond and len(members & seeds) < TOPICAL * len(seeds):
            self._go_everywhere(f"{len(members & seeds)} of {len(seeds)} seed sites are in the community")
        return members

    def _go_everywhere(self, why: str) -> None:
        self.everywhere_, self.why_ = True, f"community-plus crawls all sites: {why}"

    def inside(self, page: Page) -> Iterator[Say]:
        if self.everywhere_:
            yield from promises(self.topic, page, self.lanes_)
            yield from link_kinds.observed(self, page, self.topic.page(page) if page.document else 0.0)
            return
        says = list(super().inside(page))
        yield from says
        if self.grow and self.topic.page(page) >= RELEVANT:
            yield from ballot(self.votes_, self.members_, page.url, promising(says, self.members_, self.weights))
