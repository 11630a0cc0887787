"""Structure: learns a site's templates from a sample, then follows the links that lead to the wanted ones (SOUrCe)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Any

from ..errors import ConfigError
from ..learning import dead_links
from ..learning.clusters import OUTLIER
from ..learning.finer_lanes import Known, Row, by_folder, by_place
from ..learning.goals import PARTS, content_scores, lane_worth, target_scores
from ..learning.navigation import GONE, Kinds, Table
from ..learning.paths import apath
from ..learning.quotas import TRIAL, Quotas
from ..learning.sample import Sample, drawn, inside
from ..learning.sitemap import WANTED, Sitemap, learn, settled
from ..nouns import DROP, PARK, RELEVANT, Keep, Lane, Link, Offer, Page, Reweigh, Say, Strategy, Weight

SAMPLE = "sample"  # lanes of the sample: this and an apath
SAMPLINGS = ("apath", "breadth-first")  # one link of each apath of a page; or, to compare, whatever is nearest
FEW = 3  # fetches for the sample from an apath of which nothing came yet
FIRST_LOOK = 50  # pages of the sample before it may be enough
RESCORE = 25  # pages between two looks at the scores of the clusters
MOVED = 0.01  # a weight that moved by less is left as it is
STRAYS = 32  # outliers before we look whether they make up clusters
LEAST_WORTH = 1e-6


class Structure(Strategy):
    """Score(url) = Σ P(C | C(p), apath)·Score(C); lanes are (cluster, apath), P is learned from a sample (Xu et al. 2018).

    Score = Info·DSim·Balance for user content; Info with the authority of the example's cluster alone for a target.
    Note: the cluster of the page that the link stands on, and the lane which led there; in the sample, the depth.
    """

    notes = ("page type of the parent, or depth in the sample", "page type before it", "way to the parent")

    def __init__(
        self,
        goal: str = "",
        example: Page | None = None,
        seed: int = 0,
        sample: int = 200,
        sampling: str = SAMPLINGS[0],
        learn: bool = True,
        alpha: float | None = None,
        near: float = 0.1,
        parts: str = "+".join(PARTS),
    ) -> None:
        self.goal = goal or ("target" if example else "user-content")
        self.example = example if self.goal == "target" else None
        self.seed, self.sample, self.sampling, self.learn, self.near = seed, sample, sampling, learn, near
        self.alpha = alpha if alpha is not None else 0.8 if self.goal == "target" else 0.5
        self.parts = tuple(parts.split("+"))
        _check(self.goal, self.example, self.parts, sampling)
        self.visits_ = 0
        self.sample_: tuple[Any, ...] | None = Sample.empty()  # None: it is over
        self.gone_: set[str] = set()  # sampled, but not there
        self.drawn_: Counter[Lane] = Counter()  # pages of the sample by apath
        self.sitemap_: tuple[Any, ...] = ()
        self.table_: tuple[Any, ...] = Table.empty()
        self.visited_: Counter[int] = Counter()  # pages of each cluster
        self.scores_: dict[int, float] = {}
        self.brought_: dict[Lane, float] = {}  # wanted pages that stood on the pages which a lane led to
        self.worth_: dict[Lane, float] = {}  # of each lane, when it was last weighed
        self.floor_ = 0.0  # lanes worth less wait
        self.quotas_: tuple[Any, ...] = Quotas.empty()
        self.alive_: dead_links.Seen = {}
        self.strays_: list[tuple[dict[str, int], Lane]] = []  # outliers: their paths, the lane they came from

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        """Seeds open the sample; where the site was learned before, they open the harvest."""
        if self.sample_ is not None:
            return [Offer(link, 0.0, (SAMPLE, ""), (0,)) for link in seeds]
        self._aim()
        return [Offer(link, 1.0, (str(OUTLIER), ""), (OUTLIER,)) for link in seeds]

    def _aim(self) -> None:
        """Find the example among the page types that are known."""
        sitemap, table = Sitemap(*self.sitemap_), Table(*self.table_)
        if self.example:
            target = sitemap.classify(sitemap.row(self.example.paths))
            if target == OUTLIER:
                raise ConfigError(
                    f"{self.example.url}: the example is of no page type that was learned; learn the site anew"
                )
            self.sitemap_ = sitemap._replace(wanted={target: 1.0})
            table.rename(target, WANTED)
        self._score()

    def observe(self, page: Page) -> Iterable[Say]:
        self.visits_ += 1
        if not page.offer.hops:
            dead_links.note(self.alive_, page.offer.link.url, page.document is not None)
        if self.sample_ is None:
            yield from self._harvested(page)
        else:
            yield from self._sampled(page, Sample(*self.sample_))
            if self._enough(Sample(*self.sample_)):
                yield from self._learned()

    def dry(self) -> Iterable[Say]:
        """Nothing is open but what waits: end the sample, or let everything have another try."""
        if self.sample_ is not None and not self.quotas_[0]:
            yield from self._learned()
        self.floor_, self.quotas_ = 0.0, Quotas.empty()
        yield Reweigh()

    def weigh(self, lane: Lane) -> Weight:
        if lane[0] == SAMPLE:
            return self._sample_weight(lane) if self.sample_ is not None else DROP
        self.worth_[lane] = worth = self._worth(lane)
        if worth < self.floor_:
            return PARK
        return Weight(0.0, worth, self._quota(lane) if self.learn else float("inf"))

    def is_wanted(self, page: Page) -> bool:
        """Whether a page is of the kind asked for, as far as is known now."""
        sitemap = Sitemap(*self.sitemap_)
        row = sitemap.row(page.paths)
        return sitemap.kinds(sitemap.classify(row), row, self.learn).get(WANTED, 0.0) >= RELEVANT

    # the sample

    def _sampled(self, page: Page, sample: Sample) -> Iterator[Say]:
        lane = page.offer.lane
        if not page.document:
            self.gone_.add(page.url)
            return
        self.drawn_[lane] += 1
        if Quotas(*self.quotas_).due(lane, self.drawn_[lane], FEW):
            yield Reweigh(lane)
        links = inside(page)
        sample.add(page.url, page.paths, links)
        depth = page.offer.note[0] + 1 if page.offer.note else 1
        if self.sampling != SAMPLINGS[0]:
            yield from [Offer(link, -depth, (SAMPLE, ""), (depth,)) for link in links]
            return
        for link, turn in drawn(links, self.seed):
            yield Offer(link, -turn - depth / 1000, (SAMPLE, apath(link.path)), (depth,))

    def _sample_weight(self, lane: Lane) -> Weight:
        if self.sampling != SAMPLINGS[0]:
            return Weight()
        return Weight(most=Quotas(*self.quotas_).grant(lane, self.drawn_[lane], FEW))

    def _enough(self, sample: Sample) -> bool:
        """At the size asked for; where an example says what is wanted, also when a smaller sample explains itself."""
        if self.visits_ >= self.sample:
            return True
        rounds, odd = divmod(len(sample.pages), FIRST_LOOK)
        due = self._for_target() and not odd and rounds > 0 and rounds & (rounds - 1) == 0
        return due and settled(sample.bags())

    def _learned(self) -> Iterator[Say]:
        """End the sample: find the clusters, fill the table, and offer the links that were put by."""
        assert self.sample_ is not None
        sample = Sample(*self.sample_)
        sitemap, names, rows = learn(sample.bags(), self.example.paths if self.example else None)
        self.sitemap_, self.sample_ = sitemap, None
        self.visited_.update(names)
        kinds = [sitemap.kinds(name, row, self.learn) for name, row in zip(names, rows, strict=True)]
        yield from [Reweigh(lane) for lane in (*self.quotas_[0], (SAMPLE, ""))]
        self.quotas_ = Quotas.empty()
        yield from self._offered(sample, names, kinds)
        self.gone_, self.drawn_ = set(), Counter()

    def _offered(self, sample: Sample, names: list[int], kinds: list[Kinds]) -> Iterator[Say]:
        table, places, urls = Table(*self.table_), sample.places(), list(sample.urls)
        sources = [urls[page] for page, _, _ in sample.pages]
        rows = [Row(sources[n], table.lane(names[n], apath(path)), path, url) for n, path, url in sample.links()]
        table.links.update(row.lane for row in rows)
        known = {
            (row.lane, row.url): kinds[places[row.url]] if row.url in places else {GONE: 1.0}
            for row in rows
            if row.url in places or row.url in self.gone_
        }
        for (lane, _), shares in known.items():
            table.note(lane, shares)
        lanes = self._lanes(rows, known)
        self._score()
        for row, lane in zip(rows, lanes, strict=True):
            if (row.lane, row.url) not in known:
                yield self._offer(Link(row.url, row.source, path=row.path), lane, (int(lane[0]),))

    def _lanes(self, rows: list[Row], known: Known) -> list[Lane]:
        """The lane of each link: its pair, or, while learning, one that is narrower."""
        table, lanes = Table(*self.table_), [row.lane for row in rows]
        if self._for_target():
            lanes = by_place(table, rows, WANTED, known)
        return by_folder(table, self.alive_, rows, lanes) if self.learn else lanes

    def _offer(self, link: Link, lane: Lane, note: tuple[Any, ...]) -> Offer:
        return Offer(link, dead_links.alive(self.alive_, link.url) if self.learn else 1.0, lane, note)

    def _for_target(self) -> bool:
        return self.learn and self.goal == "target"

    # the harvest

    def _harvested(self, page: Page) -> Iterator[Say]:
        sitemap, lane = Sitemap(*self.sitemap_), page.offer.lane
        row = sitemap.row(page.paths)
        name = sitemap.classify(row) if page.document else GONE
        self.visited_[name] += 1
        if name not in (GONE, OUTLIER):
            yield Keep((("type", str(name)),))
        if self.learn and lane[:1] != (SAMPLE,):
            yield from self._taught(page, sitemap.kinds(name, row))
        yield from self._raised(self.near * self.worth_.get(lane, 0.0))
        yield from self._links(page, name)
        if self.visits_ % RESCORE == 0:
            self._score()
            yield from [Reweigh(lane) for lane in self.worth_ if self._moved(lane)]

    def _taught(self, page: Page, kinds: Kinds) -> Iterator[Say]:
        """What a page teaches about the lane it came from, and about the lane that led to where its link stood."""
        table, lane = Table(*self.table_), page.offer.lane
        if OUTLIER in kinds:
            self.strays_.append((dict(page.paths), lane))
        table.note(lane, kinds)
        if WANTED in kinds and len(page.offer.note) > 2:
            way = page.offer.note[1:3]
            self.brought_[way] = self.brought_.get(way, 0.0) + kinds[WANTED]
        if self._moved(lane) or Quotas(*self.quotas_).due(lane, table.answers(lane)):
            yield Reweigh(lane)
        if len(self.strays_) >= STRAYS:
            self._found()

    def _found(self) -> None:
        """Make clusters of the outliers seen, as far as they make up any, and look at the rest no more."""
        bags, lanes = zip(*self.strays_, strict=True)
        table, sitemap = Table(*self.table_), Sitemap(*self.sitemap_)
        kinds = [WANTED, *sitemap.wanted]
        sitemap, names = sitemap.extended(bags, [table.promise(lane[:2], kinds) for lane in lanes])
        for name, lane in zip(names, lanes, strict=True):
            if name != OUTLIER:
                share = sitemap.wanted.get(name, 0.0)
                table.correct(lane, OUTLIER, {WANTED: share, name: 1.0 - share})
        self.sitemap_ = sitemap
        self.strays_ = []

    def _links(self, page: Page, name: int) -> Iterator[Say]:
        table, links = Table(*self.table_), inside(page)
        note = (name, *page.offer.lane[:2])
        rows = [Row(page.url, table.lane(name, apath(link.path)), link.path, link.url) for link in links]
        if self.learn:
            table.links.update(row.lane for row in rows)
        return map(self._offer, links, self._lanes(rows, {}), repeat(note))

    # what lanes are worth

    def _score(self) -> None:
        table, sitemap = Table(*self.table_), Sitemap(*self.sitemap_)
        if self.goal == "target":
            self.scores_ = target_scores(table, sitemap, self.alpha)
        else:
            self.scores_ = content_scores(table, sitemap, self.visited_, self.alpha, self.parts)

    def _worth(self, lane: Lane) -> float:
        table = Table(*self.table_)
        if not self.learn:
            return table.exact(lane, self.scores_)
        promised = table.expected(lane, self.scores_)
        if self.goal != "target":
            return promised
        wanted = table.expected(lane, {WANTED: self.scores_.get(WANTED, 0.0)})
        seen, brought = table.answers(lane[:2]), self.brought_.get(lane[:2], 0.0)
        return lane_worth(promised, wanted, seen, brought, 1 - self.alpha, TRIAL)

    def _moved(self, lane: Lane) -> bool:
        before = self.worth_.get(lane, 0.0)
        return abs(self._worth(lane) - before) > MOVED * before

    def _quota(self, lane: Lane) -> int:
        return Quotas(*self.quotas_).grant(lane, Table(*self.table_).answers(lane))

    def _raised(self, floor: float) -> Iterator[Say]:
        """Let lanes wait that are worth much less than what is being fetched: a batch need not be full."""
        if floor > max(self.floor_, LEAST_WORTH):
            low, self.floor_ = self.floor_, floor
            yield from [Reweigh(lane) for lane, worth in self.worth_.items() if low <= worth < floor]


def _check(goal: str, example: Page | None, parts: tuple[str, ...], sampling: str) -> None:
    if goal not in ("target", "user-content"):
        raise ConfigError(f'goal "{goal}" is not known; strategy structure has target and user-content')
    if goal == "target" and not (example and example.paths):
        raise ConfigError("strategy structure: goal target needs an example page that can be read as HTML")
    if sampling not in SAMPLINGS:
        raise ConfigError(f"strategy structure: sampling={sampling} must be one of {', '.join(SAMPLINGS)}")
    if not parts or set(parts) - set(PARTS):
        raise ConfigError(f"strategy structure: parts={'+'.join(parts)} must be made of {', '.join(PARTS)}")
