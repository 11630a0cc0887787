"""Manners on the live web: robots.txt, pace, rests, directives of pages, sitemaps; real servers on loopback."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest

from opilio.config import Config
from opilio.engine.run import Run
from opilio.fetchers.http.client import Answer
from opilio.fetchers.live import Manners
from opilio.fetchers.manners import robots_cache
from opilio.fetchers.manners.directives import header_directives
from opilio.fetchers.manners.pace import Pace, PaceSettings, retry_after
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.frontier.memory import MemoryFrontier
from opilio.html.sitemap import Sitemap
from opilio.nouns import Frontier, Link, Offer, Page, Weight, Wire
from opilio.report.explain import story
from opilio.store.reader import reading
from opilio.synth.web import Web
from opilio.urls import host
from tests.polite_web import MISSING, QUICK, Served, fetched, live, moved, page, serving, text

ROBOTS = "http://a.test/robots.txt"
PAGE = "http://a.test/x"
SUITE = Path(__file__).parents[2] / "shared" / "suites" / "crawler-commons" / "sitemaps"
NOW = 1_700_000_000.0

# Rests


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("120", 120.0),
        ("0", 0.0),
        (" 7 ", 7.0),
        ("1.5", 1.0),
        ("99999999999999999999", 999999999999.0),
        (formatdate(NOW + 60, usegmt=True), 60.0),
        (formatdate(NOW - 60, usegmt=True), 0.0),
        ("Tue, 14 Nov 2023 22:14:20 +0000", 60.0),
        ("Tuesday, 14-Nov-23 22:14:20 GMT", 60.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 251_702_300_799.0),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("2023", 2023.0),
        ("Fri, 99 Foo 2023 25:61:61 GMT", None),
    ],
)
def test_retry_after(said: str, seconds: float | None) -> None:
    got = retry_after({"retry-after": said} if said else {}, NOW)
    assert got == (pytest.approx(seconds, rel=0.01) if seconds is not None else None)


def rest_of(status: int = 0, error: str = "", after: str = "", times: int = 1, date: float = 0) -> float:
    after = after or (formatdate(time.time() + date, usegmt=True) if date else "")
    pace = Pace(PaceSettings(delay=1, backoff=10, max_rest=3600, max_failures=100))
    answer = Answer("http://h/", status, {"retry-after": after} if after else {}, error=error)
    return [pace.rest("h", answer) for _ in range(times)][-1]


@pytest.mark.parametrize(
    ("what", "seconds"),
    [
        ({"status": 200}, 0),
        ({"status": 404}, 0),
        ({"status": 500}, 0),
        ({"status": 429}, 10),
        ({"status": 503}, 10),
        ({"status": 502}, 10),
        ({"status": 503, "times": 2}, 20),
        ({"status": 429, "times": 4}, 80),
        ({"status": 503, "times": 50}, 3600),
        ({"status": 503, "times": 5000}, 3600),
        ({"status": 429, "after": "30"}, 30),
        ({"status": 429, "after": "0"}, 1),
        ({"status": 503, "after": "-1"}, 10),
        ({"status": 503, "after": "99999999999"}, 3600),
        ({"status": 503, "date": 90}, 90),
        ({"status": 503, "date": -90}, 1),
        ({"status": 503, "after": "Fri, 31 Dec 9999 23:59:59 GMT"}, 3600),
        ({"status": 301, "after": "40"}, 40),
        ({"status": 404, "after": "40"}, 40),
        ({"status": 200, "after": "40"}, 0),
        ({"error": "timeout: first byte"}, 10),
        ({"error": "timeout: total", "times": 3}, 40),
        ({"error": "connect: refused"}, 10),
        ({"error": "reset"}, 10),
        ({"error": "dns: Name or service not known"}, 0),
        ({"error": "tls: certificate expired"}, 0),
    ],
)
def test_rest(what: dict[str, object], seconds: float) -> None:
    assert rest_of(**what) == pytest.approx(seconds, abs=1.5 if "date" in what else 0)  # type: ignore[arg-type]


def test_one_success_ends_the_doubling() -> None:
    pace = Pace(PaceSettings(delay=1, backoff=10))
    tired, fine = Answer("http://h/", 503), Answer("http://h/", 200)
    assert [pace.rest("h", answer) for answer in (tired, tired, fine, tired)] == [10, 20, 0, 10]


def test_a_host_that_fails_and_fails_is_gone() -> None:
    def nothing(url: str) -> tuple[int, dict[str, str], bytes]:
        return (200, {}, b"") if url == ROBOTS else (503, {}, b"")

    quick = Manners(pace=PaceSettings(delay=0, slowness=0, backoff=0.001, max_failures=3))
    pages, served = fetched(nothing, *[f"http://a.test/{n}" for n in range(5)], manners=quick)
    assert [page.error for page in pages] == ["http 503"] * 3 + ["host gone: it failed too often in a row"] * 2
    assert [page.refused for page in pages] == [False] * 3 + [True] * 2
    assert len(served.urls) == 4


# robots.txt over HTTP

ALLOWED, FORBIDDEN, UNREACHABLE = "", "robots: line 2: Disallow: /x", "unreachable"
RULES = text("User-agent: *\nDisallow: /x")


def hops(count: int) -> dict[str, tuple[int, dict[str, str], bytes]]:
    chain = {f"http://b{n}.test/r": moved(f"http://b{n + 1}.test/r") for n in range(1, count)}
    return {ROBOTS: moved("http://b1.test/r"), **chain, f"http://b{count}.test/r": RULES}


@pytest.mark.parametrize(
    ("pages", "error"),
    [
        ({ROBOTS: RULES}, FORBIDDEN),
        ({ROBOTS: text("User-agent: opilio\nDisallow: /x\nUser-agent: *\nDisallow:")}, FORBIDDEN),
        ({ROBOTS: text("User-agent: *\nDisallow: /x\nUser-agent: opilio\nDisallow: /y")}, ALLOWED),
        ({ROBOTS: text("\ufeffUser-agent: *\nDisallow: /x")}, FORBIDDEN),
        ({ROBOTS: (200, {"Content-Type": "text/html"}, b"<html>welcome</html>")}, ALLOWED),
        ({ROBOTS: (204, {}, b"")}, ALLOWED),
        ({ROBOTS: (400, {}, b"")}, ALLOWED),
        ({ROBOTS: (401, {}, b"")}, ALLOWED),
        ({ROBOTS: (403, {}, b"User-agent: *\nDisallow: /")}, ALLOWED),
        ({ROBOTS: MISSING}, ALLOWED),
        ({ROBOTS: (410, {}, b"")}, ALLOWED),
        ({ROBOTS: (451, {}, b"")}, ALLOWED),
        ({ROBOTS: (429, {}, b"")}, UNREACHABLE),
        ({ROBOTS: (500, {}, b"User-agent: *\nAllow: /")}, UNREACHABLE),
        ({ROBOTS: (503, {}, b"")}, UNREACHABLE),
        ({ROBOTS: (599, {}, b"")}, UNREACHABLE),
        ({ROBOTS: (302, {}, b"")}, ALLOWED),
        (hops(1), FORBIDDEN),
        (hops(5), FORBIDDEN),
        (hops(6), ALLOWED),
        ({ROBOTS: moved(ROBOTS)}, ALLOWED),
        ({ROBOTS: moved("ftp://b.test/robots.txt")}, ALLOWED),
        ({ROBOTS: moved("http://10.0.0.1/robots.txt")}, UNREACHABLE),
        ({ROBOTS: moved("http://b.test/gone")}, ALLOWED),
    ],
)
def test_robots_over_http(pages: dict[str, tuple[int, dict[str, str], bytes]], error: str) -> None:
    [got], served = fetched({PAGE: page(), **pages}, PAGE)
    assert got.error.startswith(error) if error else got.error == ""
    assert got.refused == bool(error)
    assert (PAGE in served.urls) == (not error)
    assert served.urls[0] == ROBOTS
    assert (got.rest > 0) == (error == UNREACHABLE)  # worth another try


def test_robots_is_asked_for_once() -> None:
    pages, served = fetched({ROBOTS: RULES, "http://a.test/y": page()}, PAGE, "http://a.test/y", PAGE)
    assert served.urls == [ROBOTS, "http://a.test/y"]
    assert [p.refused for p in pages] == [True, False, True]


def test_each_port_and_scheme_has_its_own_robots() -> None:
    _, served = fetched(lambda url: MISSING, PAGE, "http://a.test:8080/x")
    assert served.urls == [ROBOTS, PAGE, ROBOTS, PAGE]  # the server does not tell ports apart


def test_robots_can_be_left_out() -> None:
    [got], served = fetched({ROBOTS: RULES, PAGE: page()}, PAGE, manners=Manners(frozenset(), pace=QUICK))
    assert served.urls == [PAGE]
    assert not got.error


def test_rules_that_are_at_hand_count_for_nothing_where_robots_is_left_out() -> None:
    served = Served({ROBOTS: RULES, PAGE: page()})

    async def go() -> list[str]:
        async with serving(served):
            fetcher = live(served, Manners(pace=QUICK))
            try:
                errors = [(await fetcher.fetch(Offer(Link(PAGE)))).error]
                fetcher.manners = fetcher.manners._replace(obey=frozenset())  # as when a run goes on with other manners
                return [*errors, (await fetcher.fetch(Offer(Link(PAGE)))).error]
            finally:
                await fetcher.close()

    assert asyncio.run(go()) == [FORBIDDEN, ""]


class Shelf:
    """A rulebook over answers of a test, and a clock that the test turns."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, db: sqlite3.Connection) -> None:
        self.now, self.answers, self.asked = NOW, [], 0  # type: tuple[float, list[Answer], int]
        monkeypatch.setattr("opilio.system.steady_clock.now", lambda: self.now)
        self.db = db
        self.open()

    def open(self) -> None:
        self.book = robots_cache.Rulebook(self.get)
        self.book.attach(self.db)

    async def get(self, url: str) -> tuple[Answer, float]:
        self.asked += 1
        return self.answers.pop(0), 10.0

    def state(self) -> str:
        rules = asyncio.run(self.book.find(PAGE)).known
        return "unknown" if rules is None else "yes" if rules.check(PAGE, "opilio").allowed else "no"


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    return Shelf(monkeypatch, sqlite3.connect(":memory:"))


