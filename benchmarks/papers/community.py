"""Shen, Sun and Yang 2015, communities: table 1, figures 3 to 5."""

from __future__ import annotations

import asyncio
import random
import statistics
from collections.abc import Iterable
from functools import cache

from opilio import registry
from opilio.bench.remembering_topic import Memo
from opilio.loop import trace
from opilio.nouns import Link, Material, Offer, Page, Topic
from opilio.strategies.community import Community
from opilio.strategies.community.similarity import ON_TOPIC, PROMISING, Similarity
from opilio.synth.articles import ArticleSite
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.layout import Settings
from opilio.synth.web import Web
from opilio.topics.models.vsm import Vsm

from .experiment import ONE, Result, said

INSIDE, OUTSIDE = 12, 5  # friends that a home page of the synthetic web recommends: of its community, and any
SIZE, BUDGET, STEPS, HOMES = 100_000, 2_000, 5, 300
TOPICS = ("beekeeping", "railways")
SAMPLES = (100, 500)
THETAS = (0.0, 0.25, 0.5, 0.75, 1.0)
WEIGHTS = [(a / 10, b / 10, (10 - a - b) / 10) for a in (1, 3, 5) for b in (1, 3, 5) if a + b < 10]
RIVALS = ("best-first", "fish", "shark")
LINKS = 2_000  # of figure 4


@cache
def web(seed: int = 1) -> Web:
    """Every site with a domain of its own recommends some of its topic, and some of any: one community a topic."""
    found, rng = Web(SIZE, seed, Settings()), random.Random(seed)
    sites = [
        s for s in found.atlas.sites if isinstance(s, ArticleSite) and s not in found.atlas.adverts and not s.island
    ]
    own = [site for site in sites if site.host.removeprefix("www.").count(".") == 1]
    for site in own:
        alike = [other for other in own if other.topic == site.topic >= 0]
        site.friends = [*rng.sample(alike, min(INSIDE, len(alike))), *rng.sample(own, OUTSIDE)]
    return found


def fetched(url: str) -> Page:
    return asyncio.run(SynthFetcher(web()).fetch(Offer(Link(url))))


@cache
def examples(name: str) -> tuple[str, tuple[Page, ...], tuple[Page, ...]]:
    """The label of a topic, 30 pages on it and 60 off it."""
    rng, label = random.Random(name), next(topic for topic in web().topics if topic.endswith(f"/{name}"))
    good: list[Page] = []
    bad: list[Page] = []
    while len(good) < 30 or len(bad) < 60:
        place = web().place(rng.randrange(web().pages))
        labels = web().labels_of(place)
        kind, most = (good, 30) if labels["topic"] == label else (bad, 60)
        if labels["language"] == "en" and len(kind) < most:
            kind.append(fetched(place.url))
    return label, tuple(good), tuple(bad)


def on_topic(url: str, label: str) -> bool:
    return web().labels(url).get("topic") == label


def crawled(name: str, spec: str, budget: int) -> tuple[Community | None, list[str]]:
    _, good, bad = examples(name)
    topic: Topic = Memo(Vsm.learn(Material(name, good, bad)))
    strategy = registry.make(spec, {"topic": topic, "words": name, "seed": 0})
    visits = trace(strategy, SynthFetcher(web()), web().seeds(name), budget, ONE, known=good)
    return strategy if isinstance(strategy, Community) else None, [visit.url for visit in visits]


