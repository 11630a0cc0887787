"""Crawling by genre: `python -m benchmarks.genre_crawls table|sweep|compare CORPUS` or `... harvest`.

table CORPUS    P[I,G] on a breadth-first sample, all topics of the corpus together
sweep CORPUS    area under target recall for w_R from 0 to 1, with t-tests against w_R = 1; coverage curves as a picture in runs/;
                and for each topic the area of the weight that was best on the other topics of the web
compare CORPUS  the strategies: weights that are measured, fixed and online P, genre-plus and its parts
online CORPUS   only P kept up to date against P fixed by the same sample, for more runs in the same time
pool FILE...    what `sweep`, `compare` or `online` wrote to runs/ for some webs, all together
harvest         harvest rate at 10,000 pages of a synthetic web
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import ttest_1samp, ttest_rel

from opilio import registry
from opilio.bench.compare import SAMPLES
from opilio.bench.corpus import Corpus
from opilio.bench.course import Course, Job
from opilio.bench.plots import Line, plot
from opilio.bench.results import Run, write
from opilio.bench.tasks import Trial, choose, trials
from opilio.loop import trace
from opilio.nouns import Link, Material, Offer
from opilio.strategies.genre.model import GENRES
from opilio.strategies.genre_plus import GenrePlus
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.layout import Settings
from opilio.synth.web import Web

SEED = 7
WEIGHTS = [round(0.05 * step, 2) for step in range(21)]
ALONE = "genre-plus(further=none,"  # genres without further kinds
COMPARED = [
    "best-first", "genre", "genre-plus(further=none)", f"{ALONE}online=false,sample=100)", f"{ALONE}sample=100)",
    f"{ALONE}relevance=0.9,online=false,sample=100)", f"{ALONE}relevance=0.9,sample=100)", f"{ALONE}relevance=0.9)",
    "genre-plus", "genre-plus(further=site)", "genre-plus(further=template+site)",
]  # fmt: skip
FIXED = {  # by a sample alone, and the same with P kept up to date
    f"{ALONE}online=false,sample=100)": f"{ALONE}sample=100)",
    f"{ALONE}relevance=0.9,online=false,sample=100)": f"{ALONE}relevance=0.9,sample=100)",
}
PLAIN = "w_R = 1"  # which is best-first, page for page
HARVESTED = ["best-first", "genre", "genre-plus(further=none)", "genre-plus"]
SHARES = [step / SAMPLES for step in range(1, SAMPLES + 1)]


class Crawls:
    """The topics of a corpus, every so manieth, and what strategies make of them."""

    def __init__(self, folder: Path, every: int, runs: int, seed: int, model: str) -> None:
        self.folder, self.corpus, self.model = folder, Corpus.open(folder), model
        self.task = choose(self.corpus, "topics")
        self.course = Course(self.corpus, self.task.name)
        able = [trial for trial in trials(self.corpus, self.task, runs, seed) if trial.budget]
        chosen = sorted({trial.topic for trial in able})[::every]
        self.trials: list[Trial] = [trial for trial in able if trial.topic in chosen]
        print(f"{folder.name}: {len(chosen)} topics, runs of each: {runs}, seed {seed}, model {model}")

    def runs(self, specs: Sequence[str], plain: str) -> dict[str, list[Run]]:
        """Run the strategies on all topics, and print each against the plain one."""
        found: dict[str, list[Run]] = {spec: [] for spec in specs}
        for trial in self.trials:
            job = Job(self.folder, self.task.name, trial, tuple(specs), 50, self.model)
            for run in self.course.outcomes(job):
                if isinstance(run, Run):
                    found[run.strategy].append(run)
        for spec, runs in found.items():
            print(against(spec, runs, found[plain]), flush=True)
        return found

    def keep(self, what: str, found: Mapping[str, Sequence[float]]) -> None:
        """Areas, for `pool`."""
        out = Path("runs") / f"genre-{what}-{self.folder.name}-{self.model}.json"
        out.parent.mkdir(parents=True, exist_ok=True)
        write(out, json.dumps(found, indent=1) + "\n")
        print(out)

    def table(self, sample: int) -> None:
        total: Counter[tuple[str, str]] = Counter()
        good: Counter[tuple[str, str]] = Counter()
        for trial in self.trials:
            strategy = GenrePlus(self.course.given(trial, self.model)["topic"], "none", 1.0, sample=sample + 1)
            trace(strategy, self.corpus.fetcher(), trial.split.seeds, sample)
            for key, (seen, led) in strategy.outcomes_.rows.items():
                total[key] += int(seen)
                good[key] += int(led)
        print(f"{sample} pages a topic; P[I,G] and the links it is counted on")
        print(f"{'genre':8}{'from relevant':>22}{'from irrelevant':>22}")
        for genre in (*GENRES, ""):
            cells = (share_of(good[kind, genre], total[kind, genre]) for kind in ("relevant", "irrelevant"))
            print(f"{genre or 'all':8}" + "".join(f"{cell:>22}" for cell in cells))


def share_of(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} % of {whole}" if whole else "-"


def against(spec: str, runs: Sequence[Run], plain: Sequence[Run]) -> str:
    mine, base = [run.auc for run in runs], [run.auc for run in plain]
    gain = 100 * (statistics.fmean(mine) / statistics.fmean(base) - 1)
    wins, losses = (sum(sign * (a - b) > 0 for a, b in zip(mine, base, strict=True)) for sign in (1, -1))
    test = ttest_rel(mine, base, alternative="greater") if len(mine) > 1 and mine != base else None
    said = f"t {test.statistic:5.2f} p {test.pvalue:.3f}" if test else "t     - p     -"
    covered = " ".join(f"{covers(runs, share):.3f}" for share in (0.25, 0.5, 1.0))
    head = f"{spec:45} area {statistics.fmean(mine):.4f} {gain:+6.1f} %"
    return f"{head}  {wins:2} better {losses:2} worse  {said}  coverage {covered}"


def covers(runs: Sequence[Run], share: float) -> float:
    """Mean coverage when that share of the budget is spent."""
    return statistics.fmean(_covers(run, share) for run in runs)


def _covers(run: Run, share: float) -> float:
    pages = run.curve["pages"]
    place = int(np.searchsorted(pages, share * pages[-1]))
    return float(run.curve["coverage"][min(place, len(pages) - 1)])


def sweep(crawls: Crawls) -> None:
    specs = [f"genre-plus(further=none,relevance={weight})" for weight in WEIGHTS]
    found = crawls.runs(specs, specs[-1])
    shown = list(zip(WEIGHTS, specs, strict=True))[::4]
    lines = [
        Line(f"w_R = {weight}", f"s{n}", [100 * share for share in SHARES], _curve(found[spec]), [0.0] * SAMPLES)
        for n, (weight, spec) in enumerate(shown)
    ]
    out = Path("runs") / f"genre-sweep-{crawls.folder.name}.svg"
    out.parent.mkdir(parents=True, exist_ok=True)
    write(out, plot(f"Coverage: {crawls.folder.name}", "% of the budget fetched", lines))
    print(out)
    left_out(crawls, found, specs[-1])


def left_out(crawls: Crawls, found: dict[str, list[Run]], plain: str) -> None:
    """The best weight was chosen by what it is then judged by; a topic that had no say in the choice judges fairly."""
    areas = {spec: by_topic(runs) for spec, runs in found.items()}
    best = max(areas, key=lambda spec: statistics.fmean(areas[spec].values()))
    chosen = {topic: best_without(areas, topic) for topic in areas[plain]}
    for topic, spec in chosen.items():
        gain = 100 * (areas[spec][topic] / areas[plain][topic] - 1) if areas[plain][topic] else 0.0
        print(f"  {topic:32} best on the others: {spec:24} here {gain:+6.1f} %")
    kept = {
        PLAIN: list(areas[plain].values()),
        "the best weight": list(areas[best].values()),
        "the best on the other topics": [areas[spec][topic] for topic, spec in chosen.items()],
    }
    print(f"the best of them: {best}")
    for name in list(kept)[1:]:
        print(f"{name:30} {together([(kept[name], kept[PLAIN])])}")
    crawls.keep("sweep", kept)


def by_topic(runs: Sequence[Run]) -> dict[str, float]:
    """The mean area of each topic."""
    areas: dict[str, list[float]] = {}
    for run in runs:
        areas.setdefault(run.topic, []).append(run.auc)
    return {topic: statistics.fmean(values) for topic, values in areas.items()}


def best_without(areas: Mapping[str, Mapping[str, float]], topic: str) -> str:
    """The weight that is best on all topics but one; of equals the greatest, which is nearest to best-first."""
    others = {spec: [area for name, area in found.items() if name != topic] for spec, found in areas.items()}
    return max(reversed(others), key=lambda spec: sum(others[spec]))


def _curve(runs: Sequence[Run]) -> list[float]:
    return [covers(runs, share) for share in SHARES]


def pool(files: Sequence[Path]) -> None:
    """Gains of all webs together: over best-first or w_R = 1 where that took part, and of P kept up to date over P fixed."""
    webs = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    for plain in (PLAIN, "best-first"):
        for spec in webs[0] if all(plain in web for web in webs) else ():
            print(f"{spec:45} {together([(web[spec], web[plain]) for web in webs])}")
    for fixed, online in FIXED.items():
        if all(fixed in web for web in webs):
            print(f"{online:32} against fixed: {together([(web[online], web[fixed]) for web in webs])}")


def together(webs: Sequence[tuple[list[float], list[float]]]) -> str:
    """Each web counts alike in the mean, each run in the test; a web's areas are measured by its plain mean."""
    shares = [[(a - b) / statistics.fmean(plain) for a, b in zip(mine, plain, strict=True)] for mine, plain in webs]
    every = [share for web in shares for share in web]
    mean = 100 * statistics.fmean(statistics.fmean(web) for web in shares)
    if not any(every):
        return f"{mean:+6.2f} % of the webs, no run differs"
    test = ttest_1samp(every, 0, alternative="greater")
    low, high = (100 * bound for bound in ttest_1samp(every, 0).confidence_interval())
    runs = f"{100 * statistics.fmean(every):+6.2f} % of {len(every)} runs ({low:+.2f} to {high:+.2f})"
    return f"{mean:+6.2f} % of the webs, {runs}, t {test.statistic:5.2f} p {test.pvalue:.3f}"


