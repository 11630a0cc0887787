"""What answers of a person are worth, and which questions to ask first: crawls for topics, answered by the labels of a corpus.

    python -m benchmarks.labels DIR... [--every N] [--pages 300] [--answers 5] [--orders a,b] [--forms a,b]

For each topic and form of help a crawl brings pages. Half of them, by the hash of their URLs, may be asked about; the others are
judged, by the same pages for all orders. After each answer the topic learns anew and the next question is chosen. Printed is the
mean, over topics and forms of help, of precision, recall and F1 of what is called relevant, of the Brier score, and of the
share of wrong judgements among the pages that were given 0.7 or more. With several corpora, the order with the lowest Brier score
on the others is printed for each.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from opilio import registry
from opilio.bench.corpus import Corpus
from opilio.bench.tasks import Trial, choose, trials
from opilio.bench.trial_runs import spoken
from opilio.engine.questions import Question, in_order
from opilio.loop import trace
from opilio.nouns import RELEVANT, Material, Page
from opilio.topics.adaptive import Growing
from opilio.topics.kept_material import opened, press
from opilio.topics.models.auto import Auto
from opilio.urls import digest

FORMS = {"words": (True, 0), "2 examples": (False, 2), "words, 2 examples": (True, 2)}
SURE = 0.7
STRATEGY = "blend"

Scores: TypeAlias = dict[str, float]  # relevance by URL


class Asked(NamedTuple):
    """What is known when a question is chosen."""

    topic: Growing
    pages: dict[str, Page]
    scores: Scores  # of pages that nobody judged
    said: dict[str, bool]


Order: TypeAlias = Callable[[Asked], str]


def nearest(scores: Scores, to: float) -> str:
    return min(scores, key=lambda url: (abs(scores[url] - to), digest(url)))


def doubt(asked: Asked) -> str:
    return nearest(asked.scores, RELEVANT)


def sure(asked: Asked) -> str:
    return nearest(asked.scores, 1.0)


def in_turns(asked: Asked) -> str:
    """The surest, the most doubtful, the surest ..."""
    return doubt(asked) if len(asked.said) % 2 else sure(asked)


def as_asked(asked: Asked) -> str:
    """The order that is used: doubtful ones, and every fifth time the surest."""
    pages = [Question(digest(url) >> 1, url, "", score, digest(url)) for url, score in asked.scores.items()]
    return in_order(pages, len(asked.said))[0].url


def sure_twice_then_doubt(asked: Asked) -> str:
    return sure(asked) if len(asked.said) < 2 else doubt(asked)


def spread(asked: Asked) -> str:
    """The surest, then the middle of those that count as relevant, then the least of them, then the best of the others."""
    good = sorted((url for url in asked.scores if asked.scores[url] >= RELEVANT), key=lambda url: -asked.scores[url])
    turn = len(asked.said) % 4
    if not good or turn == 3:
        rest = {url: score for url, score in asked.scores.items() if score < RELEVANT}
        return nearest(rest or asked.scores, RELEVANT)
    return good[(0, len(good) // 2, len(good) - 1)[turn]]


def chance(asked: Asked) -> str:
    return min(asked.scores, key=digest)


def change(asked: Asked) -> str:
    """Where the answer is expected to change the judgement of other pages the most, among some of each kind."""
    ranked = sorted(asked.scores, key=lambda url: -asked.scores[url])
    some = dict.fromkeys([*ranked[:3], *ranked[3:30:9], *sorted(ranked, key=lambda u: abs(asked.scores[u] - 0.5))[:3]])
    looked = sorted(asked.scores, key=digest)[:80]

    def worth(url: str) -> float:
        moved = [_moved(asked, looked, url, relevant) for relevant in (True, False)]
        return asked.scores[url] * moved[0] + (1 - asked.scores[url]) * moved[1]

    return max(some, key=worth)


def _moved(asked: Asked, looked: Sequence[str], url: str, relevant: bool) -> float:
    topic = asked.topic.without("")
    topic.labelled(asked.pages[url], relevant)
    return sum(abs(topic.page(asked.pages[one]) - asked.scores[one]) for one in looked if one != url)


ORDERS: dict[str, Order] = {
    "as asked": as_asked,
    "in turns": in_turns,
    "doubt": doubt,
    "sure": sure,
    "sure twice, then doubt": sure_twice_then_doubt,
    "spread": spread,
    "chance": chance,
    "change": change,
}
SLOW = ("change",)  # learns anew for each answer to each of some pages: only when it is asked for


class Case(NamedTuple):
    """A crawl, and what is true of its pages."""

    name: str
    topic: Growing
    askable: dict[str, Page]
    judged: dict[str, Page]
    relevant: frozenset[str]


def cases(corpus: Corpus, options: argparse.Namespace) -> Iterator[Case]:
    beside, homes = corpus.folder / "examples.json", corpus.folder / "homes.json"
    named = json.loads(beside.read_text()) if beside.exists() else {}
    for trial in trials(corpus, choose(corpus, "topics"), 1, 1)[:: options.every]:
        pick = random.Random(trial.topic)
        examples = named.get(trial.topic) or pick.sample(sorted(trial.split.positives or trial.split.relevant), 5)
        seeds = json.loads(homes.read_text()) if homes.exists() else trial.split.seeds
        for form in options.forms:
            yield crawled(corpus, trial, form, seeds, examples, options.pages)


def crawled(corpus: Corpus, trial: Trial, form: str, seeds: Sequence[str], examples: Sequence[str], most: int) -> Case:
    words, count = FORMS[form]
    said = spoken(trial.topic) if words else ""
    known = tuple(map(corpus.page, examples[:count]))
    topic = Growing(Auto.learn(Material(said, known, (), tuple(map(corpus.page, seeds)))), True)
    strategy = registry.make(STRATEGY, {"topic": topic, "seed": trial.seed})
    visits = trace(strategy, corpus.fetcher(), seeds, most, topic=topic)
    pages = {visit.url: opened(press(corpus.page(visit.url), 1_000_000)) for visit in visits}
    fit = [url for url, page in pages.items() if page.text.strip() and url not in examples[:count]]
    askable, judged = ({url: pages[url] for url in fit if digest(url) % 2 == half} for half in (0, 1))
    return Case(f"{corpus.name}, {trial.topic}, {form}", topic, askable, judged, trial.split.relevant)


def taught(case: Case, order: Order, answers: int) -> list[tuple[float, ...]]:
    """The measures before any answer, and after each."""
    topic = case.topic.without("")
    said: dict[str, bool] = {}
    rows = [measured(case, topic)]
    for _ in range(answers):
        scores = {url: topic.page(page) for url, page in case.askable.items() if url not in said}
        url = order(Asked(topic, case.askable, scores, said))
        said[url] = url in case.relevant
        topic.labelled(case.askable[url], said[url])
        rows.append(measured(case, topic))
    return rows


def measured(case: Case, topic: Growing) -> tuple[float, ...]:
    said = np.array([topic.page(page) for page in case.judged.values()])
    truth = np.array([url in case.relevant for url in case.judged])
    called = said >= RELEVANT
    hits, sure = float((called & truth).sum()), said >= SURE
    precision = hits / called.sum() if called.any() else 0.0
    recall = hits / max(1, truth.sum())
    f1 = 2 * hits / max(1, called.sum() + truth.sum())
    wrong = float((sure & ~truth).sum()) / max(1, sure.sum())
    return precision, recall, f1, float(((said - truth) ** 2).mean()), wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--answers", type=int, default=5)
    parser.add_argument(
        "--orders", type=lambda text: text.split(","), default=[name for name in ORDERS if name not in SLOW]
    )
    parser.add_argument("--forms", type=lambda text: text.split(";"), default=list(FORMS))
    options = parser.parse_args()
    found = {folder.name: _of_corpus(Corpus.open(folder), options) for folder in options.folders}
    for name, rows in found.items():
        _print(name, rows)
    if len(found) > 1:
        _print_chosen(found)


Found: TypeAlias = dict[str, np.ndarray]  # by order: case, answers, measure


def _of_corpus(corpus: Corpus, options: argparse.Namespace) -> Found:
    rows = defaultdict[str, list[list[tuple[float, ...]]]](list)
    for case in cases(corpus, options):
        print(case.name, len(case.judged), file=sys.stderr, flush=True)
        if any(url in case.relevant for url in case.judged):
            for name in options.orders:
                rows[name].append(taught(case, ORDERS[name], options.answers))
    return {name: np.array(cases) for name, cases in rows.items()}


def _print(name: str, found: Found) -> None:
    count, answers = len(next(iter(found.values()))), next(iter(found.values())).shape[1] - 1
    heads = ["precision", "recall", "F1", "Brier score", "wrong of those given 0.7"]
    print(f"\n{name}, {count} crawls, before and after {answers} answers\n")
    print(f"| order of questions | {' | '.join(heads)} |\n| --- |{' --- |' * len(heads)}")
    for order, rows in found.items():
        first, last = rows.mean(axis=0)[[0, -1]]
        print(f"| {order} | {' | '.join(f'{a:.3f} → {b:.3f}' for a, b in zip(first, last, strict=True))} |")


def _print_chosen(found: dict[str, Found]) -> None:
    """For each corpus, the order with the lowest Brier score on the others, and what that is worth there."""
    print("\n| corpus | best on the others | F1 there | Brier there |\n| --- | --- | --- | --- |")
    for name, rows in found.items():
        others = {
            order: np.mean([found[other][order][:, -1, 3].mean() for other in found if other != name]) for order in rows
        }
        chosen = min(others, key=lambda order: others[order])
        f1, score = rows[chosen][:, -1, 2].mean(), rows[chosen][:, -1, 3].mean()
        print(f"| {name} | {chosen} | {f1:.3f} | {score:.3f} |")


if __name__ == "__main__":
    main()