HOUR, DAY = 3600.0, 86400.0
GOOD, BAD = Answer(ROBOTS, 200, {}, RULES[2]), Answer(ROBOTS, 503)


def test_a_copy_is_good_for_a_day(shelf: Shelf) -> None:
    shelf.answers = [GOOD, Answer(ROBOTS, 404)]
    assert shelf.state() == "no"
    shelf.now += 23 * HOUR
    assert (shelf.state(), shelf.asked) == ("no", 1)
    shelf.now += 2 * HOUR
    assert (shelf.state(), shelf.asked) == ("yes", 2)


def test_an_old_copy_counts_while_there_is_no_new_one(shelf: Shelf) -> None:
    shelf.answers = [GOOD, BAD, BAD, Answer(ROBOTS, 404)]
    shelf.state()
    shelf.now += 25 * HOUR
    assert (shelf.state(), shelf.asked) == ("no", 2)
    shelf.now += 5
    assert (shelf.state(), shelf.asked) == ("no", 2)  # not asked again at once
    shelf.now += 40 * DAY
    assert (shelf.state(), shelf.asked) == ("no", 3)
    shelf.now += HOUR
    assert (shelf.state(), shelf.asked) == ("yes", 4)


def test_without_any_copy_nothing_is_allowed_for_thirty_days(shelf: Shelf) -> None:
    shelf.answers = [BAD] * 3
    assert shelf.state() == "unknown"
    shelf.now += 29 * DAY
    assert shelf.state() == "unknown"
    shelf.now += 1.1 * DAY
    assert shelf.state() == "yes"


