"""Xu, Gao and Callan 2018, SOUrCe: tables 2 to 5, figures 4 to 8."""

from __future__ import annotations

import atexit
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from opilio.bench.agreement import Agreement, Precision, agreement, precision, stratified
from opilio.bench.corpus import Corpus
from opilio.bench.tasks import Trial, choose, trials
from opilio.learning.clusters import BINS, LEAST_POINTS, OUTLIER, bin_count, cluster
from opilio.learning.mdl_clusters import distance, mdl
from opilio.learning.paths import apath, weights
from opilio.nouns import Page
from opilio.strategies.irobot.regions import cluster_regions, nearest, regions
from opilio.strategies.structure.from_sample import learn
from opilio.strategies.structure.scores import PARTS, SAMPLINGS

from ..forums import KINDS, forums
from ..structure import CONTENT, LISTS, TYPES, bits, draw, f_of, run, type_of, type_trials
from .experiment import ONE, Result, corpus, said

SAMPLE, FOLDS = 200, 4
SIZES = (100, 200, 500, 1000)  # of the sample, figure 8
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)  # of as many pages as there are targets, figures 6 and 7
CUTS = ("dsim+balance", "info+balance", "info+dsim", "+".join(PARTS))
THEIR_CUTS = {"dsim+balance": (0.9892, 1.539), "info+balance": (0.9896, 1.1413), "info+dsim": (0.9936, 0.4949)}
CONTENT_MEASURES = ("valid", "recall", "f", "after", "mirror")
METHODS = ("SOUrCe", "MDL", "iRobot")
WHOLE = 0  # pages of a crawl: as many as the site has
CUT_FOR_SAMPLES = ("social-music",)  # of figure 8: its crawls are long, and it has no user content marked


@cache
def sites() -> dict[str, Corpus]:
    """Recorded sites, and a forum of the synthetic web for each make of software."""
    stack = ExitStack()
    atexit.register(stack.close)
    made_up = stack.enter_context(forums())
    return {name: Corpus.open(corpus(name)) for name in TYPES} | made_up


def targets() -> list[tuple[str, str]]:
    return [(name, kind) for name in sites() for kind in TYPES.get(name, KINDS)]


def with_content() -> list[str]:
    return [name for name in sites() if name not in TYPES or name in CONTENT]


# Clusters


@cache
def drawn(name: str) -> tuple[list[Page], list[str]]:
    """1,000 pages at random with their types; types of fewer than 4 pages are annotation outliers, "" here."""
    pages = draw(sites()[name], 1)
    kinds = [type_of(sites()[name], page.url) for page in pages]
    sizes = Counter(kinds)
    return pages, [kind if sizes[kind] >= LEAST_POINTS else "" for kind in kinds]


def table2() -> Result:
    rows, facts = [], dict[str, float]()
    for name in sites():
        pages, kinds = drawn(name)
        bags = [page.paths for page in pages]
        rows_of = weights(bags).rows(bags)
        found = {how: [int(label) for label in cluster(rows_of, bins=how).labels] for how in BINS}
        counts = [(len(set(labels) - {OUTLIER}), labels.count(OUTLIER)) for labels in found.values()]
        types, strangers = len(set(kinds) - {""}), kinds.count("")
        read, printed = (f"{clusters}, {outliers}" for clusters, outliers in counts)
        rows.append([name, str(rows_of.shape[1]), str(types), str(strangers), read, printed])
        facts |= {f"{name} outliers": counts[0][1], f"{name} printed outliers": counts[1][1]}
        facts |= {f"{name} clusters": counts[0][0], f"{name} types": types}
    more = [name for name in sites() if facts[f"{name} clusters"] >= facts[f"{name} types"]]
    lost, letter = (
        statistics.fmean(facts[f"{name} {what}"] for name in sites()) for what in ("outliers", "printed outliers")
    )
    sentence = said(
        len(more) == len(sites()),
        "there are at least as many clusters as types on every site.",
        f"there are as many clusters as types or more on {len(more)} of {len(sites())} sites.",
    )
    words = (
        f"Outliers: {lost:.0f} of 1,000 by features / 4.8 bins, {letter:.0f} by 4.8 · features bins, 24 in the paper."
    )
    head = [
        "site",
        "Xpaths",
        "types",
        "annotated outliers",
        "clusters, outliers",
        "clusters, outliers, bins as printed",
    ]
    return Result(head, rows, f"{sentence} {words}", facts)


