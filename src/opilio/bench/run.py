"""Every strategy on every trial of a task, on all cores, and what came of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import __version__, registry
from ..errors import ConfigError
from ..nouns import Strategy
from ..scope.bounds import Bounds
from ..shard import FirstBatches
from ..specs import split
from .corpus import Corpus, Outside, Task
from .plots import plots
from .results import Results, Run, Skipped, TrialRow, as_json, rounded, write
from .significance import summarise, tests
from .simulated_time import Clock, checked
from .tasks import Trial, choose, trials
from .trial_runs import Job, Outcome
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
    model: str = "",
    workers: int | None = None,
    outside: Outside = "left-out",
    first_batches: FirstBatches = "strategy",
    judge: bool = False,
    clock: Clock | None = None,
    bounds: Bounds | None = None,
) -> dict[str, Any]:
    """The results of a task, as in results.json; with `out`, that file and the plots are written there.

    Without a task the first of the corpus is run, without strategies all there are. What is wrong with the question
    is a ConfigError before anything runs, and then nothing is written. A URL without a record leads out of the recording:
    it is left out of every page, or, with outside="dead", answered 404. With `judge`, harvest is also what two of three
    classifiers call relevant. With a clock every crawl is also played against simulated time.
    Without `model` each strategy judges relevance by that of its method (`Strategy.topic_model`).
    `bounds` hold for every crawl: pages a site, languages.
    """
    out = Path(out) if out is not None else None
    check_out(out)
    asked = Question(task, specs_of(strategies), budget, runs, seed, batch, model, outside, first_batches, judge, clock)
    asked = asked._replace(bounds=bounds or Bounds())
    return answer(prepare(Path(folder), asked), asked, workers_for(asked.specs, workers), out, progress)


class Question(NamedTuple):
    """What is asked of a corpus."""

    task: str | None
    specs: Sequence[str]
    budget: int | str | None
    runs: int
    seed: int
    batch: int = 50
    model: str = ""  # of relevance, the same for all; "": each strategy judges by that of its method
    outside: Outside = "left-out"
    first_batches: FirstBatches = "strategy"
    judge: bool = False
    clock: Clock | None = None
    bounds: Bounds = Bounds()


class Prepared(NamedTuple):
    """A corpus that the question fits."""

    corpus: Corpus
    task: Task
    plan: list[Trial]

    @property
    def able(self) -> list[Trial]:
        """Trials in which a target can be reached."""
        return [trial for trial in self.plan if trial.budget]


def prepare(folder: Path, asked: Question) -> Prepared:
    """What is to be run; ConfigError where that is nothing."""
    if asked.model:
        registry.parse_model(asked.model)
    if asked.clock:
        checked(asked.clock)
    corpus = Corpus.open(folder)
    task = choose(corpus, asked.task)
    _check_judge(task, asked.judge)
    ready = Prepared(corpus, task, trials(corpus, task, asked.runs, asked.seed, asked.budget))
    if not ready.able:
        raise ConfigError(f'{folder}, task "{task.name}": no chain of links leads from the start to a target')
    return ready


def answer(
    ready: Prepared, asked: Question, workers: int, out: Path | None, progress: Progress | None = None
) -> dict[str, Any]:
    """The results; with `out`, written there."""
    outcomes = list(execute(jobs(ready, asked, workers), ready.corpus, workers, progress))
    results = _results(ready, asked, _ordered(outcomes, ready.able, asked.specs))
    if out is not None:
        _write(out, results)
    return results


def _check_judge(task: Task, asked: bool) -> None:
    if asked and task.kind != "topic":
        raise ConfigError(
            f'task "{task.name}" is of kind {task.kind}: only pages on a topic can be judged by classifiers'
        )


def specs_of(strategies: Sequence[str | type[Strategy]] | None) -> list[str]:
    """The strategies that take part, by name; all of ours where none is named."""
    if isinstance(strategies, str):
        strategies = split(strategies)
    chosen = sorted(registry.strategies()) if strategies is None else list(map(registry.spec_of, strategies))
    for spec in chosen:
        registry.parse(spec)
    return list(dict.fromkeys([*chosen, *ALWAYS]))


def workers_for(specs: Sequence[str], asked: int | None) -> int:
    """How many processes take part; one when a strategy is known in this one alone."""
    here = [spec for spec in specs if registry.is_here(spec)]
    if here and asked != 1:
        warnings.warn(
            f"{here[0]} is defined in no file that another process could load, so everything runs in this one; save it in a "
            "file to use all cores",
            stacklevel=3,
        )
    return 1 if here else asked or cores()


def check_out(out: Path | None) -> None:
    """Results go into a new or empty folder, or where those of an earlier benchmark are."""
    if out is None or not out.exists() or (out / "results.json").is_file():
        return
    if not out.is_dir() or any(out.iterdir()):
        what = "a folder with other files" if out.is_dir() else "a file"
        raise ConfigError(f"{out}: this is {what}; name a new or empty folder for the results with --out")


def jobs(ready: Prepared, asked: Question, workers: int) -> list[Job]:
    """A job for each trial; where there are fewer trials than workers, its strategies are dealt out to several."""
    settings = (asked.batch, asked.model, asked.outside, asked.first_batches, asked.judge, asked.clock, asked.bounds)
    like = Job(ready.corpus.folder, ready.task.name, ready.able[0], (), *settings)
    order = sorted(asked.specs, key=lambda spec: spec not in ALWAYS)
    hands = min(len(order), -(-workers // len(ready.able)))
    dealt = [tuple(order[hand::hands]) for hand in range(hands)]
    return [like._replace(trial=trial, specs=hand) for trial in ready.able for hand in dealt]


def _ordered(outcomes: Sequence[Outcome], plan: Sequence[Trial], specs: Sequence[str]) -> list[Outcome]:
    """Trial by trial, strategies as they were named: as if one process had done everything. Skipped ones once."""
    runs = {(run.topic, run.run, run.strategy): run for run in outcomes if isinstance(run, Run)}
    skipped = {row.strategy: row for row in outcomes if isinstance(row, Skipped)}
    keys = [(trial.topic, trial.run, spec) for trial in plan for spec in specs]
    return [*(runs[key] for key in keys if key in runs), *(skipped[spec] for spec in specs if spec in skipped)]


def _results(ready: Prepared, asked: Question, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    able = ready.able
    runs = [outcome for outcome in outcomes if isinstance(outcome, Run)]
    budgets = {trial.budget for trial in able}
    results = Results(
        corpus=ready.corpus.name,
        task=ready.task.name,
        kind=ready.task.kind,
        outside=ready.corpus.graph().outside,
        clock={**asked.clock._asdict()} if asked.clock else None,
        budget=budgets.pop() if len(budgets) == 1 else str(asked.budget or "budget"),
        seed=asked.seed,
        version=__version__,
        runs=runs,
        summary=summarise(runs, [_row(trial) for trial in able]),
        tests=tests(runs, [_row(trial) for trial in able]),
        trials=[_row(trial) for trial in ready.plan],
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
