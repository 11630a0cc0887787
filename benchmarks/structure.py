"""Tables for strategy structure on recorded sites: python benchmarks/structure.py clustering|target|content|samples|parts."""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from opilio import registry
from opilio.bench.corpus import Corpus, Task
from opilio.bench.oracle import worth
from opilio.bench.tasks import Trial, choose, trials
from opilio.learning.agreement import Agreement, agreement, precision
from opilio.learning.clusters import cluster, unchained
from opilio.learning.mdl import mdl
from opilio.learning.paths import apath, weights
from opilio.learning.regions import cluster_regions
from opilio.learning.sitemap import learn
from opilio.nouns import Page
from opilio.report.structure import learn_site
from opilio.shard import trace

SHARED = Path(__file__).parents[2] / "shared" / "corpora"
SITES = ("redash", "openenergymonitor", "postgresql-doc", "social-music")
TARGETS = [
    ("redash", "thread"), ("redash", "profile"), ("openenergymonitor", "thread"), ("postgresql-doc", "sql_command"),
    ("social-music", "detail"), ("social-music", "profile"), ("social-music", "list"),
]  # fmt: skip
CONTENT = [("redash", "user-content"), ("openenergymonitor", "user-content")]
SPECS = ("structure", "structure(learn=False)", "target-map", "irobot", "breadth-first", "oracle")


class Score(NamedTuple):
    fetched: int
    harvest: float
    recall: float
    urls: list[str]
    seconds: float

    @property
    def f(self) -> float:
        return 2 * self.harvest * self.recall / (self.harvest + self.recall) if self.recall else 0.0


def corpora() -> dict[str, Corpus]:
    if not SHARED.is_dir():
        sys.exit(f"{SHARED}: the recorded sites are not there")
    return {name: Corpus.open(SHARED / name) for name in SITES}


def type_task(corpus: Corpus, target: str) -> Task:
    settings = {"column": "page_type", "target": target, "start": [corpus.home]}
    return Task(f"type {target}", "type", settings)


def run(corpus: Corpus, trial: Trial, spec: str) -> Score:
    """One strategy on one trial, judged by the pages wanted."""
    given: dict[str, object] = {"seed": trial.seed, "goal": "target" if trial.split.example else "user-content"}
    if trial.split.example:
        given["example"] = corpus.page(trial.split.example)
    if spec == "oracle":
        given["truth"] = worth(corpus.graph(), trial.split.targets, trial.split.seeds, trial.budget)
    begun = time.process_time()
    visits = trace(registry.make(spec, given), corpus.fetcher(), trial.split.seeds, trial.budget)
    urls = [visit.url for visit in visits]
    hits = len(trial.split.targets & set(urls))
    return Score(len(urls), hits / len(urls), hits / len(trial.split.targets), urls, time.process_time() - begun)


def target_table(runs: int) -> None:
    print("Target: F at a budget of as many pages as there are targets; (harvest rate, recall)")
    print(f"{'site, type':<28}" + "".join(f"{spec:>24}" for spec in SPECS))
    sites, means = corpora(), dict.fromkeys(SPECS, 0.0)
    for name, target in TARGETS:
        line = f"{name} {target:<12}"[:28]
        plan = trials(sites[name], type_task(sites[name], target), runs, 0)
        for spec in SPECS:
            scores = [run(sites[name], trial, spec) for trial in plan]
            f, harvest, recall = (
                mean([getattr(score, part) for score in scores]) for part in ("f", "harvest", "recall")
            )
            means[spec] += f / len(TARGETS)
            line = f"{line:<28}" if spec == SPECS[0] else line
            line += f"{f'{f:.3f} ({harvest:.2f}, {recall:.2f})':>24}"
        print(line, flush=True)
    print(f"{'mean':<28}" + "".join(f"{means[spec]:>17.3f}" + " " * 7 for spec in SPECS))