def harvest(pages: int, size: int, topics: int, genres: float, seed: int) -> None:
    """By the truth, for some topics of a synthetic web."""
    fetcher = SynthFetcher(Web(size, seed, Settings(genres=genres)))
    print(f"{pages} pages of a synthetic web of {size}, seed {seed}, genres {genres}")
    names = fetcher.web.topics
    for topic in names[:: len(names) // topics][:topics]:
        for spec, rate in harvested(fetcher, topic, pages):
            print(f"{topic:24} {spec:24} harvest {rate:.4f}", flush=True)


def harvested(fetcher: SynthFetcher, topic: str, pages: int) -> Iterator[tuple[str, float]]:
    seeds = fetcher.web.seeds(topic)
    examples = tuple(asyncio.run(fetcher.fetch(Offer(Link(url)))) for url in seeds)
    relevance = registry.learn("auto", Material(topic.split("/")[-1], examples))
    for spec in HARVESTED:
        visits = trace(registry.make(spec, {"topic": relevance, "seed": SEED}), fetcher, seeds, pages)
        yield spec, sum(fetcher.web.labels(visit.url).get("topic") == topic for visit in visits) / len(visits)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["table", "sweep", "compare", "online", "pool", "harvest"])
    parser.add_argument("paths", type=Path, nargs="*", help="a corpus folder with a task `topics`; of pool: files")
    parser.add_argument("--model", default="auto", help="of relevance; multinomial is the paper's")
    parser.add_argument("--every", type=int, default=1, help="take every so manieth topic")
    parser.add_argument("--runs", type=int, default=1, help="runs a topic, from other seeds each")
    parser.add_argument(
        "--seed", type=int, default=SEED, help="decides what each run starts from, and the web of harvest"
    )
    parser.add_argument("--sample", type=int, default=300, help="pages of the table's sample")
    parser.add_argument("--pages", type=int, default=10_000, help="of the harvest")
    parser.add_argument("--size", type=int, default=50_000, help="pages of the synthetic web")
    parser.add_argument("--topics", type=int, default=2, help="of the synthetic web")
    parser.add_argument("--genres", type=float, default=0.0, help="how far its genres differ in where they link to")
    asked = parser.parse_args()
    if asked.what == "harvest":
        harvest(asked.pages, asked.size, asked.topics, asked.genres, asked.seed)
    elif asked.what == "pool" and asked.paths:
        pool(asked.paths)
    elif len(asked.paths) != 1:
        parser.error(f"{asked.what} needs a corpus folder")
    else:
        crawl(asked.what, Crawls(asked.paths[0], asked.every, asked.runs, asked.seed, asked.model), asked.sample)


def crawl(what: str, crawls: Crawls, sample: int) -> None:
    if what == "table":
        crawls.table(sample)
    elif what == "sweep":
        sweep(crawls)
    else:
        specs = COMPARED if what == "compare" else [*FIXED, *FIXED.values()]
        found = crawls.runs(specs, specs[0])
        crawls.keep(what, {spec: [run.auc for run in runs] for spec, runs in found.items()})


if __name__ == "__main__":
    main()
