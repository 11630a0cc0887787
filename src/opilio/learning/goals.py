"""What the pages of a cluster are worth to a crawl that wants one page type, or whatever users wrote."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from .navigation import Table, adjacency, hits
from .sitemap import WANTED, Sitemap

PARTS = ("info", "dsim", "balance")


def target_scores(table: Table, sitemap: Sitemap, alpha: float) -> dict[int, float]:
    """Info = α·a + (1-α)·h, where a is 1 for the wanted kind and 0 for all others at each step."""
    names = sitemap.clusters
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


def lane_worth(promised: float, wanted: float, seen: float, brought: float, hub: float, trial: int) -> float:
    """The worth of a lane by what it promises, and, the more pages of it were seen, by what they brought.

    `wanted` is the part of the promise for being a wanted page, the rest that for leading to some. A page that led to
    b others is worth b/(1+b) of them: that is what its fetch and theirs bring in all.
    """
    share = seen * brought / (seen + brought) if brought else 0.0
    return wanted + (hub * share + trial * (promised - wanted)) / (seen + trial)
