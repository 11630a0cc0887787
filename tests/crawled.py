"""Run folders made by real crawls of the small web, for tests of what people see of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opilio.config import Config
from opilio.engine.run import Run
from opilio.nouns import Fetcher
from opilio.testing import small_web


def opened(folder: Path, fetcher: Fetcher | None = None, **settings: Any) -> Run:
    """A crawl of the small web for pages about bees, ready to go."""
    told = {"corpus": "small web", "topic": "honey bee hive", "seeds": small_web.seeds(), "strategy": "link-context"}
    config = Config(**{**told, "max_pages": 80, "batch": 10, **settings})
    return Run(folder, config, fetcher or small_web.fetcher())


def crawled(folder: Path, fetcher: Fetcher | None = None, **settings: Any) -> Path:
    """The same, crawled to its end."""
    run = opened(folder, fetcher, **settings)
    try:
        run.go()
    finally:
        run.close()
    return folder
