"""What each form of help is worth: words, a sentence, examples, pages off the topic, judged against all labelled pages."""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from opilio import registry
from opilio.bench.corpus import Corpus
from opilio.bench.tasks import Splitter, choose, values
from opilio.bench.trial_runs import spoken
from opilio.loop import trace
from opilio.nouns import RELEVANT, Material, Page
from opilio.topics.adaptive import Growing
from opilio.topics.calibration import reliability
from opilio.topics.models.auto import Auto

FORMS = {  # words, examples, pages off the topic
    "words": ("words", 0, 0),
    "a sentence": ("sentence", 0, 0),
    "1 example": ("", 1, 0),
    "2 examples": ("", 2, 0),
    "5 examples": ("", 5, 0),
    "30 examples": ("", 30, 0),
    "words, 1 example": ("words", 1, 0),
    "words, 2 examples": ("words", 2, 0),
    "words, 5 examples": ("words", 5, 0),
    "5 examples, 10 off": ("", 5, 10),
    "words, 5 examples, 10 off": ("words", 5, 10),
    "words, 30 examples, 60 off": ("words", 30, 60),
}
SAVED = "2 examples saved, words added"  # a model that learned from examples, was saved, and gets words later
MOST_JUDGED = 150  # pages on a topic that are judged: as many as there are would be most of the pages judged
FEW_EXAMPLES, MOST_EXAMPLES, MOST_OFF = 5, 30, 60
AROUND = 200  # pages from the home pages on, and links of the first examples: what a crawl has met by then
SURE = 0.9
STRATEGY = "blend"


class Case(NamedTuple):
    """One topic: what a user could say, where a crawl starts, and the pages to judge."""

    topic: str
    seeds: list[str]
    relevant: frozenset[str]
    good: list[Page]
    bad: list[Page]
    around: tuple[Page, ...]
    judged: list[Page]
    truth: np.ndarray


class Asked(NamedTuple):
    """What a corpus knows of a topic."""

    topic: str
    seeds: list[str]  # where a crawl starts; empty where pages have no links to each other
    relevant: frozenset[str]
    labelled: list[str]
    named: list[str]  # examples that a user might give


def asked(corpus: Corpus, most: int) -> Iterator[Asked]:
    """The topics of a corpus that is crawled, so many at most, or the one that its single pages were judged by."""
    single = next((task for task in corpus.tasks if task.kind == "relevance"), None)
    if single:
        column, positive = (str(single.settings[name]) for name in ("column", "positive"))
        relevant = frozenset(url for url, labels in corpus.labels.items() if labels[column] == positive)
        yield Asked(corpus.name.rpartition("-")[2], [], relevant, sorted(corpus.labels), [])
        return
    splitter = Splitter(corpus, choose(corpus, "topics"))
    beside = corpus.folder / "examples.json"
    named: dict[str, list[str]] = json.loads(beside.read_text()) if beside.exists() else {}
    labelled = [url for url in splitter.labels if named or values(splitter.labels[url], splitter.column)]
    topics = splitter.topics()
    for topic in topics[:: math.ceil(len(topics) / most)]:
        split = splitter.split(topic, random.Random(topic))
        yield Asked(topic, homes(corpus) or list(split.seeds), split.relevant, labelled, named.get(topic, []))


def cases(corpus: Corpus, options: argparse.Namespace) -> Iterator[Case]:
    for one in asked(corpus, options.topics):
        chance = random.Random(one.topic)
        off = [url for url in one.labelled if url not in one.relevant]
        good = _good(one.relevant - set(one.seeds), one.named, chance)
        bad = chance.sample(off, MOST_OFF)
        around = [url for url in _around(corpus, one, good[:2], chance) if url not in good]
        kept = {*good, *bad, *(around if not one.seeds else ())}
        on, off = ([url for url in urls if url not in kept] for urls in (sorted(one.relevant), off))
        off = chance.sample(off, options.negatives) if 0 < options.negatives < len(off) else off
        unseen = chance.sample(on, min(MOST_JUDGED, len(on))) + off
        chance.shuffle(unseen)  # pages that are given the same stay in this order
        yield Case(
            one.topic,
            one.seeds,
            one.relevant,
            [*map(corpus.page, good)],
            [*map(corpus.page, bad)],
            tuple(map(corpus.page, around)),
            [*map(corpus.page, unseen)],
            np.array([url in one.relevant for url in unseen]),
        )