def test_copies_and_failures_outlive_the_process(shelf: Shelf) -> None:
    shelf.answers = [GOOD, BAD, BAD]
    shelf.state()
    shelf.open()
    assert (shelf.state(), shelf.asked) == ("no", 1)
    shelf.now += 25 * HOUR
    shelf.state()
    shelf.open()
    shelf.now += 5
    assert (shelf.state(), shelf.asked) == ("no", 2)


# Pace


def paced(served: Served, urls: list[str], pace: PaceSettings, at_once: bool, resumed: bool = False) -> list[Page]:
    async def go() -> list[Page]:
        async with serving(served):
            fetcher = live(served, Manners(pace=pace), resumed)
            try:
                calls = [fetcher.fetch(Offer(Link(url))) for url in urls]
                return list(await asyncio.gather(*calls)) if at_once else [await call for call in calls]
            finally:
                await fetcher.close()

    return asyncio.run(go())


@pytest.mark.parametrize("at_once", [True, False])
def test_no_two_requests_are_closer_than_the_delay(at_once: bool) -> None:
    served = Served(lambda url: page())
    urls = [f"http://h{n % 3}.test/{n}" for n in range(18)]
    paced(served, urls, PaceSettings(delay=0.05, slowness=0), at_once)
    assert len(served.urls) == 21
    assert min(min(gaps) for gaps in served.gaps().values()) >= 0.05


