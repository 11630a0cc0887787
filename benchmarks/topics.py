"""How well topic models judge pages and links, how far their probabilities can be trusted, and what they cost.

    python -m benchmarks.topics pages DIR [--models a,b] [--every N] [--negatives N]   30 + 60 examples of each topic
    python -m benchmarks.topics few DIR [...]        the topic's name and 10 pages, nothing off the topic
    python -m benchmarks.topics links DIR [...]      is the target relevant, judged by the link alone
    python -m benchmarks.topics labelled DIR         5-fold over a corpus of single pages that people judged
    python -m benchmarks.topics cost DIR             milliseconds for a page and its links, beside scikit-learn
    python -m benchmarks.topics help DIR... [...]    what each form of help is worth, against the pages around
    python -m benchmarks.topics grow DIR [...]       the topic's name and 10 pages, then a crawl: learning while it runs, or not

DIR is a corpus folder with a task of kind topic (pages, few, links, cost, grow) or relevance (labelled). --every N takes every
N-th topic, --topics N that many of each folder (help), --negatives N judges only N of the unseen pages off the topic (0: all),
--budget N is that of a crawl. --hide TEXT leaves out lines with that text, --hide-links PART links whose URL has that part: for
pages that print their own label.
--plot FILE.svg draws what the first model said against what was true. One thread a process is fastest: OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import ttest_rel
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from benchmarks.topic_help import show_help
from opilio import registry
from opilio.bench.corpus import Corpus
from opilio.bench.folds import Verdict, drawn
from opilio.bench.tasks import Split, Splitter, Trial, choose, trials, values
from opilio.bench.trial_runs import spoken
from opilio.loop import trace
from opilio.nouns import Link, Material, Page, Topic
from opilio.topics.adaptive import Growing
from opilio.topics.calibration import auc, brier, reliability
from opilio.topics.kept_material import shown

LEARNERS = ["linear", "svm", "bayes", "net", "multinomial", "vsm", "plain"]  # linear is what auto takes
STARTERS = ["seeds", "vsm", "words"]  # seeds is what auto takes
THREE = ("svm", "bayes", "net")  # what the judge asks
ROUNDS = 5
SOURCES = 300  # pages whose links are judged


class Plain(Topic):
    """What to beat: scikit-learn's logistic regression over its own TF-IDF, defaults all the way."""

    def __init__(self, pipeline: Any) -> None:
        self.pipeline = pipeline

    @classmethod
    def learn(cls, material: Material) -> Plain:
        pages = [*material.positives, *material.negatives]
        labels = [1] * len(material.positives) + [0] * len(material.negatives)
        pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True, stop_words="english"), LogisticRegression())
        return cls(pipeline.fit([f"{page.title}\n{page.text}" for page in pages], labels))

    def text(self, text: str) -> float:
        return float(self.pipeline.predict_proba([text])[0, 1])

    def links(self, page: Page) -> Sequence[float]:
        contexts = [link.context for link in page.links]
        return [float(p) for p in self.pipeline.predict_proba(contexts)[:, 1]] if contexts else []


class Case(NamedTuple):
    """One topic of a corpus."""

    topic: str
    split: Split
    unseen: list[str]  # labelled pages that no model saw
    truth: list[bool]


class Row(NamedTuple):
    """What one model made of one topic."""

    auc: float
    brier: float
    base: float  # the Brier score of always saying the share of relevant pages
    f1: float
    said: list[float]
    truth: list[bool]


def learn(model: str, material: Material) -> Topic:
    return Plain.learn(material) if model == "plain" else registry.learn(model, material)


