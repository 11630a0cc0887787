"""What each addition of structure-plus brings: `python -m benchmarks.additions structure-plus`.

One after the other is taken out of the code while all crawls are run again, as nobody has a reason to switch it off.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from opilio.bench.corpus import Corpus
from opilio.bench.tasks import Trial, choose, trials
from opilio.learning import page_types
from opilio.learning.cluster_split import Leads, Types, View
from opilio.learning.clusters import dbscan
from opilio.learning.navigation import Table
from opilio.nouns import Lane
from opilio.strategies.structure_plus import goals, harvest, lanes, link_names, quotas, redesign, sampling, yields

from .forums import KINDS, Redesigned, forums
from .structure import CONTENT, RUNS, SHARED, mean, run, type_trials

PLUS, PAPER = "structure-plus", "structure"
RECORDED = {
    "openenergymonitor": ("thread",),
    "postgresql-doc": ("sql_command",),
}  # the others have more pages and tell less
NEVER = 1 << 30


def plain_clusters(first: View, *others: View, example: bool = False, leads: Leads | None = None) -> Types:
    return Types(dbscan(first.between, first.eps), {})


def ungraded(self: page_types.Sitemap, name: int, row: Any, graded: bool = True) -> Any:
    return KINDS_OF(self, name, row, graded=False)


def ungranted(self: quotas.Quotas, lane: Lane, answers: int, trial: int = 0) -> int:
    self.heard[lane] = answers
    return NEVER


def place_alone(table: Table, rows: Sequence[lanes.Row], *_: Any) -> list[Lane]:
    return [row.lane for row in rows]


KINDS_OF = page_types.Sitemap.kinds
Part = tuple[Any, str, Any]  # of the code: where it is, its name, and what takes its place
WITHOUT: dict[str, list[Part]] = {
    "DBSCAN's clusters neither taken apart nor joined": [(page_types, "page_types", plain_clusters)],
    "the whole sample before the harvest": [(sampling, "FIRST_LOOK", NEVER)],
    "every page type alike as user content": [
        (goals, "likely_content", lambda sitemap, *_: dict.fromkeys(sitemap.clusters, 1.0))
    ],
    "nothing learned after the sample": [(harvest.Harvest, "teach", lambda *_: iter(()))],
    "new pairs lean on no others": [(Table, "expected", Table.exact)],
    "links not judged by dead ones beside them": [(lanes, "alive", lambda *_: 1.0), (lanes, "trust", lambda *_: 1.0)],
    "no lanes for folders nobody knows": [(lanes, "by_folder", lambda table, seen, rows, found: list(found))],
    "no new page types, no redesign": [(redesign.Strays, "see", lambda *_: None)],
    "no page type for an example that is an outlier": [(page_types, "_housed", lambda overlaps, labels: labels)],
    "no likeness within the example's cluster": [(page_types.Sitemap, "kinds", ungraded)],
    "no rules of URLs": [(lanes, "by_rule", place_alone)],
    "pages of another rule count alike": [(harvest, "separation", lambda *_: 0.0)],
    "copies count as pages": [(harvest.Harvest, "_repeats", lambda *_: False)],
    "no lanes by classes and by list": [(lanes, "by_place", lambda table, rows, found, *_: list(found))],
    "hubs by promise alone": [(yields.Yields, "expected", lambda self, lanes, first: first)],
    "names of pages do not matter": [(link_names.Names, "share", lambda *_: 1.0)],
    "no quotas": [(quotas.Quotas, "grant", ungranted)],
}
NEAR = "poor lanes do not wait"


@dataclass
class Crawls:
    """One column of the table."""

    name: str
    crawls: Sequence[Callable[[str], float]]  # what each is worth with a strategy

    def __call__(self, spec: str) -> float:
        return mean([crawl(spec) for crawl in self.crawls])


def _for(corpus: Corpus, trial: Trial) -> Callable[[str], float]:
    return lambda spec: run(corpus, trial, spec).f


def _typed(sites: Mapping[str, Corpus]) -> list[Callable[[str], float]]:
    """Crawls for a page type, an example of each."""
    return [
        _for(corpus, type_trials(corpus, kind, RUNS[:1])[0])
        for name, corpus in sites.items()
        for kind in RECORDED.get(name, KINDS)
    ]


def _written(sites: Mapping[str, Corpus]) -> list[Callable[[str], float]]:
    return [_for(corpus, trials(corpus, choose(corpus, "user-content"), 1, 0)[0]) for corpus in sites.values()]


def _redesigned(before: Mapping[str, Corpus], after: Mapping[str, Corpus]) -> Iterator[Callable[[str], float]]:
    for name, corpus in before.items():
        for kind in KINDS:
            trial, later = type_trials(corpus, kind, RUNS[:1])[0], after[name]

            def crawl(spec: str, corpus: Corpus = corpus, trial: Trial = trial, later: Corpus = later) -> float:
                return run(corpus, trial, spec, Redesigned(corpus.fetcher(), later.fetcher(), trial.budget // 2)).f

            yield crawl


def rows(columns: Sequence[Crawls]) -> Iterator[tuple[str, list[float]]]:
    """As it is, without one addition at a time, and the paper's."""
    yield PLUS, [column(PLUS) for column in columns]
    for told, parts in WITHOUT.items():
        with ExitStack() as stack:
            for part in parts:
                stack.enter_context(patch.object(*part))
            yield told, [column(PLUS) for column in columns]
    yield NEAR, [column(f"{PLUS}(near=0)") for column in columns]
    yield PAPER, [column(PAPER) for column in columns]


def table() -> None:
    if not SHARED.is_dir():
        sys.exit(f"{SHARED}: the recorded sites are not there")
    recorded = {name: Corpus.open(SHARED / name) for name in RECORDED}
    content = {name: Corpus.open(SHARED / name) for name in CONTENT}
    with forums() as before, forums(redesign=True) as after:
        columns = [
            Crawls("types, forums", _typed(before)),
            Crawls("types, recorded", _typed(recorded)),
            Crawls("user content", _written(before | content)),
            Crawls("redesign", list(_redesigned(before, after))),
        ]
        print(f"| {PLUS} | {' | '.join(column.name for column in columns)} |\n| --- |{' ---: |' * len(columns)}")
        for told, found in rows(columns):
            print(f"| {told} | {' | '.join(f'{value:.3f}' for value in found)} |", flush=True)
    print()
