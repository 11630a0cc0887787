"""Strategies over several corpora: the share of the oracle's area with an interval, the mean rank, the cost of a page.

Tasks of different kinds are not mixed: not every strategy can take part in each. Within a kind every corpus counts the same,
however many trials it has, so that no corpus decides alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .results import Results, Row, Run

RESAMPLES = 2000
LEVEL = 95  # percent
CEILING = "oracle"

Floats = NDArray[np.float64]


class Cell(NamedTuple):
    """One strategy on one trial."""

    kind: str
    corpus: str
    trial: str  # names it within the corpus
    run: Run


class Spread(Row):
    """A share of the oracle's area, its interval, and the mean rank among the strategies (1 is the best; oracle has none)."""

    share: float
    low: float
    high: float
    rank: float | None
    by_corpus: dict[str, float]


class Standing(Row):
    """One strategy on all corpora of a kind."""

    kind: str
    strategy: str
    corpora: int
    trials: int
    pages: Spread
    time: Spread | None  # by the simulated clock
    ms: float  # of CPU time a page, in the crawls by pages


def cells(results: Mapping[str, Results]) -> list[Cell]:
    """The runs of several benchmarks by the name of their corpus."""
    return [
        Cell(one.kind, corpus, f"{one.task} {run.topic} {run.run}", run)
        for corpus, one in results.items()
        for run in one.runs
    ]


def standings(found: Iterable[Cell], seed: int = 0) -> list[Standing]:
    """Kind by kind, the best share by pages first; who did not run on all trials of a kind is not among them."""
    kinds: dict[str, list[Cell]] = {}
    for cell in found:
        kinds.setdefault(cell.kind, []).append(cell)
    return [row for kind, own in kinds.items() for row in _of_kind(kind, own, seed)]


class Matrix(NamedTuple):
    """The runs of a kind: corpus by corpus a row for each trial, with a run for each strategy."""

    names: list[str]  # of the strategies
    rows: dict[str, list[list[Run]]]

    def column(self, name: str) -> dict[str, list[Run]]:
        place = self.names.index(name)
        return {corpus: [row[place] for row in rows] for corpus, rows in self.rows.items()}

    def runs(self) -> list[Run]:
        return [run for rows in self.rows.values() for row in rows for run in row]


def _of_kind(kind: str, own: Sequence[Cell], seed: int) -> list[Standing]:
    matrix = _matrix(own)
    if not matrix.rows:
        return []
    pages = _spreads(matrix.names, {corpus: _areas(rows) for corpus, rows in matrix.rows.items()}, seed)
    timed = {corpus: _timed_areas(rows) for corpus, rows in matrix.rows.items()}
    time = _spreads(matrix.names, timed, seed) if all(run.timed for run in matrix.runs()) else {}
    found = [
        Standing(
            kind=kind,
            strategy=name,
            corpora=len(matrix.rows),
            trials=sum(map(len, matrix.rows.values())),
            pages=pages[name],
            time=time.get(name),
            ms=_cost([run for runs in matrix.column(name).values() for run in runs]),
        )
        for name in matrix.names
    ]
    return sorted(found, key=lambda row: (-row.pages.share, row.strategy))


def _matrix(own: Sequence[Cell]) -> Matrix:
    """Only trials that the oracle found something in, and strategies that ran on all of them."""
    runs = {(cell.corpus, cell.trial, cell.run.strategy): cell.run for cell in own}
    trials: dict[str, list[str]] = {}
    for (corpus, trial, strategy), run in runs.items():
        if strategy == CEILING and run.auc and (not run.timed or run.timed.auc):
            trials.setdefault(corpus, []).append(trial)
    places = [(corpus, trial) for corpus, own_trials in trials.items() for trial in own_trials]
    names = list(dict.fromkeys(cell.run.strategy for cell in own))
    names = [name for name in names if all((*place, name) in runs for place in places)]
    rows = {corpus: [[runs[corpus, trial, name] for name in names] for trial in own] for corpus, own in trials.items()}
    return Matrix(names, rows)


def _areas(rows: Sequence[Sequence[Run]]) -> Floats:
    return np.array([[run.auc for run in row] for row in rows])


def _timed_areas(rows: Sequence[Sequence[Run]]) -> Floats:
    return np.array([[run.timed.auc if run.timed else 0.0 for run in row] for row in rows])


def _cost(runs: Sequence[Run]) -> float:
    """CPU milliseconds a page."""
    return 1000 * sum(run.seconds for run in runs) / max(1, sum(run.fetched for run in runs))


def _spreads(names: Sequence[str], areas: Mapping[str, Floats], seed: int) -> dict[str, Spread]:
    """Of each strategy; `areas` has a row for each trial of a corpus and a column for each strategy."""
    ceiling = names.index(CEILING)
    tables = list(areas.values())
    by_corpus = {corpus: share_of_ceiling(table, ceiling) for corpus, table in areas.items()}
    shares = np.mean(list(by_corpus.values()), axis=0)
    low, high = np.percentile(resampled(tables, ceiling, seed), [50 - LEVEL / 2, 50 + LEVEL / 2], axis=0)
    ranks = mean_ranks(tables, ceiling)
    return {
        name: Spread(
            share=shares[i],
            low=low[i],
            high=high[i],
            rank=None if i == ceiling else ranks[i],
            by_corpus={corpus: own[i] for corpus, own in by_corpus.items()},
        )
        for i, name in enumerate(names)
    }


def share_of_ceiling(table: Floats, ceiling: int) -> Floats:
    """Mean area of each strategy over the trials of a corpus, as a share of the oracle's."""
    sums = table.sum(axis=0)
    shares: Floats = sums / sums[ceiling]
    return shares


def resampled(tables: Sequence[Floats], ceiling: int, seed: int) -> Floats:
    """The hierarchical bootstrap: corpora are drawn with replacement, and of each corpus drawn its trials are."""
    rng = np.random.default_rng(seed)
    draws = []
    for _ in range(RESAMPLES):
        drawn = [tables[corpus] for corpus in rng.integers(len(tables), size=len(tables))]
        again = [table[rng.integers(len(table), size=len(table))] for table in drawn]
        draws.append(np.mean([share_of_ceiling(table, ceiling) for table in again], axis=0))
    return np.array(draws)


def mean_ranks(tables: Sequence[Floats], ceiling: int) -> list[float]:
    """Rank of each strategy in a trial, equals sharing theirs; mean over trials, then over corpora. The oracle is left out."""
    from scipy.stats import rankdata  # slow to import

    ranked = []
    for table in tables:
        others = table.copy()
        others[:, ceiling] = -1.0  # last, and so before nobody
        ranked.append(np.mean([rankdata(-row) for row in others], axis=0))
    means: list[float] = np.mean(ranked, axis=0).tolist()
    return means
