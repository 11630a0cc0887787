"""Jobs on all cores. What comes back does not depend on who did what."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from ..errors import PageError
from ..system.process_pool import ProcessPool
from .corpus import Corpus
from .trial_runs import Course, Job, Outcome

BROKEN = (
    "a worker process ended before its work was done: it was killed, ran out of memory, or the script that calls bench does so "
    'while it is loaded; put the call below the line: if __name__ == "__main__":'
)
LOOK = 0.2  # seconds between looks at how far the workers are

Progress = Callable[[int, int, str], None]  # done, total, label
Done = tuple[Job, list[Outcome]]


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def execute(jobs: Sequence[Job], corpus: Corpus, workers: int, progress: Progress | None) -> Iterator[Outcome]:
    """The outcomes of jobs on one corpus; in this process where one worker is enough."""
    if min(workers, len(jobs)) > 1:
        for _, outcomes in spread(jobs, workers, progress):
            yield from outcomes
        return
    course, tick = Course(corpus, jobs[0].task), _ticking(jobs, progress)
    for job in jobs:
        yield from _watched(course, job, tick)


def spread(jobs: Sequence[Job], workers: int, progress: Progress | None = None) -> Iterator[Done]:
    """Jobs with their outcomes as they are done, by other processes; a worker holds one corpus at a time, so sort them."""
    ticks: Ticks = multiprocessing.get_context("spawn").SimpleQueue()
    with ProcessPool(min(workers, len(jobs)), _remember, ticks) as pool:
        futures = {pool.submit(_work, job): job for job in jobs}
        try:
            yield from _follow(futures, ticks, _ticking(jobs, progress))
        except BrokenProcessPool:
            raise PageError(BROKEN) from None


def _ticking(jobs: Sequence[Job], progress: Progress | None) -> Callable[[str], None]:
    total = sum(len(job.specs) for job in jobs)
    done = 0

    def tick(label: str) -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, total, label)

    return tick


def _watched(course: Course, job: Job, tick: Callable[[str], None]) -> Iterator[Outcome]:
    for outcome in course.outcomes(job):
        yield outcome
        tick(f"{job.trial.topic}: {outcome.strategy}")


class Ticks(Protocol):
    """A queue between processes."""

    def put(self, label: str) -> None: ...
    def get(self) -> str: ...
    def empty(self) -> bool: ...


def _follow(futures: dict[Future[list[Outcome]], Job], ticks: Ticks, tick: Callable[[str], None]) -> Iterator[Done]:
    pending = set(futures)
    while pending:
        done, pending = wait(pending, LOOK, FIRST_COMPLETED)
        while not ticks.empty():
            tick(ticks.get())
        for future in done:
            yield futures[future], future.result()  # a worker's exception is ours, and the rest need not be waited for


_ticks: list[Ticks] = []  # of a worker process


def _remember(ticks: Ticks) -> None:
    _ticks.append(ticks)


@lru_cache(maxsize=1)
def _corpus(folder: Path) -> Corpus:
    return Corpus.open(folder)


def _work(job: Job) -> list[Outcome]:
    return list(_watched(Course(_corpus(job.folder), job.task), job, _ticks[0].put))