@pytest.mark.parametrize("delay", [0.06, 0.0])
def test_a_host_that_is_asked_over_many_connections_keeps_its_delay(delay: float) -> None:
    sent: list[float] = []
    all_sent = asyncio.Event()

    async def request() -> Answer:
        sent.append(time.monotonic())
        if len(sent) == 10:
            all_sent.set()
        await all_sent.wait()  # no request waits for the answer to another
        return Answer("http://h/", 200)

    async def go() -> None:
        pace = Pace(PaceSettings(delay=delay), alone=False)
        await asyncio.wait_for(asyncio.gather(*(pace.send("h", request) for _ in range(10))), 60)
        assert min(b - a for a, b in pairwise(sent)) >= delay

    asyncio.run(go())


def test_a_host_that_rests_is_left_alone_whatever_its_delay() -> None:
    async def request() -> Answer:
        return Answer("http://h/", 200)

    async def go() -> None:
        pace = Pace(PaceSettings(delay=0, backoff=0.2), alone=False)
        pace.rest("h", Answer("http://h/", 503))
        begun = time.monotonic()
        await asyncio.gather(*(pace.send("h", request) for _ in range(3)))
        assert time.monotonic() - begun >= 0.2

    asyncio.run(go())


def test_crawl_delay_is_kept_from_the_first_page_on() -> None:
    served = Served({"http://a.test/robots.txt": text("User-agent: *\nCrawl-delay: 0.3"), PAGE: page()})
    [got] = paced(served, [PAGE], PaceSettings(delay=0.01, slowness=0), False)
    assert served.gaps()["a.test"][0] >= 0.3
    assert got.delay == 0.3


def test_crawl_delay_has_a_limit_and_never_makes_faster() -> None:
    served = Served(lambda url: text("User-agent: *\nCrawl-delay: " + ("900" if "//a." in url else "0.001")))
    pages = paced(served, [PAGE, "http://b.test/x"], PaceSettings(delay=0.02, max_delay=0.1, slowness=0), False)
    assert pages[0].delay == 0.1
    assert served.gaps()["a.test"][0] >= 0.1
    assert served.gaps()["b.test"][0] >= 0.02


def test_a_long_delay_is_waited_for_in_the_frontier() -> None:
    served = Served({ROBOTS: text("User-agent: *\nCrawl-delay: 30"), PAGE: page()})
    [got] = paced(served, [PAGE], PaceSettings(delay=0.01), False)
    assert (got.refused, served.urls) == (True, [ROBOTS])
    assert 25 < got.rest <= 30


def test_an_offer_that_is_put_off_was_not_tried() -> None:
    served = Served({ROBOTS: text("User-agent: *\nCrawl-delay: 0.2"), PAGE: page()})

    async def go() -> list[Page]:
        async with serving(served):
            fetcher = live(served, Manners(pace=PaceSettings(delay=0.01)))
            try:
                return [await fetcher.fetch(Offer(Link(PAGE)))]
            finally:
                await fetcher.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("opilio.fetchers.live.PATIENCE", 0.05)
        assert [(page.refused, page.later) for page in asyncio.run(go())] == [(True, True)]
    frontier = MemoryFrontier(lambda lane: Weight())
    frontier.offer([Offer(Link(PAGE))])
    for later in (True, False):
        (lease,) = frontier.take(1)
        frontier.give_back(lease, tried=not later)
        assert lease.offer.tries == 0
    assert frontier.take(1)[0].offer.tries == 1


