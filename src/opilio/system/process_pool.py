"""Processes that share work. None outlives the one that started them, and a stop is for that one to hear."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.connection import wait
from threading import Thread
from types import TracebackType
from typing import Any, TypeVar

from .signals import held

T = TypeVar("T")


class ProcessPool(ProcessPoolExecutor):
    """Runs `begin(*told)` in each process first; leaving it by an exception ends all of them at once."""

    def __init__(self, workers: int, begin: Callable[..., None], *arguments: Any) -> None:
        self._strangers = set(multiprocessing.active_children())
        # Spawned, not forked: a fork copies the locks of whatever threads run here (a progress bar, OpenMP) as they are.
        super().__init__(workers, multiprocessing.get_context("spawn"), _begin, (begin, arguments))

    def submit(self, work: Callable[..., T], /, *arguments: Any, **named: Any) -> Future[T]:
        with held():  # this may start a process
            return super().submit(work, *arguments, **named)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._kill()
        self.shutdown(cancel_futures=True)

    def _kill(self) -> None:
        for process in set(multiprocessing.active_children()) - self._strangers:
            process.kill()
            process.join()


def _begin(begin: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    begin(*arguments)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent
    wait([parent.sentinel])
    os._exit(1)
