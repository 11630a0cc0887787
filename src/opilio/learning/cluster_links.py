"""Clusters that are one page type made in several ways: the same links reach them, and they lead to the same kinds of pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from .clusters import OUTLIER, VARIANTS, Labels
from .paths import Matrix

AKIN = 1 / 3  # of what pages are made of is shared by clusters that may be one type
OWN = OUTLIER - 1  # instead of a cluster: one of the two that are compared

Hop = tuple[int, str, int]  # a link between two of the pages: from which, at which place, to which
Ends = Counter[tuple[int, str]]  # links by the cluster at their other end and by place


def linked_alike(rows: Matrix, labels: Labels, hops: Sequence[Hop]) -> Labels:
    """The clusters, those made one of which links say the same: short print views and long ones, empty profiles and full ones.

    Two thirds or more of the links that reach them stand at the same places of the same clusters, and as many of theirs lead from
    the same places to the same clusters; that both lead nowhere is the same, too. The two count as one in this. They share
    a third of what they are made of, or more. Clusters that no link reaches stay as they are.
    """
    labels = labels.copy()
    while pairs := _alike(rows, labels, hops):
        merged: set[int] = set()
        for one, other in pairs:
            if not merged.intersection((one, other)):
                labels[labels == other] = one
                merged.update((one, other))
    return labels


def _alike(rows: Matrix, labels: Labels, hops: Sequence[Hop]) -> list[tuple[int, int]]:
    """Pairs of clusters that are one type, those most alike first."""
    reached, leading = _ways(labels, hops)
    found = []
    for one, other, shared in _akin(rows, labels):
        if one in reached and other in reached:
            linked = min(_shared(ways.get(one, {}), ways.get(other, {}), (one, other)) for ways in (reached, leading))
            if linked >= VARIANTS:
                found.append((-linked * shared, one, other))
    return [(one, other) for _, one, other in sorted(found)]


def _ways(labels: Labels, hops: Sequence[Hop]) -> tuple[dict[int, Ends], dict[int, Ends]]:
    """How each cluster is reached, and where it leads."""
    reached: dict[int, Ends] = {}
    leading: dict[int, Ends] = {}
    for source, place, target in hops:
        start, end = int(labels[source]), int(labels[target])
        reached.setdefault(end, Counter())[start, place] += 1
        leading.setdefault(start, Counter())[end, place] += 1
    return reached, leading


def _akin(rows: Matrix, labels: Labels) -> Iterator[tuple[int, int, float]]:
    """Clusters whose pages share enough of what they are made of: 1 - ½·Σ|a - b| of their means."""
    names = sorted(set(labels.tolist()) - {OUTLIER})
    centres = {name: rows[labels == name].mean(0) for name in names}
    for one, other in combinations(names, 2):
        shared = 1 - float(np.abs(centres[one] - centres[other]).sum()) / 2
        if shared >= AKIN:
            yield one, other, shared


def _shared(ones: Mapping[tuple[int, str], int], others: Mapping[tuple[int, str], int], pair: tuple[int, int]) -> float:
    """What share of the links of two clusters is the same; 1 where neither has any."""
    if not (ones and others):
        return float(not ones and not others)
    first, second = _shares(ones, pair), _shares(others, pair)
    return sum(min(share, second.get(way, 0.0)) for way, share in first.items())


def _shares(ends: Mapping[tuple[int, str], int], pair: tuple[int, int]) -> dict[tuple[int, str], float]:
    total, shares = sum(ends.values()), dict[tuple[int, str], float]()
    for (cluster, place), count in ends.items():
        way = (OWN if cluster in pair else cluster, place)
        shares[way] = shares.get(way, 0.0) + count / total
    return shares
