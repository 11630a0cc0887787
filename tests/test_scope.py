"""What a crawl may have at all: every limit has its reason, and costs nothing where there is none."""

from __future__ import annotations

import asyncio
import json
import math
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as some
from typer.testing import CliRunner

from opilio.batch import Many
from opilio.batch import many as offers
from opilio.cli.commands import app
from opilio.codec import pack, unpack
from opilio.config import Config
from opilio.engine.run import Run
from opilio.errors import ConfigError
from opilio.fetchers.replay import Recorded, Replay
from opilio.fetchers.to_page import answered
from opilio.frontier.deferred import in_original_lane
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.frontier.memory import MemoryFrontier
from opilio.loop import Limits, crawl
from opilio.nouns import DEFERRED, PARK, Fetcher, Frontier, Keep, Lane, Link, Offer, Page, Say, Weight
from opilio.report.explain import story
from opilio.report.summary import summary
from opilio.scope import Scope
from opilio.scope.bounds import Bounds
from opilio.scope.new_hosts import NewHosts, why_left_out
from opilio.scope.traps import Traps, shape
from opilio.shard import Shard
from opilio.shard.saved_state import learned, restore
from opilio.store.memory import MemoryStore
from opilio.store.run import RunStore
from opilio.strategies.breadth_first import BreadthFirst
from opilio.urls import canonical

NESTED = "http://a.test/x/y/x/y/x/y/x/y/"


@pytest.mark.parametrize(
    ("bounds", "url", "reason"),
    [
        (Bounds(), NESTED + "x" * 3000, ""),
        (Bounds(hosts=("a.test",)), "http://a.test/", ""),
        (Bounds(hosts=("a.test",)), "http://www.a.test/", ""),
        (Bounds(hosts=("A.test",)), "http://a.test:8080/", ""),
        (Bounds(hosts=("a.test", "b.test")), "http://b.test/", ""),
        (Bounds(hosts=("a.test",)), "http://aa.test/", "scope: aa.test is not among hosts"),
        (Bounds(hosts=("www.a.test",)), "http://a.test/", "scope: a.test is not among hosts"),
        (Bounds(exclude=("a.test",)), "http://x.a.test/", "scope: exclude has a.test"),
        (Bounds(hosts=("a.test",), exclude=("b.a.test",)), "http://b.a.test/", "scope: exclude has b.a.test"),
        (Bounds(hosts=("a.test",), exclude=("b.a.test",)), "http://c.a.test/", ""),
        (Bounds(hosts=("[::1]",)), "http://[::1]/", ""),
        (Bounds(patterns=("http://a.test/blog/*",)), "http://a.test/blog/1", ""),
        (Bounds(patterns=("http://a.test/blog/*",)), "http://a.test/blog", "scope: it is like none of patterns"),
        (Bounds(patterns=("*/blog/*", "*.html")), "https://b.test/x.html", ""),
        (Bounds(patterns=("*/x.y",)), "http://a.test/xzy", "scope: it is like none of patterns"),
        (Bounds(exclude=("*?*print=1*",)), "http://a.test/?print=1", "scope: it is like a pattern of exclude"),
        (Bounds(exclude=("*?*print=1*",)), "http://a.test/print=1", ""),
        (Bounds(max_url_length=30), "http://a.test/" + "x" * 16, ""),
        (Bounds(max_url_length=30), "http://a.test/" + "x" * 17, "trap: longer than 30 characters"),
        (Bounds(max_path_parts=3), "http://a.test/1/2/3", ""),
        (Bounds(max_path_parts=3), "http://a.test/1/2/3/4", "trap: more than 3 parts in its path"),
        (Bounds(max_repeats=3), NESTED, "trap: a part occurs more than 3 times"),
        (Bounds(max_repeats=4), NESTED, ""),
        (Bounds(max_repeats=3), "http://a.test/2011/11/11/11/11/11/", ""),
        (
            Bounds(max_repeats=3),
            "http://a.test/a?x=1&x=1&x=1&x=1",
            "trap: a part occurs more than 3 times",
        ),
        (Bounds(max_repeats=3), "http://a.test/a?x=1&x=2&x=3&x=4", ""),
    ],
)
def test_reason(bounds: Bounds, url: str, reason: str) -> None:
    assert canonical(url) == url
    assert bounds.reason(url) == reason


