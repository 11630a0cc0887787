"""Qian, Suebchua and Yamana 2017, genres: tables 1 to 5, figures 2 to 5, and the accuracies of section 4."""

from __future__ import annotations

import asyncio
import random
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from opilio import registry
from opilio.bench.corpus import Corpus
from opilio.bench.remembering_topic import Memo
from opilio.bench.tasks import values
from opilio.loop import trace
from opilio.nouns import RELEVANT, Fetcher, Link, Material, Offer, Page, Topic
from opilio.report.genres import labelled, made_up
from opilio.scope.bounds import Bounds
from opilio.strategies.genre.features import matrix, nine
from opilio.strategies.genre.forest import Forest
from opilio.strategies.genre.model import GENRES, guess, model
from opilio.strategies.genre.prior import Prior, read_all
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.layout import Settings
from opilio.synth.web import Web

from ..genre import unseen
from .experiment import ONE, Result, corpus, said

SIZE, SEED = 100_000, 23
TOPICS = ("beekeeping", "rowing")
HOPS, SAMPLE, SEEDS = 2, 1_000, 7
PAGES, STEPS = 2_000, 5
BOUNDS = Bounds(max_per_site=300, languages=("en",))
WEIGHTS = [round(1 - 0.05 * step, 2) for step in range(21)]
PRINTED_WEIGHTS = {"beekeeping": 0.95, "rowing": 0.90}  # the paper's for its two topics
FOLDS, GENRE_FOLDS, EXAMPLES = 10, 5, 200


class Ground(NamedTuple):
    """A topic of a synthetic web: its classifier, the sample for P, and where crawls start, which the sample did not."""

    label: str
    topic: Topic
    sample: dict[str, Page]
    hops: list[int]
    seeds: list[str]


@cache
def web() -> Web:
    """On-topic pages link on topic as often as the paper found for its genres (its table 3)."""
    return Web(SIZE, SEED, Settings(genres=1.0))


def page(url: str) -> Page:
    return asyncio.run(SynthFetcher(web()).fetch(Offer(Link(url))))