def table1() -> Result:
    rows, facts = [], dict[str, float]()
    for name in TOPICS:
        strategy, urls = crawled(name, f"community(homes={HOMES})", BUDGET)
        assert strategy is not None
        sites, members = len({site for edge in strategy.edges_ for site in edge}), len(strategy.members_)
        right = statistics.fmean(site_of_topic(site, name) for site in strategy.members_) if members else 0.0
        rows.append(
            [
                name,
                str(len(web().seeds(name))),
                str(sites),
                str(len(page_links(strategy, urls))),
                str(len(strategy.edges_)),
                str(members),
                f"{right:.2f}",
                str(len(set(urls))),
            ]
        )
        facts |= {f"{name} sites": float(sites), f"{name} members": float(members), f"{name} right": right}
    narrow = all(facts[f"{name} members"] < facts[f"{name} sites"] for name in TOPICS)
    sentence = said(
        narrow, "FRTW narrows the range of the crawl to a part of the sites.", "FRTW takes in all sites of one topic."
    )
    return Result(
        ["topic", "seeds", "sites", "page links", "edges", "members", "of them on the topic", "pages fetched"],
        rows,
        sentence,
        facts,
    )


def page_links(strategy: Community, urls: Iterable[str]) -> set[str]:
    """The pages of the community that fetched pages link to."""
    found = {link.url for url in dict.fromkeys(urls) for link in fetched(url).links}
    return {url for url in found if strategy.site(url) in strategy.members_}


@cache
def sites_of(name: str) -> frozenset[str]:
    label = examples(name)[0]
    here = [site for site in web().atlas.sites if isinstance(site, ArticleSite) and site.topic >= 0]
    return frozenset(site.host.removeprefix("www.") for site in here if web().topics[site.topic] == label)


def site_of_topic(site: str, name: str) -> bool:
    return site in sites_of(name)


def figure3() -> Result:
    """Precision of SC(D,T) > 0.7 for each θ, over samples of pages of which half are on the topic."""
    rows, facts = [], dict[str, float]()
    for theta in THETAS:
        cells = []
        for name in TOPICS:
            label, good, _ = examples(name)
            for size in SAMPLES:
                pages = sample(name, size)
                similarity = Similarity(theta)
                similarity.teach(name, name)
                for page in good:
                    similarity.teach(page.title, page.text)
                for page in (*good, *pages):
                    similarity.see(page)
                said_so = sorted(pages, key=similarity.page, reverse=True)
                above = [page for page in pages if similarity.page(page) > ON_TOPIC]
                nearest = said_so[: sum(on_topic(page.url, label) for page in pages)]
                right = statistics.fmean(on_topic(page.url, label) for page in above) if above else 0.0
                ranked = statistics.fmean(on_topic(page.url, label) for page in nearest)
                cells.append(f"{right:.2f} of {len(above)}; {ranked:.2f}")
                facts[f"{theta} {name} {size}"] = ranked
        rows.append([f"{theta:g}", *cells])
    means = {
        theta: statistics.fmean(facts[f"{theta} {name} {size}"] for name in TOPICS for size in SAMPLES)
        for theta in THETAS
    }
    best = max(means, key=means.__getitem__)
    sentence = said(
        best == 0.5, "θ = 0.5 is best.", f"θ = {best:g} is best ({means[best]:.3f}; 0.5 has {means[0.5]:.3f})."
    )
    head = ["θ", *(f"{name}, {size}" for name in TOPICS for size in SAMPLES)]
    return Result(
        head,
        rows,
        sentence + "",
        facts,
    )


