"""Jobs on all cores. What comes back does not depend on who did what."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import cache
from pathlib import Path
from typing import Protocol

from ..process_pool import ProcessPool
from .corpus import Corpus
from .course import Course, Job, Outcome

LOOK = 0.2  # seconds between looks at how far the workers are

Progress = Callable[[int, int, str], None]  # done, total, label


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def execute(jobs: Sequence[Job], corpus: Corpus, workers: int, progress: Progress | None) -> Iterator[Outcome]:
    total = sum(len(job.specs) for job in jobs)
    done = 0

    def tick(label: str) -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, total, label)

    if min(workers, len(jobs)) > 1:
        yield from _spread(jobs, min(workers, len(jobs)), tick)
        return
    course = Course(corpus, jobs[0].task)
    for job in jobs:
        yield from _watched(course, job, tick)


def _watched(course: Course, job: Job, tick: Callable[[str], None]) -> Iterator[Outcome]:
    for outcome in course.outcomes(job):
        yield outcome
        tick(f"{job.trial.topic}: {outcome.strategy}")


class Ticks(Protocol):
    """A queue between processes."""

    def put(self, label: str) -> None: ...
    def get(self) -> str: ...
    def empty(self) -> bool: ...


def _spread(jobs: Sequence[Job], workers: int, tick: Callable[[str], None]) -> Iterable[Outcome]:
    ticks: Ticks = multiprocessing.get_context("spawn").SimpleQueue()
    with ProcessPool(workers, _remember, ticks) as pool:
        futures = [pool.submit(_work, job) for job in jobs]
        _follow(futures, ticks, tick)
        return [outcome for future in futures for outcome in future.result()]


def _follow(futures: Sequence[Future[list[Outcome]]], ticks: Ticks, tick: Callable[[str], None]) -> None:
    pending = set(futures)
    while pending:
        done, pending = wait(pending, LOOK, FIRST_COMPLETED)
        for future in done:
            future.result()  # a worker's exception is ours, and the rest need not be waited for
        while not ticks.empty():
            tick(ticks.get())


_ticks: list[Ticks] = []  # of a worker process


def _remember(ticks: Ticks) -> None:
    _ticks.append(ticks)


@cache
def _course(folder: Path, task: str) -> Course:
    return Course(Corpus.open(folder), task)


def _work(job: Job) -> list[Outcome]:
    return list(_watched(_course(job.folder, job.task), job, _ticks[0].put))