def test_slow_hosts_are_asked_less_often() -> None:
    def slow(url: str) -> tuple[int, dict[str, str], bytes]:
        time.sleep(0.1 if url == PAGE else 0)
        return page()

    served = Served(slow)
    pages = paced(served, [PAGE, "http://a.test/y"], PaceSettings(delay=0.01, slowness=3), False)
    assert pages[0].delay is not None
    assert pages[0].delay >= 0.3
    assert served.gaps()["a.test"][-1] >= 0.3


def test_after_a_restart_every_host_counts_as_just_visited() -> None:
    served = Served(lambda url: page())
    begun = time.monotonic()
    paced(served, [PAGE], PaceSettings(delay=0.2, slowness=0), False, resumed=True)
    assert served.asked[0][0] - begun >= 0.2


def memory() -> Frontier:
    return MemoryFrontier(lambda lane: Weight(), alone=True)


def disk() -> Frontier:
    return DiskFrontier(sqlite3.connect(":memory:"), lambda lane: Weight(), alone=True)


@pytest.mark.parametrize("make", [memory, disk])
def test_one_visit_to_a_host_at_a_time(make: Callable[[], Frontier]) -> None:
    frontier = make()
    frontier.offer([Offer(Link(f"http://{host}.test/{n}")) for host in "ab" for n in range(3)])
    first = frontier.take(10, now=1)
    assert {lease.offer.link.url[7] for lease in first} == {"a", "b"}
    assert len(first) == 2
    assert frontier.take(10, now=1000) == []
    assert frontier.ready(1000) is None
    frontier.rest("a.test", 2000)
    for lease in first:
        frontier.settle(lease)
    [again] = frontier.take(10, now=1001)
    assert "b.test" in again.offer.link.url
    frontier.give_back(again)
    assert frontier.ready(1002) == 1002
    assert len(frontier.take(10, now=2000)) == 2


# What pages ask for


@pytest.mark.parametrize(
    ("lines", "directives"),
    [
        (["noindex, nofollow"], {"noindex", "nofollow"}),
        (["NoIndex"], {"noindex"}),
        (["none"], {"none", "noindex", "nofollow"}),
        (["opilio: nofollow"], {"nofollow"}),
        (["googlebot: nofollow, noindex"], set()),
        (["googlebot: nofollow, opilio: noindex, noai"], {"noindex", "noai"}),
        (["googlebot: nofollow", "noindex"], {"noindex"}),
        (["unavailable_after: 25 Jun 2030 15:00:00 PST"], {"unavailable_after: 25 jun 2030 15:00:00 pst"}),
        (["max-snippet:5, noarchive"], {"max-snippet:5", "noarchive"}),
        (["", ", ,"], set()),
    ],
)
def test_x_robots_tag(lines: list[str], directives: set[str]) -> None:
    head = "HTTP/1.1 200 OK\r\n" + "".join(f"X-Robots-Tag: {line}\r\n" for line in lines) + "\r\n"
    wire = Wire(b"", head.encode(), b"", 0.0)
    assert header_directives({"x-robots-tag": ", ".join(lines)}, wire) == directives


LINKS = '<a href="/1">one</a> <a href="/2" rel="nofollow ugc">two</a>'


def links(body: str, obey: str = "nofollow", **headers: str) -> list[str]:
    [got], _ = fetched({PAGE: page(body, **headers)}, PAGE, manners=Manners(frozenset(obey.split()), pace=QUICK))
    return [link.url.removeprefix("http://a.test") for link in got.links]


def test_links_that_are_not_to_be_followed_are_not() -> None:
    assert links(LINKS) == ["/1"]
    assert links(LINKS, obey="") == ["/1", "/2"]


@pytest.mark.parametrize("name", ["robots", "ROBOTS", "opilio"])
def test_meta_nofollow(name: str) -> None:
    assert links(f'<meta name="{name}" content="index, NOFOLLOW">{LINKS}') == []
    assert links(f'<meta name="{name}" content="nofollow">{LINKS}', obey="") == ["/1", "/2"]


def test_header_nofollow() -> None:
    assert links(LINKS, X_Robots_Tag="nofollow") == []
    assert links(LINKS, X_Robots_Tag="otherbot: nofollow") == ["/1"]


