"""What lanes are worth to a crawl, by where their links have led, what their pages brought and what links call them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...codec import saved
from ...learning import dead_links
from ...learning.navigation import COPY, PAIR, RULED, Kinds, Table, fallbacks, is_ruled
from ...learning.page_types import WANTED
from ...nouns import PARK, Lane, Link, Reweigh, Weight
from .goals import Aim
from .lanes import Row
from .link_names import MOSTLY, Names
from .quotas import TRIAL, Quotas
from .repeats import Repeats
from .sampling import FEW
from .yields import Yields, return_of

MOVED = 0.01  # a weight that moved by less is left as it is
LEAST_WORTH = 1e-6
NOTHING = Aim({}, {})
STRICT = 4  # a rule with a tenth of copies is worth a third less: the more pages are known, the more will be copies
SURER = 2  # power of a chance in sums of many: twenty links of little promise are no list
UNTRIED = 0.7  # worth of a link by whose rule no URL was tried
UNTRIED_HERE = 0.25  # the same where URLs of the rule were tried, but none that stood at that place
FIRST_ANSWERS = 5  # of a rule
LISTED = 0.25  # power of what words say of a link to a list: lists are rarely about something


@saved
@dataclass(slots=True)
class LaneWorths:
    """The lanes of a site, and all that decides what they are worth."""

    table: Table = field(default_factory=Table)
    aim: Aim = NOTHING
    names: Names = field(default_factory=Names)
    repeats: Repeats = field(default_factory=Repeats)
    yields: Yields = field(default_factory=Yields)
    weighed: dict[Lane, float] = field(default_factory=dict)  # what each was worth when it was last looked at
    floor: float = 0.0  # lanes worth less wait
    waiting: Counter[Lane] = field(default_factory=Counter)  # URLs seen in links and not fetched, by lane
    need: float = 1.0  # how likely the crawl will come to what lists bring: less while many wanted pages wait
    quotas: Quotas = field(default_factory=Quotas)

    def restart(self, target: bool) -> None:
        """Where links lead is learned anew."""
        self.table, self.names, self.floor = Table(), Names(), 0.0
        self.quotas = Quotas() if target else self.quotas

    def weigh(self, lane: Lane) -> Weight:
        self.weighed[lane] = worth = self._worth(lane)
        if worth < self.floor:
            return PARK
        answers = self.table.answers(lane)
        if self.aim.target:
            return Weight(0.0, worth, self.quotas.renew(lane, answers, 1 if self._hope(lane) else TRIAL))
        trial = TRIAL if len(lane) == PAIR + 1 else FEW  # the others lead to a folder nobody knows
        return Weight(0.0, worth, self.quotas.grant(lane, answers, trial))

    def hear(self, lane: Lane, kinds: Kinds) -> Iterator[Reweigh]:
        """What was behind a link: a page, or nothing new. The first answers change what all URLs of its rule are worth."""
        self.table.note(lane, kinds)
        self.waiting[lane] -= 1
        if is_ruled(lane) and self.table.answers((RULED, lane[PAIR])) <= FIRST_ANSWERS:
            yield from [Reweigh(other) for other in self.weighed if other[PAIR : PAIR + 1] == lane[PAIR : PAIR + 1]]
        elif self._has_moved(lane) or self.quotas.due(lane, self.table.answers(lane)):
            yield Reweigh(lane)

    def credit(self, lane: Lane, links: list[Link], lanes: list[Lane]) -> None:
        """What new links a page has, for the lane that led to it."""
        new = Counter(way for link, way in zip(links, lanes, strict=True) if self.yields.is_new(link.url))
        self.waiting.update(new)
        self.yields.note(lane, sum(count * self._wanted(way) ** SURER for way, count in new.items()))

    def look_ahead(self, visits: int) -> None:
        """How likely the crawl lasts until what waits is fetched: after n pages it lasts for m more with chance n / (n + m)."""
        stock = sum(count * self._own(lane) ** SURER for lane, count in self.waiting.items() if count > 0)
        self.need = visits / (visits + stock) if stock else 1.0

    def credit_sample(self, rows: Sequence[Row], lanes: Sequence[Lane], fetched: Mapping[str, Kinds]) -> None:
        """What the pages of the sample brought, in the order in which they were fetched."""
        self.yields, self.waiting = Yields(), Counter()
        chances: dict[Lane, float] = {}
        brought: dict[str, float] = dict.fromkeys(fetched, 0.0)
        for row, lane in zip(rows, lanes, strict=True):
            if self.yields.is_new(row.url):
                if lane not in chances:
                    chances[lane] = self._wanted(lane)
                brought[row.source] = brought.get(row.source, 0.0) + chances[lane] ** SURER
                self.waiting[lane] += row.url not in fetched
        for lane, url in {(lane, row.url): 0 for row, lane in zip(rows, lanes, strict=True) if row.url in fetched}:
            self.yields.note(lane, brought[url])

    def record(self, lane: Lane) -> list[str]:
        """Where links of a lane have led so far, as a sentence."""
        seen = self.table.counts.get(lane[:PAIR], {})
        followed, wanted = round(sum(seen.values())), round(seen.get(WANTED, 0.0))
        return [f"{followed} links at its place were followed, {wanted} led to such pages"] if followed else []

    def retry(self) -> None:
        """Nothing is left but what waits: everything may be tried once more."""
        self.quotas.retry()
        self.floor = 0.0

    def raise_floor(self, floor: float) -> Iterator[Reweigh]:
        """Let lanes wait that are worth much less than what is being fetched: a batch need not be full."""
        if floor > max(self.floor, LEAST_WORTH):
            low, self.floor = self.floor, floor
            yield from [Reweigh(lane) for lane, worth in self.weighed.items() if low <= worth < floor]

    def moved(self) -> list[Reweigh]:
        """The lanes that are no longer worth what they were."""
        return [Reweigh(lane) for lane in self.weighed if self._has_moved(lane)]

    def topical(self, lane: Lane, promise: float) -> float:
        """What the words around a link leave of its worth: of wanted pages all that they say, of lists much less."""
        return float(promise ** (LISTED + (1 - LISTED) * self.table.chance(lane, WANTED))) if promise < 1 else 1.0

    def standing(self, rule: str) -> tuple[bool, int]:
        """Whether links call pages by name whose URLs are made by a rule, then how much is known of it."""
        return self.names.share(rule) > MOSTLY, self.table.answers((RULED, rule))

    def _worth(self, lane: Lane) -> float:
        leads = self.table.expected(lane, self.aim.scores)
        brought = self.yields.expected((*reversed(fallbacks(lane)), lane), leads)
        wanted = self._wanted(lane) * self._original(lane)  # what it brought are new links: no copies
        worth = self.need * return_of(wanted, brought) + (1 - self.need) * wanted
        return max(worth * dead_links.doubt(lane), self._hope(lane))

    def _own(self, lane: Lane) -> float:
        """What a page of a lane is worth by itself."""
        return self._wanted(lane) * self._original(lane) * dead_links.doubt(lane)

    def _has_moved(self, lane: Lane) -> bool:
        before = self.weighed.get(lane, 0.0)
        return abs(self._worth(lane) - before) > MOVED * before

    def _wanted(self, lane: Lane) -> float:
        """How much of a wanted page is expected: less where users' pages are wanted and these have no names of their own, or
        only repeat others."""
        wanted = self.table.expected(lane, self.aim.wanted)
        if self.aim.target or not is_ruled(lane):
            return wanted
        return wanted * self.names.worth(lane[PAIR]) * self.repeats.worth(lane[PAIR])

    def _hope(self, lane: Lane) -> float:
        """The least worth of a lane for one fetch, as long as nothing was tried by its rule, or by its rule at its place."""
        if not self.aim.target or not is_ruled(lane) or lane[: PAIR + 1] in self.table.counts:
            return 0.0
        return UNTRIED_HERE if (RULED, lane[PAIR]) in self.table.counts else UNTRIED

    def _original(self, lane: Lane) -> float:
        """How likely URLs of the lane's rule are no other addresses of pages that the example's rule leads to as well."""
        seen = self.table.counts.get((RULED, lane[PAIR]), {}) if is_ruled(lane) else {}
        return (1 - seen.get(COPY, 0.0) / sum(seen.values())) ** STRICT if COPY in seen else 1.0
