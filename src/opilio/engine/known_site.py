"""A crawl that starts with what an earlier one learned of a site."""

from __future__ import annotations

from inspect import signature
from pathlib import Path

from .. import registry
from ..config import Config
from ..errors import ConfigError
from ..files import read_text
from ..nouns import Fetcher, Page, Strategy
from ..shard import restore
from .topic import example


def know_site(strategy: Strategy, path: Path) -> None:
    """Teach a strategy a site out of its file: page types to structure, profiles and tags to profile."""
    from ..strategies.profile import site_file
    from ..strategies.structure import survey_file  # with all that they import; other crawls start sooner without

    if hasattr(strategy, "sitemap_"):
        restore(strategy, survey_file.state(_text(path, "opilio structure -o"), str(path)))
    elif hasattr(strategy, "held_"):
        restore(strategy, site_file.state(_text(path, "opilio site"), str(path)))
    else:
        raise ConfigError(
            f"site = {path}: only strategies structure and profile start from a site file; leave it out, or take one of them"
        )


async def page_type(config: Config, fetcher: Fetcher) -> Page | None:
    """The example that shows what type of pages is wanted, for strategies that go by it; None for all others."""
    name, _ = registry.parse(config.strategy)
    if not config.examples or "example" not in signature(registry.strategies()[name]).parameters:
        return None
    return await example(config.examples[0], fetcher)


def _text(path: Path, command: str) -> str:
    return read_text(path, f"make it with `{command}`")
