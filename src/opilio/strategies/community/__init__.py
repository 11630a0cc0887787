"""Community: find the sites that belong together first, then crawl inside them (Shen, Sun and Yang 2015, FRTW)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from ...nouns import Link, Page, Say
from .home_pages import Neighbourhood
from .relevance import BySimilarity, Judge, TermWeights
from .similarity import Similarity
from .two_rounds import TwoRounds
from .url_lexicon import terms


class Community(TwoRounds):
    """Round one fetches home pages, FRTW finds the community of the most relevant site, round two stays inside it.

    value = α·SC(D,T)/n + β·SC(anchor,T) + γ·SC(url), n the links on the parent D, SC(url) the share of the URL's words that
    are in the lexicon of round one. T is what the words and example pages of the topic say; without any, the seeds' pages.
    Note: the three terms, weighted.
    """

    most_at_once = 1  # the URL with the highest score is next

    def __init__(
        self, words: str, theta: float = 0.5, alpha: float = 0.3, beta: float = 0.3, gamma: float = 0.4,
        phi: float = 0.0, homes: int = 500, most: int = 1000, unit: Literal["site", "host"] = "site",
    ) -> None:  # fmt: skip
        super().__init__(TermWeights(alpha, beta, gamma), phi, homes, most, unit)
        self.words, self.theta = words, theta
        self.similarity_, self.taught_ = Similarity(theta), False

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        for title, content in [(self.words, self.words), *((page.title, page.text) for page in pages)]:
            self.similarity_.teach(title, content)
        self.taught_ = bool(self.similarity_.content)
        return super().start(seeds, pages)

    def observe(self, page: Page) -> Iterable[Say]:
        if page.kept is None and page.document:
            self.meet(page)
        return super().observe(page)

    def meet(self, page: Page) -> None:
        """A page was crawled: its words count; where nobody said what the topic is, pages of the seeds' sites do."""
        self.similarity_.see(page)
        if not self.taught_ and self.site(page.url) in self.seeds_:
            self.similarity_.teach(page.title, page.text)

    def judge(self) -> Judge:
        return BySimilarity(self.similarity_, self.lexicon_)

    def url_terms(self, page: Page, friends: Sequence[Link]) -> tuple[str, ...]:
        return terms([page.url, *(link.url for link in friends)])

    def community(self, around: Neighbourhood) -> set[str]:
        """The members around the most relevant site that has links; without any, the seed sites."""
        linked = around.linked(around.graph.names)
        best = min(linked, key=lambda name: (-self.survey_.homes[name][0], name), default="")
        return self.grown(around.graph, best) if best else around.standing_for(self.seeds_)