class Source:
    """The pages of a corpus, as models get to see them."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.corpus = Corpus.open(options.folder)
        self.text, self.part = options.hide, options.hide_links
        self.kept: dict[str, Page] = {}

    def page(self, url: str) -> Page:
        return self.shown(self.corpus.page(url))

    def shown(self, page: Page) -> Page:
        if not (self.text or self.part):
            return page
        if page.url not in self.kept:
            self.kept[page.url] = self._hidden(page)
        return self.kept[page.url]

    def _hidden(self, page: Page) -> Page:
        lines = [line for line in page.text.splitlines() if not self.text or self.text not in line]
        links = [link for link in page.links if not self.part or self.part not in link.url]
        return _page("\n".join(lines), links, page.title, page.url)


class Behind(Topic):
    """A topic that sees pages as models get to see them, while the crawl sees all of them."""

    def __init__(self, source: Source, topic: Topic) -> None:
        self.source, self.topic = source, topic

    def text(self, text: str) -> float:
        return self.topic.text(text)

    def page(self, page: Page) -> float:
        return self.topic.page(self.source.shown(page))

    def links(self, page: Page) -> Sequence[float]:
        return self.topic.links(page)

    def observe(self, page: Page, relevance: float) -> None:
        self.topic.observe(self.source.shown(page), relevance)


def cases(source: Source, options: argparse.Namespace, few: bool, only: str = "") -> Iterator[Case]:
    splitter = Splitter(source.corpus, choose(source.corpus, None))
    for topic in [only] if only else splitter.topics()[:: options.every]:
        chance = random.Random(f"{topic} {options.seed}")
        split = splitter.split(topic, chance)
        used = {*split.seeds} if few else {*split.positives, *split.negatives}
        pages = [u for u in splitter.labels if u not in used and values(splitter.labels[u], splitter.column)]
        off = [url for url in pages if url not in split.relevant]
        off = chance.sample(off, options.negatives) if 0 < options.negatives < len(off) else off
        unseen = [url for url in pages if url in split.relevant] + off
        yield Case(topic, split, unseen, [url in split.relevant for url in unseen])


def material(source: Source, case: Case, few: bool) -> Material:
    yes = case.split.seeds if few else case.split.positives
    no = () if few else case.split.negatives
    return Material(spoken(case.topic), tuple(map(source.page, yes)), tuple(map(source.page, no)))


def judged(said: list[float], truth: list[bool]) -> Row:
    share = float(np.mean(truth))
    right = sum(p >= 0.5 and t for p, t in zip(said, truth, strict=True))
    f1 = 2 * right / max(1, sum(p >= 0.5 for p in said) + sum(truth))
    return Row(auc(said, truth), brier(said, truth), share * (1 - share), f1, said, truth)


def pages(options: argparse.Namespace, few: bool = False) -> None:
    """AUC, Brier score and F1 of each model over topics, and t-tests of their AUC."""
    source, rows = Source(options), defaultdict[str, list[Row]](list)
    models = options.models or (STARTERS if few else LEARNERS)
    for case in cases(source, options, few):
        given = material(source, case, few)
        for model in models:
            topic = learn(model, given)
            rows[model].append(judged([topic.page(source.page(url)) for url in case.unseen], case.truth))
        if set(THREE) <= rows.keys():
            votes = zip(*(rows[model][-1].said for model in THREE), strict=True)
            rows["judge"].append(judged([sorted(said)[1] for said in votes], case.truth))
    show(rows)
    tests({model: [row.auc for row in found] for model, found in rows.items()})
    for model in models[:1]:
        trust(model, rows[model], options.plot)


def show(rows: dict[str, list[Row]]) -> None:
    topics = len(next(iter(rows.values())))
    print(
        f"\n{topics} topics\n\n| model | AUC | lowest | Brier | always the share | F1 |\n| --- | --- | --- | --- | --- | --- |"
    )
    for model, found in rows.items():
        mean = np.mean([row[:4] for row in found], axis=0)
        lowest = min(row.auc for row in found)
        print(f"| {model} | {mean[0]:.4f} | {lowest:.3f} | {mean[1]:.4f} | {mean[2]:.4f} | {mean[3]:.4f} |")


def tests(areas: dict[str, list[float]]) -> None:
    """One-tailed paired t-tests at 0.05."""
    print("\n| model | is better than |\n| --- | --- |")
    for one, sample in areas.items():
        beaten = [other for other, rest in areas.items() if other != one and _better(sample, rest)]
        print(f"| {one} | {', '.join(beaten) or '-'} |")


def _better(one: list[float], other: list[float]) -> bool:
    if len(one) < 2 or one == other:
        return False
    return bool(ttest_rel(one, other, alternative="greater").pvalue < 0.05)


def trust(model: str, rows: list[Row], plot: Path | None, of: str = "pages") -> None:
    """Said against true, over all topics; as a drawing too, if one is wanted."""
    said = [p for row in rows for p in row.said]
    truth = [t for row in rows for t in row.truth]
    print(f"\n{model}: Brier {brier(said, truth):.4f}\n\n| said | true | pages |\n| --- | --- | --- |")
    for found in reliability(said, truth):
        print(f"| {found.given:.2f} | {found.true:.2f} | {found.pages} |")
    if plot:
        plot.write_text(drawn({model: Verdict(said, truth)}, of), encoding="utf-8")


def links(options: argparse.Namespace) -> None:
    """AUC of the target's relevance by the link: as the model does it, and by its page judgement of the context."""
    source, rows = Source(options), defaultdict[str, list[Row]](list)
    models = options.models or ["linear", "plain"]
    for case in cases(source, options, few=False):
        sample = _links(source, case)
        for model in models:
            topic = learn(model, material(source, case, few=False))
            said = [p for page in sample for p in topic.links(page)]
            truth = [link.url in case.split.relevant for page in sample for link in page.links]
            rows[model].append(judged(said, truth))
            alone = [p for page in sample for p in topic.links(_without_anchors(page))]
            rows[f"{model}, context without anchor"].append(judged(alone, truth))
            as_page = [topic.page(_page(link.context)) for page in sample for link in page.links]
            rows[f"{model}, context as a page"].append(judged(as_page, truth))
    show(rows)
    trust(models[0], rows[models[0]], options.plot, "links")