@given(some.lists(some.text("/ab?&=1.", max_size=30), max_size=3))
def test_no_url_raises_and_open_bounds_keep_nothing_out(tails: list[str]) -> None:
    tight = Bounds(("a.test",), ("*a*",), ("b.test", "*b*"), (), 1, 20, 2, 1)
    for tail in tails:
        url = canonical("http://a.test/" + tail)
        tight.reason(url)
        assert Bounds().reason(url) == ""


def test_says_that_are_no_offers_pass() -> None:
    scope = Scope(Bounds(hosts=("a.test",)))
    says: list[Say] = [Keep((1,)), Offer(Link("http://b.test/")), Offer(Link("http://a.test/"))]
    assert scope.keep(says) == [says[0], says[2]]
    assert scope.refused_ == {"scope: not among hosts": 1}


def test_without_bounds_no_url_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bounds, "reason", None)
    says = [Offer(Link("http://b.test/"))]
    assert Scope(Bounds(languages=("en",), max_per_site=3)).keep(iter(says)) == says


# In crawls


def web(hosts: Sequence[str], pages: int) -> Replay:
    """Every page links to the next ones of its host, and to the first of each other host."""
    answers = {}
    for host in hosts:
        for n in range(pages):
            urls = [f"http://{host}/{n + 1}", f"http://{host}/{n + 2}", *(f"http://{other}/0" for other in hosts)]
            body = "".join(f'<a href="{url}">x</a>' for url in urls)
            lang = "de" if host == "de.test" else "en"
            html = f'<html lang="{lang}"><body>{body}</body></html>'.encode()
            answers[f"http://{host}/{n}"] = Recorded(200, {"content-type": "text/html"}, html)
    return Replay(answers.get)


def visited(fetcher: Replay, bounds: Bounds, *seeds: str) -> list[str]:
    strategy, store = BreadthFirst(), MemoryStore()
    frontier = MemoryFrontier(strategy.weigh, strategy.merge)
    shard = Shard(strategy, frontier, fetcher, store, scope=Scope(bounds), batch=7)
    shard.start(seeds or ["http://a.test/0"])
    asyncio.run(crawl([shard], Limits(pages=500)))
    return [visit.url for visit in store.visits]


def test_hosts_are_left_out() -> None:
    assert {url[:13] for url in visited(web(["a.test", "b.test"], 5), Bounds(exclude=("b.test",)))} == {"http://a.test"}


def test_max_per_site() -> None:
    urls = visited(web(["x.a.test", "y.a.test", "b.test"], 30), Bounds(max_per_site=10), "http://x.a.test/0")
    assert sum("a.test" in url for url in urls) == 10  # one site, two hosts
    assert sum("b.test" in url for url in urls) == 10


def test_max_per_site_counts_across_restarts(tmp_path: Path) -> None:
    fetcher = web(["a.test", "b.test"], 30)
    for most in (5, 12, 500):
        strategy, store = BreadthFirst(), RunStore(tmp_path)
        frontier = DiskFrontier(store.db, strategy.weigh, strategy.merge)
        shard = Shard(strategy, frontier, fetcher, store, scope=Scope(Bounds(max_per_site=10)), batch=3)
        shard.start(["http://a.test/0"])
        asyncio.run(crawl([shard], Limits(pages=most)))
        shard.commit()
        pages = store.pages
        refused = dict(store.db.execute("SELECT reason, count(*) FROM refusals GROUP BY reason").fetchall())
        store.close()
    assert pages == 20
    assert set(refused) == {f"scope: {host}.test has had its max_per_site = 10" for host in "ab"}


