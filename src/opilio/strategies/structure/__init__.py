"""Structure: learns a site's templates from a sample, then follows the links that lead to the wanted ones (SOUrCe)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from ...learning.clusters import BINS, OUTLIER
from ...learning.navigation import GONE, Table
from ...learning.page_types import Sitemap
from ...learning.paths import apath
from ...learning.sample import SAMPLE, Sample, inside
from ...nouns import DROP, Keep, Lane, Link, Offer, Page, PastCrawl, Reweigh, Say, Strategy, Terms, Weight
from ...picture import Section
from .from_sample import learn, navigation, one_of_each, put_by
from .scores import PARTS, SAMPLINGS, Scores, Wish, score

EDGE = "edge"  # third part of lanes: what is behind the link is at the edge of a recording
RESCORE = 25  # pages between two looks at the scores of the clusters
MOVED = 0.01  # a weight that moved by less is left as it is


class Structure(Strategy):
    """Score(url) = Σ P(C | C(p), apath)·Score(C); lanes are (cluster, apath), P is learned from a sample (Xu et al. 2018).

    Score(C) = Info·DSim·Balance for user content, Info = α·a + (1-α)·h, α = 0.5; for a target Info with a = 1 for the
    example's cluster and 0 for all others, α = 0.8. Note: the cluster of the page that the link stands on.
    """

    terms = Terms("link", scale="worth of its navigation", lane="page type and path of the link")
    notes = ("page type of the parent, or depth in the sample",)
    most_at_once = 1  # "the uncrawled URL with the highest score in the queue is selected next" (4.4.1)

    def __init__(
        self, goal: str = "", example: Page | None = None, seed: int = 0, perimeter: Collection[str] = (), sample: int = 200,
        sampling: str = SAMPLINGS[0], bins: str = BINS[0], alpha: float | None = None, parts: str = "+".join(PARTS),
    ) -> None:  # fmt: skip
        self.wish = Wish.of(goal, example, sampling, bins, alpha, parts)
        self.example = example if self.wish.target else None
        self.seed, self.perimeter, self.sample = seed, frozenset(perimeter if self.wish.target else ()), sample
        self.visits_ = 0
        self.sample_: Sample | None = Sample()  # None: it is over
        self.sitemap_: Sitemap | None = None
        self.table_ = Table()
        self.visited_: Counter[int] = Counter()  # pages of each cluster
        self.scores_ = Scores({}, {})
        self.worth_: dict[Lane, float] = {}  # of each lane, when it was last weighed

    def know_site(self, text: str, name: str) -> None:
        from .survey_file import read  # crawls that know no site start sooner without

        sitemap, self.table_ = read(text, name)
        self.sample_, self.sitemap_ = None, sitemap.with_example(self.example) if self.example else sitemap
        self._score(self.sitemap_)

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        """Seeds open the sample; where the site was learned before, they open the harvest."""
        lane, note = ((SAMPLE,), 0) if self.sample_ is not None else ((str(OUTLIER), ""), OUTLIER)
        return [Offer(link, 0.0, lane, (note,)) for link in seeds]

    def observe(self, page: Page) -> Iterable[Say]:
        self.visits_ += 1
        if self.sitemap_ is not None:
            return self._harvested(page, inside(page), self.sitemap_)
        return self._sampled(page, inside(page), self.sample_) if self.sample_ is not None else ()

    def dry(self) -> Iterable[Say]:
        return self._learned(self.sample_) if self.sample_ is not None else ()

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        from .picture import sitemap_picture  # crawls start sooner without

        return sitemap_picture(crawl)

    def weigh(self, lane: Lane) -> Weight:
        if lane == (SAMPLE,):
            return Weight() if self.sample_ is not None else DROP
        self.worth_[lane] = worth = self._worth(lane)
        return Weight(0.0, worth)

    def _sampled(self, page: Page, links: list[Link], sample: Sample) -> Iterator[Say]:
        """One link of each apath is followed, nearest to the start first; the others are put by."""
        yield Keep((("type", ""),))
        depth = page.offer.note[0] + 1 if page.offer.note else 1
        if page.document:
            sample.add(page.url, page.paths, links)
        chosen = one_of_each(links, f"{self.seed} {page.url}") if self.wish.sampling == SAMPLINGS[0] else links
        yield from [Offer(link, -float(depth), (SAMPLE,), (depth,)) for link in chosen]
        if self.visits_ >= self.sample:
            yield from self._learned(sample)

    def _learned(self, sample: Sample) -> Iterator[Say]:
        """Find the clusters of the sample, fill the table, and offer the links that were put by."""
        self.sample_, (self.sitemap_, names) = None, learn(sample.bags(), self.example, self.wish.bins)
        self.table_, self.visited_ = navigation(sample, names), Counter(names)
        self._score(self.sitemap_)
        for name, link in put_by(sample, names):
            yield Offer(link, 1.0, self._lane(name, link.path, link.url), (name,))
        yield Reweigh()

    def _harvested(self, page: Page, links: list[Link], sitemap: Sitemap) -> Iterator[Say]:
        name = sitemap.classify(sitemap.row(page.paths)) if page.document else GONE
        self.visited_[name] += 1
        yield Keep((("type", str(name) if name >= 0 else ""),))
        yield from [Offer(link, 1.0, self._lane(name, link.path, link.url), (name,)) for link in links]
        if self.visits_ % RESCORE == 0:
            self._score(sitemap)
            moved = [lane for lane, worth in self.worth_.items() if abs(self._worth(lane) - worth) > MOVED * worth]
            yield from map(Reweigh, moved)

    def _lane(self, name: int, path: str, url: str) -> Lane:
        """The pair; pairs that the sample did not show are worth nothing and need no lanes of their own."""
        pair = (str(name), apath(path))
        known = pair if pair in self.table_.links else (str(name), "")
        return (*known, EDGE) if url in self.perimeter else known

    def _score(self, sitemap: Sitemap) -> None:
        self.scores_ = score(self.wish, self.table_, sitemap, self.visited_)

    def _worth(self, lane: Lane) -> float:
        return self.table_.exact(lane[:2], self.scores_.edge if lane[2:] == (EDGE,) else self.scores_.whole)
