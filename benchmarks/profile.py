"""How well profile-plus finds its way on media-sharing sites: `python -m benchmarks.profile [NAME...]`.

harvest: against breadth-first and opic at 1,000 to 10,000 pages of social-music; gate: what its parts are worth and cost;
types: page types with and without examples; tags: topic discovery; synthetic and synthetic-gate: the same on two synthetic sites
as large; large: on two ten times as large; people: a hundred thousand uploaders, and sites on which the method does not
work.
"""

from __future__ import annotations

import random
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Sequence

from scipy.stats import ttest_rel

from opilio.codec import pack
from opilio.fetchers.replay import Recorded, Replay
from opilio.html.leaves import leaves
from opilio.loop import trace
from opilio.nouns import Fetcher, Offer, Page
from opilio.strategies.profile.media_sample import site_of
from opilio.strategies.profile.page_types import MEDIA_TYPES, PageTypes, Strings, learn, strings
from opilio.strategies.profile.roles import Seen
from opilio.strategies.profile.tags import discover, distinct
from opilio.strategies.profile.uploaders import Uploaders
from opilio.strategies.profile_plus import ProfilePlus

from .profile_grounds import Ground, Outcome, crawl, made_up, recorded

BUDGET, STEP, SHORT = 10_000, 1_000, 200
MADE_UP = 64_000  # pages of a web, for two sites as large as social-music
LARGE, LARGE_TOPICS = 700_000, 3  # and for two that 10,000 pages hardly touch
RIVALS = ("opic", "breadth-first")
GATE_BUDGET, GATE_TOPICS = 3_000, 3
LEFT_OUT = ("", "beta=0.0", "wait=False", "enough=0", "listed=False", "spread=0.0", "least=0.0")
# Lists of the synthetic sites show nearly all that has a tag: the gate is seen where they do not count.
MADE_UP_LEFT_OUT = (*LEFT_OUT, "listed=False,beta=0.0", "listed=False,wait=False")
EXAMPLES = 5
NAMES = ("types", "harvest", "gate", "tags", "synthetic", "synthetic-gate", "large", "people")


def harvest_table(ground: Ground) -> None:
    """By the start tag, and as in the paper by any tag that stage one found: the same set for all strategies."""
    own = [crawl(ground, tag, "profile-plus", BUDGET) for tag in ground.tags]
    found = {"profile": own}
    for rival in RIVALS:  # these go the same way whatever the tag
        once = crawl(ground, ground.tags[0], rival, BUDGET)
        found[rival] = [once._replace(good=run.good) for run in own]
    rest = [crawl(ground, tag, "profile-plus(rest=True)", BUDGET) for tag in ground.tags]
    topics = [run.strategy.topic_ for run in own if isinstance(run.strategy, ProfilePlus)]
    print("\nfetches of profile by page type: " + by_type(ground, own))
    print("pages until it had nothing left: " + ", ".join(str(len(run.urls)) for run in own))
    print("with the rest: " + by_type(ground, rest))
    show(ground, "the start tag", found, rest)
    wider = {spec: [run.wider(topic) for run, topic in zip(runs, topics, strict=True)] for spec, runs in found.items()}
    show(ground, "any tag of the topic", wider, [run.wider(topic) for run, topic in zip(rest, topics, strict=True)])


def show(ground: Ground, rule: str, found: dict[str, list[Outcome]], rest: list[Outcome]) -> None:
    """Means over the topics, and p of one-tailed paired t-tests."""
    own = found["profile"]
    sizes = ", ".join(str(len(run.good)) for run in own)
    print(f"\n{ground.name}, details with {rule}, {sizes}: harvest, capture, recall; window and lift of {STEP} pages")
    for at in range(STEP, BUDGET + 1, STEP):
        for spec, runs in {**found, "with the rest": rest}.items():
            means = (mean([measure(run, at) for run in runs]) for measure in MEASURES)
            print(f"{at:6} {spec:14}" + " ".join(f"{value:6.3f}" for value in means), flush=True)
        for mine, runs in {"profile": own, "with the rest": rest}.items():
            tests = (f"{name} {p_value(runs, found[rival], at, measure):.4f}" for name, rival, measure in TESTS)
            print(f"{at:6} {mine}, p: " + ", ".join(tests))
    for tag, run in zip(ground.tags, own, strict=True):
        ends = range(STEP, len(run.urls) + 1, STEP)
        print(f"windows of profile, {tag}: " + " ".join(f"{run.window(at, STEP):.3f}" for at in ends))
    for name, runs in {**found, "with the rest": rest}.items():
        print(f"windows of {STEP}, {name}: {span(runs, STEP)}; until half of the topic was found: {span(runs, STEP, 0.5)}"
              f"; of {SHORT} until then: {span(runs, SHORT, 0.5)}")  # fmt: skip


def span(runs: Sequence[Outcome], size: int, part: float = 1.0) -> str:
    """The least and the greatest full window of single topics while less than that part of the topic is found."""
    windows = [
        run.window(at, size)
        for run in runs
        for at in range(size, len(run.urls) + 1, size)
        if run.recall(at - size) < part
    ]
    return f"{min(windows):.3f} to {max(windows):.3f}" if windows else "none"