@cache
def ground(name: str) -> Ground:
    label, rng = next(topic for topic in web().topics if topic.endswith(f"/{name}")), random.Random(name)
    good, bad = examples(label, rng, 75), examples("", rng, 150)
    topic = Memo(registry.learn("multinomial", Material(name, good, bad)))
    seeds = [url for url in web().seeds(label) if web().labels(url).get("language") == "en"]
    starts, own = seeds[: len(seeds) // 2], seeds[len(seeds) // 2 :][:SEEDS]
    sample, hops = two_hops(starts)
    return Ground(label, topic, sample, hops, own or starts)


def examples(label: str, rng: random.Random, count: int) -> tuple[Page, ...]:
    """English pages on a topic, or on none."""
    found: dict[str, Page] = {}
    while len(found) < count:
        place = web().place(rng.randrange(web().pages))
        labels = web().labels_of(place)
        if (labels["topic"] == label if label else not labels["topic"] or rng.random() < 0.5) and labels[
            "language"
        ] == "en":
            found[place.url] = page(place.url)
    return tuple(found.values())


def two_hops(starts: Iterable[str]) -> tuple[dict[str, Page], list[int]]:
    """Breadth first; pages of the seeds and of each hop."""
    found: dict[str, Page] = {}
    front, hops = list(starts), list[int]()
    for _ in range(HOPS + 1):
        before = len(found)
        for url in front[: SAMPLE - before]:
            answer = page(url)
            if answer.document and answer.language in ("", "en"):
                found[url] = answer
        hops.append(len(found) - before)
        front = list(
            dict.fromkeys(
                link.url for url in front if url in found for link in found[url].links if link.url not in found
            )
        )
    return found, hops


def prior(name: str) -> Prior:
    here = ground(name)
    return Prior.of(read_all(here.sample.values(), here.topic.page, lambda one: guess([one], model())[0].genre))


def table1() -> Result:
    rows = [
        [f"{hop} hops" if hop else "seeds", *(str(ground(name).hops[hop]) for name in TOPICS)]
        for hop in range(HOPS + 1)
    ]
    links = [sum(len({link.url for link in one.links}) for one in ground(name).sample.values()) for name in TOPICS]
    return Result(
        ["pages", *TOPICS],
        [*rows, ["links", *map(str, links)]],
        "Smaller by a factor of twenty, of the same shape.",
        {},
    )


def table2() -> Result:
    rows, facts = [], dict[str, float]()
    for genre in GENRES:
        cells = []
        for name in TOPICS:
            found = prior(name)
            for kind in ("relevant", "irrelevant"):
                cells.append(f"{100 * found.rates()[kind][genre]:.1f} % of {found.counts[kind, genre][1]}")
                facts[f"{name} {kind} {genre}"] = found.rates()[kind][genre]
        rows.append([genre, *cells])
    rows.append(["all", *(whole(prior(name), kind) for name in TOPICS for kind in ("relevant", "irrelevant"))])
    firsts = [max(GENRES, key=lambda genre: facts[f"{name} relevant {genre}"]) for name in TOPICS]
    sentence = said(
        set(firsts) == {"blog"},
        "links on blogs lead to the topic most often.",
        f"most often lead to the topic: {', '.join(firsts)}.",
    )
    return Result(
        ["genre", *(f"{name}, {kind}" for name in TOPICS for kind in ("relevant", "irrelevant"))], rows, sentence, facts
    )


def whole(found: Prior, kind: str) -> str:
    """Of all genres, as in the last rows of the tables."""
    good, seen = (sum(found.counts[kind, genre][place] for genre in GENRES) for place in (0, 1))
    return f"{100 * good / max(1, seen):.1f} % of {seen}"


class Sampled(Fetcher):
    """The pages of a sample, and no others."""

    def __init__(self, pages: dict[str, Page]) -> None:
        self.pages = pages

    async def fetch(self, offer: Offer) -> Page:
        found = self.pages.get(offer.link.url)
        return replace(found, offer=offer) if found else Page(offer, offer.link.url, 404, error="http 404")


def crawled(name: str, weight: float, fetcher: Fetcher, seeds: Sequence[str], pages: int, bounds: Bounds) -> list[str]:
    """By S with P fixed by the sample; weight 1 is best-first."""
    here = ground(name)
    with TemporaryDirectory() as scratch:
        prior(name).save(Path(scratch) / "prior.json")
        strategy = registry.make(
            f"genre(relevance={weight},prior={scratch}/prior.json)", {"topic": here.topic, "seed": 1}
        )
    return [visit.url for visit in trace(strategy, fetcher, seeds, pages, ONE, bounds=bounds)]


def figure3() -> Result:
    """The area under coverage on the labelled sample, for each weight."""
    areas = {name: [area(name, weight) for weight in WEIGHTS] for name in TOPICS}
    rows = [[f"{weight:g}", *(f"{areas[name][place]:.4f}" for name in TOPICS)] for place, weight in enumerate(WEIGHTS)]
    best = {name: WEIGHTS[max(range(21), key=lambda place: areas[name][place])] for name in TOPICS}
    above = [sum(value > areas[name][0] for value in areas[name][1:-1]) for name in TOPICS]
    told = ", ".join(
        f"{name} at w_R = {best[name]:g}, {count} of 19 mixed weights above w_R = 1"
        for name, count in zip(TOPICS, above, strict=True)
    )
    sentence = said(
        min(above) > 9,
        f"most weights are above w_R = 1; best: {told}.",
        f"not most weights are above w_R = 1; best: {told}.",
    )
    return Result(["w_R", *TOPICS], rows, sentence, {f"{name} best": best[name] for name in TOPICS})


def area(name: str, weight: float) -> float:
    here = ground(name)
    inside = dict(here.sample)
    starts = list(inside)[:SEEDS]
    known = {url: replace(found) for url, found in inside.items()}
    urls = [url for url in crawled(name, weight, Sampled(known), starts, len(inside), Bounds()) if url in inside]
    good = [here.topic.page(inside[url]) >= RELEVANT for url in urls]
    total = sum(good)
    covered, sums = 0, 0.0
    for hit in good:
        covered += hit
        sums += covered / total if total else 0.0
    return sums / len(good) if good else 0.0


def figure4() -> Result:
    """Harvest over pages of the synthetic web, 300 pages a site, English pages."""
    rows, facts = [], dict[str, float]()
    marks = range(PAGES // STEPS, PAGES + 1, PAGES // STEPS)
    for name in TOPICS:
        here = ground(name)
        for told, weight in (("best-first", 1.0), (f"genre, w_R = {PRINTED_WEIGHTS[name]}", PRINTED_WEIGHTS[name])):
            urls = crawled(name, weight, SynthFetcher(web()), here.seeds, PAGES, BOUNDS)
            hits = [web().labels(url).get("topic") == here.label for url in urls]
            judged = [here.topic.page(page(url)) >= RELEVANT for url in urls]
            rows.append(
                [
                    f"{name}: {told}",
                    *(f"{sum(hits[:at]) / min(at, len(hits)):.3f}" for at in marks),
                    f"{sum(judged) / len(judged):.3f}",
                ]
            )
            facts[f"{name} {weight:g}"] = sum(hits) / len(hits)
    gains = [facts[f"{name} {PRINTED_WEIGHTS[name]:g}"] / facts[f"{name} 1"] - 1 for name in TOPICS]
    facts |= {f"{name} gain": gain for name, gain in zip(TOPICS, gains, strict=True)}
    told = " and ".join(f"{100 * gain:+.1f} % ({name})" for name, gain in zip(TOPICS, gains, strict=True))
    sentence = said(min(gains) > 0, f"genre brings {told} over best-first.", f"genre brings {told} over best-first.")
    return Result(["", *(f"{at:,} pages" for at in marks), "by the classifier"], rows, sentence, facts)


def accuracy() -> Result:
    """The genre classifier by 5 folds, the relevance classifier by 10 folds with under-sampling."""
    real, told, _ = labelled(corpus("genre-news-blogs"), "genre", others())
    made, genres = zip(*made_up(100, 101), strict=True)
    shipped = [found.genre for found in guess(real, model())]
    right = statistics.fmean(a == b for a, b in zip(shipped, told, strict=True))
    new = [a == b for a, b, one in zip(shipped, told, real, strict=True) if unseen(one)]
    rows = [
        ["genre, 5 folds, 500 synthetic pages, 100 a genre", "85.4 %", f"{100 * folded(made, genres):.1f} %"],
        [f"genre, 5 folds, {len(real)} real pages (news, blog, other)", "85.4 %", f"{100 * folded(real, told):.1f} %"],
        ["genre, the shipped forest on the same real pages", "", f"{100 * right:.1f} %"],
        [
            f"genre, the shipped forest on {len(new)} of them, of sites that nothing was fitted to",
            "",
            f"{100 * statistics.fmean(new):.1f} %",
        ],
    ]
    facts = {
        "synthetic": folded(made, genres),
        "real": folded(real, told),
        "shipped": right,
        "unseen": statistics.fmean(new),
    }
    for name, theirs in zip(("science/biology", "history"), ("97.84 %", "94.07 %"), strict=True):
        found, count = relevance(name)
        facts[f"relevance {name}"] = found
        rows.append([f"relevance, 10 folds, wikispeedia {name}, {count} pages", theirs, f"{100 * found:.1f} %"])
    sentence = said(
        facts["real"] > 0.8,
        "the nine numbers tell genres of real pages as well as in the paper.",
        f"on real pages the nine numbers tell {100 * facts['real']:.0f} %, where trained on them, not 85 %.",
    )
    return Result(["classifier", "the paper", "ours"], rows, sentence, facts)


def others() -> list[str]:
    kinds = {row["genre"] for row in Corpus.open(corpus("genre-news-blogs")).labels.values()}
    return sorted(kind for kind in kinds if kind not in (*GENRES, "undeclared", ""))


def folded(pages: Sequence[Page], labels: Sequence[str]) -> float:
    rows, order = matrix([nine(one) for one in pages]), list(range(len(pages)))
    random.Random(SEED).shuffle(order)
    right = 0
    for fold in range(GENRE_FOLDS):
        held, rest = order[fold::GENRE_FOLDS], [n for place, n in enumerate(order) if place % GENRE_FOLDS != fold]
        forest = Forest.learn(rows[rest], [labels[n] for n in rest], GENRES, SEED)
        told = forest.shares_of(rows[held]).argmax(axis=1).tolist()
        right += sum(forest.names[guessed] == labels[n] for guessed, n in zip(told, held, strict=True))
    return right / len(pages)


def relevance(name: str) -> tuple[float, int]:
    """Multinomial naive Bayes over title, body and anchors; the larger class of each training fold is cut to the smaller."""
    recorded, rng = Corpus.open(corpus("wikispeedia")), random.Random(SEED)
    column = str(next(task for task in recorded.tasks if task.kind == "topic").settings["column"])
    about = {
        url: any(value.lower().replace("_", " ").startswith(name) for value in values(row, column))
        for url, row in sorted(recorded.labels.items())
    }
    good, bad = ([url for url in about if about[url] is kind and url in set(recorded.urls)] for kind in (True, False))
    chosen = [
        (recorded.page(url), kind)
        for urls, kind in ((good, True), (bad, False))
        for url in rng.sample(urls, min(len(urls), EXAMPLES + 50 * (not kind)))
    ]
    rng.shuffle(chosen)
    right = 0
    for fold in range(FOLDS):
        held, rest = chosen[fold::FOLDS], [row for place, row in enumerate(chosen) if place % FOLDS != fold]
        topic = registry.learn("multinomial", undersampled(rest, rng))
        right += sum((topic.page(one) >= RELEVANT) is kind for one, kind in held)
    return right / len(chosen), len(chosen)


def undersampled(rows: Sequence[tuple[Page, bool]], rng: random.Random) -> Material:
    good, bad = ([one for one, told in rows if told is kind] for kind in (True, False))
    few = min(len(good), len(bad))
    return Material("", tuple(rng.sample(good, few)), tuple(rng.sample(bad, few)))


RUNS = {
    "004 table1": table1,
    "004 table2": table2,
    "004 figure3": figure3,
    "004 figure4": figure4,
    "004 accuracy": accuracy,
}
