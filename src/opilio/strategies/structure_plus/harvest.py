"""The harvest: what is known of a site, and what each page teaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ...codec import saved
from ...learning import dead_links
from ...learning.clusters import OUTLIER
from ...learning.navigation import COPY, GONE, PAIR, RULED, Kinds, abundance, is_ruled
from ...learning.page_types import WANTED, Learned, Sitemap
from ...learning.paths import Matrix, apath
from ...nouns import DROP, RELEVANT, Lane, Link, Page, Reweigh, Weight
from .copies import Copies, text_print
from .goals import Plan, aim, less
from .lane_worths import LaneWorths
from .lanes import Known, Row, answered, few, firsts, narrowed, sampled
from .link_names import name_in
from .quotas import Quotas
from .redesign import Strays
from .rule_likeness import separation
from .sampling import Sampling
from .url_rules import UrlRules

RESCORE = 25  # pages between two looks at the scores of the clusters
COPIED: Kinds = {COPY: 1.0}
OTHER_RULE = 0.7  # of a wanted page is one that looks like the example and has an address of another kind


@saved
@dataclass(slots=True)
class Harvest:
    """A site, as far as it is known."""

    sitemap: Sitemap
    worths: LaneWorths = field(default_factory=LaneWorths)
    rules: UrlRules = field(default_factory=UrlRules)
    visited: Counter[int] = field(default_factory=Counter)  # pages of each cluster
    strays: Strays = field(default_factory=Strays)
    copies: Copies = field(default_factory=Copies)
    apart: dict[str, float] = field(default_factory=dict)  # by rule of URLs: how surely its pages are no wanted ones

    def want(self, examples: Sequence[Page]) -> None:
        """Find the examples among the page types that are known."""
        self.rules.examples = [example.url for example in examples]
        if examples:
            self.sitemap = self.sitemap.with_example(examples[0]).wanting(examples[1:])
            for name in self.sitemap.wanted:
                self.worths.table.rename(name, WANTED)

    # what a page is

    def classify(self, page: Page) -> tuple[int, Kinds]:
        """The cluster of a page, and what it counts as."""
        row = self.sitemap.row(page.paths)
        name = self.sitemap.classify(row) if page.document else GONE
        return name, self.sitemap.kinds(name, row)

    def is_wanted(self, page: Page) -> bool:
        """Whether a page is of the kind asked for, as far as is known now."""
        return self.classify(page)[1].get(WANTED, 0.0) >= RELEVANT

    def visit(self, page: Page) -> tuple[int, Kinds]:
        """The same for a page that was just fetched; what says what another page said counts as nothing."""
        name, kinds = self.classify(page)
        kinds = self.by_rule(page.url, name, kinds)
        if page.document and self._repeats(self.copies, text_print(page), page.url):
            kinds = COPIED
        elif page.document and not self.rules.examples:
            self.worths.repeats.see(self.rules.rule(page.url), page)
        self.visited[COPY if kinds is COPIED else name] += 1
        return name, kinds

    def by_rule(self, url: str, name: int, kinds: Kinds) -> Kinds:
        """What a page counts as that looks like the example, but whose URL is made by another rule."""
        if WANTED not in kinds or self.rules.is_asked(url):
            return kinds
        return less(kinds, name, OTHER_RULE * (1 - self.apart.get(self.rules.rule(url), 0.0)))

    def compare_rules(self, urls: list[str], names: list[int], rows: Matrix) -> None:
        """How surely pages of each rule that look like the example are told apart from those of its own rule."""
        places: dict[str, list[int]] = {}
        for place, (url, name) in enumerate(zip(urls, names, strict=True)):
            if name in self.sitemap.wanted:
                places.setdefault(self.rules.rule(url), []).append(place)
        asked = [place for rule in set(self.rules.asked) for place in places.get(rule, [])]
        self.apart = {rule: separation(rows[asked], rows[own]) for rule, own in places.items()}

    def _repeats(self, copies: Copies, text: int, url: str) -> bool:
        """Whether a page says what one before it has said; if its address is the better one, that one was the copy."""
        rule = self.rules.rule(url)
        before = copies.first(text, rule)
        if before is None:
            return False
        near, known = self.rules.nearness, self.worths.standing
        usual = near(rule) > near(before) if self.rules.examples else known(rule) > known(before)
        better = usual or rule in self.rules.asked
        if before != rule and better:
            self.worths.table.add((RULED, before), COPIED)
        return not better

    # what its links are worth

    def lanes(self, source: str, links: list[Link], name: int, alive: dead_links.Seen, target: bool) -> list[Lane]:
        """The lanes of the links of a page."""
        table, rule = self.worths.table, self.rules.rule
        rows = [Row(source, table.lane(name, apath(link.path)), link.path, link.url) for link in links]
        table.links.update(row.lane for row in rows)
        if not target:
            for link in links:
                self.worths.names.hear(rule(link.url), link.url, name_in(link.anchor))
        return self._narrowed(rows, alive, {}, target)

    def _narrowed(self, rows: list[Row], alive: dead_links.Seen, known: Known, target: bool) -> list[Lane]:
        lanes = narrowed(self.worths.table, alive, rows, known, self.rules.rule, target)
        return few(lanes, (row.lane for row in rows), self.worths.weighed)

    def weigh(self, lane: Lane) -> Weight:
        is_none = int(lane[0]) >= 0 and int(lane[0]) not in self.sitemap.spread  # a cluster found to be no type
        return DROP if is_none else self.worths.weigh(lane)

    def teach(self, page: Page, lane: Lane, kinds: Kinds, plan: Plan, visits: int) -> Iterator[Reweigh]:
        """What a page teaches about the lane it came from, and about the lane that led to where its link stood."""
        self.strays.see(page, lane, kinds)
        yield from self.worths.hear(lane, kinds)
        changed = self.strays.changed and plan.past(visits)  # before, pages are strange since few were seen
        if changed or self.strays.many:
            self.sitemap = self.strays.settle(self.sitemap, self.worths.table)
            yield from self._rescored(plan, visits)

    def score(self, plan: Plan, visits: int) -> None:
        self.worths.names.compare()
        self.worths.aim = aim(plan, self.worths.table, self.sitemap, self.visited, early=visits < plan.sample)
        if not plan.target:
            self.worths.look_ahead(visits)

    def rescore(self, plan: Plan, visits: int) -> Iterator[Reweigh]:
        """Look at the scores of the clusters again, now and then."""
        if visits % RESCORE == 0:
            yield from self._rescored(plan, visits)

    def _rescored(self, plan: Plan, visits: int) -> Iterator[Reweigh]:
        self.score(plan, visits)
        yield from self.worths.moved()

    # what a sample teaches

    def relearn(
        self, found: Learned, sampling: Sampling, alive: dead_links.Seen, plan: Plan, visits: int
    ) -> Iterable[tuple[Row, Lane]]:
        """Begin anew with these page types and the pages they were found in; links that were put by, with their lanes."""
        self._restart(found, sampling, plan)
        fetched = self._fetched(found, sampling)
        rows = sampled(sampling.pages, found.names, self.worths.table)
        known = answered(rows, fetched | {url: {GONE: 1.0} for url in sampling.gone})
        self._count(rows, known, fetched)
        lanes = self._narrowed(rows, alive, known, plan.target)
        if not plan.target:
            self._count_names(rows, lanes)
        for rule in set(self.rules.asked):
            self.worths.table.add((RULED, rule), {WANTED: 1.0})
        self.score(plan, visits)
        if sampling.whole:
            self.worths.credit_sample(rows, lanes, fetched)
        return firsts((row, lane) for row, lane in zip(rows, lanes, strict=True) if (row.lane, row.url) not in known)

    def _restart(self, found: Learned, sampling: Sampling, plan: Plan) -> None:
        self.sitemap, self.visited = self.strays.restore(found.sitemap), Counter(found.names)
        self.worths.restart(plan.target)
        self.rules.learn(sampling.pages.urls, sampling.menu() if plan.target else set())
        sampling.names, sampling.quotas = found.names, Quotas()
        sampling.rules = Counter(map(self.rules.rule, sampling.pages.order())) if plan.target else Counter()
        for url, name in sampling.called.items():
            self.worths.names.hear(self.rules.rule(url), url, name)
        self.worths.names.compare()

    def _fetched(self, found: Learned, sampling: Sampling) -> dict[str, Kinds]:
        """What each page of the sample counts as."""
        urls = list(sampling.pages.order())
        self.compare_rules(urls, found.names, found.rows)
        kinds = [
            self.by_rule(url, name, self.sitemap.kinds(name, row))
            for url, name, row in zip(urls, found.names, found.rows, strict=True)
        ]
        copies = Copies()
        for place, (text, url) in enumerate(zip(sampling.prints, urls, strict=False)):
            kinds[place] = COPIED if self._repeats(copies, text, url) else kinds[place]
        self.copies.add(copies)
        return {url: kinds[place] for url, place in sampling.pages.places().items()}

    def _count(self, rows: list[Row], known: Known, fetched: dict[str, Kinds]) -> None:
        self.worths.table.links.update(row.lane for row in rows)
        for (lane, _), shares in known.items():
            self.worths.table.note(lane, shares)
        for url, shares in fetched.items():
            self.strays.fits(url, shares)

    def _count_names(self, rows: list[Row], lanes: list[Lane]) -> None:
        """How many pages of each type there are, as far as links show, those that have a name of their own."""
        places = {row.url: lane for row, lane in zip(rows, lanes, strict=True)}
        many = abundance(
            self.worths.table,
            [*self.sitemap.clusters, OUTLIER],
            places.values(),
            lambda lane: self.worths.names.share(lane[PAIR]) if is_ruled(lane) else 1.0,
        )
        self.sitemap = self.sitemap._replace(many=many)
