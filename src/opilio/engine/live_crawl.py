"""What a crawl of the live web needs besides what all crawls need."""

from __future__ import annotations

import resource
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from ..config import Config
from ..errors import ConfigError
from ..fetchers.http.client import Transport
from ..fetchers.live import Live
from ..fetchers.manners.may_send import Gate
from ..fetchers.manners.shared_pace import Shared
from ..fetchers.to_page import answered
from ..nouns import Fetcher, Offer, Page
from ..store.run import RunStore

OPEN = 4  # connections that stay open, for each that may be in use
OTHERS = 48  # files that a crawl has open besides


def live(config: Config, resumed: bool = False, shared: Shared | None = None, gate: Gate | None = None) -> Live:
    """A fetcher for the web, as the configuration has it; the first requests wait when the crawl was stopped before."""
    _allow_files(config.fetch_connections)
    settings = config.transport()
    if gate:
        settings = settings._replace(may_send=gate.is_open)
    return Live(Transport(settings), config.manners(), resumed, shared, gate)


def _allow_files(connections: int) -> None:
    """Let this process open as many files as its connections may need; ConfigError where the machine says no."""
    needed, (soft, hard) = OPEN * connections + OTHERS, resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise ConfigError(
            f"this process may open {hard} files, and fetch_connections = {connections} can need {needed}; raise the limit "
            f"(ulimit -n {needed}) or set fetch_connections to {max(1, (hard - OTHERS) // OPEN)}"
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


class Recalling(Fetcher):
    """Asks the web for nothing twice: what a crawl stored is read from there, what came before the crawl is kept for it."""

    def __init__(self, fetcher: Fetcher, store: RunStore | None = None) -> None:
        self._fetcher, self._store = fetcher, store
        self._early: dict[str, Page] = {}
        self.crawling = False  # then a page that came early is handed out once

    def fetch(self, offer: Offer) -> Coroutine[Any, Any, Page]:
        plain = self.crawling and offer.link.url not in self._early
        return self._fetcher.fetch(offer) if plain else self._recalled(offer)

    async def _recalled(self, offer: Offer) -> Page:
        url = offer.link.url
        if self.crawling:
            early = self._early.pop(url, None)
            return replace(early, offer=offer) if early else await self._fetcher.fetch(offer)
        if stored := self._store.find(url) if self._store else None:
            return answered(offer, *stored)
        page = await self._fetcher.fetch(offer)
        if not page.error:
            self._early[url] = page
        return page


def check_scope(config: Config, seeds: list[str]) -> None:
    """A seed that is out of scope is a mistake of the user's."""
    bounds = config.bounds()
    for seed in seeds:
        if why := bounds.reason(seed):
            raise ConfigError(f"seed {seed}: it is out of scope ({why}); fix that setting, or leave the seed out")
