"""Clusters by minimum description length: pages are alike when they have links at the same places (Crescenzi et al. 2005)."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from .clusters import Labels

NEAR = 0.2  # dt: pages that differ in a smaller share of their places are taken as one from the start
SCHEMA_COST = 1.0  # to write one place into the schema of a cluster, in units of one place that a page has or lacks

Places = AbstractSet[str]


def mdl(pages: Sequence[Places], near: float = NEAR) -> Labels:
    """A cluster for each page, given as the set of the places of its links."""
    groups = _alike(pages, near)
    clusters: list[list[int]] = []
    for group in sorted(groups, key=lambda group: (-len(group), group[0])):
        costs = [length([pages[n] for n in [*other, *group]]) - length([pages[n] for n in other]) for other in clusters]
        alone = length([pages[n] for n in group])
        if costs and min(costs) <= alone:
            clusters[int(np.argmin(costs))] += group
        else:
            clusters.append(list(group))
    labels = np.zeros(len(pages), dtype=np.int64)
    for number, members in enumerate(clusters):
        labels[members] = number
    return labels


def length(pages: Sequence[Places]) -> float:
    """What it takes to write these pages down as one cluster: its schema, then what each page lacks of it."""
    schema = frozenset().union(*pages)
    return SCHEMA_COST * len(schema) + sum(len(schema) - len(page) for page in pages)


def distance(a: Places, b: Places) -> float:
    """The share of places that only one of them has."""
    union = len(a | b)
    return len(a ^ b) / union if union else 0.0


def _alike(pages: Sequence[Places], near: float) -> list[list[int]]:
    groups: list[list[int]] = []
    for number, page in enumerate(pages):
        home = next((group for group in groups if distance(pages[group[0]], page) < near), None)
        if home is None:
            groups.append([number])
        else:
            home.append(number)
    return groups
