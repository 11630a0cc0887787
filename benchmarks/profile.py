"""How well profile finds its way on media-sharing sites: `python -m benchmarks.profile [NAME...]`.

harvest: against breadth-first and opic at 1,000 to 10,000 pages of social-music; gate: what its parts are worth and cost;
types: page types with and without examples; made-up: the same on two made-up sites; tags: topic discovery; people: a
hundred thousand uploaders, and sites on which the method does not work.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scipy.stats import ttest_rel

from opilio import registry
from opilio.bench.corpus import Corpus
from opilio.fetchers.replay import Recorded, Replay
from opilio.html.leaves import leaves
from opilio.learning.media_sample import site_of
from opilio.learning.page_types import MEDIA_TYPES, PageTypes, Strings, learn, strings
from opilio.learning.site_roles import Seen
from opilio.learning.tags import discover, distinct
from opilio.learning.uploaders import Uploaders
from opilio.nouns import Fetcher, Link, Offer, Page, Strategy
from opilio.packing import pack
from opilio.loop import trace
from opilio.strategies.profile import Profile
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.layout import Settings
from opilio.synth.media import TAGS, MediaSite
from opilio.synth.site import Place
from opilio.synth.web import Web

RECORDED = Path(__file__).parents[2] / "shared" / "corpora" / "social-music"
BUDGET, STEP = 10_000, 1_000
RIVALS = ("profile", "opic", "breadth-first")
GATE_BUDGET, GATE_TOPICS = 3_000, 3
PARTS = (
    "profile", "profile(beta=0.0)", "profile(wait=False)", "profile(enough=0)", "profile(listed=False)", "profile(spread=0.0)",
    "profile(least=0.0)",
)  # fmt: skip
MADE_UP = Settings(media=0.55, forums=0.0, mirrors=0.0, trap=0.0)
EXAMPLES = 5


class Ground(NamedTuple):
    """A site to crawl, with the truth about it."""

    name: str
    fetcher: Fetcher
    home: str
    labels: dict[str, dict[str, str]]
    tags: list[str]

    def details(self) -> dict[str, set[str]]:
        return {url: set(row["tags"].split("|")) for url, row in self.labels.items() if row["page_type"] == "detail"}

    def page(self, url: str) -> Page:
        return asyncio.run(self.fetcher.fetch(Offer(Link(url))))


def recorded() -> Iterator[Ground]:
    if not RECORDED.is_dir():
        print(f"social-music: left out, there is no {RECORDED}")
        return
    corpus = Corpus.open(RECORDED)
    topics = next(task for task in corpus.tasks if task.kind == "tag").settings["topics"]
    yield Ground("social-music", corpus.fetcher(), corpus.home, corpus.labels, topics)


def made_up(pages: int = 6000, seed: int = 3) -> Iterator[Ground]:
    """The two makes of media sites: one of divisions with tags as links, one of tables with tags in plain text."""
    web = Web(pages, seed, MADE_UP)
    for site in web.atlas.sites:
        if isinstance(site, MediaSite):
            labels = {Place(site, number).url: site.labels(number) for number in range(site.size)}
            for row in labels.values():
                row.setdefault("tags", "")
            make = type(site.style).__name__.lower()
            yield Ground(make, SynthFetcher(web), Place(site, 0).url, labels, list(site.tags[::TAGS][:6]))


class Outcome(NamedTuple):
    urls: list[str]
    good: set[str]  # details that carry the tag
    details: dict[str, set[str]]
    strategy: Strategy

    def harvest(self, last: int, first: int = 0) -> float:
        """Of the details among these fetches, how many carry the tag."""
        part = [url for url in self.urls[first:last] if url in self.details]
        return sum(url in self.good for url in part) / len(part) if part else 0.0

    def capture(self, last: int) -> float:
        part = self.urls[:last]
        return sum(url in self.details for url in part) / len(part)

    def recall(self, last: int) -> float:
        return len(self.good.intersection(self.urls[:last])) / len(self.good)

    def window(self, last: int, size: int) -> float:
        """The harvest of the last pages; of a crawl that has ended, of its last ones."""
        last = min(last, len(self.urls))
        return self.harvest(last, max(0, last - size))

    def lift(self, last: int, size: int) -> float:
        """The same, as a multiple of what details picked by chance among those not fetched before would have brought."""
        last = min(last, len(self.urls))
        before = self.urls[: max(0, last - size)]
        left = len(self.good.difference(before)) / max(1, len(set(self.details).difference(before)))
        return self.window(last, size) / left if left else 0.0


def crawl(ground: Ground, tag: str, spec: str, budget: int) -> Outcome:
    strategy = registry.make(spec, {"tag": tag, "seed": 1})
    urls = [visit.url for visit in trace(strategy, ground.fetcher, [ground.home], budget)]
    details = ground.details()
    return Outcome(urls, {url for url, tags in details.items() if tag in tags}, details, strategy)


def harvest_table(ground: Ground, budget: int, step: int) -> None:
    """Means over the topics, and p of one-tailed paired t-tests."""
    found = {"profile": [crawl(ground, tag, "profile", budget) for tag in ground.tags]}
    for spec in RIVALS[1:]:  # these go the same way whatever the tag
        once = crawl(ground, ground.tags[0], spec, budget)
        found[spec] = [once._replace(good=run.good) for run in found["profile"]]
    print(
        f"\n{ground.name}, {len(ground.tags)} topics: harvest ratio, capture ratio, recall; window and lift of {step} pages"
    )
    print("pages until profile had nothing left: " + ", ".join(str(len(run.urls)) for run in found["profile"]))
    for at in range(step, budget + 1, step):
        for spec, runs in found.items():
            figures = (
                [run.harvest(at) for run in runs],
                [run.capture(at) for run in runs],
                [run.recall(at) for run in runs],
            )
            more = [run.window(at, step) for run in runs], [run.lift(at, step) for run in runs]
            print(f"{at:6} {spec:14}" + " ".join(f"{mean(column):6.3f}" for column in (*figures, *more)), flush=True)
        print(
            f"{at:6} p: "
            + ", ".join(f"{name} {p_value(found, rival, at, measure):.4f}" for name, rival, measure in TESTS)
        )
    windows = [run.window(at, step) for run in found["profile"] for at in range(step, len(run.urls) + 1, step)]
    print(f"window of profile: from {min(windows):.3f} to {max(windows):.3f}")
    print("its fetches by page type: " + by_type(ground, found["profile"]))


TESTS: tuple[tuple[str, str, Callable[[Outcome, int], float]], ...] = (
    ("harvest above opic", "opic", Outcome.harvest),
    ("harvest above breadth-first", "breadth-first", Outcome.harvest),
    ("capture above opic", "opic", Outcome.capture),
)


def p_value(found: dict[str, list[Outcome]], rival: str, at: int, measure: Callable[[Outcome, int], float]) -> float:
    own, other = ([measure(run, at) for run in found[name]] for name in ("profile", rival))
    return float(ttest_rel(own, other, alternative="greater").pvalue)


def by_type(ground: Ground, runs: Sequence[Outcome]) -> str:
    counts = Counter(ground.labels.get(url, {}).get("page_type", "gone") for run in runs for url in run.urls)
    return ", ".join(f"{kind} {count / len(runs):.0f}" for kind, count in counts.most_common())


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def gate_table(ground: Ground, budget: int) -> None:
    """What each part is worth: one left out at a time."""
    print(
        f"\n{ground.name}: fetched, profiles, lists; harvest, capture, recall at the end; targets in 1,000 and 2,000 pages"
    )
    for spec in PARTS:
        runs = [crawl(ground, tag, spec, budget) for tag in ground.tags[:GATE_TOPICS]]
        counts = [Counter(ground.labels.get(url, {}).get("page_type") for url in run.urls) for run in runs]
        sizes = [
            mean([len(run.urls) for run in runs]),
            *(mean([count[kind] for count in counts]) for kind in ("profile", "list")),
        ]
        ends = [
            mean([figure(run, budget) for run in runs]) for figure in (Outcome.harvest, Outcome.capture, Outcome.recall)
        ]
        early = [mean([len(run.good.intersection(run.urls[:at])) for run in runs]) for at in (1000, 2000)]
        cells = " ".join(f"{size:6.0f}" for size in sizes) + "  " + " ".join(f"{end:.3f}" for end in ends)
        print(f"{spec:24} {cells}  " + " ".join(f"{count:5.0f}" for count in early), flush=True)


# page types


def types_table(ground: Ground) -> None:
    """Page types from a few examples of each, for five choices of them, and from none, on a growing sample."""
    urls = sorted(ground.labels)
    looks = {url: strings(leaves(ground.page(url))) for url in urls}
    kinds = {url: ground.labels[url]["page_type"] for url in urls}
    print(f"\n{ground.name}: page types right, of {len(urls)} pages")
    for seed in range(5):
        chosen = random.Random(seed)
        examples = {kind: chosen.sample([url for url in urls if kinds[url] == kind], EXAMPLES) for kind in MEDIA_TYPES}
        types = learn({kind: [looks[url] for url in picked] for kind, picked in examples.items()})
        print(f"{EXAMPLES} examples of each, choice {seed}: {accuracy(types, looks, kinds):.5f}")
    for size in (40, 80, 160):
        site = site_of(sampled(ground, size))
        print(
            f"none, {size} pages seen: "
            + (site if isinstance(site, str) else f"{accuracy(site.types, looks, kinds):.5f}")
        )


def accuracy(types: PageTypes, looks: dict[str, Strings], kinds: dict[str, str]) -> float:
    return sum(types.classify(looks[url]) == kind for url, kind in kinds.items()) / len(kinds)


class Recorder(Fetcher):
    """Passes pages on and keeps them."""

    def __init__(self, fetcher: Fetcher) -> None:
        self.fetcher = fetcher
        self.pages: list[Page] = []

    async def fetch(self, offer: Offer) -> Page:
        self.pages.append(await self.fetcher.fetch(offer))
        return self.pages[-1]


def sampled(ground: Ground, size: int) -> list[Seen]:
    """The first pages that the strategy looks at."""
    recorder = Recorder(ground.fetcher)
    trace(Profile(ground.tags[0], sample=size), recorder, [ground.home], 2 * size, batch=1)
    return [Seen(page.url, leaves(page)) for page in recorder.pages if page.document][:size]


# topic discovery


def tags_table(ground: Ground) -> None:
    items = distinct(ground.details().values())
    for tag in ("rock", "electronic"):
        found = discover(items, [tag])
        print(
            f"\n{ground.name}, all {len(items)} tag sets, {tag}: "
            + ", ".join(f"{c.tag} {c.score:.1f}" for c in found[:15])
        )
        strategy = crawl(ground, tag, "profile", 1000).strategy
        assert isinstance(strategy, Profile)
        print("found in the crawl: " + ", ".join(f"{name} {weight:.2f}" for name, weight in strategy.topic_.items()))


# many people, and sites that are no media sites


def people_table() -> None:
    people, chance = Uploaders.empty(), random.Random(1)
    count = 100_000
    tracemalloc.start()
    begun = time.process_time()
    for number in range(count):
        contacts = [f"http://site.test/people/{chance.randrange(count)}/" for _ in range(10)]
        people.learn(f"http://site.test/people/{number}/", chance.random(), contacts)
    spent, size = time.process_time() - begun, tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    begun = time.process_time()
    packed = len(pack(tuple(people)))
    saved = time.process_time() - begun
    print(f"\n{count:,} uploaders with 10 contacts each: {1e6 * spent / count:.0f} µs each (measured with tracing on), "
          f"{size / 1e6:.0f} MB; saved with a commit as {packed / 1e6:.1f} MB in {1000 * saved:.0f} ms")  # fmt: skip
    for name, body in ODD_SITES.items():
        strategy = Profile("honey")
        visits = trace(strategy, Replay(body), ["http://odd.test/"], 300)
        print(f"{name}: {len(visits)} pages, stage {strategy.stage_}; {strategy.why_ or 'no complaint'}")


def plain(url: str) -> Recorded | None:
    """Articles that link to each other: no thumbnails, no people."""
    number = int(url.rstrip("/").rpartition("/")[2] or 0) if url.rstrip("/")[-1].isdigit() else 0
    links = "".join(f'<li><a href="/{(number * 7 + n) % 500}">article {n}</a></li>' for n in range(1, 9))
    return Recorded(200, {"content-type": "text/html"}, f"<h1>{number}</h1><p>honey</p><ul>{links}</ul>".encode())


def empty(url: str) -> Recorded | None:
    return Recorded(200, {"content-type": "text/html"}, b"<html></html>") if url == "http://odd.test/" else None


ODD_SITES: dict[str, Callable[[str], Recorded | None]] = {"a site without profiles": plain, "one empty page": empty}


def main() -> None:
    asked = sys.argv[1:] or ["types", "harvest", "gate", "made-up", "tags", "people"]
    for ground in recorded() if {*asked} - {"made-up", "people"} else ():
        if "types" in asked:
            types_table(ground)
        if "harvest" in asked:
            harvest_table(ground, BUDGET, STEP)
        if "gate" in asked:
            gate_table(ground, GATE_BUDGET)
        if "tags" in asked:
            tags_table(ground)
    for ground in made_up() if "made-up" in asked else ():
        types_table(ground)
        harvest_table(ground, 1500, 250)
    if "people" in asked:
        people_table()


if __name__ == "__main__":
    main()
