"""The experiments on importance that flows: `python -m benchmarks.importance figure2|figure3|table2 [...]`.

figure2 CORPUS   otie with a and d swept, as in figure 2 of Wang et al. 2009
figure3 CORPUS   target recall and harvest of the strategies, with standard errors and t-tests, as in its figure 3
table2           how long each order would take on a made-up web, were every host visited politely, as in its table 2
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from opilio import registry
from opilio.bench.run import bench
from opilio.bench.table import table
from opilio.nouns import Link, Material, Offer, Page
from opilio.report.bench import write
from opilio.shard import trace
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.web import Web
from opilio.urls import host

SWEEP = [f"otie(a={a})" for a in (0.5, 0.85, 1.0, 1.5)] + [f"otie(d={d})" for d in (1.0, 5.0)]
COMPARED = [
    "breadth-first", "best-first", "fish", "shark", "opic", "link-context", "otie", "otie-plus", "link-context-plus",
]  # fmt: skip
TIMED = ["otie", "opic", "link-context", "link-context-plus"]
FETCH_LIST, WORKERS, FETCH_SECONDS = 50, 30, 0.5


def compare(corpus: Path, strategies: list[str], runs: int, out: Path) -> None:
    Console().print(table(bench(corpus, None, strategies, "5x", runs, 1, out)))
    print(write(out))


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


def polite(urls: Sequence[str], delay: float) -> float:
    """Seconds for a trace: each fetch list waits for its busiest host, and for its workers."""
    total = 0.0
    for start in range(0, len(urls), FETCH_LIST):
        batch = urls[start : start + FETCH_LIST]
        busiest = max(Counter(map(host, batch)).values())
        total += max((busiest - 1) * delay + FETCH_SECONDS, FETCH_SECONDS * -(-len(batch) // WORKERS))
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["figure2", "figure3", "table2"])
    parser.add_argument("corpus", type=Path, nargs="?", help="a corpus folder, for the figures")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--delay", type=float, default=1.0)
    asked = parser.parse_args()
    if asked.what == "table2":
        table2(asked.pages, asked.delay)
    elif asked.corpus is None:
        parser.error(f"{asked.what} needs a corpus folder")
    else:
        specs = SWEEP if asked.what == "figure2" else COMPARED
        compare(asked.corpus, specs, asked.runs, Path("runs") / f"{asked.what}-{asked.corpus.name}")


if __name__ == "__main__":
    main()