def _page(text: str, links: Sequence[Link] = (), title: str = "", url: str = "http://example.org/") -> Page:
    return shown(url, title, text, links)


def _without_anchors(page: Page) -> Page:
    return _page("", [replace(link, anchor="") for link in page.links])


def _links(source: Source, case: Case) -> list[Page]:
    """Pages with those of their links that lead to labelled pages, neither end known to the model."""
    unseen = set(case.unseen)
    chosen = random.Random(case.topic).sample(case.unseen, min(SOURCES, len(case.unseen)))
    return [
        _page("", [link for link in source.page(url).links if link.url in unseen and link.url != url]) for url in chosen
    ]


def labelled(options: argparse.Namespace) -> None:
    """5-fold: every page is judged by models that did not see it."""
    corpus = Corpus.open(options.folder)
    task = next(task for task in corpus.tasks if task.kind == "relevance")
    column, positive = str(task.settings["column"]), str(task.settings["positive"])
    urls = [url for url in sorted(corpus.labels) if url in set(corpus.urls) and corpus.page(url).text.strip()]
    random.Random(options.seed).shuffle(urls)
    truth = {url: corpus.labels[url][column] == positive for url in urls}
    rows = defaultdict[str, list[Row]](list)
    for model in options.models or LEARNERS:
        said: dict[str, float] = {}
        for fold in range(5):
            held, rest = urls[fold::5], [url for place, url in enumerate(urls) if place % 5 != fold]
            kinds = [tuple(corpus.page(url) for url in rest if truth[url] == kind) for kind in (True, False)]
            topic = learn(model, Material("", kinds[0], kinds[1]))
            said |= {url: topic.page(corpus.page(url)) for url in held}
        rows[model].append(judged([said[url] for url in urls], [truth[url] for url in urls]))
    if set(THREE) <= rows.keys():
        votes = zip(*(rows[model][0].said for model in THREE), strict=True)
        rows["judge"].append(judged([sorted(said)[1] for said in votes], rows["svm"][0].truth))
    show(rows)
    trust(next(iter(rows)), next(iter(rows.values())), options.plot)


def cost(options: argparse.Namespace) -> None:
    """CPU time for pages of about 40 KB with about 80 links, parsed before; the best of five rounds over 50 pages."""
    source = Source(options)
    case = next(cases(source, options, few=False))
    sample = [
        page for page in map(source.page, case.unseen) if 25_000 < len(page.body) < 60_000 and len(page.links) > 40
    ][:50]
    sizes = np.mean([(len(page.body), len(page.text.split()), len(page.links)) for page in sample], axis=0)
    print(f"\n{len(sample)} pages of {sizes[0] / 1000:.0f} KB, {sizes[1]:.0f} words, {sizes[2]:.0f} links\n")
    print("| model | page, ms | its links, ms | both |\n| --- | --- | --- | --- |")
    for model in options.models or LEARNERS:
        topic = learn(model, material(source, case, few=False))
        rounds = 1 if model == "semantic" else ROUNDS  # it remembers pages, so that only the first round counts
        page, rest = _fastest(topic.page, sample, rounds), _fastest(topic.links, sample)
        print(f"| {model} | {page:.2f} | {rest:.2f} | {page + rest:.2f} |")
    plain = Plain.learn(material(source, case, few=False)).pipeline
    texts = [text for page in sample for text in [page.text, *(link.context for link in page.links)]]
    batch = _fastest(lambda batch: plain.predict_proba(batch), [texts]) / len(sample)
    print(f"| plain, all 50 pages and their links in one call | | | {batch:.2f} |")


