"""How well clusters agree with the types that pages really have."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from ..learning.clusters import OUTLIER


class Agreement(NamedTuple):
    purity: float  # share of pages that are of the most frequent type of their cluster
    micro: float  # the best F of each type with a cluster, weighted by its pages
    macro: float  # the same, every type alike


def agreement(clusters: Sequence[int], types: Sequence[Hashable], least: int = 4) -> Agreement:
    """Outliers are clusters of one page each; types of fewer than `least` pages are left out."""
    sizes = {kind: types.count(kind) for kind in set(types)}
    kept = [number for number, kind in enumerate(types) if sizes[kind] >= least]
    groups: dict[Hashable, set[int]] = {}
    kinds: dict[Hashable, set[int]] = {}
    for number in kept:
        name = ("alone", number) if clusters[number] == OUTLIER else clusters[number]
        groups.setdefault(name, set()).add(number)
        kinds.setdefault(types[number], set()).add(number)
    if not kept:
        return Agreement(0.0, 0.0, 0.0)
    pure = sum(max(len(group & kind) for kind in kinds.values()) for group in groups.values())
    best = {name: max(_f(group, kind) for group in groups.values()) for name, kind in kinds.items()}
    micro = sum(best[name] * len(kind) for name, kind in kinds.items()) / len(kept)
    return Agreement(pure / len(kept), micro, sum(best.values()) / len(best))


def precision(
    found: Sequence[int], types: Sequence[Hashable], known: Sequence[int], known_types: Sequence[Hashable]
) -> float:
    """Share of new pages whose type is the one that their cluster mostly has among known pages; outliers are wrong."""
    votes: dict[int, dict[Hashable, int]] = {}
    for name, kind in zip(known, known_types, strict=True):
        counts = votes.setdefault(name, {})
        counts[kind] = counts.get(kind, 0) + 1
    meaning = {name: max(counts, key=lambda kind: counts[kind]) for name, counts in votes.items() if name != OUTLIER}
    right = sum(meaning.get(name) == kind for name, kind in zip(found, types, strict=True))
    return right / len(types) if types else 0.0


def _f(a: set[int], b: set[int]) -> float:
    return 2 * len(a & b) / (len(a) + len(b))
