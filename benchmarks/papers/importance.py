"""Wang et al. 2009, OTIE: figures 2 and 3, table 2."""

from __future__ import annotations

import asyncio
import random
import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from opilio import registry
from opilio.bench.remembering_topic import Memo
from opilio.bench.run import bench
from opilio.corpus_folder import corpus_toml
from opilio.loop import trace
from opilio.nouns import Link, Material, Offer, Page
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.web import Web
from opilio.urls import host

from ..floors import linked
from .experiment import Result, corpus, said

PAIRS = ((0.5, 3.0), (0.85, 3.0), (1.0, 3.0), (1.5, 3.0), (0.85, 1.0), (0.85, 5.0))
SWEEP = {f"a = {a}, d = {d:g}": f"otie(a={a},d={d})" for a, d in PAIRS}
THREE = ("Science/Biology/Mammals", "History/General_history", "People/Writers_and_critics")
COMPARED = ["breadth-first", "link-context", "opic", "otie"]
CORPORA = {"wikispeedia": 1, "webkb": 3}  # and runs of each topic
MARKS = ("1x", "2x", "5x")  # pages, as multiples of the targets
SIZE, POSITIVES = 100_000, 75
TIMED = ("otie", "opic", "link-context")
TOPICS, PAGES, FETCH_LIST, WORKERS, FETCH_SECONDS, DELAY = 10, 2_000, 50, 30, 0.5, 1.0


def compared(folder: Path, specs: Sequence[str], runs: int) -> dict[str, Any]:
    """By the paper's model of relevance, lists of 50 from the first page on, harvest also by two of three classifiers."""
    return bench(folder, None, specs, "5x", runs, 1, model="svm", batch=FETCH_LIST, judge=True, workers=1)


def mean(results: dict[str, Any], spec: str, metric: str, at: str) -> tuple[float, float]:
    row = next(row for row in results["summary"] if (row["strategy"], row["metric"], row["at"]) == (spec, metric, at))
    return float(row["mean"]), float(row["se"])


def beats(results: dict[str, Any], better: str, worse: str, metric: str) -> bool:
    """By a one-tailed paired t-test at 0.05, at the end."""
    return any(
        (test["metric"], test["better"], test["worse"]) == (metric, better, worse) and test["p"] < 0.05
        for test in results["tests"]
    )


def cell(value: tuple[float, float]) -> str:
    return f"{value[0]:.3f} ± {value[1]:.3f}"


def figure3() -> Result:
    rows, facts, sentences = [], dict[str, float](), []
    for name, runs in CORPORA.items():
        found = compared(corpus(name), COMPARED, runs)
        for spec in COMPARED:
            recalls = [cell(mean(found, spec, "target_recall", at)) for at in MARKS]
            harvests = [cell(mean(found, spec, metric, "5x")) for metric in ("harvest_rate", "judged_harvest")]
            rows.append([f"{name}: {spec}", *recalls, *harvests])
            facts |= {f"{name} {spec} recall": mean(found, spec, "target_recall", "5x")[0]}
            facts |= {f"{name} {spec} harvest": mean(found, spec, "harvest_rate", "5x")[0]}
            facts |= {f"{name} {spec} judged": mean(found, spec, "judged_harvest", "5x")[0]}
        ahead = [rival for rival in COMPARED[:-1] if beats(found, "otie", rival, "target_recall")]
        behind = [rival for rival in COMPARED[:-1] if beats(found, rival, "otie", "target_recall")]
        sentences.append(_order(name, ahead, behind))
        facts |= {f"{name} otie above {rival}": float(rival in ahead) for rival in COMPARED[:-1]}
    head = ["", *(f"recall at {at}" for at in MARKS), "harvest, labels", "harvest, 2 of 3"]
    return Result(head, rows, " ".join(sentences), facts)


def _order(name: str, ahead: Sequence[str], behind: Sequence[str]) -> str:
    rest = [rival for rival in COMPARED[:-1] if rival not in (*ahead, *behind)]
    parts = [("is above", ahead), ("is below", behind), ("cannot be told from", rest)]
    told = "; ".join(f"otie {what} {', '.join(names)}" for what, names in parts if names)
    return f"On {name}, recall at 5 x the targets (p < 0.05): {told}."