def test_pages_in_other_languages_offer_nothing() -> None:
    urls = visited(web(["a.test", "de.test"], 5), Bounds(languages=("en",)))
    assert [url for url in urls if "de.test" in url] == ["http://de.test/0"]
    assert "http://a.test/4" in urls


def test_counts_of_refusals_are_saved(tmp_path: Path) -> None:
    for _ in range(2):
        strategy, store = BreadthFirst(), RunStore(tmp_path)
        frontier = DiskFrontier(store.db, strategy.weigh, strategy.merge)
        scope = Scope(Bounds(exclude=("b.test",)))
        shard = Shard(strategy, frontier, web(["a.test", "b.test"], 3), store, scope=scope, batch=3)
        shard.start(["http://a.test/0"])
        asyncio.run(crawl([shard], Limits(pages=100)))
        store.close()
        assert shard.scope.refused_ == {"scope: exclude has b.test": 3}


def test_a_redirect_out_of_scope_is_not_followed() -> None:
    answers = {"http://a.test/0": Recorded(301, {"location": "http://b.test/"}, b"")}
    assert visited(Replay(answers.get), Bounds(hosts=("a.test",))) == ["http://a.test/0"]


def test_a_seed_out_of_scope_is_a_mistake(tmp_path: Path) -> None:
    config = Config(seeds=["http://a.test/"], exclude=["a.test"])
    with pytest.raises(ConfigError, match=r"seed http://a.test/: it is out of scope \(scope: exclude has a.test\)"):
        Run(tmp_path / "run", config, web([], 0))
    assert not (tmp_path / "run").exists()


def test_explain_says_why(tmp_path: Path) -> None:
    config = Config(seeds=["http://a.test/0"], exclude=["b.test"], strategy="breadth-first", corpus="none")
    run = Run(tmp_path / "run", config, web(["a.test", "b.test"], 3))
    run.go()
    run.close()
    told = CliRunner().invoke(app, ["explain", str(tmp_path / "run"), "http://b.test/0"])
    assert "scope: exclude has b.test" in " ".join(told.stdout.split())


def test_may() -> None:
    urls = ["http://b.test/", "http://10.0.0.1/", "ftp://a.test/", "http://a.test:25/", "nonsense", NESTED]
    done = CliRunner().invoke(app, ["may", *urls, "-s", 'exclude=["b.test"]'])
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["url"] for line in told] == urls
    assert not any(line["may"] for line in told)
    starts = [
        "scope: exclude",
        "refused address",
        "refused scheme ftp",
        "refused port 25",
        "refused: no http",
        "trap: a part",
    ]
    assert [line["reason"].startswith(start) for line, start in zip(told, starts, strict=True)] == [True] * 6


# Traps


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://a.test/", ""),
        ("http://a.test/about/us.html", ""),
        ("http://a.test/cal/2024/05", "a.test/cal/#/#"),
        ("http://w12.a.test/", "w#.a.test/"),
        ("http://a.test/x?b=1&a=2&a=3", "a.test/x?a&b"),
        ("http://a.test/s/4f9a0b1c2d3e4f5a6b7c/x", "a.test/s/*/x"),
        ("http://a.test/internationalisation", ""),
    ],
)
def test_shape(url: str, kind: str) -> None:
    assert shape(url) == kind


def test_a_shape_that_brings_nothing_is_left() -> None:
    traps = Traps(10)
    for n in range(10):
        assert traps.reason(f"http://a.test/cal/{n}") == ""
        traps.saw(f"http://a.test/cal/{n}", "", news=False)
    assert traps.reason("http://a.test/cal/11") == "trap: 10 pages like a.test/cal/# brought too little new"
    assert traps.reason("http://a.test/news/11") == ""
    traps.saw("http://a.test/x", "http://a.test/cal/3", news=True)  # it led to something after all
    assert traps.reason("http://a.test/cal/11") == ""


