"""Clusters by repetitive regions: what repeats on a page tells its template (Cai et al. 2008, iRobot)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...learning.clusters import Labels
from ...learning.paths import Bag

MIN_DEPTH = 3  # elements from the root
MIN_R = 0.3  # of the count of the path that repeats most
EPSILON = 0.5  # the least cosine between a page and the cluster it joins
MEMORY = 256  # clusters at most; a page that fits none of them joins the nearest

Region = dict[str, float]


def regions(bag: Bag) -> Region:
    """The paths that repeat on a page, by how much, with length 1; a page where nothing repeats has none."""
    deep = {path: count for path, count in bag.items() if count > 1 and path.count("/") >= MIN_DEPTH}
    least = MIN_R * max(deep.values(), default=0)
    kept = {path: float(np.log1p(count)) for path, count in deep.items() if count >= least}
    size = sum(weight * weight for weight in kept.values()) ** 0.5
    return {path: weight / size for path, weight in kept.items()}


def cosine(a: Region, b: Region) -> float:
    if len(b) < len(a):
        a, b = b, a
    return sum(weight * b.get(path, 0.0) for path, weight in a.items())


def nearest(region: Region, leaders: Sequence[Region], epsilon: float = EPSILON) -> int:
    """The number of the leader that is most like it; -1 if none is like it enough."""
    if not region:
        return next((number for number, leader in enumerate(leaders) if not leader), -1)
    likes = [cosine(region, leader) for leader in leaders]
    best = int(np.argmax(likes)) if likes else -1
    return best if best >= 0 and (likes[best] >= epsilon or len(leaders) >= MEMORY) else -1


def cluster_regions(bags: Sequence[Bag], epsilon: float = EPSILON) -> tuple[Labels, list[Region]]:
    """A cluster for each page in one pass, and the page that leads each cluster: the first that fitted no other."""
    leaders: list[Region] = []
    labels = []
    for bag in bags:
        region = regions(bag)
        label = nearest(region, leaders, epsilon)
        if label < 0:
            leaders.append(region)
            label = len(leaders) - 1
        labels.append(label)
    return np.array(labels, dtype=np.int64), leaders