def test_the_canonical_url_is_offered() -> None:
    assert links('<link rel="canonical" href="/home">' + LINKS) == ["/1", "/home"]
    assert links('<link rel="canonical" href="/x">' + LINKS) == ["/1"]


@pytest.mark.parametrize(
    ("said", "directive"),
    [
        (page("", TDM_Reservation="1"), "tdm-reservation"),
        (page('<meta name="tdm-reservation" content="1">'), "tdm-reservation"),
        (page('<meta name="robots" content="noai, noimageai">'), "noai"),
        (page("", X_Robots_Tag="noai"), "noai"),
        (page("", TDM_Reservation="0"), ""),
    ],
)
def test_reservations_are_noted_and_obeyed_if_wanted(said: tuple[int, dict[str, str], bytes], directive: str) -> None:
    for obey in ("", "tdm noai"):
        [got], _ = fetched({PAGE: said}, PAGE, manners=Manners(frozenset(obey.split()), pace=QUICK))
        assert bool(got.directives)
        obeyed = bool(obey and directive)
        assert got.error == (f"reserved: {directive}" if obeyed else "")
        assert (got.document is None, got.stored, got.body == b"") == (obeyed, not obeyed, obeyed)


def test_noarchive() -> None:
    [got], _ = fetched({PAGE: page("text", X_Robots_Tag="noarchive")}, PAGE)
    assert (got.stored, got.text) == (False, "text")


# Sitemaps

SITEMAP = """<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://a.test/new?a=1&amp;b=2</loc><news:news><news:title><![CDATA[Bees & honey]]></news:title></news:news></url>
<url><image:image><image:loc>http://a.test/i.png</image:loc></image:image><loc> http://a.test/old </loc></url></urlset>"""


def test_sitemaps_of_robots_are_links_of_the_first_page() -> None:
    named = text("User-agent: *\nDisallow:\nSitemap: /s.xml\nSitemap: http://b.test/t.xml.gz\nSitemap: mailto:x")
    pages = {ROBOTS: named, PAGE: page(), "http://a.test/y": page()}
    [first, second], _ = fetched(pages, PAGE, "http://a.test/y")
    assert [(link.url, link.rel) for link in first.links] == [
        ("http://a.test/s.xml", ("sitemap",)),
        ("http://b.test/t.xml.gz", ("sitemap",)),
    ]
    assert second.links == ()
    [alone], _ = fetched(pages, PAGE, manners=Manners(sitemaps=False, pace=QUICK))
    assert alone.links == ()


def test_the_links_of_a_sitemap_are_its_entries() -> None:
    entries = Sitemap(SITEMAP.encode(), "http://a.test/s.xml").links
    assert [(link.url, link.anchor, link.rel) for link in entries] == [
        ("http://a.test/new?a=1&b=2", "Bees & honey", ()),
        ("http://a.test/old", "", ()),
    ]
    assert "honey" in entries[0].context


def test_an_index_leads_to_sitemaps() -> None:
    index = "<sitemapindex><sitemap><loc>/a.xml</loc></sitemap><sitemap><loc>/b.xml</loc><lastmod>x</lastmod></sitemap>"
    assert [(link.url, link.rel) for link in Sitemap(index.encode(), PAGE).links] == [
        ("http://a.test/a.xml", ("sitemap",)),
        ("http://a.test/b.xml", ("sitemap",)),
    ]


@pytest.mark.parametrize(
    "body", [b"", b"<", b"\x1f\x8b broken", b"<urlset><url><loc>", b"\xff\xfe<\x00", b"<url>" * 10_000]
)
def test_broken_sitemaps(body: bytes) -> None:
    assert len(Sitemap(body, PAGE).links) == 0


@pytest.mark.skipif(not SUITE.is_dir(), reason=f"needs {SUITE}")
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("atom.xml", 1),
        ("sitemap.txt", 2),
        ("sitemap-with-bom.txt", 2),
        ("sitemap.txt.gz", 5),
        ("sitemap.ns.xml", 2),
        ("sitemap.badns.xml", 2),
        ("xmlSitemap.gz", 5),
        ("sitemap.index.xml", 15),
        ("extension/sitemap-news.xml", 2),
        ("extension/sitemap-images.xml", 1),
        ("extension/sitemap-links.xml", 3),
        ("extension/sitemap-videos.xml", 3),
    ],
)
def test_sitemaps_of_others(name: str, count: int) -> None:
    assert len(Sitemap((SUITE / name).read_bytes(), "http://www.example.com/s").links) == count


