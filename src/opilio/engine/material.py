"""The topic of a crawl, learned from everything that its configuration says."""

from __future__ import annotations

from .. import registry
from ..config import Config
from ..errors import ConfigError
from ..nouns import Fetcher, Link, Material, Offer, Page, Topic
from ..urls import canonical


async def learn(config: Config, fetcher: Fetcher) -> Topic | None:
    """The topic, learned from everything that the configuration says about it; None if it says nothing."""
    if not config.topic and not config.examples:
        return None
    pages = [await _example(fetcher, url) for url in map(canonical, config.examples)]
    seeds = [await _followed(fetcher, url) for url in map(canonical, config.seeds)]
    pages += [page for page in seeds if page.text.strip()]  # who names a seed means that it is about the topic
    return registry.learn(config.model, Material(config.topic, tuple(pages)))


async def _example(fetcher: Fetcher, url: str) -> Page:
    page = await _followed(fetcher, url)
    if page.error:
        raise ConfigError(f"example {url}: cannot be fetched ({page.error}); name a page that exists")
    return page


async def _followed(fetcher: Fetcher, url: str) -> Page:
    page = await fetcher.fetch(Offer(Link(url)))
    return await fetcher.fetch(Offer(Link(page.location))) if page.location else page
