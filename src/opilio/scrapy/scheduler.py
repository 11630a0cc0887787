"""Scrapy's scheduler, on our frontier: the next request is the one whose URL has the highest price now.

A spider decides what may be fetched, by yielding requests; the strategy decides in which order. A page is stored, observed and
settled together with the requests that came of it, in one commit; so a job that is killed goes on with nothing lost.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Self
from weakref import WeakKeyDictionary

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.job import job_dir

from ..batch import Many
from ..fetchers.to_page import answered
from ..frontier.deferred import in_original_lane
from ..nouns import Lease, Link, Offer, Page, Say
from ..shard.sources import recalls
from .chosen_links import Chosen
from .job import FOLDER, opened
from .requests import Requests

KEY = "opilio"  # of request.meta: the key of the lease that a request is for
TAKEN = "opilio-taken"  # of request.meta: it came of a page that was observed, and waits in the frontier
COMMIT, FRESH = 1.0, 20  # seconds between two commits, or pages
UNOFFERED = ("unoffered",)  # the lane of requests that the strategy has no opinion on
schedulers: WeakKeyDictionary[Crawler, Scheduler] = WeakKeyDictionary()  # for the middlewares of the same crawl


class Scheduler(BaseScheduler):
    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._leases: dict[str, Lease] = {}  # of what Scrapy is fetching
        self._fresh, self._committed = 0, time.monotonic()  # pages since the last commit, and when that was
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        schedulers[crawler] = self

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def open(self, spider: Spider) -> None:
        """Begin the job, or go on with the one in JOBDIR; without that, everything is in a folder for the time being."""
        folder = job_dir(self.crawler.settings)
        if not folder:
            self._scratch = tempfile.TemporaryDirectory(prefix="opilio-scrapy-")
        self._run = opened(Path(folder or self._scratch.name) / FOLDER, self.crawler.settings)  # type: ignore[union-attr]
        self._shard = self._run.shard
        assert self.crawler.request_fingerprinter
        fingerprint = self.crawler.request_fingerprinter.fingerprint
        self._requests = Requests(self._run.store.db, spider, fingerprint)
        self._shard.commit()

    def close(self, reason: str) -> None:
        """Keep everything; what Scrapy had not finished is handed out again by the next one."""
        self._run.note_end("nothing left to fetch" if reason == "finished" else f"Scrapy: {reason}")
        self._run.close_store()
        if self._scratch:
            self._scratch.cleanup()

    def has_pending_requests(self) -> bool:
        """Whether something can be fetched; a strategy that waits for the end of a stage is told of it."""
        if self._is_ready():
            return True
        return not self._leases and (self._shard.look_at_deferred() or self._shard.dry())

    def __len__(self) -> int:
        return len(self._shard.frontier)

    def next_request(self) -> Request | None:
        """The request with the highest price."""
        while leases := self._shard.leases(1, 0.0):
            lease = leases[0]._replace(offer=in_original_lane(leases[0].offer))
            key = lease.offer.link.url
            if page := self._at_hand(lease):
                self._take_in(lease, page)
            elif request := self._requests.get(key):
                self._leases[key] = lease
                self._count("scheduler/dequeued")
                return request.replace(meta={**request.meta, KEY: key})
            else:
                self._count("scheduler/unserializable/lost")
                self._take_in(lease, Page(lease.offer, key, error="its request could not be stored", refused=True))
        return None

    def enqueue_request(self, request: Request) -> bool:
        """A request from the engine: of a page that was observed, of a middleware that tries again or follows, or a new one."""
        if TAKEN in request.meta:  # first: by now it may be leased as well
            return True
        if request.meta.get(KEY) in self._leases:
            return self._follow(request, request.meta[KEY])
        plain = _unmarked(request)  # as an errback that asks for a failed request again: its lease is settled
        if self._requests.key(plain) is not None:
            self._count("dupefilter/filtered")
            return False
        self._shard.seed([Link(self._added(plain))])
        return True

    def observe(self, response: Response, requests: Sequence[Request]) -> list[Request]:
        """Take in a page and what its spider asked for; the requests that are new, marked as taken in."""
        lease = self._leases.pop(str(response.meta.get(KEY)), None)
        if lease is None:  # a spider's own answer to something that was not scheduled
            return list(requests)
        fresh, keys = self._sorted(requests)
        page = _page(lease.offer, response, keys)
        self._requests.done(lease.offer.link.url)
        self._take_in(lease, page, fresh)
        return [request.replace(meta={**request.meta, TAKEN: True}) for request in fresh.values()]

    def fail(self, request: Request, error: str) -> None:
        """Scrapy could not fetch this, and has given it up."""
        if lease := self._leases.pop(str(request.meta.get(KEY)), None):
            self._requests.done(lease.offer.link.url)
            self._take_in(lease, Page(lease.offer, lease.offer.link.url, error=error))

    def _follow(self, request: Request, key: str) -> bool:
        """The same request again, as after a timeout, or the one that a redirect leads to."""
        lease = self._leases.pop(key)
        plain = _unmarked(request)
        known = self._requests.key(plain.replace(dont_filter=False))
        if known == key or self._requests.is_same(key, plain):
            self._requests.replace(key, plain)
            self._shard.frontier.give_back(lease)
            return True
        target = known or self._added(plain.replace(dont_filter=False))
        reason = (request.meta.get("redirect_reasons") or [302])[-1]
        status = reason if isinstance(reason, int) else 302
        self._requests.done(key)
        self._take_in(lease, Page(lease.offer, key, status, {"location": request.url}, location=target))
        return known is None

    def _sorted(self, requests: Iterable[Request]) -> tuple[dict[str, Request], list[str]]:
        """The new ones among requests, by key; and the keys of all."""
        fresh: dict[str, Request] = {}
        keys = []
        for request in requests:
            plain = _unmarked(request)
            key = self._requests.key(plain)
            if key is None:
                key = self._added(plain)
                fresh[key] = plain
            else:
                self._count("dupefilter/filtered")
            keys.append(key)
        return fresh, keys

    def _at_hand(self, lease: Lease) -> Page | None:
        """A page that the strategy wants again as it is in the store."""
        stored = self._run.store.find(lease.offer.link.url) if recalls(self._shard.strategy, lease) else None
        return answered(lease.offer, *stored) if stored else None

    def _added(self, request: Request) -> str:
        unstored = self._requests.unstored
        key = self._requests.add(request)
        self._count("scheduler/enqueued")
        if self._requests.unstored > unstored:
            self._count("scheduler/unserializable")
        return key

    def _take_in(self, lease: Lease, page: Page, fresh: Iterable[str] = ()) -> None:
        """Store a page and let the strategy observe it. What its spider does not ask for is not fetched; what the strategy has no
        opinion on comes last."""

        def choose(says: Iterable[Say | Many[Offer]]) -> Iterator[Say]:
            left = dict.fromkeys(fresh)
            for say in _singly(says):
                if not isinstance(say, Offer) or self._requests.has(say.link.url):
                    yield say
                if isinstance(say, Offer):
                    left.pop(say.link.url, None)
            yield from (Offer(Link(key, page.url), 0.0, UNOFFERED) for key in left)

        self._shard.receive(lease, page, 0.0, choose)
        self._fresh += 1
        if self._fresh >= FRESH or time.monotonic() - self._committed >= COMMIT:
            self._shard.commit()
            self._fresh, self._committed = 0, time.monotonic()

    def _is_ready(self) -> bool:
        return self._shard.frontier.ready(math.inf) is not None

    def _count(self, name: str) -> None:
        if self.crawler.stats:
            self.crawler.stats.inc_value(name)


def _page(offer: Offer, response: Response, keys: Sequence[str]) -> Page:
    """The page of a response, whose links are those that the spider asked for."""
    headers = {str(name).lower(): str(value) for name, value in response.headers.to_unicode_dict().items()}
    page = answered(offer, response.status, headers, response.body, Chosen.of(keys))
    if page.location:  # the spider wanted it as it is
        page.location, page.error = "", page.error or ("" if page.document else f"http {response.status}")
    return page


def _unmarked(request: Request) -> Request:
    """The same without our marks, which a spider may have copied with the meta of a response."""
    return request.replace(meta={name: value for name, value in request.meta.items() if name not in (KEY, TAKEN)})


def _singly(says: Iterable[Say | Many[Offer]]) -> Iterator[Say]:
    for say in says:
        if isinstance(say, Many):
            yield from say.all()
        else:
            yield say
