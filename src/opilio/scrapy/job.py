"""The run folder of a Scrapy job: a crawl of ours whose pages Scrapy fetches."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

from ..config import Config
from ..config_file import VARIABLE, load
from ..engine.run import AsyncRun
from ..engine.run_folder import configured, note, now
from ..errors import ConfigError
from ..nouns import Fetcher, Offer, Page

FOLDER = "opilio"  # in Scrapy's JOBDIR
CORPUS = "a Scrapy job: go on with it by `scrapy crawl`"  # where the pages come from, for whoever tries `opilio resume`
NOWHERE = "http://scrapy.invalid/"  # start requests come from the spider
# Settings that mean something where Scrapy fetches; the rest is for Scrapy's own.
SETTINGS = (
    "topic", "topic_file", "examples", "labels", "model", "adapt", "strategy", "seed",
)  # fmt: skip


class Nothing(Fetcher):
    """What a topic is learned from must be available: Scrapy fetches for its spider alone."""

    async def fetch(self, offer: Offer) -> Page:
        raise ConfigError(
            f"{offer.link.url}: Scrapy fetches pages for its spider, not for the topic; give examples as files, or words alone"
        )


def opened(folder: Path, settings: Mapping[str, Any]) -> AsyncRun:
    """The crawl of a job folder, begun or gone on with."""
    config = understood(settings)
    if (folder / "config.toml").exists():
        _check_same(folder, config, configured(folder))
    run = AsyncRun(folder, config, Nothing(), NOWHERE)
    _at_once(run.begin())
    note(folder, started=now(), stopped=None, why=None)
    return run


def understood(settings: Mapping[str, Any]) -> Config:
    """The configuration that Scrapy's settings are for us."""
    given = {name[len(VARIABLE) :].lower(): value for name, value in settings.items() if str(name).startswith(VARIABLE)}
    for name in given:
        if name in Config.model_fields and name not in SETTINGS:
            raise ConfigError(
                f"Scrapy's settings: {VARIABLE}{name.upper()} means nothing here: Scrapy fetches, by its own settings "
                f"(these mean something: {', '.join(VARIABLE + allowed.upper() for allowed in SETTINGS)})"
            )
    # Scope and traps are for the spider to decide.
    return load(None, {**given, "corpus": CORPUS, "max_barren": 0}, starts=False, source="Scrapy's settings")


def _check_same(folder: Path, config: Config, begun: Config) -> None:
    for name in ("strategy", "topic"):
        if getattr(config, name) != getattr(begun, name):
            raise ConfigError(
                f"{folder}: this job was begun with {name} = {getattr(begun, name)!r}, and now it is {getattr(config, name)!r}; "
                "set it as before, or name another JOBDIR"
            )


def _at_once(work: Coroutine[Any, Any, None]) -> None:
    """Do what never waits; Scrapy's event loop is running already."""
    try:
        work.send(None)
    except StopIteration:
        return
    raise RuntimeError("a job must not wait for anything when it is opened")
