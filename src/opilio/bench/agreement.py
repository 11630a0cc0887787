"""How well clusters agree with the types that pages really have."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from ..learning.clusters import OUTLIER


class Agreement(NamedTuple):
    purity: float  # share of pages that are of the most frequent type of their cluster
    micro: float  # the best F of each type with a cluster, weighted by its pages
    macro: float  # the same, every type alike
    cubed: float = 0.0  # B-cubed F: how much of a page's cluster is of its type, and of its type in its cluster


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
    return Agreement(pure / len(kept), micro, sum(best.values()) / len(best), _b_cubed(groups.values(), kinds.values()))


def _b_cubed(groups: Iterable[set[int]], kinds: Iterable[set[int]]) -> float:
    """The harmonic mean of B-cubed precision and recall (Bagga and Baldwin 1998)."""
    group_of, kind_of = ({page: part for part in parts for page in part} for parts in (groups, kinds))
    shared = {page: len(group_of[page] & kind_of[page]) for page in group_of}
    right = sum(count / len(group_of[page]) for page, count in shared.items()) / len(shared)
    found = sum(count / len(kind_of[page]) for page, count in shared.items()) / len(shared)
    return 2 * right * found / (right + found)


class Precision(NamedTuple):
    micro: float  # share of new pages whose type is the one that their cluster mostly has among known pages
    macro: float  # the same within each cluster, every cluster alike


def precision(
    found: Sequence[int], types: Sequence[Hashable], known: Sequence[int], known_types: Sequence[Hashable]
) -> Precision:
    """How well new pages are told by clusters of known ones; an outlier is a cluster of one page, which means nothing."""
    votes: dict[int, dict[Hashable, int]] = {}
    for name, kind in zip(known, known_types, strict=True):
        counts = votes.setdefault(name, {})
        counts[kind] = counts.get(kind, 0) + 1
    meaning = {name: max(counts, key=lambda kind: counts[kind]) for name, counts in votes.items() if name != OUTLIER}
    right: dict[Hashable, list[bool]] = {}
    for number, (name, kind) in enumerate(zip(found, types, strict=True)):
        cluster = ("alone", number) if name == OUTLIER else name
        right.setdefault(cluster, []).append(meaning.get(name) == kind)
    if not right:
        return Precision(0.0, 0.0)
    macro = sum(sum(pages) / len(pages) for pages in right.values()) / len(right)
    return Precision(sum(map(sum, right.values())) / len(types), macro)


def stratified(types: Sequence[Hashable], folds: int) -> list[int]:
    """The fold of each page: the pages of every type are dealt out in turn."""
    turns: dict[Hashable, int] = {}
    dealt = []
    for kind in types:
        dealt.append(turns.get(kind, 0) % folds)
        turns[kind] = turns.get(kind, 0) + 1
    return dealt


def _f(a: set[int], b: set[int]) -> float:
    return 2 * len(a & b) / (len(a) + len(b))
