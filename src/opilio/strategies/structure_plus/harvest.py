"""The harvest: what is known of a site, what its lanes are worth, and what each page teaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ...codec import saved
from ...learning import dead_links
from ...learning.clusters import OUTLIER
from ...learning.navigation import COPY, GONE, PAIR, RULE, RULED, Kinds, Table, abundance, fallbacks, is_ruled
from ...learning.page_types import WANTED, Learned, Sitemap
from ...learning.paths import apath
from ...learning.url_patterns import Words, common_words, pattern
from ...nouns import DROP, PARK, RELEVANT, Lane, Link, Page, Reweigh, Weight
from .copies import Copies, text_print
from .goals import Aim, Plan, aim, less
from .lanes import Row, answered, few, firsts, narrowed, sampled
from .link_names import MOSTLY, Names, name_in
from .quotas import TRIAL, Quotas
from .redesign import Strays
from .sampling import FEW, Sampling
from .yields import Yields, return_of

RESCORE = 25  # pages between two looks at the scores of the clusters
MOVED = 0.01  # a weight that moved by less is left as it is
LEAST_WORTH = 1e-6
NOTHING = Aim({}, {})
COPIED: Kinds = {COPY: 1.0}
STRICT = 4  # a rule with a tenth of copies is worth a third less: the more pages are known, the more will be copies
SURER = 2  # power of a chance in sums of many: twenty links of little promise are no list
OTHER_RULE = 0.7  # of a wanted page is one that looks like the example and has an address of another kind
UNTRIED = 0.7  # worth of a link by whose rule no URL was tried
UNTRIED_HERE = 0.25  # the same where URLs of the rule were tried, but none that stood at that place
FIRST_ANSWERS = 5  # of a rule
LISTED = 0.25  # power of what words say of a link to a list: lists are rarely about something


@saved
@dataclass(slots=True)
class Harvest:
    """A site, as far as it is known."""

    sitemap: Sitemap
    table: Table = field(default_factory=Table)
    visited: Counter[int] = field(default_factory=Counter)  # pages of each cluster
    aim: Aim = NOTHING
    worth: dict[Lane, float] = field(default_factory=dict)  # of each lane, when it was last weighed
    floor: float = 0.0  # lanes worth less wait
    quotas: Quotas = field(default_factory=Quotas)
    strays: Strays = field(default_factory=Strays)
    words: Words = field(default_factory=dict)  # of the rules by which URLs are made
    menu: set[str] = field(default_factory=set)  # URLs that most pages link to
    copies: Copies = field(default_factory=Copies)
    examples: list[str] = field(default_factory=list)  # their URLs
    yields: Yields = field(default_factory=Yields)
    names: Names = field(default_factory=Names)

    def want(self, examples: Sequence[Page]) -> None:
        """Find the examples among the page types that are known."""
        self.examples = [example.url for example in examples]
        if examples:
            self.sitemap = self.sitemap.with_example(examples[0]).wanting(examples[1:])
            for name in self.sitemap.wanted:
                self.table.rename(name, WANTED)

    def classify(self, page: Page) -> tuple[int, Kinds]:
        """The cluster of a page, and what it counts as."""
        row = self.sitemap.row(page.paths)
        name = self.sitemap.classify(row) if page.document else GONE
        return name, self.sitemap.kinds(name, row)

    def visit(self, page: Page) -> tuple[int, Kinds]:
        """The same for a page that was just fetched; what says what another page said counts as nothing."""
        name, kinds = self.classify(page)
        kinds = self._by_rule(page.url, name, kinds)
        if page.document and self._repeats(self.copies, text_print(page), page.url):
            kinds = COPIED
        self.visited[COPY if kinds is COPIED else name] += 1
        return name, kinds

    def _repeats(self, copies: Copies, text: int, url: str) -> bool:
        """Whether a page says what one before it has said; if its address is the better one, that one was the copy."""
        rule = self.rule(url)
        before = copies.first(text, rule)
        if before is None:
            return False
        better = self._exactly(url) if self.examples else self._has_precedence(rule, before)
        if before != rule and better:
            self.table.add((RULED, before), COPIED)
        return not better

    def _has_precedence(self, rule: str, other: str) -> bool:
        """Whether links call pages by name that have one rule and not the other, else whether more is known of it."""
        return self._standing(rule) > self._standing(other)

    def _standing(self, rule: str) -> tuple[bool, int]:
        return self.names.share(rule) > MOSTLY, self.table.answers((RULED, rule))

    def _by_rule(self, url: str, name: int, kinds: Kinds) -> Kinds:
        """What a page counts as that looks like the example, but whose URL is made by another rule."""
        return kinds if WANTED not in kinds or self._as_asked(url) else less(kinds, name, OTHER_RULE)

    def rule(self, url: str) -> str:
        """By which the URL is made; what is in the menus of a site is one of a kind."""
        return RULE + (url if url in self.menu else pattern(url, self.words))

    def _exactly(self, url: str) -> bool:
        """Whether a URL is made by the rule of an example's."""
        return self.rule(url) in map(self.rule, self.examples)

    def _as_asked(self, url: str) -> bool:
        """Whether a URL is made by the rule of an example's, or one of both has a number more: a later page of a thread."""
        rule, asked = self.rule(url), [self.rule(example) for example in self.examples]
        return any(rule == other or _later(rule, other) or _later(other, rule) for other in asked)

    def is_wanted(self, page: Page) -> bool:
        """Whether a page is of the kind asked for, as far as is known now."""
        return self.classify(page)[1].get(WANTED, 0.0) >= RELEVANT

    def relearn(
        self, found: Learned, sampling: Sampling, alive: dead_links.Seen, plan: Plan, visits: int
    ) -> Iterable[tuple[Row, Lane]]:
        """Begin anew with these page types and the pages they were found in; links that were put by, with their lanes."""
        self.sitemap, self.table, self.floor = self.strays.restore(found.sitemap), Table(), 0.0
        sampling.names, sampling.quotas = found.names, Quotas()
        self.quotas = Quotas() if plan.target else self.quotas
        self.visited = Counter(found.names)
        self.words = common_words(sampling.pages.urls)
        self.names = Names()
        for url, name in sampling.called.items():
            self.names.hear(self.rule(url), url, name)
        self.names.compare()
        self.menu = sampling.menu() if plan.target else set()
        sampling.rules = Counter(map(self.rule, sampling.pages.order())) if plan.target else Counter()
        kinds = [self.sitemap.kinds(name, row) for name, row in zip(found.names, found.rows, strict=True)]
        for place, url in enumerate(sampling.pages.order()):
            kinds[place] = self._by_rule(url, found.names[place], kinds[place])
        copies = Copies()
        for place, (text, url) in enumerate(zip(sampling.prints, sampling.pages.order(), strict=False)):
            kinds[place] = COPIED if self._repeats(copies, text, url) else kinds[place]
        self.copies.add(copies)
        by_url = {url: kinds[place] for url, place in sampling.pages.places().items()}
        rows = sampled(sampling.pages, found.names, self.table)
        known = answered(rows, by_url | {url: {GONE: 1.0} for url in sampling.gone})
        self._count(rows, known.items(), by_url)
        narrow = narrowed(self.table, alive, rows, known, self.rule, plan.target)
        lanes = few(narrow, (row.lane for row in rows), self.worth)
        if not plan.target:
            self._count_names(rows, lanes)
        for rule in set(map(self.rule, self.examples)):
            self.table.add((RULED, rule), {WANTED: 1.0})
        self.score(plan, visits)
        if sampling.whole:
            self._count_yields(rows, lanes, by_url)
        return firsts((row, lane) for row, lane in zip(rows, lanes, strict=True) if (row.lane, row.url) not in known)

    def _count_names(self, rows: list[Row], lanes: list[Lane]) -> None:
        """How many pages of each type there are, as far as links show, those that have a name of their own."""
        places = {row.url: lane for row, lane in zip(rows, lanes, strict=True)}
        many = abundance(
            self.table,
            [*self.sitemap.clusters, OUTLIER],
            places.values(),
            lambda lane: self.names.share(lane[PAIR]) if is_ruled(lane) else 1.0,
        )
        self.sitemap = self.sitemap._replace(many=many)

    def _count_yields(self, rows: list[Row], lanes: list[Lane], by_url: dict[str, Kinds]) -> None:
        """What the pages of the sample brought, in the order in which they were fetched."""
        self.yields = Yields()
        chances: dict[Lane, float] = {}
        brought: dict[str, float] = dict.fromkeys(by_url, 0.0)
        for row, lane in zip(rows, lanes, strict=True):
            if self.yields.is_new(row.url):
                if lane not in chances:
                    chances[lane] = self._wanted(lane)
                brought[row.source] = brought.get(row.source, 0.0) + chances[lane] ** SURER
        for lane, url in {(lane, row.url): 0 for row, lane in zip(rows, lanes, strict=True) if row.url in by_url}:
            self.yields.note(lane, brought[url])

    def credit(self, lane: Lane, links: list[Link], lanes: list[Lane]) -> None:
        """What new links a page has, for the lane that led to it."""
        new = Counter(way for link, way in zip(links, lanes, strict=True) if self.yields.is_new(link.url))
        self.yields.note(lane, sum(count * self._wanted(way) ** SURER for way, count in new.items()))

    def _count(
        self, rows: list[Row], known: Iterable[tuple[tuple[Lane, str], Kinds]], by_url: dict[str, Kinds]
    ) -> None:
        self.table.links.update(row.lane for row in rows)
        for (lane, _), shares in known:
            self.table.note(lane, shares)
        for url, shares in by_url.items():
            self.strays.fits(url, shares)

    def lanes(self, source: str, links: list[Link], name: int, alive: dead_links.Seen, target: bool) -> list[Lane]:
        """The lanes of the links of a page."""
        rows = [Row(source, self.table.lane(name, apath(link.path)), link.path, link.url) for link in links]
        self.table.links.update(row.lane for row in rows)
        if not target:
            for link in links:
                self.names.hear(self.rule(link.url), link.url, name_in(link.anchor))
        return few(narrowed(self.table, alive, rows, {}, self.rule, target), (row.lane for row in rows), self.worth)

    def teach(self, page: Page, lane: Lane, kinds: Kinds, plan: Plan, visits: int) -> Iterator[Reweigh]:
        """What a page teaches about the lane it came from, and about the lane that led to where its link stood."""
        self.strays.see(page, lane, kinds)
        yield from self.hear(lane, kinds)
        changed = self.strays.changed and plan.past(visits)  # before, pages are strange since few were seen
        if changed or self.strays.many:
            self.sitemap = self.strays.settle(self.sitemap, self.table)
            yield from self._rescored(plan, visits)

    def hear(self, lane: Lane, kinds: Kinds) -> Iterator[Reweigh]:
        """What was behind a link: a page, or nothing new. The first answers change what all URLs of its rule are worth."""
        self.table.note(lane, kinds)
        if is_ruled(lane) and self.table.answers((RULED, lane[PAIR])) <= FIRST_ANSWERS:
            yield from [Reweigh(other) for other in self.worth if other[PAIR : PAIR + 1] == lane[PAIR : PAIR + 1]]
        elif self._moved(lane) or self.quotas.due(lane, self.table.answers(lane)):
            yield Reweigh(lane)

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
        answers = self.table.answers(lane)
        if self.aim.target:
            return Weight(0.0, worth, self.quotas.renew(lane, answers, 1 if self._hope(lane) else TRIAL))
        trial = TRIAL if len(lane) == PAIR + 1 else FEW  # the others lead to a folder nobody knows
        return Weight(0.0, worth, self.quotas.grant(lane, answers, trial))

    def score(self, plan: Plan, visits: int) -> None:
        self.names.compare()
        self.aim = aim(plan, self.table, self.sitemap, self.visited, early=visits < plan.sample)

    def rescore(self, plan: Plan, visits: int) -> Iterator[Reweigh]:
        """Look at the scores of the clusters again, now and then."""
        if visits % RESCORE == 0:
            yield from self._rescored(plan, visits)

    def _rescored(self, plan: Plan, visits: int) -> Iterator[Reweigh]:
        self.score(plan, visits)
        yield from [Reweigh(lane) for lane in self.worth if self._moved(lane)]

    def _worth(self, lane: Lane) -> float:
        leads = self.table.expected(lane, self.aim.scores)
        brought = self.yields.expected((*reversed(fallbacks(lane)), lane), leads)
        wanted = self._wanted(lane) * self._original(lane)  # what it brought are new links: no copies
        return max(return_of(wanted, brought) * dead_links.doubt(lane), self._hope(lane))

    def topical(self, lane: Lane, promise: float) -> float:
        """What the words around a link leave of its worth: of wanted pages all that they say, of lists much less."""
        return float(promise ** (LISTED + (1 - LISTED) * self.table.chance(lane, WANTED))) if promise < 1 else 1.0

    def _wanted(self, lane: Lane) -> float:
        """How much of a wanted page is expected: less where users' pages are wanted and these have no names of their own."""
        wanted = self.table.expected(lane, self.aim.wanted)
        return wanted if self.aim.target or not is_ruled(lane) else wanted * self.names.worth(lane[PAIR])

    def _hope(self, lane: Lane) -> float:
        """The least worth of a lane for one fetch, as long as nothing was tried by its rule, or by its rule at its place."""
        if not self.aim.target or not is_ruled(lane) or lane[: PAIR + 1] in self.table.counts:
            return 0.0
        return UNTRIED_HERE if (RULED, lane[PAIR]) in self.table.counts else UNTRIED

    def _original(self, lane: Lane) -> float:
        """How likely URLs of the lane's rule are no other addresses of pages that the example's rule leads to as well."""
        seen = self.table.counts.get((RULED, lane[PAIR]), {}) if is_ruled(lane) else {}
        return (1 - seen.get(COPY, 0.0) / sum(seen.values())) ** STRICT if COPY in seen else 1.0

    def _moved(self, lane: Lane) -> bool:
        before = self.worth.get(lane, 0.0)
        return abs(self._worth(lane) - before) > MOVED * before

    def raise_floor(self, floor: float) -> Iterator[Reweigh]:
        """Let lanes wait that are worth much less than what is being fetched: a batch need not be full."""
        if floor > max(self.floor, LEAST_WORTH):
            low, self.floor = self.floor, floor
            yield from [Reweigh(lane) for lane, worth in self.worth.items() if low <= worth < floor]


def _later(rule: str, first: str) -> bool:
    """Whether a rule is another one with a number at its end: the later pages of what that one leads to."""
    return rule.startswith(first) and "#" in rule[len(first) :] and "*" not in rule[len(first) :]