def test_a_site_that_brings_nothing_is_left() -> None:
    traps = Traps(10)
    for n in range(50):
        traps.saw(f"http://a.test/{'x' * n}", "", news=False)
    assert traps.reason("http://www.a.test/y") == "trap: 50 pages of a.test brought too little new"
    assert traps.reason("http://b.test/y") == ""


def endless(same: bool) -> Replay:
    """A calendar, and a site with as many pages whose words are their own."""

    def find(url: str) -> Recorded:
        host, number = url.split("/")[2], int(url.rpartition("/")[2])
        words = "nothing on that day" if same or host == "a.test" else " ".join(["word" + "x" * number])
        more = f'<a href="/{number + 1}">x</a> <a href="/{number + 2}">x</a>'
        return Recorded(
            200, {"content-type": "text/html"}, f"<html><body>{words} {number} {more}</body></html>".encode()
        )

    return Replay(find)


def test_without_a_topic_new_words_are_news() -> None:
    urls = visited(endless(same=False), Bounds(max_barren=20), "http://a.test/0", "http://b.test/0")
    assert sum("a.test" in url for url in urls) == pytest.approx(20 + 100, abs=7)  # the first page was news
    assert len(urls) == 500


def test_with_a_topic_relevant_pages_are() -> None:
    scope, offer = Scope(Bounds(max_barren=2)), Offer(Link("http://a.test/1"))
    for relevance in (0.1, 0.2):
        scope.saw(Page(offer, "http://a.test/1", 200), relevance, None)
    assert scope.full("http://a.test/2").startswith("trap: 2 pages like a.test/#")
    scope.saw(Page(offer, "http://a.test/1", 200), 0.9, None)
    assert scope.full("http://a.test/2") == ""


def test_redirects_to_elsewhere_are_judged_by_where_they_lead() -> None:
    scope, offer = Scope(Bounds(max_barren=2)), Offer(Link("http://a.test/1"))
    for _ in range(5):
        scope.saw(Page(offer, "http://a.test/1", 302, location="http://b.test/"), None, lambda key: True)
    assert scope.full("http://a.test/2") == ""
    for n in range(2):
        scope.saw(Page(offer, "http://a.test/1", 302, location=f"http://a.test/{n}"), None, lambda key: True)
    assert scope.full("http://a.test/2") != ""


def test_a_shape_that_brings_little_falls_behind_before_it_is_left() -> None:
    traps = Traps(40)
    for n in range(10):
        assert not traps.defers("http://a.test/cal/99")
        traps.saw(f"http://a.test/cal/{n}", "", news=False)
    assert traps.defers("http://a.test/cal/99")
    assert not traps.defers("http://a.test/about")
    assert traps.reason("http://a.test/cal/99") == ""
    for n in range(40):
        traps.saw(f"http://b.test/{'x' * n}", "", news=False)
        assert traps.defers("http://b.test/y") == (n >= 49)
    for n in range(40, 50):
        traps.saw(f"http://b.test/{'x' * n}", "", news=False)
    assert traps.defers("http://b.test/y")
    traps.saw("http://b.test/z", "", news=True)
    assert not traps.defers("http://b.test/y")


