"""Communities of sites: how fast they are found, how well, and what a crawl gains by them.

    python benchmarks/communities.py scale           100,000 sites, 2 M links: seconds and memory
    python benchmarks/communities.py polblogs DIR    F over φ, the rule that needs no labels, Louvain
    python benchmarks/communities.py planted         the rule on graphs of other sizes and densities
    python benchmarks/communities.py crawl [PAGES] [BUDGET] [WEBS] [FIRST]    a synthetic web against best-first, fish, shark
    python benchmarks/communities.py weights         α, β, γ and the settings that go beyond the paper
    python benchmarks/communities.py webkb DIR       the same on recorded pages

The figures of the paper itself: `python -m benchmarks.papers 002`.
Louvain is shown where networkx is installed (pip install networkx).
"""

from __future__ import annotations

import asyncio
import csv
import importlib
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from rich.console import Console
from scipy.stats import ttest_rel

from opilio import registry
from opilio.bench.memo import Memo
from opilio.bench.run import bench
from opilio.bench.table import table
from opilio.loop import trace
from opilio.nouns import Link, Material, Offer, Page, Topic
from opilio.strategies.community.frtw import GRID, Group, frtw, sweep
from opilio.strategies.community.site_graph import SiteGraph
from opilio.synth.articles import ArticleSite
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.layout import Settings
from opilio.synth.web import Web
from opilio.topics.models.vsm import Vsm

INSIDE, OUTSIDE = 12, 5  # friends that a home page of the synthetic web recommends: of its community, and any
HOMES = 1000
SPECS = (
    "best-first",
    "fish",
    "shark",
    "community(homes={})",
    "community-plus(homes={})",
    "community-plus(homes={},share=links)",
    "community-plus(homes={},grow=true)",
)
TOPICS = ("beekeeping", "railways")
RECORDED = (
    "link-context-plus",
    "shark",
    "best-first",
    "fish",
    "community-plus",
    "community-plus(beyond=false)",
    "community",
)


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


# crawls


def with_communities(web: Web, seed: int) -> None:
    """Every site with a domain of its own recommends some of its topic, and some of any: one community a topic."""
    rng = random.Random(seed)
    sites = [s for s in web.atlas.sites if isinstance(s, ArticleSite) and s not in web.atlas.adverts and not s.island]
    own = [site for site in sites if site.host.removeprefix("www.").count(".") == 1]
    for site in own:
        alike = [other for other in own if other.topic == site.topic >= 0]
        site.friends = [*rng.sample(alike, min(INSIDE, len(alike))), *rng.sample(own, OUTSIDE)]


def taught(web: Web, name: str) -> tuple[str, Topic]:
    """The label of a topic, and a model made of 30 pages on it and 60 off it."""
    rng, label = random.Random(name), next(topic for topic in web.topics if topic.endswith(f"/{name}"))
    good: list[Page] = []
    bad: list[Page] = []
    fetcher = SynthFetcher(web)
    while len(good) < 30 or len(bad) < 60:
        place = web.place(rng.randrange(web.pages))
        labels = web.labels_of(place)
        kind, most = (good, 30) if labels["topic"] == label else (bad, 60)
        if labels["language"] == "en" and len(kind) < most:
            kind.append(asyncio.run(fetcher.fetch(Offer(Link(place.url)))))
    return label, Memo(Vsm.learn(Material(name, tuple(good), tuple(bad))))


def precision(web: Web, spec: str, topic: Topic, label: str, seeds: Sequence[str], budget: int) -> list[float]:
    """At every tenth of the budget; a crawl that ends early found nothing more, and its pages left are counted as misses."""
    visits = trace(
        registry.make(spec, {"topic": topic, "words": label.rpartition("/")[2], "seed": 0}),
        SynthFetcher(web),
        seeds,
        budget,
    )
    hits = np.cumsum([web.labels(visit.url).get("topic") == label for visit in visits])
    return [float(hits[min(n, len(hits)) - 1]) / n for n in range(budget // 10, budget + 1, budget // 10)]


def crawl(pages: int = 1_000_000, budget: int = 10_000, webs: int = 2, first: int = 1) -> None:
    """Precision over pages on synthetic webs with communities; round one is paid out of the same budget."""
    rows: dict[str, list[list[float]]] = {spec.format(HOMES): [] for spec in SPECS}
    for seed in range(first, first + webs):
        web = Web(pages, seed, Settings())
        with_communities(web, seed)
        print(f"web {seed}: {len(web.atlas.sites):,} sites, {web.pages:,} pages", flush=True)
        for name in TOPICS:
            label, topic = taught(web, name)
            for spec, curves in rows.items():
                curves.append(precision(web, spec, topic, label, web.seeds(name), budget))
                print(f"  {name:12} {spec:34}", " ".join(f"{p:.3f}" for p in curves[-1]), flush=True)
    _print_means(rows, budget)


def _print_means(rows: dict[str, list[list[float]]], budget: int) -> None:
    ours = [spec for spec in rows if spec.startswith("community")]
    print("mean precision at " + " ".join(f"{budget // 10 * n}" for n in range(1, 11)))
    for spec, curves in rows.items():
        print(f"  {spec:34}", " ".join(f"{statistics.fmean(at):.3f}" for at in zip(*curves, strict=True)))
    for spec in ours:
        for other in (name for name in rows if name not in ours):
            t, p = ttest_rel([c[-1] for c in rows[spec]], [c[-1] for c in rows[other]], alternative="greater")
            print(f"  {spec} over {other} at {budget}: t = {t:.2f}, p = {p:.4f}")


def weights(pages: int = 250_000, budget: int = 3_000) -> None:
    """Precision with other α, β, γ, with a survey cut short, and with each thing that goes beyond the paper."""
    web = Web(pages, 1, Settings())
    with_communities(web, 1)
    label, topic = taught(web, TOPICS[0])
    simplex = [(a / 5, b / 5, (5 - a - b) / 5) for a in range(6) for b in range(6 - a)]
    specs = [f"community-plus(alpha={a},beta={b},gamma={c})" for a, b, c in simplex]
    specs += ["community-plus(homes=60)", "community-plus(homes=60,grow=true)"]
    specs += [
        f"community-plus({extra})"
        for extra in ("topical=true", "mutual=true", "around=all", "lexicon=topical", "share=links")
    ]
    for spec in specs:
        curve = precision(web, spec, topic, label, web.seeds(TOPICS[0]), budget)
        print(f"  {spec:44}", " ".join(f"{p:.3f}" for p in curve), flush=True)


def webkb(folder: str) -> None:
    """The topics of webkb, with twice as many fetches as there are targets."""
    Console(width=200).print(table(bench(Path(folder), "topics", list(RECORDED), budget="2x", seed=1)))


COMMANDS: dict[str, Callable[..., None]] = {
    "scale": scale, "polblogs": polblogs, "planted": planted_table, "crawl": crawl, "weights": weights, "webkb": webkb,
}  # fmt: skip


def main(arguments: Sequence[str]) -> None:
    if not arguments or arguments[0] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[arguments[0]](*(int(word) if word.isdigit() else word for word in arguments[1:]))


if __name__ == "__main__":
    main(sys.argv[1:])
