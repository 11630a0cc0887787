"""What a crawl would begin with: which seeds answer, and what its topic understands; nothing is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..config import Config
from ..config_file import load
from ..engine.labelled_pages import followed
from ..engine.live_crawl import Recalling, live
from ..engine.topic import learn
from ..errors import OpilioError
from ..nouns import Fetcher, Page
from ..start import source
from ..topics.deciding import Deciding, deciding
from ..urls import canonical
from .crawls import check_ours

MOST = 10  # seeds and examples that are asked
SECONDS = 45.0  # for all of it
WORDS = 12


class Seed(NamedTuple):
    """A page to start from as it answers now."""

    url: str
    title: str
    error: str
    links: int
    relevance: float | None


class Preview(NamedTuple):
    seeds: list[Seed]
    left_out: int  # seeds that were not asked
    judged_by: str  # "" without a topic
    words: list[Deciding]
    trouble: str  # why there is no topic although one was asked for

    @property
    def answering(self) -> int:
        return sum(not seed.error for seed in self.seeds)


def preview(settings: Mapping[str, Any], folder: Path) -> Preview:
    """Ask the seeds of a crawl that has not begun, and learn its topic; ConfigError says what is wrong with its settings."""
    check_ours(settings)
    config = load(None, settings, source="settings")
    few = config.model_copy(update={"seeds": config.seeds[:MOST], "examples": config.examples[:MOST]})
    try:
        found = asyncio.run(asyncio.wait_for(_asked(few, folder), SECONDS))
    except TimeoutError:
        return Preview([], len(config.seeds), "", [], f"the pages did not answer within {SECONDS:.0f} seconds")
    return found._replace(left_out=len(config.seeds) - len(few.seeds))


async def _asked(config: Config, folder: Path) -> Preview:
    stored, home = source(config)
    web = live(config) if stored is None else None
    fetcher = Recalling(web or stored)  # type: ignore[arg-type]
    try:
        return await _looked(config.model_copy(update={"seeds": config.seeds or [home]}), fetcher, folder)
    finally:
        if web:
            await web.close()


async def _looked(config: Config, fetcher: Fetcher, folder: Path) -> Preview:
    pages = [await followed(fetcher, canonical(url)) for url in config.seeds]
    try:
        topic = await learn(config, fetcher, folder)
    except OpilioError as error:
        return Preview(
            [_seed(url, page, None) for url, page in zip(config.seeds, pages, strict=True)], 0, "", [], str(error)
        )
    judged = [topic.page(page) if topic and not page.error else None for page in pages]
    seeds = [_seed(*row) for row in zip(config.seeds, pages, judged, strict=True)]
    return Preview(seeds, 0, topic.why if topic else "", deciding(topic)[:WORDS] if topic else [], "")


def _seed(url: str, page: Page, relevance: float | None) -> Seed:
    return Seed(
        url, "" if page.error else page.title[:200], page.error, 0 if page.error else len(page.links), relevance
    )