def _around(corpus: Corpus, one: Asked, examples: list[str], chance: random.Random) -> list[str]:
    return met(corpus, examples) if one.seeds else chance.sample(one.labelled, AROUND // 2)


def _good(relevant: frozenset[str], named: list[str], chance: random.Random) -> list[str]:
    """Examples: those that are named, and others where there are many pages on the topic."""
    others = sorted(relevant - set(named))
    most = MOST_EXAMPLES if len(relevant) >= 2 * MOST_EXAMPLES else FEW_EXAMPLES
    return [*named, *chance.sample(others, most - len(named))]


def homes(corpus: Corpus) -> list[str]:
    """The home pages, where a corpus names several."""
    beside = corpus.folder / "homes.json"
    return list(json.loads(beside.read_text())) if beside.exists() else []


def met(corpus: Corpus, examples: list[str]) -> list[str]:
    """The first pages that a crawl meets: breadth-first from the home pages, and behind the links of examples."""
    queue = homes(corpus) or [corpus.home]
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
    error = sum(abs(one.given - one.true) * one.pages for one in reliability(said, truth)) / len(said)
    right = float(truth[called].mean()) if called.any() else np.nan
    return precision, right, float(called[truth].mean()), float(truth[sure].sum()), float(sure.sum()), error


def learned(case: Case, form: str) -> Auto:
    """A topic that knows so much."""
    if form != SAVED:
        return Auto.learn(material(case, FORMS[form]))
    with TemporaryDirectory() as folder:
        Auto.learn(material(case, FORMS["2 examples"])).save(Path(folder) / "saved.model")
        saved = Auto.load(Path(folder) / "saved.model")
    return saved.more(material(case, FORMS["words"]))


def known_examples(case: Case, form: str) -> list[Page]:
    return case.good[: FORMS["2 examples" if form == SAVED else form][1]]


def harvest(corpus: Corpus, case: Case, form: str, pages: int) -> float:
    """The share of relevant pages in a crawl with so much help; seeds and pages that may be examples never count."""
    known, seeds = known_examples(case, form), tuple(corpus.page(url) for url in case.seeds)
    topic = Growing(learned(case._replace(around=seeds), form), True)
    strategy = registry.make(STRATEGY, {"topic": topic, "seed": 1})
    visits = trace(strategy, corpus.fetcher(), case.seeds, pages, topic=topic, known=known)
    given = {*case.seeds, *(page.url for page in case.good)}
    return len({visit.url for visit in visits} & case.relevant - given) / pages


def forms(case: Case) -> list[str]:
    """Those that there are pages enough for."""
    return [form for form, (_, good, bad) in FORMS.items() if len(case.good) >= good and len(case.bad) >= bad] + [SAVED]


Harvests = dict[str, dict[tuple[str, str], float]]  # of each form, by corpus and topic


def show_help(options: argparse.Namespace) -> None:
    harvests: Harvests = defaultdict(dict)
    for folder in options.folders:
        _show_corpus(Corpus.open(folder), options, harvests)
    if options.crawl:
        _show_steps(harvests)


def _show_corpus(corpus: Corpus, options: argparse.Namespace, harvests: Harvests) -> None:
    rows = defaultdict[str, list[tuple[float, ...]]](list)
    for case in cases(corpus, options):
        for form in forms(case):
            topic = learned(case, form)
            crawled = harvest(corpus, case, form, options.crawl) if options.crawl and case.seeds else np.nan
            judged = measured(np.array([topic.page(page) for page in case.judged]), case.truth)
            rows[form].append((*judged, crawled))
            if not np.isnan(crawled):
                harvests[form][corpus.name, case.topic] = crawled
    print(f"\n{corpus.name}, {len(rows['words'])} topics; harvest of {options.crawl} pages by {STRATEGY}\n")
    heads = ("average precision", "precision", "recall", "relevant of those given 0.9", "calibration error", "harvest")
    print(f"| help | {' | '.join(heads)} |\n| --- |{' --- |' * len(heads)}")
    for form in sorted(rows, key=[*FORMS, SAVED].index):
        print(f"| {_named(form, len(rows[form]), len(rows['words']))} | {_row(np.array(rows[form]))} |")
    both, alone = ([row[0] for row in rows[form]] for form in ("words, 2 examples", "2 examples"))
    better = sum(b > max(w[0], a) for b, w, a in zip(both, rows["words"], alone, strict=True))
    print(f"\nwords and 2 examples are better than both parts on {better} of {len(both)} topics")


def _show_steps(harvests: Harvests) -> None:
    """What each step to more help does to the harvest, topic by topic."""
    print("\n| help | beside | topics | harvest more by | standard error |\n| --- | --- | --- | --- | --- |")
    for less, more in steps():
        both = harvests[less].keys() & harvests[more].keys()
        if len(both) < 2:
            continue
        gained = np.array([harvests[more][one] - harvests[less][one] for one in sorted(both)])
        error = gained.std(ddof=1) / len(gained) ** 0.5
        print(f"| {more} | {less} | {len(gained)} | {gained.mean():+.3f} | {error:.3f} |")


def steps() -> list[tuple[str, str]]:
    """Each form of help with those that have a little more: everything that it has, and nothing between."""
    pairs = [(less, more) for less in FORMS for more in FORMS if _has_less(less, more)]
    return [(a, b) for a, b in pairs if not any((a, form) in pairs and (form, b) in pairs for form in FORMS)]


def _has_less(one: str, other: str) -> bool:
    (said, *pages), (also, *more) = FORMS[one], FORMS[other]
    return one != other and said in ("", also) and all(few <= many for few, many in zip(pages, more, strict=True))


def _named(form: str, topics: int, of: int) -> str:
    return form if topics == of else f"{form} ({topics} topics)"


def _row(found: np.ndarray) -> str:
    ap, right, recall, hits, sure, error, crawled = (
        np.nanmean(column) if not np.isnan(column).all() else np.nan for column in found.T
    )
    of_sure = f"{hits / sure:.2f} of {sure * len(found):.0f}" if sure else "none"
    last = "" if np.isnan(crawled) else f"{crawled:.3f}"
    return f"{ap:.3f} | {right:.2f} | {recall:.2f} | {of_sure} | {error:.3f} | {last}"
