"""Structure: learns a site's templates from a sample, then follows the links that lead to the wanted ones (SOUrCe)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Any

from ...errors import ConfigError
from ...learning import dead_links
from ...learning.clusters import OUTLIER
from ...learning.navigation import GONE, Kinds, Table
from ...learning.page_types import WANTED, Sitemap, learn_styled, settled
from ...learning.paths import apath
from ...learning.sample import SAMPLE, Sample, has_doubled, inside, offers
from ...nouns import DROP, PARK, RELEVANT, Keep, Lane, Link, Offer, Page, PastCrawl, Reweigh, Say, Strategy, Weight
from ...picture import Section
from .goals import PARTS, Aim, abundance, aim, check, gain, lane_worth
from .lanes import Known, Row, answered, by_folder, by_place, firsts, sampled
from .quotas import TRIAL, Quotas
from .redesign import Strays

SAMPLINGS = ("apath", "breadth-first")  # one link of each apath of a page; or, to compare, whatever is nearest
FEW = 3  # fetches for the sample from an apath of which nothing came yet
FIRST_LOOK = (
    25  # pages of the sample after which a crawl that learns begins to harvest; it looks again when they doubled
)
LONGER = 2  # times the sample is what it looks at in the end, where no example says what is wanted
RESCORE = 25  # pages between two looks at the scores of the clusters
MOVED = 0.01  # a weight that moved by less is left as it is
LEAST_WORTH = 1e-6
PAIR = 2  # parts of a lane that is no narrower than a cluster and an apath


class Structure(Strategy):
    """Score(url) = Σ P(C | C(p), apath)·Score(C); lanes are (cluster, apath), P is learned from a sample (Xu et al. 2018).

    Score = Info·DSim·Balance for user content; Info with the authority of the example's cluster alone for a target.
    While learning, the authority for user content is how many pages a cluster has. Note: the cluster of the page that the
    link stands on (in the sample, the depth), the lane which led there, and the URL, which a redirect changes.
    """

    notes = ("page type of the parent, or depth in the sample", "page type before it", "way to the parent", "asked for")

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
        parts: str = "",
    ) -> None:
        self.goal = goal or ("target" if example else "user-content")
        self.example = example if self.goal == "target" else None
        self.seed, self.sample, self.sampling, self.learn, self.near = seed, sample, sampling, learn, near
        self.parts = tuple(parts.split("+")) if parts else () if learn else PARTS
        self.alpha = alpha if alpha is not None else 0.5 if self.parts and self.goal != "target" else 0.8
        check(self.goal, self.example, self.parts)
        if sampling not in SAMPLINGS:
            raise ConfigError(f"strategy structure: sampling={sampling} must be one of {', '.join(SAMPLINGS)}")
        self.visits_ = 0
        self.sample_: Sample | None = Sample()  # None: it is over
        self.names_: list[int] = []  # the cluster of each page of the sample, as far as was looked at it
        self.gone_: set[str] = set()  # sampled, but not there
        self.drawn_: Counter[Lane] = Counter()  # pages of the sample by apath
        self.sitemap_: Sitemap | None = None  # None: nothing is known yet
        self.table_ = Table()
        self.visited_: Counter[int] = Counter()  # pages of each cluster
        self.aim_ = Aim({}, {})
        self.brought_: dict[Lane, float] = {}  # wanted pages that stood on the pages which a lane led to
        self.worth_: dict[Lane, float] = {}  # of each lane, when it was last weighed
        self.floor_ = 0.0  # lanes worth less wait
        self.quotas_ = Quotas()
        self.alive_: dead_links.Seen = {}
        self.turned_: set[int] = set()  # URLs that redirected to pages known
        self.strays_ = Strays()

    def know_site(self, text: str, name: str) -> None:
        from .survey_file import read  # crawls that know no site start sooner without

        self.sitemap_, self.table_ = read(text, name)
        self.sample_ = None

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        """Seeds open the sample; where the site was learned before, they open the harvest."""
        if self.sample_ is not None:
            return [Offer(link, 0.0, (SAMPLE, ""), (0,)) for link in seeds]
        self._aim()
        return [Offer(link, 1.0, (str(OUTLIER), ""), (OUTLIER,)) for link in seeds]

    def _aim(self) -> None:
        """Find the example among the page types that are known."""
        sitemap, table = self._site, self.table_
        if self.example:
            target = sitemap.classify(sitemap.row(self.example.paths))
            if target == OUTLIER:
                raise ConfigError(f"{self.example.url}: the example is of no known page type; learn the site anew")
            self.sitemap_ = sitemap._replace(wanted={target: 1.0})
            table.rename(target, WANTED)
        self._score()

    @property
    def _site(self) -> Sitemap:
        assert self.sitemap_ is not None, "the sample is not complete"
        return self.sitemap_

    def observe(self, page: Page) -> Iterable[Say]:
        self.visits_ += 1
        links = inside(page)
        dead_links.heed(self.alive_, self.turned_, page, links)
        yield from self._harvested(page, links) if self.sitemap_ else self._sampled(page, links)
        if self.sample_ is not None:
            yield from self._gathered(page, links, self.sample_)

    def dry(self) -> Iterable[Say]:
        """Nothing is open but what waits: end the sample, or let everything have another try."""
        if self.sitemap_:
            self.quotas_.retry()
        elif self.quotas_.heard:
            self.quotas_ = Quotas()
        else:
            yield from self._learned()
        self.floor_ = 0.0
        yield Reweigh()

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        from .picture import sitemap_picture  # crawls start sooner without

        return sitemap_picture(crawl)

    def weigh(self, lane: Lane) -> Weight:
        if lane[0] == SAMPLE:
            return DROP if self.sitemap_ else self._sample_weight(lane)
        if int(lane[0]) >= 0 and int(lane[0]) not in self._site.spread:
            return DROP  # a cluster that was found to be none
        self.worth_[lane] = worth = self._worth(lane)
        if worth < self.floor_:
            return PARK
        return Weight(0.0, worth, self._quota(lane)) if self.learn else Weight(0.0, worth)

    def is_wanted(self, page: Page) -> bool:
        """Whether a page is of the kind asked for, as far as is known now."""
        sitemap = self._site
        row = sitemap.row(page.paths)
        return sitemap.kinds(sitemap.classify(row), row, self.learn).get(WANTED, 0.0) >= RELEVANT

    # the sample

    def _sampled(self, page: Page, links: list[Link]) -> Iterator[Say]:
        lane = page.offer.lane
        yield Keep((("type", ""),))
        if not page.document:
            return
        self.drawn_[lane] += 1
        if self.quotas_.due(lane, self.drawn_[lane], FEW):
            yield Reweigh(lane)
        depth = page.offer.note[0] + 1 if page.offer.note else 1
        if self.sampling == SAMPLINGS[0]:
            by_size = self.learn and self.goal != "target"
            yield from offers(links, depth, self.seed, self.alive_ if self.learn else None, by_size)
        else:
            yield from [Offer(link, -depth, (SAMPLE, ""), (depth,)) for link in links]

    def _gathered(self, page: Page, links: list[Link], sample: Sample) -> Iterator[Say]:
        """Another page of the sample; look at all of it when it is complete, and while learning each time it has doubled."""
        before = len(sample.pages)
        if not page.document:
            self.gone_.update([page.url] if len(self.gone_) < dead_links.MOST else [])
        else:
            sample.add(page.url, page.styled, links)
        first = FIRST_LOOK * (2 if self.goal == "target" else 1)
        if self._full() or (has_doubled(before, len(sample.pages), first) and self._looks(sample)):
            yield from self._learned()

    def _sample_weight(self, lane: Lane) -> Weight:
        by_apath = self.sampling == SAMPLINGS[0]
        return Weight(most=self.quotas_.grant(lane, self.drawn_[lane], FEW)) if by_apath else Weight()

    def _looks(self, sample: Sample) -> bool:
        """Whether it is time to look at what there is of a sample: for a target it has to explain itself."""
        by_target = self.goal == "target"
        return self.learn and self.sampling == SAMPLINGS[0] and (not by_target or settled(sample.bags()))

    def _full(self) -> bool:
        longer = self.learn and self.sampling == SAMPLINGS[0] and self.goal != "target"
        return self.visits_ >= self.sample * (LONGER if longer else 1)

    def _learned(self) -> Iterator[Say]:
        """Find the clusters of the sample, fill the table anew, and offer the links that were put by."""
        assert self.sample_ is not None
        sample, before = self.sample_, self.sitemap_.clusters if self.sitemap_ else []
        found = learn_styled(sample.bags(), self.example.styled if self.example else None)
        self.sitemap_, self.names_, rows = found.renamed(self.names_, max([*before, OUTLIER]) + 1)
        yield from [Reweigh(lane) for lane in (*self.quotas_.heard, (SAMPLE, ""))]
        self.quotas_.forget(SAMPLE)
        sitemap = self.sitemap_ = self.strays_.restore(self._site)
        self.table_, self.floor_ = Table(), 0.0
        self.visited_ = Counter(self.names_)
        kinds = [sitemap.kinds(name, row, self.learn) for name, row in zip(self.names_, rows, strict=True)]
        yield from self._offered(sample, {url: kinds[place] for url, place in sample.places().items()})
        yield Reweigh()
        if self._full() or self.goal == "target":
            self.sample_, self.names_, self.gone_, self.drawn_ = None, [], set(), Counter()

    def _offered(self, sample: Sample, kinds: dict[str, Kinds]) -> Iterator[Say]:
        table, sitemap = self.table_, self._site
        rows = sampled(sample, self.names_, table)
        table.links.update(row.lane for row in rows)
        known = answered(rows, kinds | {url: {GONE: 1.0} for url in self.gone_})
        for (lane, _), shares in known.items():
            table.note(lane, shares)
        for url, shares in kinds.items():
            self.strays_.fits(url, shares)
        places = {row.url: row.lane for row in rows}
        self.sitemap_ = sitemap._replace(many=abundance(table, [*sitemap.clusters, OUTLIER], places.values()))
        lanes = self._lanes(rows, known)
        self._score()
        fresh = [(row, lane) for row, lane in zip(rows, lanes, strict=True) if (row.lane, row.url) not in known]
        for row, lane in firsts(fresh):
            yield self._offer(Link(row.url, row.source, path=row.path), lane, (int(lane[0]),))

    def _lanes(self, rows: list[Row], known: Known) -> list[Lane]:
        """The lane of each link: its pair, or, while learning, one that is narrower."""
        table, lanes = self.table_, [row.lane for row in rows]
        if not self.learn:
            return lanes
        if self.goal == "target":
            lanes = by_place(table, rows, WANTED, known)
        return by_folder(table, self.alive_, rows, lanes)

    def _offer(self, link: Link, lane: Lane, note: tuple[Any, ...]) -> Offer:
        if not self.learn:
            return Offer(link, 1.0, lane, note)
        alive = dead_links.alive(self.alive_, link.url)
        # where any page of a type will do, folders that are known come before those that are not
        trust = 1.0 if self.goal == "target" else dead_links.trust(self.alive_, link.url)
        return Offer(link, alive * trust, dead_links.lane(alive, lane), (*(*note, "", "")[:3], link.url))

    # the harvest

    def _harvested(self, page: Page, links: list[Link]) -> Iterator[Say]:
        sitemap, lane = self._site, page.offer.lane
        row = sitemap.row(page.paths)
        name = sitemap.classify(row) if page.document else GONE
        self.visited_[name] += 1
        if self.sample_ is not None and page.document:
            self.names_.append(name)
        settled_now = self.sample_ is None or self.visits_ > self.sample
        yield Keep((("type", str(name) if settled_now and name not in (GONE, OUTLIER) else ""),))
        if self.learn and lane[:1] != (SAMPLE,):
            yield from self._taught(page, sitemap.kinds(name, row))
        yield from self._raised(self.near * self.worth_.get(lane, 0.0))
        yield from self._links(page, links, name)
        if self.visits_ % RESCORE == 0:
            yield from self._rescored()

    def _taught(self, page: Page, kinds: Kinds) -> Iterator[Say]:
        """What a page teaches about the lane it came from, and about the lane that led to where its link stood."""
        table, lane, strays = self.table_, page.offer.lane, self.strays_
        strays.see(page, kinds)
        table.note(lane, kinds)
        if len(page.offer.note) > 2 and (found := gain(kinds, self.aim_.wanted)):
            way = page.offer.note[1:3]
            self.brought_[way] = self.brought_.get(way, 0.0) + found
        if self._moved(lane) or self.quotas_.due(lane, table.answers(lane)):
            yield Reweigh(lane)
        changed = strays.changed and self.visits_ > self.sample  # before, pages are strange since few were seen
        if changed or strays.many:
            self.sitemap_ = strays.settle(self._site, table)
            yield from self._rescored()

    def _rescored(self) -> Iterator[Say]:
        self._score()
        yield from [Reweigh(lane) for lane in self.worth_ if self._moved(lane)]

    def _links(self, page: Page, links: list[Link], name: int) -> Iterator[Say]:
        table = self.table_
        note = (name, *page.offer.lane[:2])
        rows = [Row(page.url, table.lane(name, apath(link.path)), link.path, link.url) for link in links]
        if self.learn:
            table.links.update(row.lane for row in rows)
        return map(self._offer, links, self._lanes(rows, {}), repeat(note))

    # what lanes are worth

    def _score(self) -> None:
        table, sitemap, early = self.table_, self._site, self.visits_ < self.sample
        self.aim_ = aim(self.goal, table, sitemap, self.visited_, self.alpha, self.parts, early)

    def _worth(self, lane: Lane) -> float:
        table, (scores, wanted) = self.table_, self.aim_
        if not self.learn:
            return table.exact(lane, scores)
        promised = table.expected(lane, scores)
        if wanted:
            seen, brought = table.answers(lane[:2]), self.brought_.get(lane[:2], 0.0)
            promised = lane_worth(promised, table.expected(lane, wanted), seen, brought, 1 - self.alpha, TRIAL)
        return promised * dead_links.doubt(lane)

    def _moved(self, lane: Lane) -> bool:
        before = self.worth_.get(lane, 0.0)
        return abs(self._worth(lane) - before) > MOVED * before

    def _quota(self, lane: Lane) -> int:
        trial = TRIAL if self.goal == "target" or len(lane) == PAIR else FEW  # the others lead to a folder nobody knows
        return self.quotas_.grant(lane, self.table_.answers(lane), trial)

    def _raised(self, floor: float) -> Iterator[Say]:
        """Let lanes wait that are worth much less than what is being fetched: a batch need not be full."""
        if floor > max(self.floor_, LEAST_WORTH):
            low, self.floor_ = self.floor_, floor
            yield from [Reweigh(lane) for lane, worth in self.worth_.items() if low <= worth < floor]