def test_healthy_hosts_do_not_starve() -> None:
    """A site of 300 pages beside a trap that would take every second fetch, and more as it grows."""
    bounds = Bounds(
        max_barren=80
    )  # behind after 20, left after 80, and a hundred more for the first page, which was news
    urls = visited(healthy_and_trap(300), bounds, "http://trap.test/0", "http://well.test/0")
    done = max(place for place, url in enumerate(urls) if "well.test" in url)
    assert sum("well.test" in url for url in urls) == 300
    spent = sum("trap.test" in url for url in urls[:done])
    assert 120 <= spent <= 120 + 5 * (done // 50 + 2)  # then five for each fifty pages
    assert 180 <= sum("trap.test" in url for url in urls) <= 190  # the rest comes when there is nothing else
    free = visited(healthy_and_trap(300), Bounds(), "http://trap.test/0", "http://well.test/0")
    assert sum("trap.test" in url for url in free) > 200


def healthy_and_trap(size: int) -> Replay:
    def find(url: str) -> Recorded:
        host, number = url.split("/")[2], int(url.rpartition("/")[2])
        if host == "trap.test":
            words, below = "nothing on that day", [f"/{10 * number + n}" for n in range(1, 5)]
        else:
            words, below = "word" + "x" * number, [f"/{n}" for n in (number + 1, number + 2) if n < size]
        body = " ".join([words, *(f'<a href="{link}">x</a>' for link in below)])
        return Recorded(200, {"content-type": "text/html"}, f"<html><body>{body}</body></html>".encode())

    return Replay(find)


def test_where_nothing_is_barren_the_order_is_that_of_the_strategy() -> None:
    wide = Bounds(max_barren=200)
    assert visited(web(["a.test", "b.test"], 30), wide) == visited(web(["a.test", "b.test"], 30), Bounds())


@pytest.mark.parametrize("merge", ["max", "sum"])
@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_offers_that_fall_behind_come_last_and_as_they_were(merge: Literal["max", "sum"], kind: str) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        made: Frontier = (
            MemoryFrontier(lambda lane: Weight(), merge)
            if kind == "memory"
            else DiskFrontier(db, lambda lane: Weight(), merge)
        )
        trap = [Offer(Link(f"http://t.test/{n}"), 9.0 + n, ("x", "y"), (1, "z")) for n in range(8)]
        made.offer([*trap, *(Offer(Link(f"http://w.test/{n}"), 1.0 + n) for n in range(3))])

        def take(most: int) -> list[Offer]:
            leases = made.take(most, 0.0, lambda url: "t.test" in url)
            for lease in leases:
                made.settle(lease)
            return [in_original_lane(lease.offer) for lease in leases]

        assert [offer.link.url for offer in take(4)][:3] == [f"http://w.test/{n}" for n in (2, 1, 0)]
        assert len(made) == 7  # the fourth was the best of the others
        assert take(20) == trap[6:2:-1]  # five at a time
        assert (take(20), made.ready(0.0)) == ([], None)
        made.reweigh(DEFERRED)
        assert take(20) == trap[2::-1]
        assert len(made) == 0


def test_what_fell_behind_comes_back() -> None:
    """When it is promising again; and it does not slip past a lane that was parked meanwhile."""
    parked: set[Lane] = set()
    frontier = MemoryFrontier(lambda lane: PARK if lane in parked else Weight())
    frontier.offer(Offer(Link(f"http://{name}.test/"), 1.0, (name,)) for name in "ab")
    assert [lease.offer.lane for lease in frontier.take(1, 0.0, lambda url: True)] == [DEFERRED]
    (lane,) = [state.lane for state in frontier.lanes() if state.lane == DEFERRED and state.open == 1]
    frontier.reweigh(lane)
    (back,) = frontier.take(1, 0.0, lambda url: False)
    assert back.offer == in_original_lane(back.offer)
    frontier.offer([Offer(Link("http://c.test/"), 1.0, ("c",))])
    frontier.offer([Offer(Link("http://d.test/"), 2.0, ("d",))])
    assert len(frontier.take(1, 0.0, lambda url: True)) == 1  # one of the two, and the other is behind
    parked |= {("c",), ("d",)}
    frontier.reweigh()
    assert frontier.take(1, 0.0, lambda url: True) == []
    parked.clear()
    frontier.reweigh()
    assert len(frontier.take(1, 0.0, lambda url: True)) == 1


def test_a_page_and_a_site_bring_so_many_new_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opilio.scope.new_hosts.MOST_OF_PAGE", 20)
    monkeypatch.setattr("opilio.scope.new_hosts.MOST_OF_SITE", 50)

    def find(url: str) -> Recorded:
        own, number = "a.test" in url, url.rpartition("/")[2]
        links = [f"http://h{number}-{n}.b.test/" for n in range(30)] if own else []
        body = "".join(f'<a href="{link}">x</a>' for link in [f"/{int(number or 0) + 1}", *links])
        return Recorded(200, {"content-type": "text/html"}, body.encode())

    scope, strategy = Scope(), BreadthFirst()
    frontier, store = MemoryFrontier(strategy.weigh, strategy.merge), MemoryStore()
    shard = Shard(strategy, frontier, Replay(find), store, scope=scope)
    shard.start(["http://a.test/0"])
    asyncio.run(crawl([shard], Limits(pages=200)))
    hosts = {visit.url.split("/")[2] for visit in store.visits} - {"a.test"}
    assert len(hosts) == 50
    assert scope.refused_["hosts: a page brought more than 20 new ones"] == 20
    assert scope.refused_["hosts: a.test brought more than 50 new ones"] > 100
    many = Scope()
    links = [Link(f"http://h{n}.b.test/", "http://a.test/") for n in range(30)]
    (kept,) = many.keep([offers(Offer, links, 1.0)])
    assert isinstance(kept, Many)
    assert [offer.link.url for offer in kept] == [link.url for link in links[:20]]


class Choosy(BreadthFirst):
    """Breadth first, without one link of one page."""

    def observe(self, page: Page) -> Iterable[Say]:
        return [Offer(link) for link in page.links if link.url != "http://h3.b3.test/"]


def test_what_is_noted_of_links_beyond_a_limit_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opilio.scope.new_hosts.MOST_OF_PAGE", 0)
    monkeypatch.setattr("opilio.scope.new_hosts.NOTED", 10)
    hosts, urls = NewHosts(), [f"http://h{n}.b.test/" for n in range(30)]
    for _ in range(2):
        reasons = [hosts.reason(url, "http://a.test/") for url in urls]
    again = NewHosts()
    restore(again, unpack(pack(learned(hosts))))
    again.reason("http://new.test/", "http://a.test/")
    assert [why_left_out(url, again.left_out_) for url in urls] == [*reasons[:10], *20 * [""]]
    assert sum(map(len, again.left_out_.values())) == 80


def test_explain_names_the_limit_of_new_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opilio.scope.new_hosts.MOST_OF_PAGE", 20)
    monkeypatch.setattr("opilio.scope.new_hosts.MOST_OF_SITE", 50)
    links = {number: range(25 if number == 1 else 15) for number in range(5)}

    def find(url: str) -> Recorded:
        if "a.test" not in url:
            return Recorded(200, {"content-type": "text/html"}, b"")
        number = int(url.rpartition("/")[2])
        urls = [f"/{number + 1}", *(f"http://h{n}.b{number}.test/" for n in links.get(number, ()))]
        body = "".join(f'<a href="{link}">x</a>' for link in urls)
        return Recorded(200, {"content-type": "text/html"}, body.encode())

    config = Config(seeds=["http://a.test/0"], strategy="tests.test_scope:Choosy", corpus="none")
    with closing(Run(tmp_path, config, Replay(find))) as run:
        run.go()

    def reason(url: str) -> str:
        told = story(tmp_path, url)
        return str(told["scope"] or told["state"])

    assert reason("http://h19.b1.test/") == "fetched"
    assert reason("http://h24.b1.test/") == "hosts: a page brought more than 20 new ones"
    assert reason("http://h14.b2.test/") == "fetched"
    assert reason("http://h3.b3.test/") == "not wanted"  # it was the strategy that left it out
    assert reason("http://h14.b3.test/") == "hosts: a.test brought more than 50 new ones"
    told = CliRunner().invoke(app, ["explain", str(tmp_path), "http://h14.b3.test/"]).stdout
    assert "a.test brought more than 50 new ones" in " ".join(told.split())


class Dripping(Fetcher):
    """One host never answers; another has pages that are all alike."""

    def __init__(self, pages: int) -> None:
        links = "".join(f'<a href="/p/{n}">x</a>' for n in range(pages))
        self.answers = {"http://a.test/": links} | {f"http://a.test/p/{n}": "<p>the same" for n in range(pages)}

    async def fetch(self, offer: Offer) -> Page:
        if "drip" in offer.link.url:
            await asyncio.Event().wait()
        return answered(offer, 200, {"content-type": "text/html"}, self.answers[offer.link.url].encode())


def test_deferred_pages_do_not_wait_for_a_host_that_drips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opilio.shard.in_flight.SLOW", 0.0)
    monkeypatch.setattr("opilio.shard.PAUSE", 0.001)
    strategy, store, rounds = BreadthFirst(), MemoryStore(), count()
    frontier = MemoryFrontier(strategy.weigh, strategy.merge)
    shard = Shard(strategy, frontier, Dripping(130), store, scope=Scope(Bounds(max_barren=40)))
    shard.start(["http://drip.test/", "http://a.test/"])
    asyncio.run(crawl([shard], Limits(), stop=lambda: store.pages == 131 or next(rounds) > 500))
    assert store.pages == 131


def test_deferred_pages_do_not_wait_for_a_host_that_rests_long() -> None:
    strategy, store = BreadthFirst(), MemoryStore()
    frontier = MemoryFrontier(strategy.weigh, strategy.merge)
    shard = Shard(strategy, frontier, Dripping(130), store, scope=Scope(Bounds(max_barren=40)))
    shard.start(["http://rests.test/", "http://a.test/"])
    frontier.rest("rests.test", 3600.0)
    for _ in range(100):
        asyncio.run(shard.step(math.inf, 0.0))
    assert store.pages == 131


def test_max_depth() -> None:
    def find(url: str) -> Recorded:
        number = int(url.rpartition("/")[2])
        if number == 2:
            return Recorded(301, {"location": "/20"}, b"")  # a redirect is no link
        return Recorded(200, {"content-type": "text/html"}, f'<a href="/{number + 1}">x</a>'.encode())

    chain = [f"http://a.test/{n}" for n in (0, 1, 2, 20, 21)]
    assert visited(Replay(find), Bounds(max_depth=3), "http://a.test/0") == chain
    assert visited(Replay(find), Bounds(max_depth=1), "http://a.test/0") == chain[:2]


def test_depth_is_known_after_a_restart_and_explained(tmp_path: Path) -> None:
    def find(url: str) -> Recorded:
        number = int(url.rpartition("/")[2])
        return Recorded(200, {"content-type": "text/html"}, f'<a href="/{number + 1}">x</a>'.encode())

    config = Config(seeds=["http://a.test/0"], max_depth=6, strategy="breadth-first", corpus="none", max_pages=3)
    for most in (3, 5, 100):
        run = Run(tmp_path / "run", config.model_copy(update={"max_pages": most}), Replay(find))
        run.go()
        run.close()
    told = summary(tmp_path / "run")
    assert (told["pages"], told["out_of_scope"]) == (7, {"scope: more than max_depth = 6 links from the seeds": 1})
    told = story(tmp_path / "run", "http://a.test/7")
    assert (told["state"], told["scope"]) == ("out of scope", "scope: more than max_depth = 6 links from the seeds")


def tree(url: str) -> Recorded:
    """Three links on each page, to pages of other sites that no other page links to."""
    number = int(url.rpartition("/")[2])
    links = (f"http://site{child % 11}.test/{child}" for child in range(3 * number + 1, 3 * number + 4))
    body = "".join(f'<a href="{link}">x</a>' for link in links)
    return Recorded(200, {"content-type": "text/html"}, body.encode())


def in_shards(shards: int, folder: Path | None, most: float) -> list[str]:
    """The pages of three links from a seed at most, in shards of one process, on disk or in memory."""
    made, stores = [], []
    for index in range(shards):
        strategy = BreadthFirst()
        store = RunStore(folder, index, shards) if folder else MemoryStore(index)
        frontier: Frontier
        if isinstance(store, RunStore):
            frontier = DiskFrontier(store.db, strategy.weigh)
        else:
            frontier = MemoryFrontier(strategy.weigh)
        scope = Scope(Bounds(max_depth=3))
        made.append(Shard(strategy, frontier, Replay(tree), store, index=index, shards=shards, scope=scope))
        stores.append(store)
        made[-1].start(["http://seed.test/0"])
    asyncio.run(crawl(made, Limits(pages=most)))
    visits = [store.fetched() for store in stores if isinstance(store, RunStore)]
    urls = [url for rows in visits for url, *_ in rows] or [
        visit.url for store in stores if isinstance(store, MemoryStore) for visit in store.visits
    ]
    for store in stores:
        if isinstance(store, RunStore):
            store.close()
    return sorted(urls)


def test_depth_is_counted_across_shards() -> None:
    alone = in_shards(1, None, 500)
    assert len(alone) == 1 + 3 + 9 + 27
    assert in_shards(4, None, 500) == alone


def test_depth_across_shards_is_known_after_a_restart(tmp_path: Path) -> None:
    for most in (6, 17, 500):
        urls = in_shards(4, tmp_path, most)
    assert urls == in_shards(1, None, 500)


def test_status_counts_refusals_by_reason(tmp_path: Path) -> None:
    told: dict[str, Any] = {"hosts": ["a.test"], "max_per_site": 4, "strategy": "breadth-first", "corpus": "none"}
    run = Run(tmp_path / "run", Config(seeds=["http://a.test/0"], **told), web(["a.test", "b.test"], 9))
    run.go()
    run.close()
    shown = json.loads(CliRunner().invoke(app, ["status", str(tmp_path / "run"), "--json"]).stdout)
    assert shown["out_of_scope"] == {"scope: not among hosts": 4}
    assert shown["refused_because"] == {"scope": shown["refused"]} == {"scope": 3}


def test_status_counts_links_for_which_there_is_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opilio.html.content.MOST_LINK_TEXT", 40_000)

    def find(url: str) -> Recorded:
        links = "".join(f'<a href="http://a.test/{number}">{"w" * 50}</a> ' for number in range(600))
        return Recorded(200, {"content-type": "text/html"}, links.encode() if url.endswith("test/") else b"")

    config = Config(seeds=["http://a.test/"], strategy="breadth-first", corpus="none")
    with closing(Run(tmp_path / "run", config, Replay(find))) as run:
        run.go()
    shown = json.loads(CliRunner().invoke(app, ["status", str(tmp_path / "run"), "--json"]).stdout)
    reason = "links: those of a page hold more than 8,000,000 characters together"
    assert 0 < shown["out_of_scope"][reason] == 601 - shown["pages"] < 600


def crawl_on(folder: Path, most: int) -> list[str]:
    strategy, store = BreadthFirst(), RunStore(folder)
    frontier = DiskFrontier(store.db, strategy.weigh, strategy.merge)
    shard = Shard(strategy, frontier, endless(same=True), store, scope=Scope(Bounds(max_barren=20)), batch=1)
    shard.start(["http://a.test/0", "http://b.test/0"])
    asyncio.run(crawl([shard], Limits(pages=most)))
    shard.commit()
    urls = [url for url, *_ in store.fetched()]
    store.close()
    return urls


def test_what_was_seen_is_known_after_a_restart(tmp_path: Path) -> None:
    for most in (30, 70, 500):
        urls = crawl_on(tmp_path / "broken", most)
    assert urls == crawl_on(tmp_path / "whole", 500)
    assert len(urls) < 300
