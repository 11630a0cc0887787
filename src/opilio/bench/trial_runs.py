"""A task made ready: one strategy after the other gets the same trial, and is judged by the same truth."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from .. import registry
from ..errors import TooFewExamples
from ..learning.page_likeness import Like
from ..loop import trace
from ..nouns import RELEVANT, Material, Page, Strategy, Topic
from ..scope.bounds import Bounds
from ..shard import FirstBatches
from ..topics.adaptive import Growing
from ..topics.models.auto import Auto
from .corpus import Corpus, Outside
from .metrics import metrics
from .oracle import worth
from .over_time import over_time
from .remembering_topic import Memo
from .results import Run, Skipped, Timed
from .significance import points
from .simulated_time import Arrival, Clock, timed_trace
from .tasks import Splitter, Trial, choose
from .truth import Truth

Outcome = Run | Skipped


class Job(NamedTuple):
    """Some strategies on one trial, for one worker: what one of them had parsed and judged the others find done."""

    folder: Path
    task: str
    trial: Trial
    specs: tuple[str, ...]
    batch: int
    model: str = ""  # of relevance, for all; "": each strategy judges by that of its method
    outside: Outside = "left-out"
    first_batches: FirstBatches = "strategy"
    judge: bool = False  # whether pages are judged by two of three classifiers, too
    clock: Clock | None = None  # to play every crawl against as well
    bounds: Bounds = Bounds()  # of a crawl: pages a site, languages


class Course:
    """A task made ready for trials."""

    def __init__(self, corpus: Corpus, task: str) -> None:
        self.corpus = corpus
        self.splitter = Splitter(corpus, choose(corpus, task))
        self.kind = self.splitter.task.kind

    def outcomes(self, job: Job) -> Iterator[Outcome]:
        """The strategies of a job one after the other."""
        models = Models(self, job)
        truth = self.truth(job.trial)
        judge = self.learn(job.trial, "judge") if job.judge else None
        plan = {"truth": self.worth(job.trial)} if job.clock or "oracle" in map(_name, job.specs) else {}
        ceiling = self.oracle_arrivals(job, models.given("oracle") | plan) if job.clock else []
        for spec in job.specs:
            given = models.given(spec) | (plan if _name(spec) == "oracle" else {})
            yield self.outcome(job, spec, given, truth, judge, ceiling)

    def outcome(
        self,
        job: Job,
        spec: str,
        given: dict[str, Any],
        truth: Truth,
        judge: Topic | None = None,
        ceiling: Sequence[Arrival] = (),
    ) -> Outcome:
        """One strategy's run, or why it cannot take part; with the oracle's arrivals, by the clock as well."""
        try:
            # First, since it leaves most pages parsed and judged: `seconds` is then what the strategy itself takes.
            timed = self.timed(job, spec, given, truth, ceiling) if ceiling else None
            begun = time.process_time()
            given = _fresh(given)
            strategy = registry.make(spec, given)
        except registry.Missing as missing:
            return Skipped(strategy=spec, reason=str(missing))
        urls = self.visited(job, strategy, _growing(strategy, given), _name(spec) == "oracle")
        seconds = time.process_time() - begun
        curve = self.curve(urls, self.judged(urls, truth, judge) if judge else truth, job.judge)
        return Run(
            strategy=spec,
            topic=job.trial.topic,
            run=job.trial.run,
            fetched=len(urls),
            targets=len(job.trial.split.targets),
            seconds=seconds,
            auc=curve.pop("auc")[-1],
            curve=curve,
            model=_judging(strategy, given),
            timed=timed,
        )

    def visited(self, job: Job, strategy: Strategy, topic: Topic | None, alone: bool) -> list[str]:
        """The URLs that a strategy fetches, in order; `alone`: one page at a time, as a ceiling chooses them."""
        fetcher, trial = self.corpus.fetcher(job.outside), job.trial
        batch, known = 1 if alone else job.batch, self.known(trial)
        visits = trace(
            strategy, fetcher, trial.split.seeds, trial.budget, batch, topic, known, first_batches=job.first_batches,
            bounds=job.bounds,
        )  # fmt: skip
        return [visit.url for visit in visits]

    def judged(self, urls: Sequence[str], truth: Truth, judge: Topic) -> Truth:
        """The truth, and what a judge makes of the pages that were fetched."""
        pages = {url: self.corpus.page(url) for url in urls if url in truth.pages}
        return replace(truth, judged=frozenset(url for url, page in pages.items() if judge.page(page) >= RELEVANT))

    def oracle_arrivals(self, job: Job, given: dict[str, Any]) -> list[Arrival]:
        """The oracle's crawl by the clock; all others have the time that it takes for the budget."""
        return self.arrivals(job, "oracle", given, pages=job.trial.budget)

    def timed(self, job: Job, spec: str, given: dict[str, Any], truth: Truth, ceiling: Sequence[Arrival]) -> Timed:
        """One strategy's crawl by the clock."""
        seconds = ceiling[-1].seconds
        own = ceiling if _name(spec) == "oracle" else self.arrivals(job, spec, given, seconds=seconds)
        return over_time(own, truth, seconds)

    def arrivals(
        self, job: Job, spec: str, given: dict[str, Any], pages: float = math.inf, seconds: float = math.inf
    ) -> list[Arrival]:
        """When the pages of a strategy come; until there are this many, or the time is up."""
        assert job.clock
        given = _fresh(given)
        strategy = registry.make(spec, given)
        return timed_trace(
            strategy,
            self.corpus.fetcher(job.outside),
            job.trial.split.seeds,
            job.clock,
            pages=pages,
            seconds=seconds,
            topic=_growing(strategy, given),
            known=self.known(job.trial),
            # The ceiling has nothing to learn, and so no reason to begin slowly.
            first_batches="whole" if _name(spec) == "oracle" else job.first_batches,
            bounds=job.bounds,
        )

    def curve(self, urls: Sequence[str], truth: Truth, judged: bool = False) -> dict[str, list[int | float]]:
        """All metrics at the points that are kept; a run that ended early keeps its last values."""
        pages = points(truth.budget, len(truth.targets))
        curves: dict[str, list[int | float]] = {"pages": [*pages]}
        for name, metric in metrics(self.kind, *(("judged",) if judged else ())).items():
            whole = metric(urls, truth) or [0.0]
            curves[name] = [whole[min(n, len(whole)) - 1] for n in pages]
        return curves

    def given(self, trial: Trial, model: str) -> dict[str, Any]:
        """What strategies may know."""
        given: dict[str, Any] = {"seed": trial.seed}
        match self.kind:
            case "topic":
                given |= {"topic": self.learn(trial, model), "words": spoken(trial.topic)}
            case "tag":
                given |= {"tag": trial.topic, "topic": self.learn(trial, model), "words": spoken(trial.topic)}
            case "type":
                example = self.corpus.page(trial.split.example)
                given |= {"goal": "target", "example": example, "like": Like([example])}
                given["perimeter"] = self.corpus.graph().perimeter()
            case "user-content":
                given["goal"] = "user-content"
        return given

    def learn(self, trial: Trial, model: str) -> Topic:
        """The topic as a user could describe it: its name, and pages for and against."""
        split = trial.split
        good = tuple(map(self.corpus.page, split.positives))
        bad = tuple(map(self.corpus.page, split.negatives))
        learned = registry.learn(model, Material(spoken(trial.topic), good, bad))
        return learned if isinstance(learned, Auto) else Memo(learned)

    def known(self, trial: Trial) -> list[Page]:
        """The pages that a user has."""
        return [self.corpus.page(url) for url in trial.split.known]

    def worth(self, trial: Trial) -> dict[str, float]:
        """What the oracle is told."""
        split = trial.split
        return worth(self.corpus.graph(), split.targets, split.seeds, trial.budget, split.known)

    def truth(self, trial: Trial) -> Truth:
        """What the runs of a trial are judged by."""
        split, splitter = trial.split, self.splitter
        return Truth(split.targets, split.relevant, trial.budget, splitter.pages, splitter.details(), splitter.types())