def figure4() -> Result:
    rows, facts = [], dict[str, float]()
    for name in sites():
        bags = [page.paths for page in drawn(name)[0]]
        matrix = weights(bags).rows(bags)
        cells = []
        for how in BINS:
            labels, eps = cluster(matrix, bins=how)
            many = bin_count(matrix.shape[1], len(bags), how)
            cells += [str(many), f"{eps:.4f}", f"{float(np.mean(labels == OUTLIER)):.1%}"]
            facts[f"{name} {how} eps"] = eps
        rows.append([name, str(matrix.shape[1]), *cells])
    narrower = [facts[f"{name} printed eps"] <= facts[f"{name} divided eps"] for name in sites()]
    sentence = said(
        all(narrower),
        "the rule finds an eps on every site; with bins to the letter it is smaller everywhere, and more pages are outliers.",
        f"with bins to the letter eps is not smaller on {narrower.count(False)} sites.",
    )
    head = ["site", "Xpaths", *(f"{what}, {how}" for how in BINS for what in ("bins", "eps", "outliers"))]
    return Result(head, rows, sentence, facts)


Clustered = tuple[list[int], Callable[[Page], int]]  # the cluster of each page, and of a new one


def by_source(pages: Sequence[Page]) -> Clustered:
    sitemap, names = learn([page.paths for page in pages], None, BINS[0])
    return names, lambda page: sitemap.classify(sitemap.row(page.paths))


def by_mdl(pages: Sequence[Page]) -> Clustered:
    """A new page is of the cluster of the known page that it differs least from: the text does not say."""
    known = [frozenset(apath(link.path) for link in page.links) for page in pages]
    names = [int(label) for label in mdl(known)]
    first = dict(zip(reversed(known), reversed(names), strict=True))

    def classify(page: Page) -> int:
        places = frozenset(apath(link.path) for link in page.links)
        return first[min(first, key=lambda other: distance(places, other))]

    return names, classify


def by_regions(pages: Sequence[Page]) -> Clustered:
    labels, leaders = cluster_regions([page.paths for page in pages])
    return [int(label) for label in labels], lambda page: nearest(regions(page.paths), leaders)


CLUSTERINGS = dict(zip(METHODS, (by_source, by_mdl, by_regions), strict=True))


MEASURES = ("purity", "micro", "macro", "micro precision", "macro precision")  # those of the paper


def figure5() -> Result:
    """Annotation outliers are left out, and outliers of a clustering are clusters of one page."""
    rows, facts = [], dict[str, float]()
    for method in METHODS:
        told, new = zip(*(judged(name, method) for name in sites()), strict=True)
        printed = [(one.purity, one.micro, one.macro) for one in told]
        columns = [list(column) for column in (*zip(*printed, strict=True), *zip(*new, strict=True))]
        rows.append(
            [method, *(f"{statistics.fmean(column):.3f} ± {statistics.stdev(column):.3f}" for column in columns)]
        )
        for what, column in zip(MEASURES, columns, strict=True):
            facts[f"{method} {what}"] = statistics.fmean(column)
    behind = [
        f"{what} ({method} {facts[f'{method} {what}']:.3f})"
        for what in MEASURES
        for method in METHODS[1:]
        if facts[f"{method} {what}"] >= facts[f"SOUrCe {what}"]
    ]
    sentence = said(
        not behind, "SOUrCe is above both in every measure.", f"SOUrCe is not first in {', '.join(behind)}."
    )
    head = ["mean ± deviation over sites", "purity", "micro F", "macro F", "micro precision", "macro precision"]
    return Result(head, rows, sentence, facts)


