"""Zhang and Nasraoui 2009, profiles: tables 1 to 3, figures 10 to 17."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache, partial

from opilio.bench.corpus import Corpus
from opilio.html.leaves import leaves
from opilio.strategies.profile import Profile
from opilio.strategies.profile.path_strings import differentiation, pairs
from opilio.strategies.profile.tags import discover, distinct

from .experiment import ONE, Result, corpus, said
from .media_site import Outcome, crawl, details

BUDGET, STEP, WINDOW, PAGES = 10_000, 1_000, 1_000, 10
TOPICS = ("rock", "electronic")
MARKS = range(STEP, BUDGET + 1, STEP)


@cache
def site() -> Corpus:
    return Corpus.open(corpus("social-music"))


@cache
def crawled(tag: str, spec: str) -> Outcome:
    """Judged as in the paper: a detail is relevant when it has any tag of the topic that profile found."""
    found = crawl(site(), tag, spec, BUDGET, ONE)
    return found.wider(topic(tag))


@cache
def topic(tag: str) -> tuple[str, ...]:
    strategy = crawl(site(), tag, "profile", BUDGET, ONE).strategy
    assert isinstance(strategy, Profile)
    return tuple(strategy.topic_)


def curves(tag: str, own: str, rival: str, measure: Callable[[Outcome, int], float], what: str) -> Result:
    found = {spec: crawled(tag, spec) for spec in (own, rival)}
    rows = [[spec, *(f"{measure(run, at):.3f}" for at in MARKS)] for spec, run in found.items()]
    ends = {spec: measure(run, BUDGET) for spec, run in found.items()}
    ahead = [at for at in MARKS if measure(found[own], at) > measure(found[rival], at)]
    sentence = said(
        len(ahead) == len(MARKS), f"{what} of {own} is above that of {rival} at every mark.",
        f"{what} of {own} is above that of {rival} at {len(ahead)} of {len(MARKS)} marks.",
    )  # fmt: skip
    return Result(
        ["", *(f"{at:,} pages" for at in MARKS)], rows, sentence, {f"{spec} end": end for spec, end in ends.items()}
    )


def windows(tag: str) -> Result:
    run = crawled(tag, "profile")
    values = [run.window(at, WINDOW) for at in MARKS if at <= len(run.urls) or at == STEP]
    sentence = said(
        min(values) > 0.5 * max(values),
        f"no window falls below half of the best ({min(values):.3f} to {max(values):.3f}).",
        f"windows go from {min(values):.3f} to {max(values):.3f}: the topic runs out on a site of this size.",
    )
    return Result(
        ["", *(f"up to {at:,}" for at in MARKS[: len(values)])],
        [["profile", *(f"{value:.3f}" for value in values)]],
        sentence,
        {},
    )


def table1() -> Result:
    """Ten pages of each type."""
    rows, overlaps = [], []
    for kind in ("detail", "list", "profile"):
        urls = sorted(url for url, row in site().labels.items() if row["page_type"] == kind)
        chosen = random.Random(1).sample(urls, PAGES)
        found = differentiation([pairs(leaves(site().page(url))) for url in chosen])
        rows.append([f"social-music, {kind}", *map(str, found)])
        overlaps.append(found.INT / max(1, min(found.US, found.UV)))
    sentence = said(
        max(overlaps) < 0.35,
        "few path strings have both schema and values.",
        f"up to {max(overlaps):.0%} of the path strings of one kind have both.",
    )
    return Result(["pages", "T", "S", "V", "US", "UV", "INT"], rows, sentence, {})


def table2() -> Result:
    items = distinct(details(site()).values())
    rows = [
        [tag, ", ".join(topic(tag)), ", ".join(found.tag for found in discover(items, [tag])[:15])] for tag in TOPICS
    ]
    return Result(
        ["start tag", "found by the crawl", "by all details of the site, for comparison"],
        rows,
        "Neighbouring genres of music, as the paper found neighbouring words.",
        {},
    )


FIGURES = {
    10: ("rock", "profile", "breadth-first", Outcome.harvest, "harvest"),
    11: ("electronic", "profile", "breadth-first", Outcome.harvest, "harvest"),
    12: ("electronic", "profile-opic", "opic", Outcome.harvest, "harvest"),
    13: ("rock", "profile-opic", "opic", Outcome.harvest, "harvest"),
    14: ("electronic", "profile-opic", "opic", Outcome.capture, "capture"),
    15: ("rock", "profile-opic", "opic", Outcome.capture, "capture"),
}
RUNS: dict[str, Callable[[], Result]] = {
    "000 table1": table1,
    "000 table2": table2,
    **{f"000 figure{number}": partial(curves, *asked) for number, asked in FIGURES.items()},
    "000 figure16": partial(windows, "rock"),
    "000 figure17": partial(windows, "electronic"),
}
