"""Whatever goes wrong with one page is the error of that page; the crawl goes on, until that becomes the rule."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.config import Config
from opilio.engine.parallel.processes import Processes
from opilio.errors import PageError
from opilio.fetchers.replay import Recorded, Replay
from opilio.html import Document
from opilio.loop import trace
from opilio.nouns import INTERNAL, Link, Offer, Page, Say
from opilio.page_errors import LARGEST, MOST, WINDOW, PageErrors
from opilio.report.run import page as report
from opilio.report.summary import summary
from opilio.report.watch import Watch
from opilio.store.reader import reading
from opilio.store.run import ERROR_LOG
from opilio.strategies.breadth_first import BreadthFirst
from opilio.synth.fetcher import SynthFetcher
from opilio.testing import small_web
from opilio.topics.adaptive import Growing

from .crawled import opened

HOME = "http://a.test/"
BAD = "http://a.test/bad"
PAGES = 42  # with this home page and the bad one


def answer(url: str) -> Recorded:
    links = "".join(f"<a href=/{name}>{name}</a>" for name in ("bad", *range(PAGES - 2)))
    return Recorded(200, {"content-type": "text/html"}, f"<title>honey</title><p>bee hive {url} {links}".encode())


class Counting(Replay):
    """Counts what is fetched, and raises where it is told to."""

    def __init__(self, bad: str = "") -> None:
        super().__init__(answer)
        self.bad, self.fetched = bad, list[str]()

    async def fetch(self, offer: Offer) -> Page:
        self.fetched.append(offer.link.url)
        if offer.link.url == self.bad:
            raise KeyError("in the fetcher")
        return await super().fetch(offer)


def crawl(folder: Path, web: Replay, **settings: Any) -> str:
    run = opened(folder, web, seeds=[HOME], strategy="breadth-first", max_barren=0, **settings)
    with closing(run):
        return run.go()


def failing(before: Callable[..., Any], bad: str = BAD) -> Callable[..., Any]:
    """A method that raises for one page, and else does what it did before."""

    def method(self: Any, page: Any, *more: Any) -> Any:
        if getattr(page, "url", "") == bad:
            raise KeyError("no such thing")
        return before(self, page, *more)

    return method


def failing_half_way(self: BreadthFirst, page: Page) -> Iterator[Say]:
    """The offers of a page, of which the bad one says only some."""
    for place, link in enumerate(page.links):
        if page.url == BAD and place == 3:
            raise KeyError("no such thing")
        yield Offer(Link(f"{HOME}only-here") if page.url == BAD else link)


def offering_nothing_finite(self: BreadthFirst, page: Page) -> Iterable[Say]:
    yield Offer(Link(f"{HOME}only-here")) if page.url == BAD else Offer(Link(f"{HOME}0"))
    yield from map(Offer, page.links)
    if page.url == BAD:
        yield Offer(Link(f"{HOME}wild"), float("nan"))


def unreadable(self: Document) -> str:
    if self._url == BAD:
        raise KeyError("no such thing")
    return "en"


BROKEN = {
    "KeyError in read": (Document, "language", property(unreadable)),
    "KeyError in judge": (Growing, "page", failing(Growing.page)),
    "KeyError in judge, while it learns": (Growing, "observe", failing(Growing.observe)),
    "KeyError in observe": (BreadthFirst, "observe", failing(BreadthFirst.observe)),
    "KeyError in observe, half way": (BreadthFirst, "observe", failing_half_way),
    "ValueError in observe": (BreadthFirst, "observe", offering_nothing_finite),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_page_that_raises_has_an_error_and_the_crawl_goes_on(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(*BROKEN[what])
    web, error = Counting(), INTERNAL + what.partition(",")[0]
    assert crawl(tmp_path, web) == "nothing left to fetch"
    assert summary(tmp_path)["errors"] == {error: 1}
    with closing(reading(tmp_path)) as db:
        rows = {url: (found, bool(file)) for url, found, file in db.execute("SELECT url, error, file FROM pages")}
    assert rows[BAD] == (error, True)  # its bytes are there for whoever wants to know
    assert len(rows) == PAGES  # all others, and nothing of what the bad one had said
    log = (tmp_path / ERROR_LOG).read_text()
    assert BAD in log
    assert "Traceback" in log
    assert crawl(tmp_path, web) == "nothing left to fetch"
    assert web.fetched.count(BAD) == 1


def test_a_fetcher_that_raises_is_the_error_of_the_page(tmp_path: Path) -> None:
    web = Counting(BAD)
    assert crawl(tmp_path, web) == "nothing left to fetch"
    assert summary(tmp_path)["errors"] == {f"{INTERNAL}KeyError in fetch": 1}
    assert summary(tmp_path)["pages"] == PAGES
    assert crawl(tmp_path, web) == "nothing left to fetch"
    assert web.fetched.count(BAD) == 1


def test_internal_errors_are_counted_wherever_people_look(tmp_path: Path) -> None:
    crawl(tmp_path, Counting(BAD))
    assert summary(tmp_path)["internal_errors"] == Watch(tmp_path).look().internal_errors == 1
    shown = CliRunner().invoke(app, ["status", str(tmp_path), "--json"])
    assert json.loads(shown.stdout)["internal_errors"] == 1
    assert "1 internal errors, which are bugs in Opilio or in the strategy; the tracebacks are in errors.log" in report(
        tmp_path
    )


def test_what_the_disk_refuses_is_not_the_error_of_a_page(tmp_path: Path) -> None:
    page = Page(Offer(Link(HOME)), HOME)
    with pytest.raises(OSError, match="disk"), PageErrors(tmp_path / ERROR_LOG).isolated(page):
        raise OSError("the disk is full")
    assert not page.error


def test_a_crawl_stops_when_errors_become_the_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[str]()

    def observe(self: BreadthFirst, page: Page) -> Iterable[Say]:
        seen.append(page.url)
        if len(seen) > 1:
            raise KeyError("no such thing")
        return map(Offer, page.links)

    monkeypatch.setattr(BreadthFirst, "observe", observe)
    why = crawl(tmp_path, Counting(), batch=1)
    assert why.startswith(
        f"{INTERNAL}{MOST + 1} of the last {MOST + 2} pages failed, the last one with KeyError in observe"
    )
    assert "no such thing" in why
    assert str(tmp_path / ERROR_LOG) in why
    figures = summary(tmp_path)
    assert (figures["pages"], figures["internal_errors"], figures["why"]) == (MOST + 2, MOST + 1, why)


def test_few_errors_among_many_pages_are_no_rule() -> None:
    errors, well, bad = PageErrors(None), Page(Offer(Link(HOME)), HOME), Page(Offer(Link(BAD)), BAD)
    with errors.isolated(bad):
        raise KeyError("no such thing")
    for page in 10 * [*[bad] * MOST, *[well] * (WINDOW - MOST)]:
        errors.count(page)
        assert not errors.rule
    errors.count(bad)
    errors.count(bad)
    for _ in range(MOST):
        errors.count(bad)
    assert errors.rule.startswith(f"{INTERNAL}{MOST + 2} of the last {WINDOW} pages failed")


def test_the_command_ends_with_a_code_when_errors_are_the_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fetch(self: SynthFetcher, offer: Offer) -> Page:
        raise KeyError("no such thing")

    monkeypatch.setattr(SynthFetcher, "fetch", fetch)
    seeds = [word for number in range(20) for word in ("--seed", f"http://a{number}.test/")]
    words = ["crawl", "--corpus", "synth:500", *seeds, "--strategy", "breadth-first", "--out", str(tmp_path / "run")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert f"stopped: {INTERNAL}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_several_processes_stop_too(tmp_path: Path) -> None:
    broken = """
