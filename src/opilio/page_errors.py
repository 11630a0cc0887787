"""Exceptions of our own, or of a strategy: the one place that catches all of them.

One that is raised while a page is fetched, read, judged or observed is the error of that page. One that a strategy raises when it
is asked for something else (what a lane weighs, what follows from news) is noted, and the crawl goes on without the answer. When
exceptions become the rule, the crawl stops.
"""

from __future__ import annotations

import logging
import sqlite3
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from .errors import OpilioError, PageError
from .nouns import INTERNAL, Page

T = TypeVar("T")
WINDOW, MOST = 200, 10  # more than this many of the last pages, which is 5 %, and it is the rule
LARGEST = 1 << 20  # bytes of the log; nobody reads more

logger = logging.getLogger("opilio")
logger.addHandler(logging.NullHandler())  # else Python would print tracebacks in the middle of what is on the screen


class PageErrors:
    """Isolates pages from each other, and the crawl from its strategy."""

    def __init__(self, log: Path | None, strict: bool = False) -> None:
        """Tracebacks go to the log, if there is one. A strict crawl ends at the first exception: its numbers would be wrong."""
        self.failed_: Counter[str] = Counter()  # answers that a strategy did not give, by what was raised
        self._log, self._strict = log, strict
        self._recent: deque[bool] = deque(maxlen=WINDOW)  # of each page, and of each answer that failed: did it fail
        self._stuck = ""
        self.last = ""  # what was raised last, as a sentence

    @contextmanager
    def isolated(self, page: Page, doing: str = "read") -> Iterator[Doing]:
        """What is raised inside becomes the error of the page, but for what the disk refuses, and sentences for the user."""
        now = Doing(doing)
        with self._caught(lambda error: self._fail(page, now.what, error)):
            yield now

    def answer(self, what: str, ask: Callable[[], T], otherwise: T, *, needed: bool = False) -> T:
        """What a strategy answers; `otherwise` where it raises an exception. Without what is needed, the crawl has to stop."""
        with self._caught(lambda error: self._miss(what, error, needed)):
            return ask()
        return otherwise

    @contextmanager
    def _caught(self, note: Callable[[Exception], None]) -> Iterator[None]:
        try:
            yield
        except (OpilioError, OSError, sqlite3.Error):
            raise
        except Exception as error:  # noqa: BLE001 whatever it is, it must not end the crawl
            note(error)

    def count(self, page: Page) -> None:
        """A page is done with, well or not."""
        self._recent.append(page.error.startswith(INTERNAL))

    @property
    def rule(self) -> str:
        """Why the crawl has to stop; "" as long as errors are the exception."""
        failed = sum(self._recent)
        if self._stuck or failed <= MOST:
            return self._stuck
        last = f"{failed} of the last {len(self._recent)} pages failed, the last one with {self.last}"
        return f"{INTERNAL}{last}{self._where}"

    @property
    def _where(self) -> str:
        return f"; tracebacks: {self._log}" if self._log else ""

    def _fail(self, page: Page, doing: str, error: Exception) -> None:
        self._note(page.url, doing, error)
        page.error = f"{INTERNAL}{_name(doing, error)}" + (f" ({page.error})" if page.refused else "")
        if doing == "read":
            page.document = None

    def _miss(self, what: str, error: Exception, needed: bool) -> None:
        self._note("strategy", what, error)
        self.failed_[f"{INTERNAL}{_name(what, error)}"] += 1
        self._recent.append(True)
        if needed:
            self._stuck = f"{INTERNAL}{self.last}{self._where}"

    def _note(self, whose: str, doing: str, error: Exception) -> None:
        self.last = sentence(doing, error)
        if self._strict:
            raise PageError(f"{whose}: {self.last}") from error
        logger.error("%s: %s", whose, self.last, exc_info=error)
        if self._log:
            write_traceback(self._log, whose, doing, error)


class Doing:
    """What is being done with a page; whoever does it says so."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __call__(self, what: str) -> None:
        self.what = what


def write_traceback(file: Path, whose: str, doing: str, error: Exception) -> None:
    """Append a traceback to a log, as long as that is small; where nothing can be written, it is left out."""
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    lines = "".join(traceback.format_exception(error))[-LARGEST // 10 :]
    with suppress(OSError):
        if not file.exists() or file.stat().st_size < LARGEST:
            with file.open("a", encoding="utf-8", errors="backslashreplace") as end:
                end.write(f"{when} UTC {whose}, {doing}\n{lines}\n")


def sentence(doing: str, error: Exception) -> str:
    """What was raised, where and why."""
    return f"{_name(doing, error)} ({_place(error)}): {error}"[:1000]


def _name(doing: str, error: Exception) -> str:
    return f"{type(error).__name__} in {doing}"


def _place(error: Exception) -> str:
    """Where an exception was raised: file and line."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}, line {last.lineno}"