def three_topics(folder: Path) -> Path:
    """Wikispeedia with three of its topics, as many as the paper has here."""
    linked(corpus("wikispeedia"), folder)
    task = {"name": "topics", "kind": "topic", "column": "category", "topics": list(THREE), "seeds": 10, "train": 30}
    (folder / "corpus.toml").write_text(corpus_toml({"name": "wikispeedia"}, [task]), encoding="utf-8")
    return folder


def figure2() -> Result:
    with TemporaryDirectory(prefix="opilio-three-") as scratch:
        found = compared(three_topics(Path(scratch, "wikispeedia")), list(SWEEP.values()), 1)
    rows, facts = [], dict[str, float]()
    for name, spec in SWEEP.items():
        recall, harvest, judged = (
            mean(found, spec, metric, "5x") for metric in ("target_recall", "harvest_rate", "judged_harvest")
        )
        rows.append([name, cell(recall), cell(harvest), cell(judged)])
        facts |= {f"{name} recall": recall[0], f"{name} harvest": harvest[0]}
    by_a = [facts[f"a = {a}, d = 3 recall"] for a in (0.85, 1.0, 1.5)]
    by_d = [facts[f"a = 0.85, d = {d} recall"] for d in (1, 3, 5)]
    sentence = said(
        by_a == sorted(by_a, reverse=True),
        "recall falls as a grows from 0.85.",
        f"recall goes {_way(by_a)} as a grows from 0.85 to 1.5.",
    )
    return Result(
        ["otie", "recall at 5x", "harvest, labels", "harvest, 2 of 3"],
        rows,
        f"{sentence} d moves recall by {max(by_d) - min(by_d):.3f}.",
        facts,
    )


def _way(values: Sequence[float]) -> str:
    return " → ".join(f"{value:.3f}" for value in values)


def table2() -> Result:
    """Minutes that the order of each strategy takes when every host is visited politely, over topics of a synthetic web."""
    fetcher = SynthFetcher(Web(SIZE, 1))
    names = fetcher.web.topics[:: max(1, len(fetcher.web.topics) // TOPICS)][:TOPICS]
    minutes: dict[str, list[float]] = {spec: [] for spec in TIMED}
    for topic in names:
        relevance = Memo(registry.learn("svm", examples(fetcher, topic)))
        for spec in TIMED:
            seeds = fetcher.web.seeds(topic)[:10]
            visits = trace(registry.make(spec, {"topic": relevance, "seed": 1}), fetcher, seeds, PAGES, FETCH_LIST)
            minutes[spec].append(polite([visit.url for visit in visits], DELAY) / 60)
    rows = [[spec, f"{statistics.fmean(spent):.1f} ± {error(spent):.1f}"] for spec, spent in minutes.items()]
    times = statistics.fmean(minutes["link-context"]) / statistics.fmean(minutes["otie"])
    sentence = said(
        times > 2.0,
        f"link-context takes {times:.2f} x as long as otie (2.86 x in the paper).",
        f"link-context takes {times:.2f} x as long as otie, not 2.86 x.",
    )
    return Result(["order", "minutes"], rows, sentence, {"times": times})


def examples(fetcher: SynthFetcher, topic: str) -> Material:
    """75 pages on a topic and 150 off it, as in the paper."""
    web, rng = fetcher.web, random.Random(topic)
    found: dict[bool, list[Page]] = {True: [], False: []}
    while len(found[True]) < POSITIVES or len(found[False]) < 2 * POSITIVES:
        place = web.place(rng.randrange(web.pages))
        good = web.labels_of(place)["topic"] == topic
        if len(found[good]) < (POSITIVES if good else 2 * POSITIVES):
            found[good].append(asyncio.run(fetcher.fetch(Offer(Link(place.url)))))
    return Material(topic.split("/")[-1], tuple(found[True]), tuple(found[False]))


def error(values: Sequence[float]) -> float:
    return float(statistics.stdev(values) / len(values) ** 0.5)


def polite(urls: Sequence[str], delay: float) -> float:
    """Seconds for a trace: each fetch list waits for its busiest host, and for its workers."""
    total = 0.0
    for start in range(0, len(urls), FETCH_LIST):
        batch = urls[start : start + FETCH_LIST]
        busiest = max(Counter(map(host, batch)).values())
        total += max((busiest - 1) * delay + FETCH_SECONDS, FETCH_SECONDS * -(-len(batch) // WORKERS))
    return total


RUNS = {"003 figure2": figure2, "003 figure3": figure3, "003 table2": table2}
