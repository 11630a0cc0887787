"""The crawl of one site: its sample, its harvest, and what is known of its addresses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...codec import saved
from ...learning import dead_links
from ...learning.clusters import OUTLIER
from ...learning.navigation import COPY, Kinds
from ...learning.page_types import learn_styled
from ...learning.sample import SAMPLE, inside
from ...nouns import DROP, Keep, Lane, Link, Offer, Page, Reweigh, Say, Weight
from .goals import Plan
from .harvest import Harvest
from .lanes import offer
from .sampling import Sampling
from .url_rules import UrlRules

FIRST = 1e3  # bonus of samples: a site is known before another one is harvested


@saved
@dataclass(slots=True)
class SiteCrawl:
    """What was learned of a site so far. Its lanes are (cluster, apath) or narrower, without the name of the site."""

    visits: int = 0
    sampling: Sampling | None = field(default_factory=Sampling)  # None: it is over
    harvest: Harvest | None = None  # None: it has not begun
    alive: dead_links.Seen = field(default_factory=dict)
    turned: set[int] = field(default_factory=set)  # URLs that redirected to pages known

    def start(self, link: Link, plan: Plan) -> Offer:
        """A seed opens the sample; where the site was learned before, it opens the harvest."""
        if self.harvest is None:
            return Offer(link, 0.0, (SAMPLE, ""), (0,))
        self.harvest.want(plan.examples)
        self.harvest.score(plan, self.visits)
        return Offer(link, 1.0, (str(OUTLIER), ""), (OUTLIER,))

    def observe(self, page: Page, lane: Lane, plan: Plan) -> Iterator[Say]:
        self.visits += 1
        links = inside(page)
        dead_links.heed(self.alive, self.turned, page, links)
        name, rule = OUTLIER, ""
        if self.harvest:
            name, kinds = self.harvest.visit(page)
            rule = self.harvest.rules.rule(page.url) if plan.target else ""
            yield from self._harvested(page, lane, links, self.harvest, plan, name, kinds)
        else:
            yield from self._sampled(page, lane, links, plan)
        if self.sampling is not None and self.sampling.gather(page, name, rule, links, plan, self.visits):
            yield from self._learned(self.sampling, plan)

    def wasted(self, offer: Offer, lane: Lane) -> Iterator[Say]:
        """The URL redirects to a page that is known: links like this one are worth less."""
        if self.harvest and lane[:1] != (SAMPLE,):
            self.harvest.worths.credit(lane, [], [])
            yield from self.harvest.worths.hear(lane, {COPY: 1.0})

    def dry(self, plan: Plan) -> Iterator[Say]:
        """Nothing is open but what waits: end the sample, or let everything have another try."""
        if self.harvest:
            self.harvest.worths.retry()
        elif self.visits and self.sampling and not self.sampling.retry():
            yield from self._learned(self.sampling, plan)
        yield from self._everything()

    def weigh(self, lane: Lane) -> Weight:
        if self.harvest:
            return DROP if lane[0] == SAMPLE else self.harvest.weigh(lane)
        return self.sampling.weigh(lane)._replace(shift=FIRST) if self.sampling else DROP

    def _everything(self) -> Iterator[Say]:
        """All lanes that were weighed."""
        known = [
            *(self.sampling.weighed if self.sampling else ()),
            *(self.harvest.worths.weighed if self.harvest else ()),
        ]
        yield from map(Reweigh, dict.fromkeys(known))

    def _sampled(self, page: Page, lane: Lane, links: list[Link], plan: Plan) -> Iterator[Say]:
        yield Keep((("type", ""),))
        if page.document and self.sampling:
            yield from self.sampling.offers(page.offer, lane, links, plan, self.alive)

    def _learned(self, sampling: Sampling, plan: Plan) -> Iterator[Say]:
        """Find the clusters of the sample, fill the table anew, and offer the links that were put by."""
        before = self.harvest
        first, others = (plan.examples[0].styled, plan.examples[1:]) if plan.examples else (None, ())
        fresh = max([*(before.sitemap.clusters if before else []), OUTLIER]) + 1
        found = learn_styled(sampling.pages.bags(), first).wanting(others).renamed(sampling.names, fresh)
        yield from map(Reweigh, [*sampling.weighed, *(before.worths.quotas.heard if before else ())])
        stale = [*(before.worths.weighed if before else ())]
        self.harvest = before or Harvest(found.sitemap, rules=UrlRules([example.url for example in plan.examples]))
        for row, lane in self.harvest.relearn(found, sampling, self.alive, plan, self.visits):
            link = Link(row.url, row.source, path=row.path)
            promise = self.harvest.worths.topical(lane, sampling.promised.get(row.url, 1.0))
            put_by = offer(self.alive, link, lane, (int(lane[0]),), plan.target, promise)
            stale.append(put_by.lane)  # weighed twice, a lane of which nothing came begins with half of a trial
            yield put_by
        yield from map(Reweigh, dict.fromkeys(stale))
        if sampling.complete(plan, self.visits):
            self.sampling = None

    def _harvested(
        self, page: Page, lane: Lane, links: list[Link], known: Harvest, plan: Plan, name: int, kinds: Kinds
    ) -> Iterator[Say]:
        settled = name >= 0 and (self.sampling is None or plan.past(self.visits))
        yield Keep((("type", str(name) if settled else ""),))
        if lane[:1] != (SAMPLE,):
            yield from known.teach(page, lane, kinds, plan, self.visits)
        yield from known.worths.raise_floor(plan.near * known.worths.weighed.get(lane, 0.0))
        note, lanes = (name, *lane[:2]), known.lanes(page.url, links, name, self.alive, plan.target)
        if page.document:
            known.worths.credit(lane, links, lanes)
        promises = plan.promises(page, links)
        yield from [
            offer(self.alive, link, lane, note, plan.target, known.worths.topical(lane, promise))
            for link, lane, promise in zip(links, lanes, promises, strict=True)
        ]
        yield from known.rescore(plan, self.visits)