class Models:
    """What strategies may know of one trial, with the topic by each model that they judge by."""

    def __init__(self, course: Course, job: Job) -> None:
        self._course, self._job = course, job
        self._given: dict[str, dict[str, Any]] = {}

    def given(self, spec: str) -> dict[str, Any]:
        """By the model asked for, or by that of the strategy's method; by `auto` where the trial has too few pages for that."""
        model = self._job.model or registry.kind_of(spec).topic_model
        try:
            return self._by(model)
        except TooFewExamples:
            if self._job.model:
                raise
            return self._by(registry.ANY_MATERIAL)

    def _by(self, model: str) -> dict[str, Any]:
        if model not in self._given:
            self._given[model] = self._course.given(self._job.trial, model)
        return self._given[model]


def spoken(topic: str) -> str:
    """The words of a topic's name: of its last level, with blanks."""
    return topic.rpartition("/")[2].replace("_", " ").replace("-", " ").replace("|", " ")


def _fresh(given: dict[str, Any]) -> dict[str, Any]:
    """The same with a topic that has not met any page yet: one that learns while it crawls learns for one strategy alone."""
    topic = given.get("topic")
    return given | {"topic": Growing(topic, adapts=True)} if isinstance(topic, Auto) else given


def _growing(strategy: Strategy, given: dict[str, Any]) -> Topic | None:
    """The topic, where a strategy goes by one that learns from the pages that are fetched."""
    topic = given.get("topic")
    return topic if isinstance(topic, Growing) and registry.takes(type(strategy), "topic") else None


def _judging(strategy: Strategy, given: dict[str, Any]) -> str:
    """The model that a strategy's topic judges by; "" where it has none."""
    topic = given.get("topic")
    if topic is None or not registry.takes(type(strategy), "topic"):
        return ""
    return type(topic.topic).__name__.lower() if isinstance(topic, Memo) else registry.ANY_MATERIAL


def _name(spec: str) -> str:
    return registry.parse(spec)[0]