from opilio.strategies.breadth_first import BreadthFirst
observe = BreadthFirst.observe
def failing(self, page):
    if page.offer.link.source: raise KeyError("no such thing")
    return observe(self, page)
BreadthFirst.observe = failing
from opilio.cli import shard
shard.main()
"""
    seeds = [f"http://a{number}.test/" for number in range(40)]
    config = Config(corpus="small web", strategy="breadth-first", seeds=seeds, processes=2, max_pages=1000)
    command = [sys.executable, "-c", broken.replace("shard.main()", FETCHER + "shard.main()"), str(tmp_path / "run")]
    with closing(Processes(tmp_path / "run", config, command, Replay(answer))) as crawling:
        why = crawling.go()
    assert why.startswith(INTERNAL)
    assert "KeyError in observe" in why
    figures = summary(tmp_path / "run")
    assert figures["why"] == why
    assert figures["internal_errors"] > MOST


FETCHER = """
from tests.test_page_errors import answer
from opilio.fetchers.replay import Replay
shard.source = lambda config: (Replay(answer), "")
"""


def test_a_benchmark_ends_with_the_first_page_that_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BreadthFirst, "observe", failing(BreadthFirst.observe, small_web.url(6)))
    said = r"p6: KeyError in observe \(test_page_errors.py, line \d+\): 'no such thing'"
    with pytest.raises(PageError, match=said) as raised:
        trace(BreadthFirst(), small_web.fetcher(), small_web.seeds(), 50)
    assert isinstance(raised.value.__cause__, KeyError)


def test_the_log_does_not_grow_without_end(tmp_path: Path) -> None:
    errors, page = PageErrors(tmp_path / ERROR_LOG), Page(Offer(Link(HOME)), HOME)
    for _ in range(30):
        with errors.isolated(page):
            raise KeyError("x" * LARGEST)
    assert (tmp_path / ERROR_LOG).stat().st_size < 1.2 * LARGEST
