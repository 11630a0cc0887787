"""The harvest: what is known of a site, what its lanes are worth, and what each page teaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ...codec import saved
from ...learning import dead_links
from ...learning.clusters import OUTLIER
from ...learning.navigation import COPY, GONE, RULE, RULED, Kinds, Table, abundance
from ...learning.page_types import WANTED, Learned, Sitemap
from ...learning.paths import apath
from ...learning.url_patterns import Words, common_words, pattern
from ...nouns import DROP, PARK, RELEVANT, Lane, Link, Page, Reweigh, Topic, Weight
from .copies import Copies, text_print
from .goals import Aim, Plan, about, aim, gain, lane_worth
from .lanes import Row, answered, firsts, narrowed, sampled
from .quotas import TRIAL, Quotas
from .redesign import Strays
from .sampling import FEW, Sampling

RESCORE = 25  # pages between two looks at the scores of the clusters
MOVED = 0.01  # a weight that moved by less is left as it is
LEAST_WORTH = 1e-6
NOTHING = Aim({}, {})
COPIED: Kinds = {COPY: 1.0}
STRICT = 4  # a rule with a tenth of copies is worth a third less: the more pages are known, the more will be copies
PAIR = 2  # parts of a lane that is no narrower than a cluster and an apath


@saved
@dataclass(slots=True)
class Harvest:
    """A site, as far as it is known."""

    sitemap: Sitemap
    table: Table = field(default_factory=Table)
    visited: Counter[int] = field(default_factory=Counter)  # pages of each cluster
    aim: Aim = NOTHING
    brought: dict[Lane, float] = field(default_factory=dict)  # wanted pages that stood on the pages which a lane led to
    worth: dict[Lane, float] = field(default_factory=dict)  # of each lane, when it was last weighed
    floor: float = 0.0  # lanes worth less wait
    quotas: Quotas = field(default_factory=Quotas)
    strays: Strays = field(default_factory=Strays)
    words: Words = field(default_factory=dict)  # of the rules by which URLs are made
    copies: Copies = field(default_factory=Copies)
    examples: list[str] = field(default_factory=list)  # their URLs

    def want(self, examples: Sequence[Page]) -> None:
        """Find the examples among the page types that are known."""
        if examples:
            self.sitemap = self.sitemap.with_example(examples[0]).wanting(examples[1:])
            for name in self.sitemap.wanted:
                self.table.rename(name, WANTED)

    def classify(self, page: Page) -> tuple[int, Kinds]:
        """The cluster of a page, and what it counts as."""
        row = self.sitemap.row(page.paths)
        name = self.sitemap.classify(row) if page.document else GONE
        return name, self.sitemap.kinds(name, row)

    def visit(self, page: Page, topic: Topic | None) -> tuple[int, Kinds]:
        """The same for a page that was just fetched; with an example, what says what another page said counts as nothing."""
        name, kinds = self.classify(page)
        if topic:
            kinds = about(kinds, name, topic.page(page))
        if self.examples and page.document and self.copies.repeats(text_print(page), self._as_asked(page.url)):
            kinds = COPIED
        self.visited[COPY if kinds is COPIED else name] += 1
        return name, kinds

    def _as_asked(self, url: str) -> bool:
        """Whether a URL is made by the rule of an example's, or one of both by a longer one: a later page of a thread."""
        rule = pattern(url, self.words)
        asked = [pattern(example, self.words) for example in self.examples]
        return any(rule.startswith(other) or other.startswith(rule) for other in asked)

    def is_wanted(self, page: Page) -> bool:
        """Whether a page is of the kind asked for, as far as is known now."""
        return self.classify(page)[1].get(WANTED, 0.0) >= RELEVANT

    def relearn(
        self, found: Learned, sampling: Sampling, alive: dead_links.Seen, plan: Plan, visits: int
    ) -> Iterable[tuple[Row, Lane]]:
        """Begin anew with these page types and the pages they were found in; links that were put by, with their lanes."""
        self.sitemap, self.table, self.floor = self.strays.restore(found.sitemap), Table(), 0.0
        sampling.names, sampling.quotas = found.names, Quotas()
        self.visited = Counter(found.names)
        self.words = common_words(sampling.pages.urls)
        kinds = [self.sitemap.kinds(name, row) for name, row in zip(found.names, found.rows, strict=True)]
        for place, topical in enumerate(sampling.topical):
            kinds[place] = about(kinds[place], found.names[place], topical)
        for place, repeats in enumerate(self.copies.anew(sampling.prints, map(self._as_asked, sampling.pages.order()))):
            kinds[place] = COPIED if repeats else kinds[place]
        by_url = {url: kinds[place] for url, place in sampling.pages.places().items()}
        rows = sampled(sampling.pages, found.names, self.table)
        known = answered(rows, by_url | {url: {GONE: 1.0} for url in sampling.gone})
        self._count(rows, known.items(), by_url)
        lanes = narrowed(self.table, alive, rows, known, self.words, plan.target)
        for rule in {pattern(example, self.words) for example in self.examples}:
            self.table.add((RULED, RULE + rule), {WANTED: 1.0})
        self.score(plan, visits)
        return firsts((row, lane) for row, lane in zip(rows, lanes, strict=True) if (row.lane, row.url) not in known)

    def _count(
        self, rows: list[Row], known: Iterable[tuple[tuple[Lane, str], Kinds]], by_url: dict[str, Kinds]
    ) -> None:
        self.table.links.update(row.lane for row in rows)
        for (lane, _), shares in known:
            self.table.note(lane, shares)
        for url, shares in by_url.items():
            self.strays.fits(url, shares)
        places = {row.url: row.lane for row in rows}
        many = abundance(self.table, [*self.sitemap.clusters, OUTLIER], places.values())
        self.sitemap = self.sitemap._replace(many=many)

    def lanes(self, source: str, links: list[Link], name: int, alive: dead_links.Seen, target: bool) -> list[Lane]:
        """The lanes of the links of a page."""
        rows = [Row(source, self.table.lane(name, apath(link.path)), link.path, link.url) for link in links]
        self.table.links.update(row.lane for row in rows)
        return narrowed(self.table, alive, rows, {}, self.words, target)

    def teach(self, page: Page, lane: Lane, kinds: Kinds, plan: Plan, visits: int) -> Iterator[Reweigh]:
        """What a page teaches about the lane it came from, and about the lane that led to where its link stood."""
        self.strays.see(page, lane, kinds)
        self.table.note(lane, kinds)
        if len(page.offer.note) > 2 and (found := gain(kinds, self.aim.wanted)):
            way = page.offer.note[1:3]
            self.brought[way] = self.brought.get(way, 0.0) + found
        if self._moved(lane) or self.quotas.due(lane, self.table.answers(lane)):
            yield Reweigh(lane)
        changed = self.strays.changed and plan.past(visits)  # before, pages are strange since few were seen
        if changed or self.strays.many:
            self.sitemap = self.strays.settle(self.sitemap, self.table)
            yield from self._rescored(plan, visits)

    def record(self, lane: Lane) -> list[str]:
        """Where links of a lane have led so far, as a sentence."""
        seen = self.table.counts.get(lane[:PAIR], {})
        followed, wanted = round(sum(seen.values())), round(seen.get(WANTED, 0.0))
        return [f"{followed} links at its place were followed, {wanted} led to such pages"] if followed else []

    def retry(self) -> None:
        """Nothing is left but what waits: everything may be tried once more."""
        self.quotas.retry()
        self.floor = 0.0

    # what lanes are worth

    def weigh(self, lane: Lane) -> Weight:
        if int(lane[0]) >= 0 and int(lane[0]) not in self.sitemap.spread:
            return DROP  # a cluster that was found to be none
        self.worth[lane] = worth = self._worth(lane)
        if worth < self.floor:
            return PARK
        trial = TRIAL if self.aim.target or len(lane) == PAIR else FEW  # the others lead to a folder nobody knows
        return Weight(0.0, worth, self.quotas.grant(lane, self.table.answers(lane), trial))

    def score(self, plan: Plan, visits: int) -> None:
        self.aim = aim(plan, self.table, self.sitemap, self.visited, early=visits < plan.sample)

    def rescore(self, plan: Plan, visits: int) -> Iterator[Reweigh]:
        """Look at the scores of the clusters again, now and then."""
        if visits % RESCORE == 0:
            yield from self._rescored(plan, visits)

    def _rescored(self, plan: Plan, visits: int) -> Iterator[Reweigh]:
        self.score(plan, visits)
        yield from [Reweigh(lane) for lane in self.worth if self._moved(lane)]

    def _worth(self, lane: Lane) -> float:
        table, (scores, wanted, hub, _) = self.table, self.aim
        promised = table.expected(lane, scores)
        if wanted:
            seen, brought = table.answers(lane[:2]), self.brought.get(lane[:2], 0.0)
            promised = lane_worth(promised, table.expected(lane, wanted), seen, brought, hub, TRIAL)
        return promised * dead_links.doubt(lane) * (self._original(lane) if self.aim.target else 1.0)

    def _original(self, lane: Lane) -> float:
        """How likely URLs of the lane's rule are no other addresses of pages that the example's rule leads to as well."""
        seen = self.table.counts.get((RULED, lane[2]), {}) if len(lane) > 2 and lane[2].startswith(RULE) else {}
        return (1 - seen.get(COPY, 0.0) / sum(seen.values())) ** STRICT if COPY in seen else 1.0

    def _moved(self, lane: Lane) -> bool:
        before = self.worth.get(lane, 0.0)
        return abs(self._worth(lane) - before) > MOVED * before

    def raise_floor(self, floor: float) -> Iterator[Reweigh]:
        """Let lanes wait that are worth much less than what is being fetched: a batch need not be full."""
        if floor > max(self.floor, LEAST_WORTH):
            low, self.floor = self.floor, floor
            yield from [Reweigh(lane) for lane, worth in self.worth.items() if low <= worth < floor]
