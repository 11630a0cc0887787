"""What the pages of a cluster are worth to a crawl that wants one page type, or whatever users wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ...codec import saved
from ...errors import ConfigError
from ...learning.clusters import OUTLIER
from ...learning.navigation import Kinds, Table, adjacency, hits
from ...learning.page_types import WANTED, Sitemap
from ...nouns import Lane, Page

PARTS = ("info", "dsim", "balance")


def check(goal: str, example: Page | None, parts: Collection[str]) -> None:
    """Refuse what strategy structure cannot aim at."""
    if goal not in ("target", "user-content"):
        raise ConfigError(f'goal "{goal}" is not known; strategy structure has target and user-content')
    if goal == "target" and not (example and example.paths):
        raise ConfigError("strategy structure: goal target needs an example page that can be read as HTML")
    if set(parts) - set(PARTS):
        raise ConfigError(f"strategy structure: parts={'+'.join(parts)} must be made of {', '.join(PARTS)}")


def target_scores(table: Table, sitemap: Sitemap, alpha: float) -> dict[int, float]:
    """Info = α·a + (1-α)·h, where a is 1 for the wanted kind and 0 for all others at each step."""
    names = [*sitemap.clusters, OUTLIER]  # pages of no type lead on as well
    matrix = adjacency(table, [*names, WANTED])
    hubs, _ = hits(matrix, np.array([0.0] * len(names) + [1.0]))
    scores = {name: (1 - alpha) * float(hub) for name, hub in zip(names, hubs, strict=False)}
    return scores | {WANTED: alpha + scores.get(sitemap.target, 0.0)}


def content_scores(
    table: Table, sitemap: Sitemap, visited: Mapping[int, int], alpha: float, parts: Collection[str] = PARTS
) -> dict[int, float]:
    """Info·DSim·Balance of each cluster, or the product of some of them."""
    names = sitemap.clusters
    hubs, authorities = hits(adjacency(table, names))
    total = max(1, sum(visited.values()))
    scores = {}
    for name, hub, authority in zip(names, hubs, authorities, strict=True):
        known = {
            "info": float(alpha * authority + (1 - alpha) * hub),
            "dsim": sitemap.spread[name],
            "balance": 1 - visited.get(name, 0) / total,
        }
        scores[name] = float(np.prod([known[part] for part in parts]))
    return scores


def abundance(table: Table, clusters: Iterable[int], lanes: Iterable[Lane]) -> dict[int, float]:
    """How many pages of each cluster there are, as far as links show: `lanes` has that of each URL known."""
    sizes = Counter(lanes)
    return {name: sum(count * table.chance(lane, name) for lane, count in sizes.items()) for name in clusters}


def likely_content(sitemap: Sitemap, visited: Mapping[int, int], early: bool) -> dict[int, float]:
    """How likely the pages of a cluster are what users wrote: most pages of a site are, so that types of many pages are.

    1 for as many pages as a type has on average or more, less for fewer; up to half less for types that make up much of
    what was fetched. Early, outliers are a type as well: one may be among them that shows itself when there are more.
    """
    names = [*sitemap.clusters, *([OUTLIER] if early else [])]
    sizes = {name: max(sitemap.many.get(name, 0.0), visited.get(name, 0)) for name in names}
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


@saved
class Aim(NamedTuple):
    """What pages are worth."""

    scores: dict[int, float]  # of each kind of page
    wanted: dict[int, float]  # the part of it for being a wanted page, not for leading to some; none: it is not known


def aim(
    goal: str,
    table: Table,
    sitemap: Sitemap,
    visited: Mapping[int, int],
    alpha: float,
    parts: Collection[str],
    early: bool,
) -> Aim:
    """For a target; for user content by some of the paper's terms, or, without any, by how many pages a cluster has."""
    if goal == "target":
        scores = target_scores(table, sitemap, alpha)
        return Aim(scores, {WANTED: scores[WANTED]})
    if parts:
        return Aim(content_scores(table, sitemap, visited, alpha, parts), {})
    content = likely_content(sitemap, visited, early)
    return Aim(hub_scores(table, content, alpha), {name: alpha * share for name, share in content.items()})


def gain(kinds: Kinds, wanted: Mapping[int, float]) -> float:
    """How much of a wanted page a page is."""
    most = max(wanted.values(), default=0.0)
    return sum(share * wanted.get(kind, 0.0) for kind, share in kinds.items()) / most if most else 0.0


def lane_worth(promised: float, wanted: float, seen: float, brought: float, hub: float, trial: int) -> float:
    """The worth of a lane by what it promises, and, the more pages of it were seen, by what they brought.

    `wanted` is the part of the promise for being a wanted page, the rest that for leading to some. A page that led to
    b others is worth b/(1+b) of them: that is what its fetch and theirs bring in all.
    """
    share = seen * brought / (seen + brought) if brought else 0.0
    return wanted + (hub * share + trial * (promised - wanted)) / (seen + trial)