def _fastest(judge: Callable[[Any], object], sample: Sequence[Any], most: int = ROUNDS) -> float:
    """Milliseconds of CPU for each, in the best round."""
    rounds = []
    for _ in range(most):
        start = time.process_time()
        for one in sample:
            judge(one)
        rounds.append(time.process_time() - start)
    return 1000 * min(rounds) / len(sample)


def grow(options: argparse.Namespace) -> None:
    """What a crawl from a name and seeds finds, and how well its topic judges in the end: with `adapt` and without."""
    source = Source(options)
    all_trials = trials(source.corpus, choose(source.corpus, None), 1, options.seed, options.budget)
    chosen = [trial for trial in all_trials if trial.budget][:: options.every]
    pairs = [tuple(_crawled(source, options, trial, adapts) for adapts in (False, True)) for trial in chosen]
    print(f"\n{len(chosen)} topics, {options.strategy}\n")
    print("| topic | target recall | AUC at the end | Brier |\n| --- | --- | --- | --- |")
    for name, rows in zip(("stays as it is", "learns while it runs"), zip(*pairs, strict=True), strict=True):
        print(f"| {name} | " + " | ".join(f"{value:.4f}" for value in np.mean(rows, axis=0)) + " |")
    for place, measure in enumerate(("recall", "AUC", "Brier")):
        still, grown = ([pair[side][place] for pair in pairs] for side in (0, 1))
        higher, lower = (sum(sign * (b - a) > 0 for a, b in zip(still, grown, strict=True)) for sign in (1, -1))
        p = ttest_rel(grown, still).pvalue if len(still) > 1 and still != grown else 1.0
        print(f"{measure}: higher on {higher} topics, lower on {lower}; two-sided paired t-test p = {p:.3f}")


def _crawled(source: Source, options: argparse.Namespace, trial: Trial, adapts: bool) -> tuple[float, float, float]:
    """Target recall of one crawl, and AUC and Brier score of its topic at the end over labelled pages that are no seeds."""
    seeds = trial.split.seeds
    topic = Growing(registry.learn("auto", Material(spoken(trial.topic), tuple(map(source.page, seeds)))), adapts)
    seen = Behind(source, topic)
    strategy = registry.make(options.strategy, {"topic": seen, "seed": trial.seed})
    visits = trace(strategy, source.corpus.fetcher(), seeds, trial.budget, topic=seen)
    recall = len({visit.url for visit in visits} & trial.split.targets) / len(trial.split.targets)
    case = next(cases(source, options, few=True, only=trial.topic))
    unseen = [(url, kind) for url, kind in zip(case.unseen, case.truth, strict=True) if url not in seeds]
    row = judged([topic.page(source.page(url)) for url, _ in unseen], [kind for _, kind in unseen])
    what = f"{trial.topic}: {trial.budget} pages, {'adapts, ' * adapts}{topic.learned_} new models"
    print(f"{what}; recall {recall:.3f}, AUC {row.auc:.4f}, Brier {row.brier:.4f}", file=sys.stderr)
    return recall, row.auc, row.brier


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "pages": pages,
    "few": lambda options: pages(options, few=True),
    "links": links,
    "labelled": labelled,
    "cost": cost,
    "grow": grow,
    "help": show_help,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    parser.add_argument("--models", type=lambda text: text.split(","))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--topics", type=int, default=8, help="of each folder, at most")
    parser.add_argument("--negatives", type=int, default=600)
    parser.add_argument("--crawl", type=int, default=400, help="pages of a crawl with each form of help; 0: none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--budget", type=int)
    parser.add_argument("--strategy", default="link-context-plus")
    parser.add_argument("--hide", default="")
    parser.add_argument("--hide-links", default="")
    options = parser.parse_args()
    if options.part != "help" and len(options.folders) > 1:
        parser.error(f"{options.part} takes one folder")
    options.folder = options.folders[0]
    PARTS[options.part](options)


if __name__ == "__main__":
    main()
