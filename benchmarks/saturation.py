"""When to stop a crawl that has ceased to find anything: what rules would have cut off, and what they would have saved.

    python -m benchmarks.saturation WEB... [--strategies blend,breadth-first] [--topics 3] [--pages 6000]

A WEB is synth:PAGES:SEED or a corpus folder with a task of kind topic. Each crawl starts from two pages about the topic and knows
its words alone, as `opilio crawl --topic` does, and goes on to the end of the web. A rule is "fewer than SHARE of the last
max(LEAST, PART of all pages so far) pages were judged relevant, and FOUND before them". Printed are for each rule: in
how many crawls it stopped, the
share of the relevant pages that came after it (by the truth, and as the crawl judged them; mean and worst crawl), and the share
of the fetches that it saved. The rule that is shipped is marked with *.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from opilio import registry
from opilio.bench.corpus import Corpus
from opilio.bench.tasks import choose, trials
from opilio.bench.trial_runs import spoken
from opilio.loop import trace
from opilio.nouns import RELEVANT, Material
from opilio.saturation import FOUND, LEAST, PART, SHARE, Saturation
from opilio.synth.corpus import write
from opilio.synth.web import Web
from opilio.topics.adaptive import Growing
from opilio.topics.models.auto import Auto

RULES = [(LEAST, part, share, found) for part in (0.25, 0.5) for share in (0.0025, 0.01) for found in (0, 1, 10, 50)]
START = 2  # pages that a crawl begins with


class Crawl(NamedTuple):
    """A whole crawl: of each page whether it was judged relevant, and whether it is."""

    web: str
    topic: str
    strategy: str
    judged: list[bool]
    true: list[bool]


class Outcome(NamedTuple):
    """What a rule does to a crawl, as shares."""

    stopped: bool
    lost: float
    lost_judged: float
    saved: float


def crawls(name: str, corpus: Corpus, strategies: Sequence[str], topics: int, pages: int) -> Iterator[Crawl]:
    for trial in [trial for trial in trials(corpus, choose(corpus, None), 1, 0, pages) if trial.budget][:topics]:
        for strategy in strategies:
            learned = registry.learn("auto", Material(spoken(trial.topic)))
            assert isinstance(learned, Auto)
            topic = Growing(learned, adapts=True)
            made = registry.make(strategy, {"topic": topic, "words": spoken(trial.topic), "seed": 0})
            visits = trace(made, corpus.fetcher("left-out"), trial.split.seeds[:START], pages, topic=topic)
            judged = [(visit.relevance or 0.0) >= RELEVANT for visit in visits]
            yield Crawl(name, trial.topic, strategy, judged, [visit.url in trial.split.relevant for visit in visits])
            print(f"{name} {trial.topic} {strategy}: {len(visits)} pages, {sum(judged)} judged", file=sys.stderr)


def stop_at(judged: Sequence[bool], least: int, part: float, share: float, found: int) -> int:
    """After how many pages the rule ends the crawl."""
    rule = Saturation(share, least, part, found)
    for number, relevant in enumerate(judged, 1):
        rule.extend([relevant])
        if rule.why():
            return number
    return len(judged)


def outcome(crawl: Crawl, least: int, part: float, share: float, found: int) -> Outcome:
    end = stop_at(crawl.judged, least, part, share, found)
    lost, lost_judged = (sum(flags[end:]) / max(1, sum(flags)) for flags in (crawl.true, crawl.judged))
    return Outcome(end < len(crawl.judged), lost, lost_judged, 1 - end / len(crawl.judged))


def table(found: Sequence[Crawl]) -> Iterator[str]:
    yield "| part | share | found before | stopped | lost (worst) | lost, as judged (worst) | fetches saved |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for rule in RULES:
        told = [outcome(crawl, *rule) for crawl in found]
        lost, judged = (
            f"{np.mean(values):.3f} ({max(values):.3f})"
            for values in ([one.lost for one in told], [one.lost_judged for one in told])
        )
        mark = " *" if rule == (LEAST, PART, SHARE, FOUND) else ""
        cells = [
            f"{rule[1]}{mark}",
            *rule[2:],
            f"{sum(one.stopped for one in told)} of {len(told)}",
            lost,
            judged,
        ]
        yield f"| {' | '.join(map(str, cells))} | {np.mean([one.saved for one in told]):.2f} |"


def opened(name: str, scratch: Path) -> Corpus:
    """The corpus of a folder, or one made up."""
    if not name.startswith("synth:"):
        return Corpus.open(Path(name))
    folder = scratch / name.replace(":", "-")
    _, pages, seed = name.split(":")
    write(Web(int(pages), int(seed)), folder, workers=1)
    return Corpus.open(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="+")
    parser.add_argument("--strategies", default="blend,breadth-first")
    parser.add_argument("--topics", type=int, default=3)
    parser.add_argument("--pages", type=int, default=6000)
    told = parser.parse_args()
    found: list[Crawl] = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in told.webs:
            corpus = opened(name, Path(scratch))
            found += crawls(Path(name).name, corpus, told.strategies.split(","), told.topics, told.pages)
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
