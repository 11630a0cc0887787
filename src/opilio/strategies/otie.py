"""OTIE: topical importance flows along links and adds up (Wang et al. 2009, on-line topical importance estimation)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import copysign

from ..batch import Together, column, parts
from ..learning.cash_picture import cash_picture
from ..learning.flow import AGAIN, SHARES, due, handed_on, weight_again
from ..learning.link_promise import once, predicted
from ..nouns import Keep, Lane, Link, Offer, Page, PastCrawl, Reweigh, Say, Strategy, Terms, Topic, Weight
from ..picture import Section


class Otie(Strategy):
    """The price of a URL is the cash it has gathered.

    Fetching a page with cash c and relevance r: c grows by c·max(-1, a·(2r-1)^d) and is then handed on to its links in
    proportion to their similarity: the true one of pages already fetched, else β·R(page) + (1-β)·R(context).
    A page without links has none afterwards (algorithm 1, line 13); what could not be downloaded keeps its own.
    Cash that reaches a fetched page stays there; after every `recrawl` pages the richest of them is fetched again.
    Note: the cash of the parent before and after its revision, the share of it, the similarity, and the relevance of the
    parent and of the context that the prediction was made of.
    """

    terms = Terms("cash", lane="group of pages")
    merge = "sum"
    whole_batches = True
    topic_model = "svm"
    notes = (*SHARES, "relevance of the parent", "relevance of the context")

    def __init__(
        self,
        topic: Topic,
        a: float = 0.85,
        d: float = 3.0,
        beta: float = 0.25,
        recrawl: int = 100,
    ) -> None:
        self.topic = topic
        self.a, self.d, self.beta, self.recrawl = a, d, beta, recrawl
        self.pages_ = 0

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        links = {link.url: link for link in seeds}
        return [Offer(link, 1 / len(links), again=AGAIN) for link in links.values()]

    def observe(self, page: Page) -> Iterable[Say]:
        relevance = self.topic.page(page) if page.document else 0.0
        links, similar, contexts = self._links(page)
        if not page.document:
            offers: Sequence[Say] = [Offer(page.offer.link, page.value)]
        elif any(similar):
            offers = handed_on(page, self.revised(page, relevance), links, similar, noted=(relevance, contexts))
        else:
            offers = []
        self.pages_ += 1
        then = (Reweigh(AGAIN),) if due(self.pages_, self.recrawl) else ()
        return Together(Keep((relevance,)), *parts(offers), *then)

    def _links(self, page: Page) -> tuple[Sequence[Link], list[float], list[float]]:
        """The links of a page, each URL once, with their similarities, which are true or predicted, and their contexts."""
        links = page.links
        _, contexts, promised = predicted(self.topic, page, self.beta)
        known = page.known.all(column(links, "url"))
        promised = self.similarities(links, promised)
        similar = [fetched[0] if fetched else value for value, fetched in zip(promised, known, strict=True)]
        found, (similar, seen) = once(links, similar, contexts)
        return found, [value if value > 0.0 else 0.0 for value in similar], seen

    def similarities(self, links: Sequence[Link], promised: list[float]) -> list[float]:
        """The predicted similarities of pages that were not fetched, by what parent and contexts promise."""
        return promised

    def revised(self, page: Page, relevance: float) -> float:
        """The cash that a page hands on."""
        return page.value * (1 + self.reward(relevance))

    def reward(self, relevance: float) -> float:
        """The growth of a page's cash: max(-1, a·(2r-1)^d), an odd function of 2r-1 whatever d is."""
        lean = 2 * relevance - 1
        return max(-1.0, self.a * copysign(abs(lean) ** self.d, lean))

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return cash_picture(crawl)

    def weigh(self, lane: Lane) -> Weight:
        return weight_again(self.pages_, self.recrawl) if lane == AGAIN else Weight()