def _window(run: Outcome, at: int) -> float:
    return run.window(at, STEP)


def _lift(run: Outcome, at: int) -> float:
    return run.lift(at, STEP)


MEASURES = (Outcome.harvest, Outcome.capture, Outcome.recall, _window, _lift)
TESTS: tuple[tuple[str, str, Callable[[Outcome, int], float]], ...] = (
    ("harvest above opic", "opic", Outcome.harvest),
    ("harvest above breadth-first", "breadth-first", Outcome.harvest),
    ("capture above opic", "opic", Outcome.capture),
)


def p_value(own: list[Outcome], other: list[Outcome], at: int, measure: Callable[[Outcome, int], float]) -> float:
    above, below = ([measure(run, at) for run in runs] for runs in (own, other))
    return float(ttest_rel(above, below, alternative="greater").pvalue)


def by_type(ground: Ground, runs: Sequence[Outcome]) -> str:
    counts = Counter(ground.labels.get(url, {}).get("page_type", "gone or moved") for run in runs for url in run.urls)
    return ", ".join(f"{kind} {count / len(runs):.0f}" for kind, count in counts.most_common())


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def gate_table(ground: Ground, left_out: Sequence[str] = LEFT_OUT) -> None:
    """What each part is worth: one left out at a time."""
    print(
        f"\n{ground.name}: fetched, profiles, lists; harvest, capture, recall at the end; targets in 1,000 and 2,000; windows"
    )
    for part in left_out:
        spec = f"profile-plus({part})" if part else "profile-plus"
        runs = [crawl(ground, tag, spec, GATE_BUDGET) for tag in ground.tags[:GATE_TOPICS]]
        counts = [Counter(ground.labels.get(url, {}).get("page_type") for url in run.urls) for run in runs]
        sizes = [len(run.urls) for run in runs], *([count[kind] for count in counts] for kind in ("profile", "list"))
        ends = [mean([measure(run, GATE_BUDGET) for run in runs]) for measure in MEASURES[:3]]
        early = [[len(run.good.intersection(run.urls[:at])) for run in runs] for at in (1000, 2000)]
        cells = " ".join(f"{mean(size):6.0f}" for size in sizes) + "  " + " ".join(f"{end:.3f}" for end in ends)
        print(
            f"{part or 'profile':32} {cells}  "
            + " ".join(f"{mean(count):5.0f}" for count in early)
            + f"  {span(runs, STEP)}",
            flush=True,
        )


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
    trace(ProfilePlus(ground.tags[0], sample=size), recorder, [ground.home], 2 * size, batch=1)
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
        strategy = crawl(ground, tag, "profile-plus", 1000).strategy
        assert isinstance(strategy, ProfilePlus)
        print("found in the crawl: " + ", ".join(f"{name} {weight:.2f}" for name, weight in strategy.topic_.items()))


# many people, and sites that are no media sites


def people_table() -> None:
    people, chance = Uploaders(), random.Random(1)
    count = 100_000
    tracemalloc.start()
    begun = time.process_time()
    for number in range(count):
        contacts = [f"http://site.test/people/{chance.randrange(count)}/" for _ in range(10)]
        people.learn(f"http://site.test/people/{number}/", chance.random(), contacts)
    spent, size = time.process_time() - begun, tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    begun = time.process_time()
    packed = len(pack(people))
    saved = time.process_time() - begun
    print(f"\n{count:,} uploaders with 10 contacts each: {1e6 * spent / count:.0f} µs each (measured with tracing on), "
          f"{size / 1e6:.0f} MB; saved with a commit as {packed / 1e6:.1f} MB in {1000 * saved:.0f} ms")  # fmt: skip
    for name, body in ODD_SITES.items():
        strategy = ProfilePlus("honey")
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
    asked = {*sys.argv[1:]} or {*NAMES}
    if strange := asked.difference(NAMES):
        sys.exit(f"there is no table {' or '.join(sorted(strange))}; name some of {', '.join(NAMES)}")
    tables: dict[str, Callable[[Ground], None]] = {
        "types": types_table, "harvest": harvest_table, "gate": gate_table, "tags": tags_table
    }  # fmt: skip
    for ground in recorded() if not tables.keys().isdisjoint(asked) else ():
        for table in (table for name, table in tables.items() if name in asked):
            table(ground)
    for ground in made_up(MADE_UP) if {"synthetic", "synthetic-gate"} & asked else ():
        if "synthetic" in asked:
            types_table(ground)
            harvest_table(ground)
        if "synthetic-gate" in asked:
            gate_table(ground, MADE_UP_LEFT_OUT)
    for ground in made_up(LARGE) if "large" in asked else ():
        harvest_table(ground._replace(tags=ground.tags[:LARGE_TOPICS]))
    if "people" in asked:
        people_table()


if __name__ == "__main__":
    main()