def content_table(specs: Sequence[str]) -> None:
    print("User content: valid ratio, recall, F, entropy in bits; and the valid ratio of the pages after the first 250")
    sites = corpora()
    for name, task in CONTENT:
        corpus = sites[name]
        trial = trials(corpus, choose(corpus, task), 1, 0)[0]
        for spec in specs:
            score = run(corpus, trial, spec)
            later = [url in trial.split.targets for url in score.urls[250:]]
            print(
                f"{name:<20}{spec:<36} {score.harvest:.3f} {score.recall:.3f} {score.f:.3f} "
                f"{bits(corpus, score.urls):.2f}   {mean(later):.3f}",
                flush=True,
            )


def clustering_table() -> None:
    print(
        "Clusters of 1,000 pages drawn at random, and of what strategy structure samples: purity, micro F, macro F, clusters"
    )
    for name, corpus in corpora().items():
        drawn = [corpus.page(url) for url in random.Random(1).sample(sorted(corpus.urls), 1000)]
        sampled = [learn_site(corpus.fetcher(), [corpus.home], size).pages for size in (200, 1000)]
        for how, pages in (("random 1000", drawn), ("sample 200", sampled[0]), ("sample 1000", sampled[1])):
            types = [kind(corpus, page) for page in pages]
            for method, labels in clusterings(pages):
                found = agreement(labels, types)
                print(f"{name:<20}{how:<13}{method:<10} {line(found)}  {len(set(labels) - {-1})}", flush=True)
        print(f"{name:<20}4-fold precision of classifying new pages {folds(corpus, drawn):.3f}", flush=True)


def clusterings(pages: Sequence[Page]) -> Iterator[tuple[str, list[int]]]:
    bags = [page.paths for page in pages]
    found = cluster(weights(bags).rows(bags))
    yield "dbscan", [int(label) for label in found.labels]
    yield "unchained", [int(label) for label in unchained(bags, found)]
    yield "mdl", [int(label) for label in mdl([{apath(link.path) for link in page.links} for page in pages])]
    yield "regions", [int(label) for label in cluster_regions(bags)[0]]


def folds(corpus: Corpus, pages: Sequence[Page], count: int = 4) -> float:
    """Precision of classifying pages that the clusters were not learned from."""
    total = 0.0
    for fold in range(count):
        known = [page for number, page in enumerate(pages) if number % count != fold]
        new = [page for number, page in enumerate(pages) if number % count == fold]
        sitemap, names, _ = learn([page.paths for page in known])
        found = [sitemap.classify(sitemap.row(page.paths)) for page in new]
        total += precision(found, [kind(corpus, page) for page in new], names, [kind(corpus, page) for page in known])
    return total / count


def sample_table() -> None:
    print(
        "Target: F by the size of the sample, learning on and off (with learning, a sample that explains itself ends early)"
    )
    sites = corpora()
    for size in (50, 100, 200, 500, 1000):
        for learning in (True, False):
            spec = f"structure(sample={size},learn={learning})"
            scores = [
                run(sites[name], trials(sites[name], type_task(sites[name], target), 1, 0)[0], spec).f
                for name, target in TARGETS
            ]
            print(f"{spec:<40} mean {mean(scores):.3f}   " + " ".join(f"{score:.3f}" for score in scores), flush=True)


def kind(corpus: Corpus, page: Page) -> str:
    return corpus.labels.get(page.url, {}).get("page_type", "")


def bits(corpus: Corpus, urls: Sequence[str]) -> float:
    counts: dict[str, int] = {}
    for url in urls:
        name = corpus.labels.get(url, {}).get("page_type", "gone")
        counts[name] = counts.get(name, 0) + 1
    return -sum(count / len(urls) * math.log2(count / len(urls)) for count in counts.values())


def line(found: Agreement) -> str:
    return " ".join(f"{value:.3f}" for value in found)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def main() -> None:
    asked = sys.argv[1:] or ["clustering", "target", "content", "samples", "parts"]
    if "clustering" in asked:
        clustering_table()
    if "target" in asked:
        target_table(runs=2)
    if "content" in asked:
        content_table([spec for spec in SPECS if spec != "target-map"])
    if "parts" in asked:
        content_table(
            [
                f"structure(parts='{parts}')"
                for parts in ("dsim+balance", "info+balance", "info+dsim", "info+dsim+balance")
            ]
        )
    if "samples" in asked:
        sample_table()


if __name__ == "__main__":
    main()
