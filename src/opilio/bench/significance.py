"""Means over trials, and which strategy is better than which."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import combinations

from .results import Point, Run, Summary, Test, TrialRow

TESTED = ("target_recall", "harvest_rate", "auc")
OVER_TIME = {"auc_over_time": ("budget",), "target_recall_over_time": ("quarter", "half", "budget")}
MULTIPLES = (1, 2, 5)
SHARES = {"quarter": 0.25, "half": 0.5, "budget": 1.0}
SAMPLES = 50
LEVEL = 0.05
NO_SPREAD = 1e-12


def points(budget: int, targets: int) -> list[int]:
    """The page counts at which a curve is kept: some 50, and all those that `marks` may ask for."""
    even = {math.ceil(budget * i / SAMPLES) for i in range(1, SAMPLES + 1)}
    shares = {_share(budget, share) for share in SHARES.values()}
    return sorted(even | shares | {n for k in MULTIPLES if (n := k * targets) <= budget})


def marks(trials: Sequence[TrialRow]) -> dict[Point, list[int]]:
    """Where strategies are compared: for each label the page count in every trial; the whole budget is last."""
    found: dict[Point, list[int]] = {}
    for times in MULTIPLES:
        if all(times * trial.targets <= trial.budget for trial in trials):
            found[f"{times}x"] = [times * trial.targets for trial in trials]
    for name, share in SHARES.items():
        counts = [_share(trial.budget, share) for trial in trials]
        found[name if len({trial.budget for trial in trials}) > 1 else counts[0]] = counts
    return found


def summarise(runs: Sequence[Run], trials: Sequence[TrialRow]) -> list[Summary]:
    """Mean and standard error of every metric at every mark, strategy by strategy."""
    places = marks(trials)
    last = list(places)[-1]
    rows = []
    by_strategy = _by_strategy(runs)
    for strategy in by_strategy:
        for metric in _metrics(runs):
            for label, counts in places.items() if metric != "auc" else [(last, places[last])]:
                sample = _sample(by_strategy[strategy], metric, counts)
                ceiling = statistics.fmean(_sample(by_strategy["oracle"], metric, counts))
                rows.append(_summary(strategy, metric, label, sample, ceiling))
    return rows + _summarise_over_time(by_strategy)


def tests(runs: Sequence[Run], trials: Sequence[TrialRow]) -> list[Test]:
    """A t-test for each pair of strategies at every mark, where the pairs of values allow one."""
    places = marks(trials)
    last = list(places)[-1]
    by_strategy = _by_strategy(runs)
    found = []
    for metric in (name for name in TESTED if name in _metrics(runs)):
        for label, counts in places.items() if metric != "auc" else [(last, places[last])]:
            samples = {name: _sample(own, metric, counts) for name, own in by_strategy.items()}
            found += _tests(metric, label, samples)
    if all(run.timed for run in runs):
        found += _tests("auc_over_time", "budget", {name: _timed_areas(own) for name, own in by_strategy.items()})
    return found


def _tests(metric: str, at: Point, samples: dict[str, list[float]]) -> list[Test]:
    pairs = combinations(samples, 2)
    return [test for one, other in pairs for test in _test(metric, at, (one, samples[one]), (other, samples[other]))]


def beaten(tests: Sequence[Test], row: Summary) -> list[str]:
    """The strategies that the one of this row beats significantly, by the row's metric and at its mark."""
    place = (row.strategy, row.metric, row.at)
    return [test.worse for test in tests if (test.better, test.metric, test.at) == place and test.p < LEVEL]


def _summarise_over_time(by_strategy: dict[str, list[Run]]) -> list[Summary]:
    """The same of the crawls by the simulated clock; shares are of the time."""
    rows = []
    for strategy, runs in by_strategy.items():
        for metric, label in ((metric, label) for metric, labels in OVER_TIME.items() for label in labels):
            sample = _sample_over_time(runs, metric, label)
            if sample:
                ceiling = statistics.fmean(_sample_over_time(by_strategy["oracle"], metric, label))
                rows.append(_summary(strategy, metric, label, sample, ceiling))
    return rows


def _sample_over_time(runs: Sequence[Run], metric: str, label: str) -> list[float]:
    if metric == "auc_over_time":
        return _timed_areas(runs)
    place = math.ceil(SAMPLES * SHARES[label]) - 1
    return [run.timed.curve["target_recall"][place] for run in runs if run.timed]


def _timed_areas(runs: Sequence[Run]) -> list[float]:
    return [run.timed.auc for run in runs if run.timed]


def _share(budget: int, share: float) -> int:
    return math.ceil(budget * share)


def _by_strategy(runs: Sequence[Run]) -> dict[str, list[Run]]:
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.strategy, []).append(run)
    return found


def _metrics(runs: Sequence[Run]) -> list[str]:
    return [*(name for name in runs[0].curve if name != "pages"), "auc"]


def _sample(runs: Sequence[Run], metric: str, counts: Sequence[int]) -> list[float]:
    return [run.at(metric, pages) for run, pages in zip(runs, counts, strict=True)]


def _summary(strategy: str, metric: str, at: Point, sample: list[float], ceiling: float) -> Summary:
    mean, n = statistics.fmean(sample), len(sample)
    error = statistics.stdev(sample) / math.sqrt(n) if n > 1 else 0.0
    of_oracle = mean / ceiling if ceiling else None
    return Summary(strategy=strategy, metric=metric, at=at, mean=mean, se=error, n=n, of_oracle=of_oracle)


def _test(metric: str, at: Point, one: tuple[str, list[float]], other: tuple[str, list[float]]) -> list[Test]:
    better, worse = (one, other) if sum(one[1]) >= sum(other[1]) else (other, one)
    gains = [a - b for a, b in zip(better[1], worse[1], strict=True)]
    # Deterministic strategies that start at the same page differ by the same in every run: such runs are one.
    if len(gains) < 2 or statistics.stdev(gains) < NO_SPREAD:
        return []
    from scipy.special import stdtr  # slow to import, and only needed here

    t = statistics.fmean(gains) / (statistics.stdev(gains) / math.sqrt(len(gains)))
    return [Test(metric=metric, at=at, better=better[0], worse=worse[0], t=t, p=float(stdtr(len(gains) - 1, -t)))]
