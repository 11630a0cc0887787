"""Communities of sites: how fast they are found, and how well.

    python benchmarks/communities.py scale           100,000 sites, 2 M links: seconds and memory
    python benchmarks/communities.py polblogs DIR    F over φ, the rule that needs no labels, Louvain
    python benchmarks/communities.py planted         the rule on graphs of other sizes and densities

Crawls that stay inside of them: `python -m benchmarks.papers 002`, `python -m benchmarks.additions community-plus`.
Louvain is shown where networkx is installed (pip install networkx).
"""

from __future__ import annotations

import csv
import importlib
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from opilio.strategies.community.frtw import GRID, Group, frtw, sweep
from opilio.strategies.community.site_graph import SiteGraph

# speed


def scale() -> None:
    """FRTW and the whole sweep of φ on a graph of 100,000 sites and 2 M links."""
    begun = time.perf_counter()
    graph, _ = planted(100_000, 50, 30, 10)
    print(f"{len(graph):,} sites, {graph.edges:,} links, made in {time.perf_counter() - begun:.1f} s")
    seed = graph.names[int(np.argmax(np.diff(graph.first)))]
    for phi in (0.2, 0.05, 0.01, 0.001):
        begun = time.perf_counter()
        found = frtw(graph, seed, phi)
        print(f"  φ = {phi:<6} {len(found.members):>7,} members  {time.perf_counter() - begun:6.2f} s")
    begun = time.perf_counter()
    best = max(sweep(graph, seed), key=lambda group: group.contrast)
    print(f"  all φ: {len(best.members):,} members at φ = {best.phi}  {time.perf_counter() - begun:.2f} s")
    print(f"  memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


# quality on graphs


def planted(sites: int, groups: int, inside: int, outside: int, seed: int = 1) -> tuple[SiteGraph, list[int]]:
    """A graph with known groups and degrees as uneven as on the web; site i is in group i mod `groups`."""
    rng = np.random.default_rng(seed)
    pull = rng.pareto(2.5, sites) + 0.5
    ends = [rng.choice(sites, (sites * outside // 2, 2), p=pull / pull.sum())]
    for group in range(groups):
        mine = np.arange(group, sites, groups)
        ends.append(rng.choice(mine, (len(mine) * inside // 2, 2), p=pull[mine] / pull[mine].sum()))
    graph = SiteGraph.of((f"{a:06d}", f"{b:06d}") for a, b in np.concatenate(ends).tolist())
    return graph, [int(name) % groups for name in graph.names]


def f_score(found: Iterable[int], truth: set[int]) -> float:
    members = set(found)
    return 2 * len(members & truth) / (len(members) + len(truth))


def best_linked(graph: SiteGraph, members: Iterable[int], count: int) -> list[int]:
    return sorted(members, key=lambda number: (-graph.neighbours(number).size, number))[:count]


Trial = tuple[int, set[int]]  # a site to start from, and the group it belongs to


def compare_phi(graph: SiteGraph, trials: Sequence[Trial]) -> tuple[dict[float, float], float, float]:
    """Mean F at every φ, of the rule, and of Louvain (nan where it is not installed)."""
    at: dict[float, list[float]] = {phi: [] for phi in GRID}
    ruled = []
    for seed, truth in trials:
        groups = list(sweep(graph, graph.names[seed]))
        scores = {group.phi: f_score(group.members.tolist(), truth) for group in groups}
        for phi in GRID:
            at[phi].append(scores.get(phi, scores[groups[-1].phi]))
        ruled.append(scores[_best(groups).phi])
    means = {phi: statistics.fmean(values) for phi, values in at.items()}
    return means, statistics.fmean(ruled), louvain(graph, trials)


def _best(groups: Sequence[Group]) -> Group:
    return max(groups, key=lambda group: group.contrast)


def louvain(graph: SiteGraph, trials: Sequence[Trial]) -> float:
    """Mean F of the Louvain community that each site is in."""
    if not find_spec("networkx"):
        return float("nan")
    networkx = importlib.import_module("networkx")
    whole = networkx.Graph()
    whole.add_nodes_from(range(len(graph)))
    for number in range(len(graph)):
        whole.add_edges_from((number, other) for other in graph.neighbours(number).tolist())
    parts = networkx.community.louvain_communities(whole, seed=1)
    return statistics.fmean(f_score(next(part for part in parts if seed in part), truth) for seed, truth in trials)


def polblogs(folder: str) -> None:
    """From the five best-linked sites of each side."""
    labels = dict(_rows(Path(folder, "labels.csv")))
    for mutual in (False, True):
        graph = SiteGraph.of(_rows(Path(folder, "edges.csv")), mutual=mutual)
        sides = [
            {n for n, name in enumerate(graph.names) if labels[name] == side} for side in sorted(set(labels.values()))
        ]
        trials = [(seed, side) for side in sides for seed in best_linked(graph, side, 5)]
        means, ruled, others = compare_phi(graph, trials)
        print(f"polblogs, {len(graph)} sites with links, {graph.edges} links, mutual links weigh {2 if mutual else 1}")
        print("  " + "  ".join(f"φ {phi:g}: {mean:.3f}" for phi, mean in means.items() if phi > 0.03))
        print(f"  best φ {max(means.values()):.3f}   rule {ruled:.3f}   Louvain {others:.3f}")


def _rows(path: Path) -> list[tuple[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [(row[0], row[1]) for row in list(csv.reader(file))[1:]]


def planted_table() -> None:
    """The rule for φ where nobody could tune it: ten starts on each graph."""
    print("sites groups inside outside   best φ  F there  F of the rule  Louvain")
    for sites, groups, inside, outside in (
        (200, 2, 10, 4), (1000, 2, 20, 6), (1000, 5, 12, 4), (1000, 20, 12, 4), (2000, 40, 14, 8), (5000, 10, 20, 10),
        (5000, 10, 10, 5), (5000, 100, 15, 5),
    ):  # fmt: skip
        graph, labels = planted(sites, groups, inside, outside)
        members = [{n for n, label in enumerate(labels) if label == group} for group in range(min(groups, 5))]
        trials = [(seed, mine) for mine in members for seed in best_linked(graph, mine, 2)]
        means, ruled, others = compare_phi(graph, trials)
        phi = max(means, key=means.__getitem__)
        print(
            f"{sites:5} {groups:6} {inside:6} {outside:7}   {phi:6g}  {means[phi]:7.3f}  {ruled:13.3f}  {others:7.3f}"
        )


COMMANDS: dict[str, Callable[..., None]] = {"scale": scale, "polblogs": polblogs, "planted": planted_table}


def main(arguments: Sequence[str]) -> None:
    if not arguments or arguments[0] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[arguments[0]](*arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