@cache
def sample(name: str, size: int) -> tuple[Page, ...]:
    """Pages of the synthetic web, half of them on the topic."""
    rng, label, chosen = random.Random(f"{name} {size}"), examples(name)[0], list[Page]()
    known = {page.url for page in examples(name)[1]}
    counts = {True: size // 2, False: size - size // 2}
    while any(counts.values()):
        place = web().place(rng.randrange(web().pages))
        labels = web().labels_of(place)
        good = labels["topic"] == label
        if counts[good] and labels["language"] == "en" and place.url not in known:
            counts[good] -= 1
            chosen.append(fetched(place.url))
    return tuple(chosen)


def figure4() -> Result:
    """Precision of Score(url) > 0.6 for α, β, γ over links that a crawl met, and of as many of the best."""
    rows, facts = [], dict[str, float]()
    for alpha, beta, gamma in WEIGHTS:
        cells = []
        for name in TOPICS:
            label = examples(name)[0]
            terms = links(name)
            scores = {url: alpha * a + beta * b + gamma * c for url, (a, b, c) in terms.items()}
            above = [url for url, score in scores.items() if score > PROMISING]
            right = statistics.fmean(on_topic(url, label) for url in above) if above else 0.0
            many = sum(on_topic(url, label) for url in terms)
            nearest = sorted(scores, key=lambda url: (-scores[url], url))[:many]
            ranked = statistics.fmean(on_topic(url, label) for url in nearest) if nearest else 0.0
            cells.append(f"{right:.2f} of {len(above)}; {ranked:.2f}")
            facts[f"{alpha} {beta} {name}"] = ranked
        rows.append([f"{alpha:g}, {beta:g}, {gamma:g}", *cells])
    means = {(a, b): statistics.fmean(facts[f"{a} {b} {name}"] for name in TOPICS) for a, b, _ in WEIGHTS}
    best = max(means, key=means.__getitem__)
    sentence = said(
        best == (0.3, 0.3),
        "α = β = 0.3 is best.",
        f"α = {best[0]:g}, β = {best[1]:g} is best ({means[best]:.3f}; 0.3, 0.3 has {means[0.3, 0.3]:.3f}).",
    )
    return Result(["α, β, γ", *TOPICS], rows, sentence, facts)


@cache
def links(name: str) -> dict[str, tuple[float, float, float]]:
    """SC(D,T)/n, SC(anchor,T) and SC(url) of links met in round two, by URL."""
    strategy, urls = crawled(name, f"community(homes={HOMES},alpha=1,beta=1,gamma=1)", BUDGET // 3)
    assert strategy is not None
    found: dict[str, tuple[float, float, float]] = {}
    for url in urls[::-1]:
        for say in strategy.inside(fetched(url)):
            if isinstance(say, Offer) and say.lane[1] in strategy.members_ and web().labels(say.link.url):
                found[say.link.url] = say.note[0], say.note[1], say.note[2]
        if len(found) >= LINKS:
            break
    return found


def figure5() -> Result:
    rows, facts, last = [], dict[str, float](), dict[str, list[float]]()
    for spec in (f"community(homes={HOMES})", *RIVALS):
        curves = []
        for name in TOPICS:
            _, urls = crawled(name, spec, BUDGET)
            hits = [on_topic(url, examples(name)[0]) for url in urls]
            marks = range(BUDGET // STEPS, BUDGET + 1, BUDGET // STEPS)
            curves.append([sum(hits[:at]) / at for at in marks])
        name = spec.partition("(")[0]
        means = [statistics.fmean(values) for values in zip(*curves, strict=True)]
        rows.append([name, *(f"{value:.3f}" for value in means), f"{means[-1] * BUDGET:.0f}"])
        facts |= {f"{name} first": means[0], f"{name} last": means[-1]}
        last[name] = [curve[-1] for curve in curves]
    ahead = [rival for rival in RIVALS if facts["community last"] > facts[f"{rival} last"]]
    grows = [
        r
        for r in RIVALS
        if facts["community last"] - facts[f"{r} last"] > facts["community first"] - facts[f"{r} first"]
    ]
    sentence = said(
        len(ahead) == 3,
        f"community is above all three at {BUDGET:,} pages.",
        f"community is above {', '.join(ahead) or 'none'} only.",
    )
    head = ["", *(f"{at:,} pages" for at in range(BUDGET // STEPS, BUDGET + 1, BUDGET // STEPS)), "related pages"]
    return Result(head, rows, f"{sentence} The gap grows with pages against {', '.join(grows) or 'none'}.", facts)


RUNS = {"002 table1": table1, "002 figure3": figure3, "002 figure4": figure4, "002 figure5": figure5}
