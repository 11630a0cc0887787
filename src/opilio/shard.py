"""The step and the commit.

A shard owns some sites: one frontier, one strategy, one store. A step takes the best offers, fetches them, stores the
pages, lets the strategy observe them, and commits all of it at once. Offers for sites of another shard are letters.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .batch import Many, column, parts
from .codec import pack, unpack
from .errors import PageError
from .fetchers.to_page import answered
from .frontier.frontier import check_finite, in_original_lane
from .frontier.lanes import Weigh, checked
from .frontier.merge import Join
from .in_flight import SLOW, UnderWay
from .nouns import (
    DEFERRED,
    RELEVANT,
    Fetcher,
    Frontier,
    Keep,
    Known,
    Lane,
    Lease,
    Letter,
    Link,
    News,
    Offer,
    Page,
    Reweigh,
    Say,
    Strategy,
    Topic,
    Weight,
)
from .page_errors import PageErrors
from .scope import Scope
from .store.run import RunStore
from .urls import digest, host, site

if TYPE_CHECKING:
    from .store.memory import MemoryStore

MOST_TRIES = 3  # of a URL whose host says: come back later
# A batch is a tenth of what was fetched so far, five at least, so that what is learned counts at once; or whole from the start.
FIRST, SHARE = 5, 10
FirstBatches: TypeAlias = Literal["strategy", "small", "whole"]
COMMIT = 1.0  # seconds at most between two commits while pages come in
PAUSE = 0.05  # seconds after which the frontier is asked again, while there is room for more
LONG = 10.0  # seconds until anything else may be fetched: then deferred offers need not wait for it
LOOK_AT_DEFERRED = 50  # pages after which some of deferred offers are let through
PRICES = 1000  # that are remembered
MOST_HOPS = 5  # redirects in a row; RFC 9309 asks for five at least, browsers stop at twenty

SAYS = frozenset((Offer, Reweigh, Keep, News))


class Shard:
    def __init__(
        self,
        strategy: Strategy,
        frontier: Frontier,
        fetcher: Fetcher,
        store: MemoryStore | RunStore,
        *,
        topic: Topic | None = None,
        batch: int = 50,
        first_batches: FirstBatches = "strategy",
        index: int = 0,
        shards: int = 1,
        scope: Scope | None = None,
        page_errors: PageErrors | None = None,
    ) -> None:
        """Without `page_errors`, a page that fails ends a crawl in memory, and is an error of its own in one that lasts."""
        self.strategy, self.frontier, self.fetcher, self.store = strategy, frontier, fetcher, store
        self.topic, self.batch, self.index, self.shards = topic, batch, index, shards
        whole = strategy.whole_batches if first_batches == "strategy" else first_batches == "whole"
        self._least = batch if whole else FIRST
        self.scope = scope or Scope()
        self.page_errors = page_errors or PageErrors(store.error_log, strict=not store.lasts)
        self.brought: list[bool] = []  # of each page since it was last looked at: was it relevant
        self.on_page: Callable[[Page], None] = lambda page: None  # called with each page that was fetched and stored
        self.prices: deque[float] = deque(maxlen=PRICES)  # of the offers taken, up to when somebody looks
        self.short = False  # whether there was less to take than there was room for
        self._under_way = UnderWay()
        self._mute = False  # whether the strategy could not say why
        self._known: dict[str, Page] = {}  # pages that came before the crawl, until their turn has come
        self._fresh, self._committed = 0, -math.inf  # pages since the last commit, and when that was
        self._restore()

    def start(self, seeds: Sequence[str], pages: Iterable[Page] = ()) -> None:
        """Offer the seeds, unless that was done in an earlier life. Every shard starts from all seeds and keeps its own.

        Pages that are known already, as examples are, are seeds that need not be fetched.
        """
        if self.store.started:
            return
        self._known = {page.url: page for page in pages}
        starts = dict.fromkeys([*seeds, *self._known])
        links = [Link(url) for url in starts]
        said = self._answer("start", lambda: self.strategy.start(links, list(self._known.values())), needed=True)
        if self.page_errors.rule:
            raise PageError(self.page_errors.rule)
        own = [say for say in said if not isinstance(say, Offer) or self._owner(say.link.url) == self.index]
        known = [say for say in own if isinstance(say, Offer) and say.link.url in self._known]
        self._apply(known)
        for lease in self.frontier.take(len(known), visits=False):  # before anything is fetched; others in their turn
            self._receive(lease, self._recalled(lease), 0.0)
        self._apply(say for say in own if say not in known)
        self.commit()

    def _recalled(self, lease: Lease) -> Page:
        """A page that came before the crawl."""
        return replace(self._known.pop(lease.offer.link.url), offer=lease.offer, recalled=True)

    async def step(self, most: float, now: float) -> int:
        """Send for the best offers, take in the pages that have come; how many these were.

        Pages that come at once, as those of a recording do, are one batch with one commit.
        """
        wide = min(self.batch, max(self._least, self.store.pages // SHARE))
        out = len(self._under_way)  # what is not committed counts too: a crash costs one batch at most
        room = int(min(most - out, wide - self._fresh - self._under_way.quick, self.batch - self._fresh - out))
        leases = self._leases(room, now) if room > 0 else []
        self.short = len(leases) < room
        for lease in leases:
            self.prices.append(lease.price)
            lease = lease._replace(offer=in_original_lane(lease.offer))
            self._under_way.send(lease, self._fetch(lease))
        clock = asyncio.get_running_loop().time  # of the loop, which in a benchmark may be simulated
        asked = clock()
        pages = await self._under_way.landed(PAUSE if room > 0 else SLOW)
        now += clock() - asked
        for lease, page in pages:
            self._receive(lease, page, now)
        self._fresh += len(pages)
        if self._fresh and (not self._under_way or 2 * self._fresh >= wide or now - self._committed >= COMMIT):
            self.commit()
            self._fresh, self._committed = 0, now
        return len(pages)

    def _leases(self, room: int, now: float) -> list[Lease]:
        """What to fetch next; while nothing else can be, some that was deferred."""
        if most := self.page_errors.answer("reprices", self.strategy.reprices, 0):
            self.frontier.reprice(most, now, self._repriced)
        leases = self.frontier.take(room, now, self.scope.barren)
        if leases or self._under_way.quick:
            return leases
        when = self.frontier.ready(now)
        if (self.busy if when is None else when - now > LONG) and self.look_at_deferred():
            leases = self.frontier.take(room, now, self.scope.barren)
        return leases

    def _repriced(self, offers: Sequence[Offer]) -> Sequence[float]:
        """What offers are worth now; as before where the strategy raises an exception."""
        before = [offer.value for offer in offers]
        return self.page_errors.answer("reprice", lambda: _finite(self.strategy.reprice(offers), len(offers)), before)

    @property
    def busy(self) -> bool:
        """Whether pages are under way."""
        return bool(self._under_way)

    @property
    def under_way(self) -> int:
        """How many pages are."""
        return len(self._under_way)

    def cancel(self) -> None:
        """Cancel what is under way; `stop` also waits until it has ended."""
        self._under_way.cancel()

    async def stop(self) -> None:
        """Let go of what is under way: it stays leased, and is handed out again."""
        await self._under_way.stop()

    def deliver(self, letter: Letter) -> None:
        """A letter from another shard; what came before, or came too early, is dropped and will be sent again."""
        if self.store.hear(letter.sender, letter.number):
            self.take_in([letter.say])

    def take_in(self, says: Sequence[Offer | News]) -> None:
        """What another shard said; whoever hands it in has seen to it that it counts once."""
        self.frontier.offer([say for say in says if isinstance(say, Offer)])
        for say in says:
            if isinstance(say, News):
                self._apply(self._answer("hear", partial(self.strategy.hear, say)))

    def _answer(self, what: str, ask: Callable[[], Iterable[Say]], *, needed: bool = False) -> list[Say | Many[Offer]]:
        """What the strategy says when it is asked; nothing where it raises an exception."""
        name = f"{type(self.strategy).__name__}.{what}"
        return self.page_errors.answer(what, lambda: _checked(listed(name, ask())), [], needed=needed)

    def look_at_deferred(self) -> bool:
        """Let some deferred offers through; whether there are any."""
        self.frontier.reweigh(DEFERRED)
        return self.frontier.ready(math.inf) is not None

    def dry(self) -> bool:
        """Let the strategy end a stage; whether there is something to fetch again."""
        self._apply(self._answer("dry", self.strategy.dry, needed=True))
        self.commit()
        return self.frontier.ready(math.inf) is not None or any(True for _ in self.store.letters())

    def why(self) -> str:
        """Why the strategy does not go by its own method; "" when it does. It is not asked again once it raised an exception."""
        if self._mute:
            return ""
        self._mute = True
        found = self.page_errors.answer("why", lambda: str(self.strategy.why()), None)
        self._mute = found is None
        return found or ""

    def commit(self) -> None:
        """Everything since the last commit is kept, or, after a crash, nothing of it."""
        self.frontier.save()
        self.store.commit(self._state() if self.store.lasts else {})

    def _state(self) -> dict[str, bytes]:
        state = {name: pack(learned(owner)) for name, owner in self._owners().items()}
        if self.topic:
            # each by itself: a topic that learns keeps pages, and what did not change is not written again
            state |= {f"topic {name}": pack(value) for name, value in learned(self.topic).items()}
        return state

    def _owners(self) -> dict[str, object]:
        """Whoever has learned what is saved with each commit; the topic is saved apart."""
        return {
            "strategy": self.strategy,
            "scope": self.scope,
            "hosts": self.scope.new_hosts,
            "errors": self.page_errors,
        }

    async def _fetch(self, lease: Lease) -> Page:
        url = lease.offer.link.url
        if url in self._known:
            return self._recalled(lease)
        stored = self.store.find(url) if self._recalls(lease) else None
        if stored:
            return answered(lease.offer, *stored)
        if why := self.scope.full(url):
            return Page(lease.offer, url, error=why, refused=True)
        self.scope.count(url)
        page = Page(lease.offer, url)
        with self.page_errors.isolated(page, "fetch"):
            page = await self.fetcher.fetch(lease.offer)
        if page.refused:
            self.scope.count(url, -1)
        return page

    def _recalls(self, lease: Lease) -> bool:
        return self.strategy.recall and lease.kept is not None

    def _receive(self, lease: Lease, page: Page, now: float) -> None:
        self._heed(page, now)
        later = page.later or (page.rest > 0 and bool(page.error) and lease.offer.tries < MOST_TRIES)
        new = not page.refused and not page.recalled and not self._recalls(lease)
        relevance, says = self._examined(lease, page, new, later)
        self.page_errors.count(page)
        note = next((say.note for say in says if isinstance(say, Keep)), None)
        if new:
            self._enter(lease, page, relevance, note)
        elif page.refused and not later:
            self.store.refuse(lease, page)
        if later:
            self.frontier.give_back(lease, tried=not page.later)
            return
        self.frontier.settle(lease, note)
        if note is not None and not new:
            self.store.keep(lease.offer.link.url, note)
        self._apply(self.scope.silence(page, says))

    def _examined(
        self, lease: Lease, page: Page, new: bool, later: bool
    ) -> tuple[float | None, list[Say | Many[Offer]]]:
        """The relevance of a page, and what the strategy says to it.

        An exception is the error of the page: nothing that was said to it counts, but what topic and strategy have learned
        from it up to then stays learned.
        """
        relevance = None
        with self.page_errors.isolated(page) as doing:
            page.kept, page.known = lease.kept, Asking(self.frontier, page.links)
            if new and self.store.lasts:
                _read(page)
            doing("judge")
            relevance = page.relevance = self._judged(page) if new else None
            doing("observe")
            return relevance, [] if later else self.frontier.changing(_checked(self._heard(lease, page)))
        return relevance, []

    def _judged(self, page: Page) -> float | None:
        """The relevance of a page, from which the topic may learn."""
        if not self.topic or not page.document or page.location:
            return None
        relevance = self.topic.page(page)
        self.topic.observe(page, relevance)
        return relevance

    def _heard(self, lease: Lease, page: Page) -> list[Say | Many[Offer]]:
        """What the strategy says to a page; a redirect it does not see."""
        if not page.location:
            return said_by(self.strategy, page)
        if lease.offer.hops >= MOST_HOPS:
            self._refuse_hop(lease, page.location)
        return [_follow(lease.offer, page)]

    def _enter(self, lease: Lease, page: Page, relevance: float | None, note: tuple[Any, ...] | None) -> None:
        """Store a page that was fetched, and count it."""
        self.store.add(lease, page, relevance, note)
        self.brought.append((relevance or 0.0) >= RELEVANT)
        if self.store.pages % LOOK_AT_DEFERRED == 0:
            self.frontier.reweigh(DEFERRED)
        self.scope.saw(page, relevance, None if self.topic else self.store.new_text)
        self.on_page(page)

    def _refuse_hop(self, lease: Lease, url: str) -> None:
        """Note that a redirect was one too many."""
        if self.frontier.known(url) is None:
            offer = replace(lease.offer, link=replace(lease.offer.link, url=url))
            why = f"trap: more than {MOST_HOPS} redirects in a row"
            self.store.refuse(lease._replace(offer=offer), Page(offer, url, error=why, refused=True))

    def _heed(self, page: Page, now: float) -> None:
        """What its host asks for."""
        if page.delay is not None:
            self.frontier.set_delay(host(page.url), page.delay)
        if page.rest:
            self.frontier.rest(host(page.url), now + page.rest)

    def _apply(self, says: Iterable[Say | Many[Offer]]) -> None:
        mine: list[Offer] = []
        alone = self.shards == 1
        for say in self.scope.keep(says):
            if type(say) is Offer and alone:  # nearly all of them
                mine.append(say)
                continue
            match say:
                case Many():
                    self._offer(mine)
                    self.frontier.offer(say if alone else self._own(say))
                case Offer():
                    if (owner := self._owner(say.link.url)) == self.index:
                        mine.append(say)
                    else:
                        self.store.post(owner, self.scope.placed(say))
                case News():
                    for other in range(self.shards):
                        if other != self.index:
                            self.store.post(other, say)
                case Reweigh(lane):
                    self._offer(mine)
                    self.frontier.reweigh(lane)
        self._offer(mine)

    def _offer(self, offers: list[Offer]) -> None:
        """Offer what has gathered, if anything has."""
        if offers:
            self.frontier.offer(offers)
            offers.clear()

    def _own(self, offers: Many[Offer]) -> Many[Offer]:
        """Those that stay here; the others are posted."""
        owners = [self._owner(url) for url in column(offers.column("link"), "url")]
        others = [number for number, owner in enumerate(owners) if owner != self.index]
        for number, offer in zip(others, offers.picked(others), strict=True):
            self.store.post(owners[number], self.scope.placed(offer))
        return offers.some([number for number, owner in enumerate(owners) if owner == self.index])

    def _owner(self, url: str) -> int:
        return site_key(site(url)) % self.shards if self.shards > 1 else 0

    def _restore(self) -> None:
        for name, owner in self._owners().items():
            if saved := self.store.state(name):
                restore(owner, unpack(saved))
        for name in learned(self.topic) if self.topic else ():
            if saved := self.store.state(f"topic {name}"):
                setattr(self.topic, name, unpack(saved))
        self.scope.remember(self.store.fetched(), judged=self.topic is not None)


site_key = lru_cache(maxsize=65536)(digest)  # every link asks for the shard of its site


def learned(thing: object) -> dict[str, Any]:
    """What a strategy or topic has learned: its attributes that end in `_`."""
    return {name: value for name, value in vars(thing).items() if name.endswith("_")}


def restore(thing: object, state: dict[str, Any]) -> None:
    for name, value in state.items():
        setattr(thing, name, value)


def _read(page: Page) -> None:
    """Read all that a store keeps of a page."""
    _ = page.title, page.text, page.main, page.language


def weighing(strategy: Strategy, errors: PageErrors) -> Weigh:
    """What lanes weigh, for a frontier; a lane for which the strategy raises an exception stays as it is."""

    def weigh(lane: Lane) -> Weight | None:
        return errors.answer("weigh", lambda: checked(lane, strategy.weigh(lane)), None)

    return weigh


def joining(strategy: Strategy, errors: PageErrors) -> Join:
    """How two offers become one, for a frontier; the one that was there stays where the strategy raises an exception."""

    def join(held: Offer, new: Offer) -> Offer:
        return errors.answer("join", lambda: _joined(strategy, held, new), held)

    return join


def _joined(strategy: Strategy, held: Offer, new: Offer) -> Offer:
    joined = strategy.join(held, new)
    if joined.link.url != held.link.url or joined.lane != held.lane:
        raise ValueError(f"{type(strategy).__name__}.join changed the URL or the lane; they have to stay")
    check_finite([joined])
    return joined


def _finite(values: Sequence[float], count: int) -> Sequence[float]:
    if len(values) != count or not all(map(math.isfinite, values)):
        raise ValueError("reprice has to return a finite value for each offer")
    return values


def said_by(strategy: Strategy, page: Page) -> list[Say | Many[Offer]]:
    """What a strategy answers to a page; TypeError where that is not what a strategy can say."""
    return listed(f"{type(strategy).__name__}.observe", strategy.observe(page))


def listed(name: str, says: Iterable[Say] | None) -> list[Say | Many[Offer]]:
    """What a method of a strategy returned; TypeError where that is not what a strategy can say."""
    if says is None:
        raise TypeError(f"{name} returned None; it has to return a list of offers, or yield them")
    said = parts(says)
    for kind in {say.kind if type(say) is Many else type(say) for say in said} - SAYS:
        if not issubclass(kind, tuple(SAYS)):
            raise TypeError(f"{name} returned a {kind.__name__}; it has to be an offer, as in Offer(link, value)")
    return said


def _checked(says: list[Say | Many[Offer]]) -> list[Say | Many[Offer]]:
    """The same; ValueError where the frontier would refuse an offer: by then it would have taken those before."""
    for many in says:
        if isinstance(many, Many):
            check_finite(many)
    check_finite([say for say in says if isinstance(say, Offer)])
    return says


def _follow(offer: Offer, page: Page) -> Offer:
    """A redirect is the same offer for the new URL; one too many leads back to where it is known, and so nowhere."""
    url = page.location if offer.hops < MOST_HOPS else offer.link.url
    return replace(offer, link=replace(offer.link, url=url), hops=offer.hops + 1)


class Asking(Known):
    """Asks the frontier; who asks for one link of a page mostly asks for all, so these are looked up together."""

    def __init__(self, frontier: Frontier, links: Sequence[Link] = ()) -> None:
        self._frontier, self._links = frontier, links  # not the page: it has this
        self._found: dict[str, tuple[Any, ...] | None] = {}

    def __call__(self, url: str) -> tuple[Any, ...] | None:
        if self._links:
            urls = column(self._links, "url")
            self._found, self._links = dict(zip(urls, self._frontier.known_all(urls), strict=True)), ()
        return self._found[url] if url in self._found else self._frontier.known(url)

    def all(self, urls: Sequence[str]) -> Sequence[tuple[Any, ...] | None]:
        return self._frontier.known_all(urls)
