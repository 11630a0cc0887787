"""What each form of help is worth: words, a sentence, examples, pages off the topic, judged against all labelled pages."""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from opilio.bench.corpus import Corpus
from opilio.bench.course import spoken
from opilio.bench.tasks import Splitter, choose, values
from opilio.nouns import RELEVANT, Material, Page
from opilio.topics.calibration import reliability
from opilio.topics.models.auto import Auto

FORMS = {  # words, examples, pages off the topic
    "words": ("words", 0, 0),
    "a sentence": ("sentence", 0, 0),
    "1 example": ("", 1, 0),
    "2 examples": ("", 2, 0),
    "5 examples": ("", 5, 0),
    "words, 2 examples": ("words", 2, 0),
    "words, 5 examples": ("words", 5, 0),
    "5 examples, 10 off": ("", 5, 10),
    "words, 5 examples, 10 off": ("words", 5, 10),
}
AROUND = 200  # pages from the home pages on, and links of the first examples: what a crawl has met by then
SURE = 0.9


class Case(NamedTuple):
    """One topic: what a user could say, and the pages to judge."""

    topic: str
    good: list[Page]
    bad: list[Page]
    around: tuple[Page, ...]
    judged: list[Page]
    truth: np.ndarray


def cases(corpus: Corpus, options: argparse.Namespace) -> Iterator[Case]:
    splitter = Splitter(corpus, choose(corpus, "topics"))
    beside = corpus.folder / "examples.json"
    named: dict[str, list[str]] = json.loads(beside.read_text()) if beside.exists() else {}
    for topic in splitter.topics()[:: options.every]:
        chance = random.Random(topic)
        relevant = splitter.split(topic, chance).relevant
        labelled = [url for url in splitter.labels if named or values(splitter.labels[url], splitter.column)]
        good = named.get(topic) or chance.sample(sorted(relevant), 5)
        bad = chance.sample([url for url in labelled if url not in relevant], 10)
        off = [url for url in labelled if url not in relevant and url not in bad]
        off = chance.sample(off, options.negatives) if 0 < options.negatives < len(off) else off
        unseen = [url for url in sorted(relevant) if url not in good] + off
        around = [url for url in met(corpus, good[:2]) if url not in good]
        yield Case(
            topic,
            [*map(corpus.page, good)],
            [*map(corpus.page, bad)],
            tuple(map(corpus.page, around)),
            [*map(corpus.page, unseen)],
            np.array([url in relevant for url in unseen]),
        )


def met(corpus: Corpus, examples: list[str]) -> list[str]:
    """The first pages that a crawl meets: breadth-first from the home pages, and behind the links of examples."""
    homes = corpus.folder / "homes.json"
    queue = json.loads(homes.read_text()) if homes.exists() else [corpus.home]
    known, found = set(corpus.urls), dict.fromkeys(queue)
    for url in queue:
        if len(found) < AROUND * 2 // 3:
            fresh = [link.url for link in corpus.page(url).links if link.url in known and link.url not in found]
            queue.extend(dict.fromkeys(fresh))
            found |= dict.fromkeys(fresh)
    near = [link.url for url in examples for link in corpus.page(url).links if link.url in known]
    return [*list(found)[: AROUND * 2 // 3], *dict.fromkeys(near)][:AROUND]


def material(case: Case, form: tuple[str, int, int]) -> Material:
    said, good, bad = form
    name = spoken(case.topic)
    sentence = f"I am looking for pages about {name}, with explanations, details and examples."
    words = {"words": name, "sentence": sentence, "": ""}[said]
    return Material(words, tuple(case.good[:good]), tuple(case.bad[:bad]), case.around)


def measured(said: np.ndarray, truth: np.ndarray) -> tuple[float, ...]:
    """Average precision; precision and recall at 0.5; how many given 0.9 are relevant, how many there are; calibration error."""
    order = np.argsort(-said, kind="stable")
    hits = truth[order]
    precision = float((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean())
    called, sure = said >= RELEVANT, said >= SURE
    error = sum(abs(one.said - one.true) * one.pages for one in reliability(said, truth)) / len(said)
    right = float(truth[called].mean()) if called.any() else np.nan
    return precision, right, float(called[truth].mean()), float(truth[sure].sum()), float(sure.sum()), error


def show_help(options: argparse.Namespace) -> None:
    corpus = Corpus.open(Path(options.folder))
    rows = defaultdict[str, list[tuple[float, ...]]](list)
    for case in cases(corpus, options):
        for form, parts in FORMS.items():
            topic = Auto.learn(material(case, parts))
            rows[form].append(measured(np.array([topic.page(page) for page in case.judged]), case.truth))
    print(f"\n{corpus.name}, {len(rows['words'])} topics\n")
    print("| help | average precision | precision | recall | relevant of those given 0.9 | calibration error |")
    print("| --- | --- | --- | --- | --- | --- |")
    for form, found in rows.items():
        ap, right, recall, hits, sure, error = np.nanmean(found, axis=0)
        of_sure = f"{hits / sure:.2f} of {sure * len(found):.0f}" if sure else "none"
        print(f"| {form} | {ap:.3f} | {right:.2f} | {recall:.2f} | {of_sure} | {error:.3f} |")
    both, alone = ([row[0] for row in rows[form]] for form in ("words, 2 examples", "2 examples"))
    better = sum(b > max(w[0], a) for b, w, a in zip(both, rows["words"], alone, strict=True))
    print(f"\nwords and 2 examples are better than both parts on {better} of {len(both)} topics")
