"""The leaderboard, `python -m benchmarks.quality`: every strategy on every corpus available and on synthetic webs.

Writes docs/leaderboard.md, docs/pictures/leaderboard.svg and docs/leaderboard.json; with --quick, or with --out, into another
folder (runs/quality). Every run is kept in the cache under the digest of the code that it was measured with, so that an
interrupted measurement goes on where it was, and what did not change is not measured again. With --strategies only those named
are measured; of all others the last results count, whatever code they were measured with, and the table marks them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from opilio import registry, specs
from opilio.bench.results import Run
from opilio.bench.run import ALWAYS
from opilio.bench.standings import Cell, standings
from opilio.bench.trial_runs import Job
from opilio.bench.workers import cores, spread

from .cells import CLOCK, Place, trial_name
from .grounds import FULL, QUICK, Ground, Scale, grounds
from .page import write

DOCS = Path(__file__).parents[2] / "docs"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer trials and short crawls: minutes")
    parser.add_argument("--strategies", help="measure only these, with commas; of the others take the last results")
    parser.add_argument("--workers", type=int, default=cores())
    parser.add_argument("--out", type=Path, help="where the page goes; docs if not given, runs/quality with --quick")
    parser.add_argument("--show", action="store_true", help="measure nothing: the page of what was measured so far")
    told = parser.parse_args()
    scale = QUICK if told.quick else FULL
    named = specs.split(told.strategies) if told.strategies else None
    for spec in named or ():
        registry.parse(spec)
    everyone = list(dict.fromkeys([*ALWAYS, *sorted(registry.strategies()), *(named or ())]))
    wanted = list(dict.fromkeys([*ALWAYS, *named])) if named else everyone
    played = list(grounds(scale))
    if not told.show:
        measure(scale, played, wanted, told.workers)
    found, old = gathered(scale, played, everyone, any_code=bool(named))
    out = told.out or (DOCS if scale is FULL and not named else Path("runs/quality"))
    print(write(out, scale, measured(played, found), standings(found), old))


def measured(played: Sequence[Ground], found: Sequence[Cell]) -> list[Ground]:
    """The grounds with those trials that there are results of; a measurement may have been interrupted."""
    there = {(cell.corpus, cell.trial) for cell in found}
    kept = [
        replace(ground, trials=[t for t in ground.trials if (ground.corpus, trial_name(ground, t)) in there])
        for ground in played
    ]
    return [ground for ground in kept if ground.trials]


def measure(scale: Scale, played: Sequence[Ground], wanted: Sequence[str], workers: int) -> None:
    """Run what has no result yet, trial by trial, and keep each result as soon as its trial is done."""
    jobs, places = [], {}
    for ground in played:
        for trial in ground.trials:
            missing = [spec for spec in wanted if not Place(scale, ground, trial, spec).find()]
            if missing:
                jobs.append(Job(ground.folder, ground.task.name, trial, tuple(missing), 50, "auto", clock=CLOCK))
                places[jobs[-1]] = ground
    if not jobs:
        return
    print(f"{sum(len(job.specs) for job in jobs)} runs of {len(jobs)} trials to measure", file=sys.stderr)
    for job, outcomes in spread(jobs, workers, Ticker()):
        for outcome in outcomes:
            place = Place(scale, places[job], job.trial, outcome.strategy)
            place.keep(outcome if isinstance(outcome, Run) else None)


class Ticker:
    """Progress as lines on stderr: how far, and how long it will take."""

    def __init__(self) -> None:
        self._begun, self._told = time.monotonic(), 0.0

    def __call__(self, done: int, total: int, label: str) -> None:
        passed = time.monotonic() - self._begun
        if passed - self._told > 10 or done == total:
            self._told = passed
            left = passed * (total - done) / done
            print(f"{done} of {total}, {passed / 60:.1f} min, about {left / 60:.1f} left: {label}", file=sys.stderr)


def gathered(
    scale: Scale, played: Sequence[Ground], everyone: Sequence[str], any_code: bool
) -> tuple[list[Cell], set[str]]:
    """All results there are, and the strategies some of whose results are of other code."""
    cells, old = [], set()
    for ground in played:
        for trial in ground.trials:
            for spec in everyone:
                place = Place(scale, ground, trial, spec)
                run, same = place.find(any_code) or (None, True)
                if run:
                    cells.append(Cell(ground.task.kind, ground.corpus, trial_name(ground, trial), run))
                    old |= set() if same else {spec}
    return cells, old


if __name__ == "__main__":
    main()
