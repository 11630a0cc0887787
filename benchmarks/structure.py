"""Tables for strategy structure, on recorded sites and on forums of the synthetic web.

python -m benchmarks.structure [clustering] [draws] [target] [content] [samples] [parts] [redesign] [SITE ...]
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from opilio import registry
from opilio.bench.agreement import Agreement, Precision, agreement, precision, stratified
from opilio.bench.corpus import Corpus, Task
from opilio.bench.oracle import worth
from opilio.bench.tasks import Trial, choose, trials
from opilio.learning.clusters import LEAST_POINTS, cluster, distances, silhouette
from opilio.learning.mdl_clusters import mdl
from opilio.learning.page_types import learn_pages
from opilio.learning.paths import apath, weights
from opilio.loop import trace
from opilio.nouns import Fetcher, Page
from opilio.report.structure import learn_site
from opilio.strategies.irobot.regions import cluster_regions
from opilio.strategies.structure.scores import SAMPLINGS

from .forums import KINDS, Redesigned, forums

SHARED = Path(__file__).parents[2] / "shared" / "corpora"
TYPES = {
    "redash": ("thread", "profile"),
    "openenergymonitor": ("thread",),
    "postgresql-doc": ("sql_command",),
    "social-music": ("detail", "profile", "list"),
}
CONTENT = ("redash", "openenergymonitor")  # recorded sites whose user content is marked
LISTS = ("board", "index", "latest_index", "list", "memberlist", "tag")  # of what users wrote
SPECS = ("structure-plus", "structure", "target-map", "irobot", "breadth-first", "oracle")
SAMPLE = 200  # pages, by default
RUNS = (
    (0, 0),
    (0, 1),
    *((seed, 0) for seed in (11, 12, 13, 21, 22, 23)),
)  # seed and run; the last three were left for the end
OTHER_DRAWS = (2, 3, 4, 5, 6, 7)
TABLES = ("clustering", "draws", "target", "content", "samples", "parts", "redesign")


class Score(NamedTuple):
    fetched: int
    harvest: float
    recall: float
    urls: list[str]
    seconds: float

    @property
    def f(self) -> float:
        return f_of(self.harvest, self.recall)


def f_of(harvest: float, recall: float) -> float:
    return 2 * harvest * recall / (harvest + recall) if recall else 0.0


@contextmanager
def sites(names: Sequence[str]) -> Iterator[dict[str, Corpus]]:
    """Recorded sites and synthetic forums, or those of them that are named."""
    if not SHARED.is_dir():
        sys.exit(f"{SHARED}: the recorded sites are not there")
    with forums() as made_up:
        known = {name: Corpus.open(SHARED / name) for name in TYPES} | made_up
        yield {name: corpus for name, corpus in known.items() if name in (names or known)}


def types(name: str) -> tuple[str, ...]:
    return TYPES.get(name, KINDS)


def type_trials(corpus: Corpus, target: str, runs: Sequence[tuple[int, int]] = RUNS) -> list[Trial]:
    settings = {"column": "page_type", "target": target, "start": [corpus.home]}
    task = Task(f"type {target}", "type", settings)
    return [trials(corpus, task, number + 1, seed)[number] for seed, number in runs]


def run(corpus: Corpus, trial: Trial, spec: str, fetcher: Fetcher | None = None, batch: int = 50) -> Score:
    """One strategy on one trial, judged by the pages wanted."""
    given: dict[str, object] = {"seed": trial.seed, "goal": "target" if trial.split.example else "user-content"}
    known = [corpus.page(url) for url in trial.split.known]
    if known:
        given["perimeter"] = corpus.graph().perimeter()
        given["example"] = known[0]
    if spec == "oracle":
        given["truth"] = worth(corpus.graph(), trial.split.targets, trial.split.seeds, trial.budget, trial.split.known)
    begun = time.process_time()
    seeds, source = trial.split.seeds, fetcher or corpus.fetcher()
    visits = trace(registry.make(spec, given), source, seeds, trial.budget, batch, known=known)
    urls = [visit.url for visit in visits]
    hits = len(trial.split.targets & set(urls))
    return Score(len(urls), hits / len(urls), hits / len(trial.split.targets), urls, time.process_time() - begun)


def target_table(chosen: dict[str, Corpus]) -> None:
    print(
        "Target: F at a budget of as many pages as there are targets; structure-plus with examples of other seeds apart"
    )
    print(
        f"{'site, type':<30}{'plus':>12}{'plus, others':>14}{'structure':>12}" + "".join(f"{s:>15}" for s in SPECS[2:])
    )
    rows = []
    for name, corpus in chosen.items():
        for target in types(name):
            plan = type_trials(corpus, target)
            first, others = plan[:2], plan[2:]
            row = [mean_f(corpus, first, SPECS[0]), mean_f(corpus, others, SPECS[0])]
            row += [mean_f(corpus, first, spec) for spec in SPECS[1:]]
            rows.append(row)
            print(f"{name + ' ' + target:<30}" + "".join(f"{f:>12.3f}" for f in row), flush=True)
    print(f"{'mean':<30}" + "".join(f"{mean(column):>12.3f}" for column in zip(*rows, strict=True)))


def mean_f(corpus: Corpus, plan: Sequence[Trial], spec: str) -> float:
    """Over the trials; what is the same for every example is run once."""
    return mean(
        [run(corpus, trial, spec).f for trial in (plan[:1] if spec in ("irobot", "breadth-first", "oracle") else plan)]
    )


def content_table(chosen: dict[str, Corpus], specs: Sequence[str]) -> None:
    print(
        "User content: valid ratio, recall, F, entropy in bits; valid ratio of what was a page, no dead link or redirect; "
        "after the sample: valid ratio, the same with lists as well"
    )
    for name, corpus in chosen.items():
        if name in TYPES and name not in CONTENT:
            continue
        trial = trials(corpus, choose(corpus, "user-content"), 1, 0)[0]
        for spec in specs:
            score = run(corpus, trial, spec)
            later = score.urls[SAMPLE:]
            valid = [url in trial.split.targets for url in later]
            lists = [good or type_of(corpus, url) in LISTS for url, good in zip(later, valid, strict=True)]
            pages = [url in trial.split.targets for url in score.urls if type_of(corpus, url)]
            print(
                f"{name:<20}{spec:<36} {score.harvest:.3f} {score.recall:.3f} {score.f:.3f} "
                f"{bits(corpus, score.urls):.2f}   {mean(pages):.3f}   {mean(valid):.3f} {mean(lists):.3f}",
                flush=True,
            )


def clustering_table(chosen: dict[str, Corpus]) -> None:
    print(
        "Clusters of 1,000 pages drawn at random, and of what strategy structure samples: purity, micro F, macro F, B-cubed F, "
        "clusters"
    )
    for name, corpus in chosen.items():
        drawn = draw(corpus, 1)
        sampled = [learn_site(corpus.fetcher(), [corpus.home], size).pages for size in (200, 1000)]
        for how, pages in (("random 1000", drawn), ("sample 200", sampled[0]), ("sample 1000", sampled[1])):
            kinds = [type_of(corpus, page.url) for page in pages]
            for method, labels in clusterings(pages):
                found = agreement(labels, kinds)
                print(f"{name:<20}{how:<13}{method:<10} {line(found)}  {len(set(labels) - {-1})}", flush=True)
        print(
            f"{name:<20}4-fold precision of classifying new pages, micro and macro {line(folds(corpus, drawn))}, "
            f"silhouette of the labelled types {labelled_apart(corpus, drawn):.3f}",
            flush=True,
        )


def draw(corpus: Corpus, seed: int) -> list[Page]:
    return [corpus.page(url) for url in random.Random(seed).sample(sorted(corpus.urls), 1000)]


def draws_table(chosen: dict[str, Corpus]) -> None:
    print(
        f"Clusters of other 1,000 pages, drawn {len(OTHER_DRAWS)} times: purity, micro F, B-cubed F, mean (least to most)"
    )
    rows: dict[tuple[int, str], list[Agreement]] = {}
    for name, corpus in chosen.items():
        for seed in OTHER_DRAWS:
            pages = draw(corpus, seed)
            kinds = [type_of(corpus, page.url) for page in pages]
            for method, labels in clusterings(pages):
                rows.setdefault((seed, method), []).append(agreement(labels, kinds))
        for method in {method: 0 for _, method in rows}:
            print(f"{name:<20}{method:<10} {spread_line([rows[seed, method][-1] for seed in OTHER_DRAWS])}", flush=True)
    for method in {method: 0 for _, method in rows}:
        means = [Agreement(*map(mean, zip(*rows[seed, method], strict=True))) for seed in OTHER_DRAWS]
        print(f"{'mean':<20}{method:<10} {spread_line(means)}")


def spread_line(found: Sequence[Agreement]) -> str:
    """Mean, least and most of purity, micro F and B-cubed F."""
    measures = ([getattr(one, name) for one in found] for name in ("purity", "micro", "cubed"))
    return "   ".join(f"{mean(values):.3f} ({min(values):.3f} to {max(values):.3f})" for values in measures)


def labelled_apart(corpus: Corpus, pages: Sequence[Page]) -> float:
    """How well the types as they are labelled lie apart: near 0 where they are no templates."""
    kinds = [type_of(corpus, page.url) for page in pages]
    counts = Counter(kinds)
    known = [number for number, name in enumerate(kinds) if counts[name] >= LEAST_POINTS]
    names = sorted({kinds[number] for number in known})
    bags = [pages[number].paths for number in known]
    rows = weights(bags).rows(bags)
    return silhouette(distances(rows, rows), np.array([names.index(kinds[number]) for number in known]))


def clusterings(pages: Sequence[Page]) -> Iterator[tuple[str, list[int]]]:
    bags = [page.paths for page in pages]
    yield "dbscan", [int(label) for label in cluster(weights(bags).rows(bags)).labels]
    yield "corrected", learn_pages(pages).names
    yield "mdl", [int(label) for label in mdl([{apath(link.path) for link in page.links} for page in pages])]
    yield "regions", [int(label) for label in cluster_regions(bags)[0]]


def folds(corpus: Corpus, pages: Sequence[Page], count: int = 4) -> Precision:
    """Of classifying pages that the clusters were not learned from: stratified folds, types of few pages left out."""
    named = [(page, type_of(corpus, page.url)) for page in pages]
    sizes = Counter(kind for _, kind in named)
    kept = [(page, kind) for page, kind in named if sizes[kind] >= LEAST_POINTS]
    dealt = stratified([kind for _, kind in kept], count)
    found = []
    for fold in range(count):
        known, new = (
            [row for row, its in zip(kept, dealt, strict=True) if (its == fold) == held] for held in (False, True)
        )
        sitemap, names, _ = learn_pages([page for page, _ in known])
        labels = [sitemap.classify(sitemap.row(page.paths)) for page, _ in new]
        found.append(precision(labels, [kind for _, kind in new], names, [kind for _, kind in known]))
    return Precision(*map(mean, zip(*found, strict=True)))


def sample_table(chosen: dict[str, Corpus]) -> None:
    print("Target: mean F by size of the sample and how it is drawn, frozen after it; counted in the budget, and not")
    for size in (100, 200, 500, 1000):
        for sampling in SAMPLINGS:
            spec = f"structure(sample={size},sampling='{sampling}')"
            scores = [
                sampled_f(corpus, type_trials(corpus, target, RUNS[:1])[0], spec, size)
                for name, corpus in chosen.items()
                for target in types(name)
                if target != "detail"
            ]
            counted, apart = (mean([pair[n] for pair in scores]) for n in (0, 1))
            each = " ".join(f"{pair[1]:.3f}" for pair in scores)
            print(f"{size:>5} {sampling:<14} {counted:.3f} {apart:.3f}   {each}", flush=True)


def sampled_f(corpus: Corpus, trial: Trial, spec: str, size: int) -> tuple[float, float]:
    """F with the sample in the budget, and F of as many fetches after it, for the targets that were left."""
    longer = run(corpus, replace(trial, budget=trial.budget + size), spec)
    early, later = set(longer.urls[:size]), set(longer.urls[size:])
    left = trial.split.targets - early
    hits = len(left & later)
    within = len(trial.split.targets & set(longer.urls[: trial.budget]))
    return within / trial.budget, f_of(hits / max(1, len(later)), hits / max(1, len(left)))


def redesign_table(names: Sequence[str]) -> None:
    print(
        "A redesign after half of the budget: F, and harvest rate by quarters; of the fetches by links on pages of the new "
        "look how many were wanted"
    )
    with forums() as before, forums(redesign=True) as after:
        for name in [name for name in before if name in (names or before)]:
            for target in KINDS:
                trial = type_trials(before[name], target, RUNS[:1])[0]
                for spec in SPECS[:2]:
                    fetcher = Redesigned(before[name].fetcher(), after[name].fetcher(), trial.budget // 2)
                    score = run(before[name], trial, spec, fetcher)
                    new = f"{len(trial.split.targets.intersection(fetcher.led))} of {len(fetcher.led)}"
                    print(
                        f"{name:<15}{target:<10}{spec:<26}{score.f:.3f}   {quarters(trial, score)}   {new}", flush=True
                    )


def quarters(trial: Trial, score: Score) -> str:
    edges = [trial.budget * n // 4 for n in range(5)]
    parts = [score.urls[start:end] for start, end in pairwise(edges)]
    return " ".join(f"{mean([url in trial.split.targets for url in part]):.2f}" for part in parts)


def type_of(corpus: Corpus, url: str) -> str:
    return corpus.labels.get(url, {}).get("page_type", "")


def bits(corpus: Corpus, urls: Sequence[str]) -> float:
    counts: dict[str, int] = {}
    for url in urls:
        name = corpus.labels.get(url, {}).get("page_type", "gone")
        counts[name] = counts.get(name, 0) + 1
    return -sum(count / len(urls) * math.log2(count / len(urls)) for count in counts.values())


def line(found: Agreement | Precision) -> str:
    return " ".join(f"{value:.3f}" for value in found)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def main() -> None:
    asked = [word for word in sys.argv[1:] if word in TABLES] or TABLES
    names = [word for word in sys.argv[1:] if word not in TABLES]
    with sites(names) as chosen:
        if "clustering" in asked:
            clustering_table(chosen)
        if "draws" in asked:
            draws_table(chosen)
        if "target" in asked:
            target_table(chosen)
        if "content" in asked:
            content_table(chosen, [spec for spec in SPECS if spec != "target-map"])
        if "parts" in asked:
            sums = ("dsim+balance", "info+balance", "info+dsim", "info+dsim+balance")
            content_table(chosen, [f"structure(parts='{parts}')" for parts in sums])
        if "samples" in asked:
            sample_table(chosen)
    if "redesign" in asked:
        redesign_table(names)


if __name__ == "__main__":
    main()
