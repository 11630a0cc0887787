"""The maximum spanning tree of a sitemap."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

Arcs: TypeAlias = dict[tuple[str, str], Counter[tuple[str, str, str]]]  # (from, to): ways with their number of links


def spanning_tree(arcs: Arcs, root: str) -> list[tuple[str, str]]:
    """The arcs that reach every cluster from the root by as many links as can be; ties go by name."""
    reached = {root}
    tree: list[tuple[str, str]] = []
    while True:
        edge = [pair for pair in sorted(arcs) if pair[0] in reached and pair[1] not in reached]
        if not edge:
            return tree
        best = max(edge, key=lambda pair: arcs[pair].total())
        reached.add(best[1])
        tree.append(best)
