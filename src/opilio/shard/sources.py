"""Where a page comes from: it was known before the crawl, it is in the store, or it is fetched."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..fetchers.to_page import answered
from ..nouns import Fetcher, Lease, Page, Strategy
from ..page_errors import PageErrors
from ..scope import Scope
from ..store.run import RunStore

if TYPE_CHECKING:
    from ..store.memory import MemoryStore


class Sources:
    def __init__(
        self,
        strategy: Strategy,
        fetcher: Fetcher,
        store: MemoryStore | RunStore,
        scope: Scope,
        errors: PageErrors,
    ) -> None:
        self._strategy, self._fetcher, self._store, self._scope, self._errors = strategy, fetcher, store, scope, errors
        self._known: dict[str, Page] = {}  # pages that came before the crawl, until their turn has come

    def know(self, pages: Iterable[Page]) -> dict[str, Page]:
        """Pages that need not be fetched, by URL."""
        self._known = {page.url: page for page in pages}
        return self._known

    def known(self, lease: Lease) -> Page:
        """A page that came before the crawl."""
        return replace(self._known.pop(lease.offer.link.url), offer=lease.offer, recalled=True)

    async def page(self, lease: Lease) -> Page:
        url = lease.offer.link.url
        if url in self._known:
            return self.known(lease)
        stored = self._store.find(url) if recalls(self._strategy, lease) else None
        if stored:
            return answered(lease.offer, *stored)
        if why := self._scope.full(url):
            return Page(lease.offer, url, error=why, refused=True)
        return await self._fetched(lease)

    async def _fetched(self, lease: Lease) -> Page:
        url = lease.offer.link.url
        self._scope.count(url)
        page = Page(lease.offer, url)
        with self._errors.isolated(page, "fetch"):
            page = await self._fetcher.fetch(lease.offer)
        if page.refused:
            self._scope.count(url, -1)
        return page


def recalls(strategy: Strategy, lease: Lease) -> bool:
    """Whether a page that was fetched before is read from the store."""
    return strategy.recall and lease.kept is not None
