"""A crawl that starts with what is known before: what an earlier one learned of a site, or a page of the wanted type."""

from __future__ import annotations

from pathlib import Path

from .. import registry
from ..config import Config
from ..errors import ConfigError
from ..files import read_text
from ..learning.page_likeness import Like
from ..nouns import Fetcher, Strategy
from .examples import example


def know_site(strategy: Strategy, path: Path) -> None:
    """Teach a strategy a site out of its file."""
    strategy.know_site(read_text(path, "make it with `opilio structure -o` or `opilio site`"), str(path))


async def wanted_type(config: Config, fetcher: Fetcher) -> Like | None:
    """The pages that the wanted ones are like. An example of the topic is one for strategies that go by an example page."""
    named = config.like
    if not named and registry.takes(registry.kind_of(config.strategy), "example"):
        return Like([await example(url, fetcher) for url in config.examples[:1]])
    pages = [await example(url, fetcher, "like") for url in named]
    for page in pages:
        if not page.paths:
            raise ConfigError(f"like {page.url}: it cannot be read as HTML; name a page that can")
    return Like(pages) if pages else None
