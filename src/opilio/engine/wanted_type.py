"""The pages that show which type is wanted."""

from __future__ import annotations

from .. import registry
from ..config import Config
from ..errors import ConfigError
from ..learning.page_likeness import Like
from ..nouns import Fetcher
from .examples import example


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