def judged(name: str, method: str) -> tuple[Agreement, Precision]:
    rows = [(page, kind) for page, kind in zip(*drawn(name), strict=True) if kind]
    pages, kinds = [page for page, _ in rows], [kind for _, kind in rows]
    dealt, found = stratified(kinds, FOLDS), list[Precision]()
    for fold in range(FOLDS):
        known = [place for place, its in enumerate(dealt) if its != fold]
        new = [place for place, its in enumerate(dealt) if its == fold]
        names, classify = CLUSTERINGS[method]([pages[place] for place in known])
        labels = [classify(pages[place]) for place in new]
        found.append(precision(labels, [kinds[n] for n in new], names, [kinds[n] for n in known]))
    whole = agreement(CLUSTERINGS[method](pages)[0], kinds)
    return whole, Precision(*(statistics.fmean(column) for column in zip(*found, strict=True)))


# Crawls


class Crawl(NamedTuple):
    urls: tuple[str, ...]
    wanted: frozenset[str]
    budget: int

    def hits(self, pages: int, after: int = 0) -> int:
        return sum(url in self.wanted for url in self.urls[after : after + pages])

    def harvest(self, pages: int, after: int = 0) -> float:
        """Of what was fetched: a crawl may end before its budget."""
        return self.hits(pages, after) / max(1, len(self.urls[after : after + pages]))

    def recall(self, pages: int, after: int = 0) -> float:
        """Of what was there to be found: after the sample, what that had not brought."""
        return self.hits(pages, after) / max(1, len(self.wanted) - self.hits(after))


def crawl(name: str, trial: Trial, spec: str, pages: int) -> Crawl:
    found = run(sites()[name], replace(trial, budget=pages), spec, batch=ONE)
    return Crawl(tuple(found.urls), frozenset(trial.split.targets), trial.budget)


@cache
def target_crawl(name: str, kind: str, spec: str, pages: int) -> Crawl:
    """For pages of one type, with one example; breadth-first needs none, so it crawls a site once."""
    trial = type_trials(sites()[name], kind, ((0, 0),))[0]
    if spec == "breadth-first":
        return Crawl(broad(name), frozenset(trial.split.targets), trial.budget)
    return crawl(name, trial, spec, pages or len(sites()[name].urls))


@cache
def broad(name: str) -> tuple[str, ...]:
    trial = type_trials(sites()[name], TYPES.get(name, KINDS)[0], ((0, 0),))[0]
    return crawl(name, trial, "breadth-first", len(sites()[name].urls)).urls


@cache
def content_crawl(name: str, spec: str, further: int = 0) -> Crawl:
    """For user content: a quarter of the site, as 5,000 of 20,000 in the paper."""
    trial = trials(sites()[name], choose(sites()[name], "user-content"), 1, 0)[0]
    return crawl(name, trial, spec, trial.budget + further)


def table3() -> Result:
    rows, facts = [], dict[str, float]()
    specs = ("structure", "irobot", "breadth-first")
    sums: dict[str, list[list[float]]] = {spec: [] for spec in specs}
    for name in with_content():
        cells = []
        for spec in specs:
            numbers = content_numbers(content_crawl(name, spec, SAMPLE), 0)
            later = after_sample(content_crawl(name, spec, SAMPLE), SAMPLE)
            sums[spec].append([*numbers, later, mirrored(name, content_crawl(name, spec, SAMPLE))])
            cells.append(numbered(sums[spec][-1]))
        rows.append([name, *cells])
    means = {spec: [statistics.fmean(column) for column in zip(*found, strict=True)] for spec, found in sums.items()}
    rows.append(["mean", *(numbered(means[spec]) for spec in specs)])
    for spec in specs:
        facts |= {f"{spec} {what}": means[spec][place] for place, what in enumerate(CONTENT_MEASURES)}
    above = all(facts["structure f"] > facts[f"{spec} f"] for spec in specs[1:])
    valid = facts["structure valid"] > max(facts[f"{spec} valid"] for spec in specs[1:])
    sentence = said(
        above and valid,
        "SOUrCe is first in valid ratio and in F.",
        f"SOUrCe is {'first' if valid else 'not first'} in valid ratio and {'first' if above else 'not first'} in F.",
    )
    return Result(["site", *specs], rows, sentence, facts)


