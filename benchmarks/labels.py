"""What ten answers of a person are worth: a crawl from a topic's name, and how its other pages are judged before and after.

    python -m benchmarks.labels DIR [--every N] [--pages 300] [--answers 10]

The pages that the topic is least sure of are asked about, and answered by the labels of the corpus. Judged are all other
pages that the crawl brought. *the crawl alone* is what the topic made of the pages it met, without answers; *answers alone* what
`auto` makes of the words and the answers, with nothing guessed from this crawl.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

from opilio import registry
from opilio.bench.corpus import Corpus
from opilio.bench.course import spoken
from opilio.bench.tasks import Trial, choose, trials
from opilio.loop import trace
from opilio.nouns import RELEVANT, Material, Page, Topic
from opilio.topics.adaptive import Growing
from opilio.topics.calibration import auc, brier
from opilio.topics.models.auto import Auto


def crawled(corpus: Corpus, trial: Trial, topic: Topic, most: int) -> dict[str, Page]:
    """The pages with text that a crawl for the topic brings."""
    strategy = registry.make("link-context-plus", {"topic": topic, "seed": trial.seed})
    visits = trace(strategy, corpus.fetcher(), trial.split.seeds, most, topic=topic)
    found = {visit.url: corpus.page(visit.url) for visit in visits}
    return {url: page for url, page in found.items() if page.text.strip()}


def one(corpus: Corpus, trial: Trial, options: argparse.Namespace) -> dict[str, tuple[float, float, float]]:
    """AUC, Brier score and share of right judgements for each way to learn; nothing where all pages are alike."""
    given = Auto.learn(Material(spoken(trial.topic)))
    pages = crawled(corpus, trial, given, options.pages)
    doubts = sorted(pages, key=lambda url: (abs(given.page(pages[url]) - RELEVANT), url))
    asked, rest = doubts[: options.answers], doubts[options.answers :]
    truth = [url in trial.split.relevant for url in rest]
    if len(set(truth)) < 2:
        return {}
    met, alone, after = (Growing(given, adapts) for adapts in (True, False, True))
    for topic in (met, after):
        for page in pages.values():
            topic.observe(page, topic.page(page))
    for topic in (alone, after):
        for url in asked:
            topic.told(pages[url], url in trial.split.relevant)
    ways = {"before": given, "the crawl alone": met, "answers alone": alone, "after": after}
    return {name: measured([topic.page(pages[url]) for url in rest], truth) for name, topic in ways.items()}


def measured(said: list[float], truth: list[bool]) -> tuple[float, float, float]:
    right = float(np.mean([(p >= RELEVANT) == kind for p, kind in zip(said, truth, strict=True)]))
    return auc(said, truth), brier(said, truth), right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--answers", type=int, default=10)
    options = parser.parse_args()
    corpus, rows = Corpus.open(options.folder), defaultdict[str, list[tuple[float, float, float]]](list)
    for trial in trials(corpus, choose(corpus, None), 1, 1)[:: options.every]:
        for name, row in (one(corpus, trial, options) if trial.budget else {}).items():
            rows[name].append(row)
    print("| | topics | AUC | Brier | judged right |\n| --- | --- | --- | --- | --- |")
    for name, found in rows.items():
        means = " | ".join(f"{mean:.3f}" for mean in np.mean(found, axis=0))
        print(f"| {name} | {len(found)} | {means} |")


if __name__ == "__main__":
    main()
