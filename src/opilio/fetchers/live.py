"""The live web: HTTP with the manners that hosts ask for."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, TypeAlias

from ..documents.to_html import Rendering as Rendered
from ..html.announced import Announced
from ..html.sitemap import MOST_ENTRIES, SITEMAP, Sitemap, listing
from ..nouns import Document, Fetcher, Link, Offer, Page
from ..system import steady_clock
from ..urls import canonical, host, site
from .document_queue import DocumentQueue
from .http.address_guard import origin_of
from .http.client import Answer, Transport
from .http.transfer import NOT_NOW
from .manners.directives import AGENT, Courteous, header_directives, reservation
from .manners.may_send import Gate
from .manners.pace import Pace, PaceSettings
from .manners.robots import Verdict
from .manners.robots_cache import Rulebook, Rules
from .manners.shared_pace import Shared
from .manners.tdmrep import PATH, reserved
from .rendering import Render, Rendering
from .to_page import answered

OBEYED = ("robots", "nofollow", "noarchive")
NOT_MODIFIED = 304
CONDITIONS = {"If-None-Match": "etag", "If-Modified-Since": "last-modified"}
StoredResponse: TypeAlias = tuple[int, Mapping[str, str], bytes]  # status, headers with names in lower case, body
Stored: TypeAlias = Callable[[str], StoredResponse | None]
Noted: TypeAlias = Callable[[Page], None]
PATIENCE = 5.0  # seconds that a request may wait for its turn here; for longer ones its host rests in the frontier
MOST_SITEMAPS = 100  # of one host


class Manners(NamedTuple):
    """What is heeded; robots, nofollow, noarchive, tdm and noai can be obeyed."""

    obey: frozenset[str] = frozenset(OBEYED)
    sitemaps: bool = True
    pace: PaceSettings = PaceSettings()
    render: Render = "never"  # which pages a browser shows


class Live(Fetcher):
    """Fetches from the web: asks robots.txt first, keeps the pace of each host, heeds what pages ask for."""

    def __init__(
        self,
        transport: Transport,
        manners: Manners,
        resumed: bool = False,
        shared: Shared | None = None,
        gate: Gate | None = None,
    ) -> None:
        self.manners, self.transport = manners, transport
        self.agent = transport.settings.user_agent.partition("/")[0].strip() or AGENT
        self.pace = Pace(manners.pace, resumed, transport.settings.host_connections == 1, shared, gate)
        self.rendering = Rendering(manners.render, transport.settings.user_agent)
        self.documents = DocumentQueue()
        self.rules = Rulebook(self._get_file)
        self.reservations = Rulebook(self._get_file, PATH, "tdmrep")
        self._announced: set[str] = set()  # origins whose sitemaps were named to a strategy
        self._stored: Stored = lambda url: None
        self._early: list[Page] = []  # files of hosts that came before there was a run
        self._note: Noted = self._early.append

    def attach(self, db: sqlite3.Connection, stored: Stored, note: Noted) -> None:
        """Keep robots.txt files with the run; what it has stored of a URL is not sent for again unless it changed."""
        self.rules.attach(db)
        self.reservations.attach(db)
        self._stored, self._note = stored, note
        while self._early:
            note(self._early.pop(0))

    async def close(self) -> None:
        await self.rendering.close()
        await self.transport.close()
        self.pace.close()

    async def fetch(self, offer: Offer) -> Page:
        url, name = offer.link.url, host(offer.link.url)
        if self.pace.gone(name):
            return _refusal(offer, "host gone: it failed too often in a row")
        # those in the cache are of an origin that the guard let through
        rules = self.rules.cached(url) if "robots" in self.manners.obey else None
        if not rules:
            if why := self.transport.guard.url(url):
                return _refusal(offer, why)
            if wait := self.pace.crowded(await self._shared_by(url)):
                return _later(offer, wait)
            rules = await self._rules(url)
        if refusal := self._forbidden(offer, name, rules):
            return refusal
        if location := await self._reserved(url, rules):
            return _refusal(offer, _reserved_reason(location))
        shared = await self._shared_by(url)
        if (wait := self.pace.wait(name)) > PATIENCE or (wait := self.pace.crowded(shared)):
            return _later(offer, wait)
        before = self._stored(url) if offer.again is not None else None  # only such offers are for what was fetched
        request = partial(self.transport.get, url, _conditions(before) if before else None)
        answer = await self.pace.send(name, request, shared)
        shown, others = await self.rendering.shown(answer, partial(self._for_browser, name))
        page = self._page(offer, name, shown, rules, before, await self.documents.read(shown))
        if shown is not answer:
            page.wire, others = None, (answer, *others)
        for other in others if page.stored else ():
            self._note_answer(other.url, other)
        return page

    async def may(self, url: str) -> str:
        """Why a canonical URL would not be fetched, as far as guard and robots.txt go; "" when it would."""
        if why := self.transport.guard.url(url):
            return why
        rules = await self._rules(url)
        if refusal := self._forbidden(Offer(Link(url)), host(url), rules):
            return refusal.error
        location = await self._reserved(url, rules)
        return _reserved_reason(location) if location else ""

    async def _shared_by(self, url: str) -> frozenset[str]:
        """What the host of a URL may share with others, and what has a pace of its own: its site, and its addresses."""
        if not self.manners.pace.gap or self.transport.guard.url(url):
            return frozenset()
        return frozenset([site(url), *await self.transport.addresses(url)])

    async def _rules(self, url: str) -> Rules:
        return await self.rules.find(url) if "robots" in self.manners.obey else Rules(b"")

    async def _reserved(self, url: str, rules: Rules) -> str:
        """The part of its host under which a URL is reserved, by what the host says for all of its pages, if that is obeyed."""
        if (
            "tdm" not in self.manners.obey
            or not rules.known
            or not rules.known.check(origin_of(url) + PATH, self.agent).allowed
        ):
            return ""
        return reserved((await self.reservations.find(url)).body or b"", url)

    def _forbidden(self, offer: Offer, name: str, rules: Rules) -> Page | None:
        if rules.refused:
            return _refusal(offer, rules.error)
        robots = rules.known
        if robots is None:
            why = f"unreachable ({rules.error}): no robots.txt, so nothing may be fetched"
            return _refusal(offer, why, max(1.0, rules.retry - steady_clock.now()))
        if asked := robots.delay(self.agent):
            self.pace.ask(name, max(asked, self.pace.delay(name)))
        verdict: Verdict = robots.check(offer.link.url, self.agent)
        return None if verdict.allowed else _refusal(offer, f"robots: {verdict.rule}")

    async def _get_file(self, url: str) -> tuple[Answer, float]:
        """A file that speaks for its host, noted as decisions rest on it, and how long the host then wants to be left alone."""
        answer = await self.pace.send(host(url), partial(self.transport.get, url), await self._shared_by(url))
        rest = self.pace.rest(host(url), answer)
        self._note_answer(url, answer)
        return answer, rest

    def _note_answer(self, url: str, answer: Answer) -> None:
        """Keep an answer that is no page."""
        if answer.wire:
            link = Offer(Link(url))
            self._note(Page(link, url, answer.status, answer.headers, answer.body, answer.error, wire=answer.wire))

    async def _for_browser(self, name: str, url: str) -> Answer:
        """What a page of a host asked for in the browser: the guard and robots.txt say whether it gets that.

        What the user alone can reach, by private addresses or by a login, is for pages of the same host.
        """
        settings, href = self.transport.settings, canonical(url)
        if href and host(href) != name and (settings.allow_networks or settings.access.of(href)):
            return Answer(url, error="refused: another host, in the browser", refused=True)
        if why := await self.may(href):
            return Answer(url, error=why, refused=True)
        return await self.transport.get(url)

    def _page(
        self,
        offer: Offer,
        name: str,
        answer: Answer,
        rules: Rules,
        before: StoredResponse | None,
        rendering: Rendered | None,
    ) -> Page:
        if answer.error == NOT_NOW:
            return _later(offer, 1.0)
        rest = self.pace.rest(name, answer)
        if answer.refused:
            return _refusal(offer, answer.error)
        page = self._read(offer, answer, rules, before, rendering)
        error = answer.error or (rendering.error if rendering else "")
        page.error, page.wire = page.error or error, answer.wire
        if error:
            page.document, page.location = None, ""
        self._time(page, name, answer.seconds, rest, rules)
        self._heed(page)
        return page

    def _read(
        self, offer: Offer, answer: Answer, rules: Rules, before: StoredResponse | None, rendering: Rendered | None
    ) -> Page:
        if not answer.status:
            return Page(offer, offer.link.url, error=answer.error or "no answer")
        directives = header_directives(answer.headers, answer.wire, self.agent)

        def parse(body: bytes, url: str, content_type: str, announced: Announced) -> Document:
            if most := MOST_ENTRIES if SITEMAP in offer.link.rel else listing(body, content_type):
                return Sitemap(body, url, content_type, most)
            news, feeds = self._news(url, rules), self.manners.sitemaps
            return Courteous(body, url, content_type, announced, directives, self.manners.obey, news, feeds, rendering)

        if before and answer.status == NOT_MODIFIED:
            page = answered(offer, *before, parse)
            page.status = NOT_MODIFIED
        else:
            page = answered(offer, answer.status, answer.headers, answer.body, parse)
        page.directives = directives
        return page

    def _time(self, page: Page, name: str, seconds: float, rest: float, rules: Rules) -> None:
        """Tell the frontier about the pace of the host."""
        before, robots = self.pace.delay(name), rules.known
        delay = self.pace.slow(name, robots.delay(self.agent) if robots else None, seconds)
        if delay != self.manners.pace.delay or before != delay:
            page.delay = delay
        page.rest = rest
        if not rest and not page.error:  # an error with a rest would be tried again
            page.rest = max(0.0, self.pace.wait(name))

    def _heed(self, page: Page) -> None:
        """Find out what a page asks for, and do so if that is to be obeyed."""
        if page.document:
            page.directives |= page.document.robots
        if not page.directives:
            return
        if reserved := reservation(page.directives, self.manners.obey):
            page.error, page.document, page.location = f"reserved: {reserved}", None, ""
            page.body, page.wire = b"", None
        if reserved or ("noarchive" in self.manners.obey and "noarchive" in page.directives):
            page.stored = False

    def _news(self, url: str, rules: Rules) -> tuple[Link, ...]:
        """Links to the sitemaps of a host, on the first of its pages."""
        robots = rules.known
        if not self.manners.sitemaps or not robots or not robots.sitemaps:
            return ()
        if (origin := origin_of(url)) in self._announced:
            return ()
        self._announced.add(origin)
        found = dict.fromkeys(canonical(named, url) for named in robots.sitemaps[:MOST_SITEMAPS])
        return tuple(Link(to, url, "sitemap", "sitemap", "robots.txt", rel=(SITEMAP,)) for to in found if to)


def _conditions(before: StoredResponse) -> dict[str, str]:
    """What a request asks with for a page that is stored: send it if it is another one now."""
    headers = before[1]
    return {name: headers[validator] for name, validator in CONDITIONS.items() if validator in headers}


def _reserved_reason(location: str) -> str:
    return f"reserved: tdm-reservation of {location} in {PATH}"


def _later(offer: Offer, wait: float) -> Page:
    why = "later: its host, or others that share its address, want more time between two visits"
    return Page(offer, offer.link.url, error=why, refused=True, rest=wait, later=True)


def _refusal(offer: Offer, why: str, rest: float = 0.0) -> Page:
    return Page(offer, offer.link.url, error=why, refused=True, rest=rest)