def numbered(values: Sequence[float]) -> str:
    return " / ".join(f"{value:.3f}" for value in values[:3]) + "; " + ", ".join(f"{value:.3f}" for value in values[3:])


def mirrored(name: str, found: Crawl) -> float:
    """The valid ratio after the sample as in a mirror: no dead links, and lists of what users wrote count as well."""
    kinds = [(url, type_of(sites()[name], url)) for url in found.urls[SAMPLE : SAMPLE + found.budget]]
    pages = [url in found.wanted or kind in LISTS for url, kind in kinds if kind]
    return sum(pages) / max(1, len(pages))


def content_numbers(found: Crawl, after: int) -> tuple[float, float, float]:
    valid, recall = found.harvest(found.budget, after), found.recall(found.budget, after)
    return valid, recall, f_of(valid, recall)


def table4() -> Result:
    rows, facts = [], dict[str, float]()
    specs = ("structure", "target-map", "breadth-first")
    sums: dict[str, list[list[float]]] = {spec: [] for spec in specs}
    for name, kind in targets():
        cells = []
        for spec in specs:
            budget = target_crawl(name, kind, "breadth-first", WHOLE).budget
            found = target_crawl(name, kind, spec, WHOLE if spec == "structure" else budget + SAMPLE)
            harvest, recall = found.harvest(budget), found.recall(budget)
            after = f_of(found.harvest(budget, SAMPLE), found.recall(budget, SAMPLE))
            sums[spec].append([harvest, recall, f_of(harvest, recall), after])
            cells.append(f"{harvest:.3f} / {recall:.3f} / {f_of(harvest, recall):.3f}; {after:.3f}")
        rows.append([f"{name} {kind}", str(budget), *cells])
    means = {spec: [statistics.fmean(column) for column in zip(*found, strict=True)] for spec, found in sums.items()}
    cells = [" / ".join(f"{value:.3f}" for value in means[spec][:3]) + f"; {means[spec][3]:.3f}" for spec in specs]
    rows.append(["mean", "", *cells])
    for spec in specs:
        facts |= {
            f"{spec} {what}": means[spec][place] for place, what in enumerate(("harvest", "recall", "f", "after"))
        }
    sentence = said(
        facts["structure f"] > max(facts["target-map f"], facts["breadth-first f"]),
        "SOUrCe is first in recall and F.",
        "SOUrCe is not first in F.",
    )
    words = "above" if facts["target-map harvest"] > facts["structure harvest"] else "below"
    return Result(
        ["site, type", "budget", *specs],
        rows,
        f"{sentence} TPM's harvest rate is {words} SOUrCe's (above in the paper).",
        facts,
    )


def figure6() -> Result:
    rows, ends = [], list[float]()
    for name, kind in targets():
        found = target_crawl(name, kind, "structure", WHOLE)
        rates = [found.harvest(round(share * found.budget), SAMPLE) for share in SHARES]
        rows.append([f"{name} {kind}", *(f"{rate:.3f}" for rate in rates)])
        ends.append(rates[-1])
    starts = [float(row[1]) for row in rows]
    falling = sum(float(row[1]) >= float(row[-1]) for row in rows)
    sentence = said(
        falling > len(rows) / 2,
        f"harvest falls from the first tenth to the end for {falling} of {len(rows)}.",
        f"harvest falls for {falling} of {len(rows)} only.",
    )
    head = ["harvest rate", *(f"{share:.0%} of the targets fetched" for share in SHARES)]
    return Result(head, rows, sentence, {"start": statistics.fmean(starts), "end": statistics.fmean(ends)})


