"""A crawl that starts with what is known before: what an earlier one learned of a site, or a page of the wanted type."""

from __future__ import annotations

from pathlib import Path

from .. import registry
from ..config import Config
from ..files import read_text
from ..nouns import Fetcher, Page, Strategy
from .topic import example


def know_site(strategy: Strategy, path: Path) -> None:
    """Teach a strategy a site out of its file."""
    strategy.know_site(read_text(path, "make it with `opilio structure -o` or `opilio site`"), str(path))


async def page_type(config: Config, fetcher: Fetcher) -> Page | None:
    """The example that shows what type of pages is wanted, for strategies that go by it; None for all others."""
    if not config.examples or not registry.takes(registry.kind_of(config.strategy), "example"):
        return None
    return await example(config.examples[0], fetcher)
