"""The sample that the first page types are learned from, while it is taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import repeat

from ...codec import saved
from ...learning import dead_links
from ...learning.likeness import LEAST_PAGES
from ...learning.sample import SAMPLE, Sample, has_doubled, offers
from ...nouns import Lane, Link, Offer, Page, Reweigh, Say, Weight
from .copies import text_print
from .goals import Plan
from .lanes import few
from .link_names import name_in
from .quotas import Quotas

FEW = 3  # fetches for the sample from an apath of which nothing came yet
MENU = 30  # URLs in the menus of a site
SAME_RULE = 40  # pages of the sample with URLs of one rule
EARLY_LOOK = 8  # the same where an example is given
FIRST_LOOK = 25  # pages after which the harvest begins; the sample is looked at again when it has doubled


@saved
@dataclass(slots=True)
class Sampling:
    """The pages of the sample, what was found of them so far, and where they came from."""

    pages: Sample = field(default_factory=Sample)
    names: list[int] = field(default_factory=list)  # the cluster of each page, as far as was looked at it
    rules: Counter[str] = field(default_factory=Counter)  # pages by the rule of their URLs, as far as rules are known
    whole: bool = True  # every page that was fetched is in it
    idle: int = 0  # visits since the last page of it
    prints: list[int] = field(default_factory=list)  # of what each page says
    news: list[float] = field(
        default_factory=list
    )  # the share of each page that was said by none before, where no example is given
    promised: dict[str, float] = field(default_factory=dict)  # what the words around links to a URL add to its worth
    called: dict[str, int] = field(default_factory=dict)  # the names of URLs in links, where no example is given
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
        found = list(offers(links, depth, plan.seed, alive, by_size=not plan.target))
        lanes = few((offer.lane for offer in found), repeat((SAMPLE, ""), len(found)), self.quotas.heard)
        yield from (replace(offer, lane=lane) for offer, lane in zip(found, lanes, strict=True))

    def weigh(self, lane: Lane) -> Weight:
        return Weight(most=self.quotas.grant(lane, self.drawn[lane], FEW))

    def gather(self, page: Page, name: int, rule: str, links: list[Link], plan: Plan, visits: int) -> bool:
        """Another page of the sample; whether it is time to look at all of it: it is complete, or has doubled.

        With an example the harvest begins early and would fill the sample with one type: of each rule of URLs it has some
        pages only, and it is looked at as well when a rule has become frequent enough to be told apart.
        """
        before = len(self.pages.pages)
        if page.document and self.rules[rule] < (SAME_RULE if plan.target else plan.sample * 10):
            self.pages.add(page.url, page.styled, links)
            self.names += [name] if self.names else []
            self.rules[rule] += 1
            self.prints.append(text_print(page))
            self._hear(page, links, plan)
            self._call(links, plan)
            if plan.target and self.names and self.rules[rule] == LEAST_PAGES:
                return True
        elif page.document:
            self.whole = False
        elif len(self.gone) < dead_links.MOST:
            self.gone.add(page.url)
        self.idle = 0 if len(self.pages.pages) > before else self.idle + 1
        doubled = has_doubled(before, len(self.pages.pages), EARLY_LOOK if plan.target else FIRST_LOOK)
        return self.complete(plan, visits) or doubled

    def complete(self, plan: Plan, visits: int) -> bool:
        return plan.full(visits, len(self.pages.pages), self.idle)

    def menu(self) -> set[str]:
        """What at least half of the pages link to, the most linked of it."""
        counts = Counter(url for _, url in {(number, url) for number, _, url in self.pages.links()})
        often = [url for url, count in counts.most_common(MENU) if 2 * count >= len(self.pages.pages)]
        return set(often) if len(self.pages.pages) >= LEAST_PAGES else set()

    def _call(self, links: list[Link], plan: Plan) -> None:
        for link in () if plan.target else links:
            if not self.called.get(link.url) and link.url in self.pages.urls:  # there is an end to these
                self.called[link.url] = name_in(link.anchor)

    def _hear(self, page: Page, links: list[Link], plan: Plan) -> None:
        """What a page and its links say of the topic, if there is one."""
        if plan.topic:
            for link, promise in zip(links, plan.promises(page, links), strict=True):
                if link.url in self.pages.urls:  # there is an end to these
                    self.promised[link.url] = max(promise, self.promised.get(link.url, 0.0))

    def retry(self) -> bool:
        """Nothing is left but what waits: everything may be tried again; False if nothing waits."""
        waiting, self.quotas = bool(self.quotas.heard), Quotas()
        return waiting
