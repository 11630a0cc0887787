"""The experiments on importance that flows: `python -m benchmarks.importance figures|table2|parts|cost [...]`.

figures CORPUS   target recall and harvest of the strategies, with standard errors and t-tests, as in figure 3 of Wang et al.
                 2009, and otie with a and d swept, as in its figure 2: on the same trials
parts CORPUS     what holds otie back: the same crawl with one part of it made perfect, or repaired
cost             processor time a page as a crawl grows, the judging of relevance left out
table2           how long each order would take on a synthetic web, were every host visited politely, as in its table 2
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from scipy.stats import ttest_rel

from opilio import registry
from opilio.bench.corpus import Corpus
from opilio.bench.course import Course
from opilio.bench.metrics.auc import auc
from opilio.bench.run import bench
from opilio.bench.table import table
from opilio.bench.tasks import choose, trials
from opilio.bench.truth import Truth
from opilio.loop import trace
from opilio.nouns import Link, Material, Offer, Page, Strategy, Topic
from opilio.report.bench import write
from opilio.strategies.otie import Otie
from opilio.strategies.otie_plus import OtiePlus
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.web import Web
from opilio.urls import host

from .papers.importance import FETCH_LIST, WORKERS, polite

SWEEP = [f"otie(a={a})" for a in (0.5, 1.0, 1.5)] + [f"otie(d={d})" for d in (1.0, 5.0)]
COMPARED = [
    "breadth-first", "best-first", "fish", "shark", "opic", "link-context", "otie", "otie-plus", "link-context-plus",
]  # fmt: skip
TIMED = ["otie", "opic", "link-context", "link-context-plus"]
COSTED = ["breadth-first", "opic", "otie"]


def compare(corpus: Path, strategies: list[str], runs: int, out: Path) -> None:
    Console().print(table(bench(corpus, None, strategies, "5x", runs, 1, out)))
    print(write(out))


class Told(Topic):
    """A topic that is told the truth about pages, or about where links lead."""

    def __init__(self, topic: Topic, true: Callable[[str], float], *parts: str) -> None:
        self.topic, self.true, self.parts = topic, true, parts

    def text(self, text: str) -> float:
        return self.topic.text(text)

    def page(self, page: Page) -> float:
        return self.true(page.url) if "pages" in self.parts else self.topic.page(page)

    def links(self, page: Page) -> Sequence[float]:
        if "links" in self.parts:
            return [self.true(link.url) for link in page.links]
        return self.topic.links(page)


class FreshCash(Otie):
    """otie, and relevant pages get new cash."""

    def revised(self, page: Page, relevance: float) -> float:
        return super().revised(page, relevance) + relevance / 10


class Yields(OtiePlus):
    """otie-plus without new cash."""

    def revised(self, page: Page, relevance: float) -> float:
        return Otie.revised(self, page, relevance)


PARTS: dict[str, tuple[Callable[[Topic], Strategy], tuple[str, ...]]] = {
    "otie": (Otie, ()),
    "r of pages is the truth": (Otie, ("pages",)),
    "similarity of links is the truth": (Otie, ("links",)),
    "no share from the parent (beta = 0)": (partial(Otie, beta=0.0), ()),
    "r and similarity are the truth": (Otie, ("pages", "links")),
    "new cash for relevant pages": (FreshCash, ()),
    "yield of the kind of link": (Yields, ()),
    "otie-plus: new cash and yield": (OtiePlus, ()),
}


def parts(folder: Path, topics: int) -> None:
    """The area of each variant over this many topics, drawn by a seed, and whether it differs from otie's."""
    corpus = Corpus.open(folder)
    course = Course(corpus, choose(corpus, None).name)
    areas: dict[str, list[float]] = {name: [] for name in PARTS}
    plan = trials(corpus, choose(corpus, None), 1, 1, "5x")
    for trial in random.Random(1).sample(plan, min(topics, len(plan))):
        topic = course.given(trial, "auto")["topic"]
        truth = course.truth(trial)
        for name, (make, told) in PARTS.items():
            strategy = make(Told(topic, partial(_true, truth), *told))
            examples = course.known(trial)
            visits = trace(strategy, corpus.fetcher(), trial.split.seeds, trial.budget, known=examples)
            areas[name].append(auc([visit.url for visit in visits], truth)[-1])
    print(f"{corpus.name}, {len(areas['otie'])} topics, budget 5 x targets, area under the curve of target recall")
    for name, values in areas.items():
        p = "" if name == "otie" else f"p = {ttest_rel(values, areas['otie']).pvalue:.3f}"
        print(f"{name:36} {sum(values) / len(values):.3f}   {p}")


