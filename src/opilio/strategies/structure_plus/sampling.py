"""The sample that the first page types are learned from, while it is taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...codec import saved
from ...learning import dead_links
from ...learning.page_types import settled
from ...learning.sample import Sample, has_doubled, offers
from ...nouns import Lane, Link, Offer, Page, Reweigh, Say, Weight
from .copies import text_print
from .goals import Plan
from .quotas import Quotas

FEW = 3  # fetches for the sample from an apath of which nothing came yet
FIRST_LOOK = 25  # pages after which the harvest begins; the sample is looked at again when it has doubled


@saved
@dataclass(slots=True)
class Sampling:
    """The pages of the sample, what was found of them so far, and where they came from."""

    pages: Sample = field(default_factory=Sample)
    names: list[int] = field(default_factory=list)  # the cluster of each page, as far as was looked at it
    prints: list[int] = field(default_factory=list)  # of what each page says, where an example is given
    topical: list[float] = field(default_factory=list)  # how much each page is about the topic, where there is one
    promised: dict[str, float] = field(default_factory=dict)  # what the words around links to a URL add to its worth
    gone: set[str] = field(default_factory=set)  # sampled, but not there
    drawn: Counter[Lane] = field(default_factory=Counter)  # pages by apath
    quotas: Quotas = field(default_factory=Quotas)

    @property
    def weighed(self) -> Iterable[Lane]:
        """The lanes of the sample."""
        return self.quotas.heard

    def offers(
        self, led_here: Offer, lane: Lane, links: list[Link], plan: Plan, alive: dead_links.Seen
    ) -> Iterator[Say]:
        """The links of a page, one of each apath first."""
        self.drawn[lane] += 1
        if self.quotas.due(lane, self.drawn[lane], FEW):
            yield Reweigh(lane)
        depth = led_here.note[0] + 1 if led_here.note else 1
        yield from offers(links, depth, plan.seed, alive, by_size=not plan.target)

    def weigh(self, lane: Lane) -> Weight:
        return Weight(most=self.quotas.grant(lane, self.drawn[lane], FEW))

    def gather(self, page: Page, links: list[Link], plan: Plan, visits: int) -> bool:
        """Another page of the sample; whether it is time to look at all of it: it is complete, or has doubled.

        With an example the sample has to explain itself first: a harvest of one type would not show what leads there.
        """
        before = len(self.pages.pages)
        if page.document:
            self.pages.add(page.url, page.styled, links)
            self.prints += [text_print(page)] if plan.target else []
            self._hear(page, links, plan)
        elif len(self.gone) < dead_links.MOST:
            self.gone.add(page.url)
        doubled = has_doubled(before, len(self.pages.pages), FIRST_LOOK * (2 if plan.target else 1))
        return plan.full(visits) or (doubled and (not plan.target or settled(self.pages.bags())))

    def _hear(self, page: Page, links: list[Link], plan: Plan) -> None:
        """What a page and its links say of the topic, if there is one."""
        if plan.topic:
            self.topical.append(plan.topic.page(page))
            for link, promise in zip(links, plan.promises(page, links), strict=True):
                self.promised[link.url] = max(promise, self.promised.get(link.url, 0.0))

    def retry(self) -> bool:
        """Nothing is left but what waits: everything may be tried again; False if nothing waits."""
        waiting, self.quotas = bool(self.quotas.heard), Quotas()
        return waiting
