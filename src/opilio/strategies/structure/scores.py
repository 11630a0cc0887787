"""What the pages of a cluster are worth, as printed: equations 7 to 11 of Xu, Gao and Callan (2018)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...codec import saved
from ...errors import ConfigError
from ...learning.clusters import BINS
from ...learning.navigation import Table, adjacency, hits
from ...learning.page_types import Sitemap
from ...nouns import Page

PARTS = ("info", "dsim", "balance")
SAMPLINGS = ("apath", "breadth-first")  # one link of each apath of a page; or, to compare, whatever is nearest
TARGET_ALPHA, CONTENT_ALPHA = 0.8, 0.5


class Wish(NamedTuple):
    """What a user asked for."""

    target: bool  # pages of the example's type; else whatever users wrote
    sampling: str
    bins: str
    alpha: float
    parts: tuple[str, ...]

    @classmethod
    def of(cls, goal: str, example: Page | None, sampling: str, bins: str, alpha: float | None, parts: str) -> Wish:
        """A ConfigError says what the strategy cannot do."""
        goal = goal or ("target" if example else "user-content")
        if goal not in ("target", "user-content"):
            raise ConfigError(f'goal "{goal}" is not known; strategy structure has target and user-content')
        if goal == "target" and not (example and example.paths):
            raise ConfigError("strategy structure: goal target needs an example page that can be read as HTML")
        for name, chosen, known in (("sampling", sampling, SAMPLINGS), ("bins", bins, BINS)):
            if chosen not in known:
                raise ConfigError(f"strategy structure: {name}={chosen} must be one of {', '.join(known)}")
        if set(parts.split("+")) - set(PARTS):
            raise ConfigError(f"strategy structure: parts={parts} must be made of {', '.join(PARTS)}")
        usual = TARGET_ALPHA if goal == "target" else CONTENT_ALPHA
        return cls(goal == "target", sampling, bins, usual if alpha is None else alpha, tuple(parts.split("+")))


@saved
class Scores(NamedTuple):
    """Of each cluster."""

    whole: dict[int, float]
    edge: dict[int, float]  # of pages at the edge of a recording: their hub score is 0


def score(wish: Wish, table: Table, sitemap: Sitemap, visited: Mapping[int, int]) -> Scores:
    return target_scores(table, sitemap, wish.alpha) if wish.target else content_scores(wish, table, sitemap, visited)


def target_scores(table: Table, sitemap: Sitemap, alpha: float) -> Scores:
    """Info, where a is 1 for the example's cluster and 0 for all others at each step."""
    authority = {name: float(name == sitemap.target) for name in sitemap.clusters}
    hubs, _ = hits(adjacency(table, sitemap.clusters), np.array(list(authority.values())))
    edge = {name: alpha * share for name, share in authority.items()}
    return Scores({name: edge[name] + (1 - alpha) * float(hub) for name, hub in zip(edge, hubs, strict=True)}, edge)


def content_scores(wish: Wish, table: Table, sitemap: Sitemap, visited: Mapping[int, int]) -> Scores:
    """Info·DSim·Balance of each cluster, or the product of some of them."""
    hubs, authorities = hits(adjacency(table, sitemap.clusters))
    total = max(1, sum(visited.values()))
    scores = {}
    for name, hub, authority in zip(sitemap.clusters, hubs, authorities, strict=True):
        known = {
            "info": float(wish.alpha * authority + (1 - wish.alpha) * hub),
            "dsim": sitemap.spread[name],
            "balance": 1 - visited.get(name, 0) / total,
        }
        scores[name] = float(np.prod([known[part] for part in wish.parts]))
    return Scores(scores, scores)