# Whole crawls


def config(served: Served, seeds: list[str], most: int, **settings: object) -> Config:
    quick = {"delay": 0.05, "strategy": "breadth-first", "batch": 20}
    return Config.model_validate(
        {**quick, "fetch_to": f"127.0.0.1:{served.port}", "seeds": seeds, "max_pages": most, **settings}
    )


def crawled(folder: Path, served: Served, seeds: list[str], *limits: int, **settings: object) -> list[str]:
    """Why each of several runs on one folder stopped; the server lives in a thread of its own."""
    loop = asyncio.new_event_loop()
    ready, why = asyncio.Event(), []

    async def hold() -> None:
        async with serving(served):
            ready.set()
            await asyncio.Event().wait()

    thread = Thread(target=lambda: _until_stopped(loop, hold))
    thread.start()
    try:
        while not ready.is_set():
            time.sleep(0.005)
        for limit in limits:
            run = Run(folder, config(served, seeds, limit, **settings))
            try:
                why.append(run.go())
            finally:
                run.close()
    finally:
        loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(loop)])
        thread.join()
    return why


def _until_stopped(loop: asyncio.AbstractEventLoop, what: Callable[[], object]) -> None:
    try:
        loop.run_until_complete(what())  # type: ignore[arg-type]
    except asyncio.CancelledError:
        pass
    finally:
        loop.close()


def many(url: str) -> tuple[int, dict[str, str], bytes]:
    """Ten hosts whose pages link to each other; each forbids a part."""
    path = url.partition(".test")[2]
    if path == "/robots.txt":
        return text("User-agent: *\nDisallow: /no")
    number = int(path.removeprefix("/").removeprefix("no/") or 0)
    more = [f'<a href="http://h{n % 10}.test/{n}">x</a>' for n in range(2 * number, 2 * number + 40)]
    return page(" ".join(more) + f' <a href="/no/{number}">no</a>')


def test_300_fetches_on_ten_hosts_with_restarts_between(tmp_path: Path) -> None:
    served = Served(many)
    assert crawled(tmp_path / "run", served, ["http://h0.test/0"], 100, 200, 300) == [
        "page limit: 100",
        "page limit: 200",
        "page limit: 300",
    ]
    gaps = served.gaps()
    assert sum(map(len, gaps.values())) == 300  # and a robots.txt for each of the ten
    assert min(min(some) for some in gaps.values()) >= 0.05
    assert len(gaps) == 10
    assert sum(url.endswith("robots.txt") for url in served.urls) == 10
    assert not any("/no/" in url for url in served.urls)
    with closing(reading(tmp_path / "run")) as db:
        reasons = {reason for (reason,) in db.execute("SELECT DISTINCT reason FROM refusals")}
    assert reasons == {"robots: line 2: Disallow: /no"}


def test_a_tired_host_is_left_alone_and_then_tried_again(tmp_path: Path) -> None:
    def tired(url: str) -> tuple[int, dict[str, str], bytes]:
        if url.endswith("/robots.txt"):
            return MISSING
        if url == PAGE and served.urls.count(PAGE) < 3:
            return (429, {"Retry-After": "1"}, b"")
        return page('<a href="/y">y</a>' if url == PAGE else "")

    served = Served(tired)
    why = crawled(tmp_path / "run", served, [PAGE], 100)
    assert why == ["nothing left to fetch"]
    times = [when for when, url in served.asked if url == PAGE]
    assert [b - a >= 1 for a, b in pairwise(times)] == [True, True]
    assert served.urls[-1] == "http://a.test/y"


def test_sitemaps_are_crawled(tmp_path: Path) -> None:
    answers = {
        ROBOTS: text("Sitemap: /s.xml"),
        PAGE: page(),
        "http://a.test/s.xml": (200, {"Content-Type": "text/xml"}, SITEMAP.encode()),
        "http://a.test/old": page(),
    }
    served = Served(answers)
    crawled(tmp_path / "run", served, [PAGE], 100)
    assert sorted(served.urls) == sorted([ROBOTS, PAGE, *list(answers)[2:], "http://a.test/new?a=1&b=2"])


