"""Exceptions of our own while one page is fetched, read, judged or observed.

Each becomes the error of that page, and the crawl goes on; when they become the rule, the crawl stops.
"""

from __future__ import annotations

import logging
import sqlite3
import time
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import OpilioError, PageError
from .nouns import INTERNAL, Page

WINDOW, MOST = 200, 10  # more than so many of the last pages, which is 5 %, and it is the rule
LARGEST = 1 << 20  # bytes of the log; nobody reads more

logger = logging.getLogger("opilio")
logger.addHandler(logging.NullHandler())  # else Python would print tracebacks in the middle of what is on the screen


class PageErrors:
    """Isolates pages from each other: the one place where any exception is caught."""

    def __init__(self, log: Path | None, strict: bool = False) -> None:
        """Tracebacks go to the log, if there is one. A strict crawl ends at the first exception: its numbers would be wrong."""
        self._log, self._strict = log, strict
        self._recent: deque[bool] = deque(maxlen=WINDOW)  # of each page: did it fail
        self._last = ""

    @contextmanager
    def isolated(self, page: Page, doing: str = "read") -> Iterator[Doing]:
        """What is raised inside becomes the error of the page, but for what the disk refuses, and sentences for the user."""
        now = Doing(doing)
        try:
            yield now
        except (OpilioError, OSError, sqlite3.Error):
            raise
        except Exception as error:  # noqa: BLE001 whatever it is, it must not end the crawl
            self._note(page, now.what, error)

    def count(self, page: Page) -> None:
        """A page is done with, well or not."""
        self._recent.append(page.error.startswith(INTERNAL))

    @property
    def rule(self) -> str:
        """Why the crawl has to stop; "" as long as errors are the exception."""
        failed = sum(self._recent)
        if failed <= MOST:
            return ""
        where = f"; tracebacks: {self._log}" if self._log else ""
        return f"{INTERNAL}{failed} of the last {len(self._recent)} pages failed, the last one with {self._last}{where}"

    def _note(self, page: Page, doing: str, error: Exception) -> None:
        name = type(error).__name__
        self._last = f"{name} in {doing} ({_place(error)}): {error}"[:1000]
        if self._strict:
            raise PageError(f"{page.url}: {self._last}") from error
        page.error = f"{INTERNAL}{name} in {doing}" + (f" ({page.error})" if page.refused else "")
        if doing == "read":
            page.document = None
        logger.error("%s: %s", page.url, self._last, exc_info=error)
        self._write(page.url, doing, error)

    def _write(self, url: str, doing: str, error: Exception) -> None:
        if self._log is None or (self._log.exists() and self._log.stat().st_size >= LARGEST):
            return
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        lines = "".join(traceback.format_exception(error))
        with self._log.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{when} UTC {url}, {doing}\n{lines[-LARGEST // 10 :]}\n")


class Doing:
    """What is being done with a page; whoever does it says so."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __call__(self, what: str) -> None:
        self.what = what


def _place(error: Exception) -> str:
    """Where an exception was raised: file and line."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}, line {last.lineno}"
