"""What becomes of a page that has come: it is read, judged, observed by the strategy, and stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..batch import Many
from ..learning.page_likeness import Like
from ..nouns import DEFERRED, RELEVANT, Frontier, Keep, Lease, Offer, Page, Say, Strategy, Topic
from ..page_errors import PageErrors
from ..scope import Scope
from ..store.run import RunStore
from ..urls import host
from .answers import Answer, answer_to, finite_offers
from .known import Asking
from .sources import recalls

if TYPE_CHECKING:
    from ..store.memory import MemoryStore

MOST_TRIES = 3  # of a URL whose host says: come back later
LOOK_AT_DEFERRED = 50  # pages after which some of deferred offers are let through
MOST_HOPS = 5  # redirects in a row; RFC 9309 asks for five at least, browsers stop at twenty


class Arrivals:
    def __init__(
        self,
        strategy: Strategy,
        topic: Topic | None,
        like: Like | None,
        frontier: Frontier,
        store: MemoryStore | RunStore,
        scope: Scope,
        errors: PageErrors,
    ) -> None:
        self._strategy, self._topic, self._like, self._frontier = strategy, topic, like, frontier
        self._store, self._scope, self._errors = store, scope, errors
        self.brought: list[bool] = []  # of each page since it was last looked at: was it relevant
        self.on_page: Callable[[Page], None] = lambda page: None  # called with each page that was fetched and stored

    def take(self, lease: Lease, page: Page, now: float) -> Iterable[Say | Many[Offer]]:
        """Store a page and settle its lease; what the strategy says to it that counts."""
        self._heed(page, now)
        later = page.later or (page.rest > 0 and bool(page.error) and lease.offer.tries < MOST_TRIES)
        new = not page.refused and not page.recalled and not recalls(self._strategy, lease)
        relevance, says = self._examined(lease, page, new, later)
        self._errors.count(page)
        note = next((say.note for say in says if isinstance(say, Keep)), None)
        if new:
            self._enter(lease, page, relevance, note)
        elif page.refused and not later:
            self._store.refuse(lease, page)
        if later:
            self._frontier.give_back(lease, tried=not page.later)
            return []
        self._frontier.settle(lease, note)
        if note is not None and not new:
            self._store.keep(lease.offer.link.url, note)
        return self._scope.silence(page, says)

    def _heed(self, page: Page, now: float) -> None:
        """What its host asks for."""
        if page.delay is not None:
            self._frontier.set_delay(host(page.url), page.delay)
        if page.rest:
            self._frontier.rest(host(page.url), now + page.rest)

    def _examined(self, lease: Lease, page: Page, new: bool, later: bool) -> tuple[float | None, Answer]:
        """The relevance of a page, and what the strategy says to it.

        An exception is the error of the page: nothing that was said to it counts, but what topic and strategy have learned
        from it up to then stays learned.
        """
        relevance = None
        with self._errors.isolated(page) as doing:
            page.kept, page.known = lease.kept, Asking(self._frontier, page.links)
            if new and self._store.lasts:
                _read(page)
            doing("judge")
            relevance = page.relevance = self._judged(page) if new else None
            doing("observe")
            return relevance, [] if later else self._frontier.changing(finite_offers(self._answer_to(lease, page)))
        return relevance, []

    def _judged(self, page: Page) -> float | None:
        """The relevance of a page, from which the topic may learn; what has to be like others as well has both, multiplied."""
        if not (self._topic or self._like) or not page.document or page.location:
            return None
        relevance = self._topic.page(page) if self._topic else 1.0
        if self._topic:
            self._topic.observe(page, relevance)
        return relevance * self._like.page(page) if self._like else relevance

    def _answer_to(self, lease: Lease, page: Page) -> Answer:
        """What the strategy says to a page; of a redirect it is told only if that leads to a page that was fetched before."""
        if not page.location:
            return answer_to(self._strategy, page)
        if lease.offer.hops >= MOST_HOPS:
            self._refuse_hop(lease, page.location)
        known = self._frontier.known(page.location) is not None
        return [*(self._strategy.wasted(lease.offer) if known else ()), _follow(lease.offer, page)]

    def _enter(self, lease: Lease, page: Page, relevance: float | None, note: tuple[Any, ...] | None) -> None:
        """Store a page that was fetched, and count it."""
        self._store.add(lease, page, relevance, note)
        self.brought.append((relevance or 0.0) >= RELEVANT)
        if self._store.pages % LOOK_AT_DEFERRED == 0:
            self._frontier.reweigh(DEFERRED)
        self._scope.saw(page, relevance, None if self._topic else self._store.new_text)
        self.on_page(page)

    def _refuse_hop(self, lease: Lease, url: str) -> None:
        """Note that a redirect was one too many."""
        if self._frontier.known(url) is None:
            offer = replace(lease.offer, link=replace(lease.offer.link, url=url))
            why = f"trap: more than {MOST_HOPS} redirects in a row"
            self._store.refuse(lease._replace(offer=offer), Page(offer, url, error=why, refused=True))


def _read(page: Page) -> None:
    """Read all that a store keeps of a page."""
    _ = page.title, page.text, page.main, page.language


def _follow(offer: Offer, page: Page) -> Offer:
    """A redirect is the same offer for the new URL; one too many leads back to where it is known, and so nowhere."""
    url = page.location if offer.hops < MOST_HOPS else offer.link.url
    return replace(offer, link=replace(offer.link, url=url), hops=offer.hops + 1)
