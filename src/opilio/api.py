"""Opilio for programs: what `import opilio` offers besides the nouns and benchmarks. It installs no signal handlers."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import registry
from .config import Config
from .config_file import load
from .content.extract import extracted
from .engine.labels import add_label, take_back
from .engine.run import AsyncRun
from .engine.run_folder import free
from .engine.stored_content import StoredContent
from .engine.stored_pages import copy, offer, rows
from .errors import ConfigError
from .loop import apart
from .nouns import Content, Page, Strategy, Topic
from .report.run import card
from .report.search import check_relevance
from .report.summary import manifest, summary
from .start import Learned, continued, learn_labels, made, remark_contact, source
from .store.reader import not_a_run, reading
from .store.run import writing
from .system.signals import Stop

if TYPE_CHECKING:
    from .engine.questions import Question

__all__ = ("Run", "Stream", "crawl", "open_run", "resume", "stream")
log = logging.getLogger("opilio")
closing_tasks: set[asyncio.Task[None]] = set()  # an event loop holds its tasks by weak references


def crawl(
    settings: str | Path | Mapping[str, Any] | None = None, /, *, out: str | Path = "runs/crawl", **named: Any
) -> Run:
    """Crawl into a new run folder until a limit is reached; settings by name, as a mapping or of a TOML file."""
    config, folder = _understood(settings, named), _folder(out)
    free(folder)
    return _crawled(folder, config)


def resume(folder: str | Path, *, max_pages: int | None = None) -> Run:
    """Continue a crawl where it stopped; a new limit counts from its start."""
    return _crawled(_folder(folder), continued(_folder(folder), max_pages))


def stream(
    settings: str | Path | Mapping[str, Any] | None = None, /, *, out: str | Path = "runs/crawl", **named: Any
) -> Stream:
    """The pages of a new crawl as they come, on the event loop of the caller: `async for page in opilio.stream(...)`.

    Leaving the loop stops the crawl, which `resume` goes on with. While the caller works on a page, no further one is read.
    """
    config = _understood(settings, named)
    if config.processes > 1:
        raise ConfigError(f"processes = {config.processes}: a stream has one process; leave that setting out")
    free(_folder(out))
    return Stream(_folder(out), config)


def open_run(folder: str | Path) -> Run:
    """A crawl that was made before, finished or still running, to look at."""
    if not (_folder(folder) / "config.toml").is_file():
        raise not_a_run(_folder(folder), "config.toml")
    return Run(_folder(folder))


@dataclass(frozen=True)
class Run:
    """A run folder, and what its crawl has done so far."""

    folder: Path

    @property
    def why(self) -> str | None:
        """Why the crawl stopped; None while it has not."""
        why: str | None = manifest(self.folder)["why"]
        return why

    @property
    def summary(self) -> dict[str, Any]:
        """The figures of `opilio status --json`."""
        return summary(self.folder)

    def pages(self, relevance: float | None = None) -> Iterator[Page]:
        """The pages in the order in which they came, read from the archive; with a bound, those of at least that relevance."""
        check_relevance(relevance)
        return self._read("SELECT * FROM pages WHERE " + ("1" if relevance is None else f"relevance >= {relevance!r}"))

    def _read(self, query: str) -> Iterator[Page]:
        with closing(reading(self.folder)) as db:
            for row in rows(db, query):
                page = copy(self.folder, row) or Page(offer(row), row["url"], row["status"], error=row["error"])
                page.relevance = row["relevance"]
                page.extract = partial(_stored_content, self.folder, row)
                yield page

    def questions(self, most: int = 10) -> list[Question]:
        """The pages where the answer of a person teaches the topic most."""
        from .engine.teaching import Teaching  # with all that topics learn by, which others may do without

        return Teaching(self.folder).questions()[:most]

    def label(self, answers: Mapping[str, bool | None]) -> Learned | None:
        """Say of pages, by their URLs, whether they are relevant (None: take back what was said), and learn from it.

        A crawl that runs follows within seconds; then nothing is returned.
        """
        if not isinstance(answers, Mapping):
            raise ConfigError(f"{answers!r} are not answers; give them by URL, as in {{page.url: True}}")
        for url, relevant in answers.items():
            if not isinstance(url, str) or relevant not in (True, False, None):
                raise ConfigError(f"{url}: {relevant!r} is not an answer; say True, False, or None to take one back")
        for url, relevant in answers.items():
            if relevant is None:
                take_back(self.folder, url)
            else:
                add_label(self.folder, url, relevant)
        return learn_labels(self.folder)

    def _repr_html_(self) -> str:
        return card(self.folder)


class Stream:
    """The pages of a crawl as they come. `aclose`, or being let go of, ends the crawl after the pages that have come."""

    def __init__(self, folder: Path, config: Config) -> None:
        self.folder, self.why = folder, ""  # why the crawl ended; "" while it has not
        self._config, self._pages = config, deque[Page]()
        self._run: AsyncRun | None = None

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> Page:
        while not self._pages and not self.why:
            await self._step(self._run or await self._begun())
        if not self._pages:
            raise StopAsyncIteration
        return self._pages.popleft()

    async def aclose(self) -> None:
        """End the crawl; everything that has come is safe."""
        self._pages.clear()
        self.why = self.why or "interrupted"
        if self._run:
            await self._ended(self._run)

    async def _begun(self) -> AsyncRun:
        remark_contact(self._config, log.warning)
        run = AsyncRun(self.folder, self._config, *source(self._config))
        try:
            await run.begin()
        except BaseException:
            await run.end()
            raise
        run.shard.arrivals.on_page = partial(_take, self._pages)  # a method would keep a stream that was let go of
        self._run, self._steps, self._loop = run, run.steps(), asyncio.get_running_loop()
        return run

    async def _step(self, run: AsyncRun) -> None:
        """Go on by one step; at the end, after an error, or when it is cancelled, everything is closed."""
        try:
            with writing(self.folder):
                self.why = await anext(self._steps)
        except asyncio.CancelledError:
            await self.aclose()
            raise
        except BaseException:
            self._run = None
            await run.end()
            raise
        if self.why:
            await self._ended(run)

    async def _ended(self, run: AsyncRun) -> None:
        self._run = None
        try:
            with writing(self.folder):
                await self._steps.aclose()
                self.why = run.note_end(self.why)
        finally:
            await run.end()

    def __del__(self) -> None:
        """`break` only lets go of a stream, and a `resume` on the next line needs its folder at once."""
        if self._run:
            self._run.abandon()
            if self._loop.is_running():
                task = self._loop.create_task(self._run.close_connections())
                closing_tasks.add(task)
                task.add_done_callback(closing_tasks.discard)


def _take(pages: deque[Page], page: Page) -> None:
    page.extract = extracted
    pages.append(page)


def _stored_content(folder: Path, row: sqlite3.Row, page: Page) -> Content:
    with StoredContent(folder) as contents:
        return contents.of(row)


def _understood(settings: str | Path | Mapping[str, Any] | None, named: Mapping[str, Any]) -> Config:
    if not isinstance(settings, str | Path | Mapping | None):
        raise ConfigError(f"{settings!r} is not a set of settings; give a mapping, the path of a TOML file, or names")
    path = Path(settings) if isinstance(settings, str | Path) else None
    given = {**(settings if isinstance(settings, Mapping) else {}), **named}
    return load(path, {name: _plain(value) for name, value in given.items()}, source="settings", remark=log.warning)


def _folder(named: str | Path) -> Path:
    if not isinstance(named, str | Path):
        raise ConfigError(f"{named!r} is not a folder; name one, as in out='bees'")
    return Path(named)


def _plain(value: Any) -> Any:
    """A value as a TOML file has it: paths and strategies by their names."""
    if isinstance(value, Strategy | Topic):
        raise ConfigError(f"give the class {type(value).__name__} itself, not an object of it; the crawl makes one")
    if isinstance(value, type):
        return registry.spec_of(value)
    return str(value) if isinstance(value, Path) else value


def _crawled(folder: Path, config: Config) -> Run:
    stop = Stop()

    def work() -> None:
        with closing(made(folder, config, remark=log.warning)) as run:
            run.go(stop=stop)

    apart(work, stop.ask)
    return Run(folder)