def figure7() -> Result:
    rows, finals, above = [], list[float](), 0
    for name, kind in targets():
        cells = []
        for spec in ("structure", "breadth-first"):
            found = target_crawl(name, kind, spec, WHOLE)
            marks = [round(share * found.budget) for share in (0.5, 1, 2)] + [len(sites()[name].urls)]
            cells.append([found.recall(mark) for mark in marks])
        rows.append([f"{name} {kind}", *(f"{ours:.3f} / {theirs:.3f}" for ours, theirs in zip(*cells, strict=True))])
        above += cells[0][1] > cells[1][1]
        finals.append(cells[0][-1])
    sentence = said(
        above == len(rows),
        "SOUrCe gathers targets faster than breadth-first everywhere.",
        f"SOUrCe is above breadth-first at as many pages as targets for {above} of {len(rows)}.",
    )
    last = statistics.fmean(finals)
    head = [
        "recall of structure / breadth-first",
        "half the targets",
        "as many pages as targets",
        "twice",
        "as many as the site has",
    ]
    return Result(head, rows, f"{sentence} Final recall {last:.4f} on average (0.9498 in the paper).", {"final": last})


def figure8() -> Result:
    """Frozen after the sample, which is not counted: as many fetches after it."""
    rows, facts = [], dict[str, float]()
    places = [(name, kind) for name, kind in targets() if name not in CUT_FOR_SAMPLES]
    for size in SIZES:
        cells = []
        for sampling in SAMPLINGS:
            spec = f"structure(sample={size},sampling='{sampling}')"
            valid = statistics.fmean(after_sample(content_crawl(name, spec, size), size) for name in with_content())
            wanted = [(target_crawl(name, kind, "breadth-first", WHOLE).budget, name, kind) for name, kind in places]
            found = [target_crawl(name, kind, spec, budget + size) for budget, name, kind in wanted]
            harvest = statistics.fmean(one.harvest(len(one.wanted) - one.hits(size), size) for one in found)
            cells += [f"{valid:.3f}", f"{harvest:.3f}"]
            facts |= {f"{size} {sampling} valid": valid, f"{size} {sampling} harvest": harvest}
        rows.append([str(size), *cells])
    own, broad_one = facts["200 apath harvest"], facts["1000 breadth-first harvest"]
    sentence = said(
        own >= broad_one - 0.02,
        f"200 pages drawn by apath ({own:.3f}) are worth 1,000 breadth-first ({broad_one:.3f}).",
        f"200 pages drawn by apath ({own:.3f}) are not worth 1,000 breadth-first ({broad_one:.3f}).",
    )
    head = ["pages of the sample", *(f"{what}, {how}" for how in SAMPLINGS for what in ("valid ratio", "harvest rate"))]
    return Result(head, rows, sentence, facts)


def after_sample(found: Crawl, size: int) -> float:
    return found.harvest(found.budget, size)


def table5() -> Result:
    rows, facts = [], dict[str, float]()
    for parts in CUTS:
        found = [(name, content_crawl(name, f"structure(parts='{parts}')", SAMPLE)) for name in with_content()]
        valid = statistics.fmean(one.harvest(one.budget, SAMPLE) for _, one in found)
        spread = statistics.fmean(bits(sites()[name], one.urls[SAMPLE:]) for name, one in found)
        theirs = THEIR_CUTS.get(parts, (0.9954, 0.8649))
        rows.append([parts, f"{theirs[0]:.4f}", f"{valid:.4f}", f"{theirs[1]:.4f}", f"{spread:.4f}"])
        facts |= {f"{parts} valid": valid, f"{parts} entropy": spread}
    without = facts["info+dsim entropy"]
    best = max(CUTS, key=lambda parts: facts[f"{parts} valid"])
    sentence = said(
        facts[f"{CUTS[-1]} entropy"] > without and best == CUTS[-1],
        "Balance raises the entropy, and all three together have the highest valid ratio.",
        f"Balance {'raises' if facts[f'{CUTS[-1]} entropy'] > without else 'does not raise'} the entropy; "
        f"{best} has the highest valid ratio.",
    )
    return Result(["parts", "valid ratio, theirs", "ours", "entropy, theirs", "ours"], rows, sentence, facts)


RUNS: dict[str, Callable[[], Result]] = {
    "001 table2": table2,
    "001 figure4": figure4,
    "001 figure5": figure5,
    "001 table3": table3,
    "001 table4": table4,
    "001 figure6": figure6,
    "001 figure7": figure7,
    "001 figure8": figure8,
    "001 table5": table5,
}
