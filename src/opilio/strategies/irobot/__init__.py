"""iRobot: clusters by what repeats and by URL, and crawls along a spanning tree of the clusters worth having."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ...learning.paths import apath
from ...learning.sample import Sample, inside
from ...learning.url_patterns import common_words, pattern
from ...nouns import DROP, Lane, Link, Offer, Page, PastCrawl, Reweigh, Say, Strategy, Terms, Weight
from ...picture import Section
from ...urls import digest
from .flips import is_flip
from .informative import informative
from .regions import cluster_regions, nearest, regions
from .spanning_tree import Arcs, spanning_tree

SAMPLE: Lane = ("sample",)
TREE: Lane = ("tree",)
Cluster = str  # layout and URL pattern


class Irobot(Strategy):
    """Sampled pages are clustered by layout (repetitive regions) and URL pattern; clusters that are not informative are dropped.

    Informativeness = number of pages x mean size of a page x share of pages whose text is not on another one.

    A maximum spanning tree of the rest, from the start page, says which links to follow, by URL pattern and apath; links
    that flip pages are followed too. Nothing else is (Cai et al. 2008, without its step by hand). Note: the links from the start.
    """

    terms = Terms("place in the sample or in the plan", lane="stage")
    notes = ("links from the start",)
    most_at_once = 1  # the next page of the plan

    def __init__(self, sample: int = 200) -> None:
        self.sample = sample
        self.visits_ = 0
        self.sample_: Sample | None = Sample()  # None: it is over
        self.said_: list[tuple[int, int]] = []  # length and digest of the text of each sampled page
        self.flips_: set[str] = set()  # URLs behind page-flipping links of the sample
        self.words_: dict[tuple[str, str], int] = {}
        self.leaders_: list[dict[str, float]] = []
        self.kept_: set[Cluster] = set()
        self.tree_: set[tuple[Cluster, str, str]] = set()  # cluster, apath and URL pattern of the links to follow

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return [Offer(link, 0.0, SAMPLE, (0,)) for link in seeds]

    def observe(self, page: Page) -> Iterable[Say]:
        self.visits_ += 1
        depth = page.offer.note[0] + 1 if page.offer.note else 1
        links = inside(page)
        if self.sample_ is None:
            here = self._cluster(regions(page.paths), page.url)
            yield from (self._offer(link, depth) for link in links if self._follows(here, link, is_flip(link)))
            return
        if page.document:
            self.sample_.add(page.url, page.paths, links)
            self.said_.append((len(page.text), digest(page.text)))
            self.flips_ |= {link.url for link in links if is_flip(link)}
        yield from (Offer(link, self._end(depth), SAMPLE, (depth,)) for link in links)
        if self.visits_ >= self.sample:
            yield from self._planned()

    def dry(self) -> Iterable[Say]:
        return self._planned() if self.sample_ is not None else ()

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        from ..structure.picture import sitemap_picture  # crawls start sooner without

        return sitemap_picture(crawl)

    def weigh(self, lane: Lane) -> Weight:
        return DROP if lane == SAMPLE and self.sample_ is None else Weight()

    def _end(self, depth: int) -> float:
        """A queue with two ends, taken from in turn: the sample has pages near the start and far from it."""
        return float(depth if self.visits_ % 2 else -depth)

    def _planned(self) -> Iterator[Say]:
        """End the sample: cluster, drop, span the tree, and take up the links that lie on it."""
        assert self.sample_ is not None
        sample, self.sample_ = self.sample_, None
        urls = list(sample.urls)
        self.words_ = common_words(urls)
        labels, self.leaders_ = cluster_regions(sample.bags())
        names = [
            f"{label} {pattern(urls[page[0]], self.words_)}" for label, page in zip(labels, sample.pages, strict=True)
        ]
        self.kept_, self.said_ = {*informative(names, self.said_), *names[:1]}, []
        arcs = self._arcs(sample, names)
        self.tree_ = {way for pair in spanning_tree(arcs, names[0] if names else "") for way in arcs[pair]}
        yield Reweigh(SAMPLE)
        for number, path, url in sample.links():
            link = Link(url, urls[sample.pages[number][0]], path=path)
            if self._follows(names[number], link, url in self.flips_):
                yield self._offer(link, 1)
        self.flips_ = set()

    def _arcs(self, sample: Sample, names: list[Cluster]) -> Arcs:
        """Between clusters that are kept: the ways (cluster, apath, pattern) from one to the other, with their links."""
        places = sample.places()
        arcs: Arcs = {}
        for number, path, url in sample.links():
            if url in places and {names[number], names[places[url]]} <= self.kept_:
                ways = arcs.setdefault((names[number], names[places[url]]), Counter())
                ways[names[number], apath(path), pattern(url, self.words_)] += 1
        return arcs

    def _cluster(self, region: dict[str, float], url: str) -> Cluster:
        return f"{nearest(region, self.leaders_)} {pattern(url, self.words_)}"

    def _follows(self, here: Cluster, link: Link, flips: bool) -> bool:
        rule = pattern(link.url, self.words_)
        on_tree = (here, apath(link.path), rule) in self.tree_
        return on_tree or (flips and here in self.kept_ and rule == here.partition(" ")[2])

    def _offer(self, link: Link, depth: int) -> Offer:
        return Offer(link, -float(depth), TREE, (depth,))