def _true(truth: Truth, url: str) -> float:
    return float(url in truth.relevant)


def cost(sizes: Sequence[int]) -> None:
    """Milliseconds a page: fetching from the synthetic web, parsing, strategy, frontier; relevance is a constant."""
    web = Web(2 * max(sizes), 1)
    print("pages     " + "".join(f"{name:>16}" for name in COSTED))
    for pages in sizes:
        spent = [_spent(web, name, pages) for name in COSTED]
        print(f"{pages:<10}" + "".join(f"{ms:13.3f} ms" for ms in spent))


def _spent(web: Web, name: str, pages: int) -> float:
    fetcher = SynthFetcher(web)
    strategy = registry.make(name, {"topic": Constant(), "seed": 1})
    begun = time.process_time()
    visits = trace(strategy, fetcher, web.seeds(web.topics[0])[:10], pages)
    return 1000 * (time.process_time() - begun) / len(visits)


class Constant(Topic):
    """Judges nothing, so that only the rest is timed; slightly on the topic, so that cash keeps flowing."""

    def text(self, text: str) -> float:
        return 0.55

    def page(self, page: Page) -> float:
        return 0.55

    def links(self, page: Page) -> Sequence[float]:
        return [0.55] * len(page.links)


def table2(pages: int, delay: float) -> None:
    """Hours for the same number of pages, by the order in which a strategy asks for them."""
    fetcher = SynthFetcher(Web(3 * pages, 1))
    topic = fetcher.web.topics[0]
    seeds = fetcher.web.seeds(topic)[:10]
    examples = tuple(answer(fetcher, url) for url in seeds)
    relevance = registry.learn("auto", Material(topic.split("/")[-1], examples))
    print(f"{pages} pages, fetch list {FETCH_LIST}, {WORKERS} workers, {delay} s between visits to a host")
    for name in TIMED:
        begun = time.process_time()
        visits = trace(registry.make(name, {"topic": relevance, "seed": 1}), fetcher, seeds, pages, FETCH_LIST)
        spent = 1000 * (time.process_time() - begun) / len(visits)
        urls = [visit.url for visit in visits]
        print(
            f"{name:18} {polite(urls, delay) / 3600:8.2f} h   {len(set(map(host, urls))):6} hosts   {spent:.2f} ms CPU a page"
        )


def answer(fetcher: SynthFetcher, url: str) -> Page:
    return asyncio.run(fetcher.fetch(Offer(Link(url))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["figures", "table2", "parts", "cost"])
    parser.add_argument("corpus", type=Path, nargs="?", help="a corpus folder, for the figures")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--topics", type=int, default=10, help="of the corpus, for parts")
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--delay", type=float, default=1.0)
    asked = parser.parse_args()
    if asked.what == "table2":
        table2(asked.pages, asked.delay)
    elif asked.what == "cost":
        cost([asked.pages // 10, asked.pages // 3, asked.pages])
    elif asked.corpus is None:
        parser.error(f"{asked.what} needs a corpus folder")
    elif asked.what == "parts":
        parts(asked.corpus, asked.topics)
    else:
        compare(asked.corpus, COMPARED + SWEEP, asked.runs, Path("runs") / f"figures-{asked.corpus.name}")


if __name__ == "__main__":
    main()
