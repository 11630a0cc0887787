"""Ctrl-C, SIGTERM and SIGHUP all say stop; what that means depends on what is running."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, NoReturn, TypeAlias

from ..errors import INTERRUPTED

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SCREEN = (1, 2)  # stdout and stderr

Handler: TypeAlias = Callable[[int, FrameType | None], Any] | int | None


def on_stop(handler: Handler) -> dict[signal.Signals, Handler]:
    """Let a stop call this from now on; what it called before. Under nohup SIGHUP stays ignored."""
    caught = (number for number in STOPS if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN)
    return {number: signal.signal(number, handler) for number in caught}


def restore(before: Mapping[signal.Signals, Handler]) -> None:
    """Let a stop call what it called before."""
    for number, handler in before.items():
        signal.signal(number, handler)


def leave_at_once(number: int, frame: FrameType | None) -> NoReturn:
    """For a stop while nothing has to be undone: an exception would come out of any line, as of an import."""
    with suppress(OSError):
        os.write(2, b"opilio: interrupted\n")
    os._exit(INTERRUPTED)


@contextmanager
def undoing() -> Iterator[None]:
    """A stop inside is a KeyboardInterrupt, so that what was begun is undone on the way out."""
    before = on_stop(signal.default_int_handler)
    try:
        yield
    finally:
        restore(before)


@contextmanager
def held() -> Iterator[None]:
    """A stop inside counts at its end. A process that is started inside never hears one: it is for the parent to tell it."""
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    caught: list[int] = []  # by another thread: Python would let this one know at once
    before = on_stop(lambda number, frame: caught.append(number)) if current_thread() is main_thread() else {}
    try:
        yield
    finally:
        restore(before)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for number in caught:
            signal.raise_signal(number)


class Stop:
    """Whether a crawl should stop, and how many times somebody asked for it. It listens to no signals."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> bool:
        return self.count > 0

    @property
    def urgent(self) -> bool:
        """Whether somebody asked twice."""
        return self.count > 1

    def ask(self) -> None:
        """Ask the crawl to stop after the current batch."""
        self.count += 1


class StopRequests(Stop):
    """Signals ask the crawl inside the block to stop: one is heard when it suits, after two the next one ends the program."""

    def __enter__(self) -> StopRequests:
        self._before = on_stop(self._hear)
        return self

    def __exit__(self, *error: object) -> None:
        """A stop means again what it meant before, unless it ended the crawl: then the next one may still come."""
        if not self.count:
            restore(self._before)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self.ask()
        if self.count == 2:
            restore(self._before)
        if number == signal.SIGHUP:
            _forget_terminal()


def _forget_terminal() -> None:
    """The terminal is gone: what is still to be said would end in errors."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for handle in SCREEN:
        if stat.S_ISCHR(os.fstat(handle).st_mode):  # not a file, nor a pipe
            os.dup2(nowhere, handle)
    os.close(nowhere)