def test_nothing_is_asked_for_twice_because_a_topic_is_learned(tmp_path: Path) -> None:
    served = Served({PAGE: page('bees and honey <a href="/y">y</a>'), "http://a.test/y": page("honey")})
    words = {"topic": "honey", "examples": ["http://a.test/y"], "model": "words"}
    crawled(tmp_path / "run", served, [PAGE], 1, 100, **words)
    assert sorted(served.urls[:3]) == sorted([ROBOTS, PAGE, "http://a.test/y"])
    assert served.urls.count(PAGE) == 1
    assert stored(tmp_path / "run") == [(PAGE, 200), ("http://a.test/y", 200)]


def test_directives_are_kept_with_the_run(tmp_path: Path) -> None:
    said = page('<meta name="robots" content="noindex">', X_Robots_Tag="noarchive")
    crawled(tmp_path / "run", Served({PAGE: said}), [PAGE], 100)
    with closing(reading(tmp_path / "run")) as db:
        assert db.execute("SELECT * FROM directives").fetchall() == [(PAGE, "noarchive, noindex")]
        assert db.execute("SELECT status, file FROM pages").fetchall() == [(200, None)]
    assert "  its robots directives: noarchive, noindex" in story(tmp_path / "run", PAGE)["lines"]


@pytest.mark.slow
def test_a_live_crawl_that_was_interrupted_stores_the_same_pages(tmp_path: Path) -> None:
    web = Web(500, 4)
    served = Served(lambda url: tuple(web.answer(url)))  # type: ignore[arg-type,return-value]
    seeds = web.seeds("beekeeping")[:3]
    settings: dict[str, object] = {"delay": 0.001, "topic": "beekeeping", "model": "words", "strategy": "best-first"}
    settings["exclude"] = [host(url) for url in web.urls() if "/calendar/" in url][:1]  # it has no end
    whole = crawled(tmp_path / "whole", served, seeds, 3000, **settings)
    broken = crawled(tmp_path / "broken", served, seeds, 40, 41, 120, 3000, **settings)
    assert whole == broken[-1:] == ["nothing left to fetch"]
    assert broken[:-1] == ["page limit: 40", "page limit: 41", "page limit: 120"]
    first, second = (stored(tmp_path / name) for name in ("whole", "broken"))
    assert sorted(first) == sorted(second)
    assert len(set(first)) == len(first) > 200


def stored(folder: Path) -> list[tuple[str, int]]:
    with closing(reading(folder)) as db:
        return db.execute("SELECT url, status FROM pages").fetchall()


# Pages that were stored before


class Tagged(BaseHTTPRequestHandler):
    """Seven pages that link to each other, each with a tag by which it is asked for again."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        links = "".join(f'<a href="/{n}">bees and hives</a>' for n in range(7))
        body = b"" if self.path == "/robots.txt" else f"<title>{self.path}</title>bees {links}".encode()
        same = self.headers.get("If-None-Match") == f'"{self.path}"'
        self.send_response(304 if same else 200)
        self.send_header("ETag", f'"{self.path}"')
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "0" if same else str(len(body)))
        self.end_headers()
        if not same:
            self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Tests are quiet."""


def test_a_page_that_did_not_change_is_not_sent_again(tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Tagged)
    Thread(target=server.serve_forever, daemon=True).start()
    settings = {"topic": "bees", "strategy": "otie(recrawl=3)", "max_pages": 12, "delay": 0}
    place = {"fetch_to": f"127.0.0.1:{server.server_port}"}
    run = Run(tmp_path / "run", Config.model_validate({"seeds": ["http://a.test/0"], **settings, **place}))
    try:
        run.go()
    finally:
        run.close()
        server.shutdown()
        server.server_close()
    with closing(reading(tmp_path / "run")) as db:
        again = db.execute("SELECT error, title, relevance FROM pages WHERE status = 304").fetchall()
        revisits = db.execute("SELECT count(*) FROM revisits").fetchone()[0]
    assert again
    assert all(error == "" and title and relevance is not None for error, title, relevance in again)
    assert revisits == len(again)
