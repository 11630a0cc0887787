"""Target map: one example gives the URL patterns of the way to pages like it, and nothing else is followed (TPM)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from ...errors import ConfigError
from ...learning.sample import Sample, inside
from ...learning.url_patterns import common_words, pattern
from ...nouns import DROP, Lane, Link, Offer, Page, PastCrawl, Reweigh, Say, Strategy, Terms, Weight
from ...picture import Section
from .tree_match import ALIKE, Shapes

SAMPLE: Lane = ("sample",)
WAY: Lane = ("way",)
TARGET: Lane = ("target",)


class TargetMap(Strategy):
    """Target pages map (Vidal et al. 2006): of a breadth-first sample, the chain of URL patterns that leads to most targets.

    Targets of the sample are pages whose tree is like the example's.
    Then a page of the chain's n-th pattern is left by links of pattern n, n+1 or the last one, the target's.
    Note: the links from the start.
    """

    terms = Terms("minus the number of links from the start", shift="bonus of targets", lane="stage")
    notes = ("links from the start",)
    most_at_once = 1  # the next page of the way

    def __init__(self, example: Page, perimeter: Collection[str] = (), sample: int = 200) -> None:
        if not example.paths:
            raise ConfigError("strategy target-map needs an example page that can be read as HTML")
        self.example, self.perimeter, self.sample = example, frozenset(perimeter), sample
        self.shapes = Shapes()
        self.wanted = self.shapes.read(example)
        self.visits_ = 0
        self.targets_: list[str] = []  # of the sample
        self.sample_: Sample | None = Sample()  # None: it is over
        self.parents_: dict[str, str] = {}  # the sampled page on which a sampled page was found
        self.words_: dict[tuple[str, str], int] = {}
        self.way_: list[str] = []  # patterns from the start to the target

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return [Offer(link, 0.0, SAMPLE, (0,)) for link in seeds]

    def observe(self, page: Page) -> Iterable[Say]:
        self.visits_ += 1
        depth = page.offer.note[0] + 1 if page.offer.note else 1
        if self.sample_ is None:
            yield from self._followed(page.url, inside(page), depth)
            return
        self.parents_[page.url] = page.offer.link.source
        links = inside(page)
        if page.document:
            self.sample_.add(page.url, {}, links)
            self.targets_ += [page.url] if self._alike(page) else []
        yield from (Offer(link, -float(depth), SAMPLE, (depth,)) for link in links)
        if self.visits_ >= self.sample:
            yield from self._mapped()

    def dry(self) -> Iterable[Say]:
        return self._mapped() if self.sample_ is not None else ()

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        from ..structure.picture import sitemap_picture  # crawls start sooner without

        return sitemap_picture(crawl)

    def weigh(self, lane: Lane) -> Weight:
        if lane == SAMPLE:
            return Weight() if self.sample_ is not None else DROP
        return Weight(1e6 if lane == TARGET else 0.0)

    def _mapped(self) -> Iterator[Say]:
        """End the sample: find the targets in it, choose the way, and take up the links that lie on it."""
        assert self.sample_ is not None
        sample, self.sample_ = self.sample_, None
        urls = list(sample.urls)
        self.words_ = common_words([*urls, self.example.url])
        self.way_ = self._best_way(self.targets_)
        self.parents_, self.targets_ = {}, []
        yield Reweigh(SAMPLE)
        for page, _, ways in sample.pages:
            links = [Link(urls[url], urls[page]) for _, url in ways]
            yield from self._followed(urls[page], links, 1)

    def _alike(self, page: Page) -> bool:
        """Whether a page has the structure of the example."""
        found = self.shapes.read(page)
        return min(found, self.wanted) >= 0 and self.shapes.alike(found, self.wanted) >= ALIKE

    def _best_way(self, targets: list[str]) -> list[str]:
        """The chain of patterns that most targets share, ending in the pattern that the most like the example have."""
        ways = Counter(tuple(self._chain(url)) for url in targets)
        goal = pattern(self.example.url, self.words_)
        ending = Counter({way: count for way, count in ways.items() if way[-1] == goal}) or ways
        best = max(ending.values(), default=0)
        return list(min(way for way in ending if ending[way] == best)) if ending else [goal]

    def _chain(self, url: str) -> list[str]:
        chain: list[str] = []
        seen: set[str] = set()
        while url and url not in seen:
            seen.add(url)
            step = pattern(url, self.words_)
            if not chain or chain[-1] != step:
                chain.append(step)
            url = self.parents_.get(url, "")
        return chain[::-1]

    def _followed(self, url: str, links: Iterable[Link], depth: int) -> Iterator[Say]:
        here = pattern(url, self.words_)
        level = self.way_.index(here) if here in self.way_ else len(self.way_)
        allowed = {*self.way_[level : level + 2], self.way_[-1]}
        for link in links:
            rule = pattern(link.url, self.words_)
            if rule == self.way_[-1]:
                yield Offer(link, -float(depth), TARGET, (depth,))
            elif rule in allowed and link.url not in self.perimeter:
                yield Offer(link, -float(depth), WAY, (depth,))
