"""One crawl in one process: makes the run folder, goes on with it, says why it stopped."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from .. import __version__, registry
from ..config import Config, load
from ..errors import ConfigError, UnreadableError
from ..frontier.disk import DiskFrontier
from ..nouns import Fetcher, Strategy, Topic
from ..shard import Shard, crawl
from ..store.run import RunStore
from ..urls import canonical
from .material import learn


class Run:
    """A run folder and the crawl in it."""

    def __init__(self, folder: Path, config: Config, fetcher: Fetcher, home: str = "") -> None:
        self.folder, self.config = folder, config
        self.seeds = [canonical(url) for url in config.seeds] or ([home] if home else [])
        if not self.seeds:
            raise ConfigError(
                "no seeds given, and the corpus names no home page; name a page to start from (--seed URL)"
            )
        self.topic = asyncio.run(learn(config, fetcher))
        strategy = strategy_of(config, self.topic)
        if not (folder / "config.toml").exists():
            prepare(folder, config)
        self.store = RunStore(folder)
        frontier = DiskFrontier(self.store.db, strategy.weigh, strategy.merge, config.delay)
        self.shard = Shard(strategy, frontier, fetcher, self.store, topic=self.topic, batch=config.batch)

    def go(self, watch: Callable[[], None] = lambda: None) -> str:
        """Crawl until something ends it; why, in a few words. Ctrl-C ends it after the batch under way."""
        stopped = Interrupted()
        self.shard.start(self.seeds)
        note(self.folder, started=_now(), stopped=None, why=None)
        try:
            why = asyncio.run(crawl([self.shard], self.config.limits(), stop=stopped, watch=watch))
        finally:
            stopped.restore()
        self.shard.commit()
        note(self.folder, stopped=_now(), why=why, pages=self.store.pages)
        return why

    def close(self) -> None:
        self.store.close()


class Interrupted:
    """Whether Ctrl-C was pressed; a second one ends the program at once, which is safe too."""

    def __init__(self) -> None:
        self.flag = False
        self._before = signal.signal(signal.SIGINT, self._set)

    def __call__(self) -> bool:
        return self.flag

    def restore(self) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _set(self, number: int, frame: FrameType | None) -> None:
        self.flag = True
        signal.signal(signal.SIGINT, self._before)


def free(folder: Path) -> None:
    """A new crawl needs a folder of its own; one that is there already is left alone."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(
            f"{folder}: exists already; `opilio resume {folder}` goes on with it, --out names another folder"
        )


def prepare(folder: Path, config: Config) -> None:
    free(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(config.toml(), encoding="utf-8")
    note(folder, version=__version__, seed=config.seed)


def configured(folder: Path) -> Config:
    """The configuration that a run folder was made with."""
    if not (folder / "config.toml").is_file():
        raise UnreadableError(
            f"{folder}: this is no run folder (no config.toml in it); name one that `opilio crawl` made"
        )
    return load(folder / "config.toml", {})


def note(folder: Path, **facts: Any) -> None:
    """Put facts into the manifest."""
    path = folder / "manifest.json"
    known = json.loads(path.read_text()) if path.is_file() else {}
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps({**known, **facts}, indent=2) + "\n")
    fresh.replace(path)


def strategy_of(config: Config, topic: Topic | None) -> Strategy:
    given: dict[str, Any] = {"seed": config.seed}
    if topic:
        given["topic"] = topic
    try:
        return registry.make(config.strategy, given)
    except registry.Missing as error:
        raise ConfigError(f"{error}; say what the pages should be about (--topic WORDS or --example URL)") from None


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
