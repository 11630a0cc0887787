"""Pages of one type that are about a topic: the threads of a forum, shown by a page, some words and an example.

python -m benchmarks.like_topics [SEED ...]

On forums of synthetic webs of 3,000 pages (the four largest topics of each seed; 31, 32 and 33 if none is named), and on redash
where it is at hand. Printed is the mean share of wanted pages found over a crawl of five times as many pages: with the type and
the topic, and with the topic alone.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from opilio import registry
from opilio.bench.corpus import Corpus
from opilio.bench.trial_runs import spoken
from opilio.learning.page_likeness import Like
from opilio.loop import trace
from opilio.nouns import Material
from opilio.synth.corpus import write
from opilio.synth.web import Web
from opilio.topics.adaptive import Growing
from opilio.urls import host

from .structure import SHARED

SEEDS = (31, 32, 33)
PAGES, TOPICS = 3000, 4  # of a synthetic web
BUDGET = 5  # times the wanted pages, and no more than half of what can be reached
LEAST = 8  # wanted pages; with fewer nothing is told
CRAWLS = (("structure-plus", True), ("blend", True), ("blend", False))  # and whether the type is said


class Case(NamedTuple):
    name: str
    corpus: Corpus
    topic: str
    home: str
    pages: list[str]  # that are wanted


def synthetic(seed: int, folder: Path) -> Iterator[Case]:
    write(Web(PAGES, seed), folder)
    corpus = Corpus.open(folder)
    kinds = {url: (labels["page_type"], labels["topic"]) for url, labels in sorted(corpus.labels.items())}
    counts = Counter(kind for kind in kinds.values() if kind[0].endswith("-thread") and kind[1])
    for wanted, _ in counts.most_common(TOPICS):
        found = [url for url, kind in kinds.items() if kind == wanted]
        place = host(found[0])
        home = f"http://{place}/"
        yield Case(f"{seed} {' '.join(wanted)}", corpus, wanted[1], home, [url for url in found if host(url) == place])


def recorded() -> Iterator[Case]:
    corpus = Corpus.open(SHARED / "redash")
    for topic in ("feature-requests", "development"):
        found = sorted(url for url, labels in corpus.labels.items() if labels.get("category") == topic)
        yield Case(f"redash {topic}", corpus, topic, corpus.home, found)


def shares(case: Case) -> list[float]:
    """The mean share found of each crawl; nothing where there are too few pages to find."""
    pages, corpus = list(case.pages), case.corpus
    random.Random(case.name).shuffle(pages)
    about, shown, *rest = pages
    reached = corpus.graph().reachable([case.home, shown])
    targets = reached.intersection(rest)
    budget = min(BUDGET * len(targets), len(reached) // 2)
    return [crawled(case, about, shown, targets, budget, *crawl) for crawl in CRAWLS] if len(targets) >= LEAST else []


def crawled(case: Case, about: str, shown: str, targets: set[str], budget: int, spec: str, typed: bool) -> float:
    corpus, words = case.corpus, spoken(case.topic)
    topic = Growing(registry.learn("auto", Material(words, (corpus.page(about),))), True)
    given: dict[str, Any] = {"seed": 1, "topic": topic, "words": words}
    given |= {"like": Like([corpus.page(shown)])} if typed else {}
    seeds = [url for url in (shown, case.home) if url in corpus.urls]
    visits = trace(registry.make(spec, given), corpus.fetcher(), seeds, budget, topic=topic, known=[corpus.page(about)])
    hits = np.cumsum([visit.url in targets for visit in visits])
    return float(np.pad(hits, (0, budget - len(hits)), "edge").mean()) / len(targets)


def show(cases: Iterator[Case]) -> Iterator[Sequence[float]]:
    for case in cases:
        if found := shares(case):
            print(f"| {case.name} | {' | '.join(f'{share:.3f}' for share in found)} |", flush=True)
            yield found


def main() -> None:
    seeds = [int(word) for word in sys.argv[1:]] or SEEDS
    print("| threads about | structure-plus | blend | blend, topic alone |\n| --- | --- | --- | --- |")
    with TemporaryDirectory(prefix="opilio-like-") as scratch:
        rows = [row for seed in seeds for row in show(synthetic(seed, Path(scratch, str(seed))))]
        rows += show(recorded()) if (SHARED / "redash").is_dir() else []
    print(f"| mean | {' | '.join(f'{share:.3f}' for share in np.mean(rows, axis=0))} |")


if __name__ == "__main__":
    main()
