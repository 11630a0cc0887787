"""Every strategy on every trial of a task, on all cores, and what came of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import __version__, registry
from ..errors import ConfigError
from ..nouns import Strategy
from ..shard import FirstBatches
from .compare import summarise, tests
from .corpus import Corpus, Outside
from .course import Job, Outcome
from .description import Task
from .plots import plots
from .results import Results, Run, Skipped, TrialRow, as_json, rounded, write
from .tasks import Trial, choose, trials
from .workers import Progress, cores, execute

ALWAYS = ("oracle", "random")  # the ceiling, and what chance brings; first, so that parsing is on their account


def bench(
    folder: str | Path,
    task: str | None = None,
    strategies: Sequence[str | type[Strategy]] | None = None,
    budget: int | str | None = None,
    runs: int = 1,
    seed: int = 0,
    out: str | Path | None = None,
    progress: Progress | None = None,
    *,
    batch: int = 50,
    model: str = "auto",
    workers: int | None = None,
    outside: Outside = "left-out",
    first_batches: FirstBatches = "strategy",
    judge: bool = False,
) -> dict[str, Any]:
    """The results of a task, as in results.json; with `out`, that file and the plots are written there.

    Without a task the first of the corpus is run, without strategies all there are. What is wrong with the question
    is a ConfigError before anything runs, and then nothing is written. A URL without a record leads out of the recording:
    it is left out of every page, or, with outside="dead", answered 404. With `judge`, harvest is also what two of three
    classifiers call relevant.
    """
    folder, out = Path(folder), Path(out) if out is not None else None
    _check_out(out)
    registry.parse_model(model)
    corpus = Corpus.open(folder)
    chosen = choose(corpus, task)
    specs = _specs(strategies)
    workers = _workers(specs, workers)
    plan = trials(corpus, chosen, runs, seed, budget)
    able = [trial for trial in plan if trial.budget]
    if not able:
        raise ConfigError(f'{folder}, task "{chosen.name}": no chain of links leads from the start to a target')
    like = Job(folder, chosen.name, able[0], (), batch, model, outside, first_batches, _judges(chosen, judge))
    jobs = _jobs(like, able, specs, workers)
    outcomes = list(execute(jobs, corpus, workers, progress))
    results = _results(corpus, chosen.name, chosen.kind, seed, budget, plan, able, _ordered(outcomes, able, specs))
    if out is not None:
        _write(out, results)
    return results


def _judges(task: Task, asked: bool) -> bool:
    if asked and task.kind != "topic":
        raise ConfigError(
            f'task "{task.name}" is of kind {task.kind}: only pages on a topic can be judged by classifiers'
        )
    return asked


def _specs(strategies: Sequence[str | type[Strategy]] | None) -> list[str]:
    chosen = sorted(registry.strategies()) if strategies is None else list(map(registry.spec_of, strategies))
    for spec in chosen:
        registry.parse(spec)
    return list(dict.fromkeys([*chosen, *ALWAYS]))


def _workers(specs: Sequence[str], asked: int | None) -> int:
    """How many processes take part; one when a strategy is known in this one alone."""
    here = [spec for spec in specs if registry.is_here(spec)]
    if here and asked != 1:
        warnings.warn(
            f"{here[0]} is defined in no file that another process could load, so everything runs in this one; save it in a "
            "file to use all cores",
            stacklevel=3,
        )
    return 1 if here else asked or cores()


def _check_out(out: Path | None) -> None:
    """Results go into a new or empty folder, or where those of an earlier benchmark are."""
    if out is None or not out.exists() or (out / "results.json").is_file():
        return
    if not out.is_dir() or any(out.iterdir()):
        what = "a folder with other files" if out.is_dir() else "a file"
        raise ConfigError(f"{out}: this is {what}; name a new or empty folder for the results with --out")


def _jobs(like: Job, plan: Sequence[Trial], specs: Sequence[str], workers: int) -> list[Job]:
    """A job for each trial; where there are fewer trials than workers, its strategies are dealt out to several."""
    order = sorted(specs, key=lambda spec: spec not in ALWAYS)
    hands = min(len(order), -(-workers // len(plan)))
    dealt = [tuple(order[hand::hands]) for hand in range(hands)]
    return [like._replace(trial=trial, specs=hand) for trial in plan for hand in dealt]


def _ordered(outcomes: Sequence[Outcome], plan: Sequence[Trial], specs: Sequence[str]) -> list[Outcome]:
    """Trial by trial, strategies as they were named: as if one process had done everything. Skipped ones once."""
    runs = {(run.topic, run.run, run.strategy): run for run in outcomes if isinstance(run, Run)}
    skipped = {row.strategy: row for row in outcomes if isinstance(row, Skipped)}
    keys = [(trial.topic, trial.run, spec) for trial in plan for spec in specs]
    return [*(runs[key] for key in keys if key in runs), *(skipped[spec] for spec in specs if spec in skipped)]


def _results(
    corpus: Corpus,
    task: str,
    kind: str,
    seed: int,
    asked: int | str | None,
    plan: Sequence[Trial],
    able: Sequence[Trial],
    outcomes: Sequence[Outcome],
) -> dict[str, Any]:
    runs = [outcome for outcome in outcomes if isinstance(outcome, Run)]
    budgets = {trial.budget for trial in able}
    results = Results(
        corpus=corpus.name,
        task=task,
        kind=kind,
        outside=corpus.graph().outside,
        budget=budgets.pop() if len(budgets) == 1 else str(asked or "budget"),
        seed=seed,
        version=__version__,
        runs=runs,
        summary=summarise(runs, [_row(trial) for trial in able]),
        tests=tests(runs, [_row(trial) for trial in able]),
        trials=[_row(trial) for trial in plan],
        skipped=[outcome for outcome in outcomes if isinstance(outcome, Skipped)],
    )
    plain: dict[str, Any] = rounded(results.model_dump())
    return plain


def _row(trial: Trial) -> TrialRow:
    split = trial.split
    return TrialRow(
        topic=trial.topic,
        run=trial.run,
        seeds=len(split.seeds),
        targets=len(split.targets),
        unreachable=trial.unreachable,
        budget=trial.budget,
    )


def _write(out: Path, results: dict[str, Any]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name, svg in plots(Results.model_validate(results)).items():
        write(out / f"{name}.svg", svg)
    write(out / "results.json", as_json(results))
