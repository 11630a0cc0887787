"""What the pages of a cluster are worth to a crawl that wants one page type, or whatever users wrote."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...codec import saved
from ...errors import ConfigError
from ...learning.clusters import OUTLIER
from ...learning.navigation import Kinds, Table, adjacency, hits
from ...learning.page_likeness import Like
from ...learning.page_types import WANTED, Sitemap
from ...nouns import Link, Page, Topic

OFF = 0.05  # of the worth of a link is left when nothing speaks of the topic
WIDER = 2  # times the sample is taken where no example says what is wanted: harvested pages are part of it
# Times the sample is what types are learned from, where an example is given: few pages of each rule of URLs. As many visits
# without a page for it end it as well: a crawl may come to other types late, but not for ever.
LOOKS = 10
SURER_THAN = 5  # times nearer to what is being fetched is what need not wait, where an example is given
LONGER = 2  # times the sample is what it looks at in the end, where no example says what is wanted


class Plan(NamedTuple):
    """What a user asked for."""

    target: bool  # pages like the examples; else whatever users wrote
    examples: Sequence[Page]  # of the site at hand, or of others if there are none from there
    topic: Topic | None  # what these pages should be about
    seed: int
    sample: int
    alpha: float
    near: float

    @classmethod
    def of(cls, goal: str, like: Like, topic: Topic | None, seed: int, sample: int, alpha: float, near: float) -> Plan:
        """A ConfigError says what cannot be aimed at."""
        goal = goal or ("target" if like.pages else "user-content")
        if goal not in ("target", "user-content"):
            raise ConfigError(f'goal "{goal}" is not known; strategy structure-plus has target and user-content')
        if goal == "target" and not (like.pages and all(page.paths for page in like.pages)):
            raise ConfigError("strategy structure-plus: goal target needs an example page that can be read as HTML")
        target = goal == "target"
        return cls(
            target,
            like.pages if target else (),
            topic,
            seed,
            sample * (1 if target else WIDER),
            alpha,
            near * (SURER_THAN if target else 1),
        )

    def promises(self, page: Page, links: Sequence[Link]) -> list[float]:
        """What is left of the worth of each link where pages should be about a topic.

        The geometric mean of what its page says and what the words around it say, as boards and titles both have topics; it was
        chosen on forums of the synthetic web.
        """
        if not self.topic:
            return [1.0] * len(links)
        told = {(link.path, link.url): share for link, share in zip(page.links, self.topic.links(page), strict=True)}
        here = max(OFF, self.topic.page(page))
        return [math.sqrt(max(OFF, told[link.path, link.url]) * here) for link in links]

    def full(self, visits: int, pages: int, idle: int) -> bool:
        """Whether the sample is complete, after so many visits, with so many pages, the last of which came so many visits ago."""
        return max(pages, idle) >= self.sample * LOOKS if self.target else visits >= self.sample * LONGER

    def past(self, visits: int) -> bool:
        """Whether so many pages were seen that page types are settled."""
        return visits > self.sample


@saved
class Aim(NamedTuple):
    """What pages are worth."""

    scores: dict[int, float]  # of each kind of page
    wanted: dict[int, float]  # the part of it for being a wanted page, not for leading to some: 1 for the best kind
    target: bool = False


def aim(plan: Plan, table: Table, sitemap: Sitemap, visited: Mapping[int, int], early: bool) -> Aim:
    """By likeness to the example, or, without one, by how many pages a cluster has."""
    if plan.target:
        scores = target_scores(table, sitemap, plan.alpha)
        return Aim(scores, {WANTED: 1.0}, True)
    content = likely_content(sitemap, visited, early)
    most = max(content.values(), default=0.0) or 1.0
    return Aim(hub_scores(table, content, plan.alpha), {name: share / most for name, share in content.items()})


def target_scores(table: Table, sitemap: Sitemap, alpha: float) -> dict[int, float]:
    """Info = α·a + (1-α)·h, where a is 1 for the wanted kind and 0 for all others at each step."""
    names = [*sitemap.clusters, OUTLIER]  # pages of no type lead on as well
    matrix = adjacency(table, [*names, WANTED])
    hubs, _ = hits(matrix, np.array([0.0] * len(names) + [1.0]))
    scores = {name: (1 - alpha) * float(hub) for name, hub in zip(names, hubs, strict=False)}
    return scores | {WANTED: alpha + scores.get(sitemap.target, 0.0)}


def likely_content(sitemap: Sitemap, visited: Mapping[int, int], early: bool) -> dict[int, float]:
    """How likely the pages of a cluster are what users wrote: most pages of a site are, so that types of many pages are.

    1 for as many pages as a type has on average or more, less for fewer; up to half less for types that make up much of
    what was fetched. Early, outliers are a type as well: one may be among them that shows itself when there are more.
    """
    names = [*sitemap.clusters, *([OUTLIER] if early else [])]
    sizes = {name: sitemap.many.get(name, float(visited.get(name, 0))) for name in names}
    usual, total = sum(sizes.values()) / max(1, len(sizes)), max(1, sum(visited.values()))
    return {
        name: min(1.0, size / usual if usual else 1.0) * (1 - visited.get(name, 0) / total / 2)
        for name, size in sizes.items()
    }


def hub_scores(table: Table, content: Mapping[int, float], alpha: float) -> dict[int, float]:
    """Info = α·a + (1-α)·h, where a is given; outliers are hubs too."""
    worths = {OUTLIER: 0.0, **content}
    hubs, _ = hits(adjacency(table, list(worths)), np.array(list(worths.values())))
    return {
        name: alpha * worth + (1 - alpha) * float(hub) for (name, worth), hub in zip(worths.items(), hubs, strict=True)
    }


def less(kinds: Kinds, name: int, share: float) -> Kinds:
    """What a page of a cluster counts as of which no more than this share can be a wanted one."""
    off = kinds.get(WANTED, 0.0) * (1.0 - share)
    return {**kinds, WANTED: kinds[WANTED] - off, name: kinds.get(name, 0.0) + off} if off else kinds
