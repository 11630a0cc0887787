"""What a strategy raises when it is asked for something else than a page is noted, and the crawl goes on without the answer."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.errors import PageError
from opilio.frontier.memory import MemoryFrontier
from opilio.loop import Limits, crawl, trace
from opilio.nouns import INTERNAL, Link, Offer, Weight
from opilio.page_errors import MOST, PageErrors
from opilio.report.run import page as report
from opilio.report.summary import summary
from opilio.report.watch import Watch
from opilio.shard import Shard
from opilio.shard.answers import weighing
from opilio.store.memory import MemoryStore
from opilio.store.run import ERROR_LOG
from opilio.testing import small_web

from .crawled import opened
from .faulty_strategy import Faulty

PAGES = 60  # more than this many are fetched in any case


def crawled(folder: Path, settings: str) -> str:
    with closing(opened(folder, strategy=f"tests.faulty_strategy:Faulty({settings})", max_pages=1000)) as run:
        return run.go()


def shards(strategy: str, wrong: str = "", times: int = 10**9) -> list[Shard]:
    """Three shards in one process."""
    found = []
    for index in range(3):
        faulty, errors = Faulty(strategy, times, wrong), PageErrors(None)
        frontier = MemoryFrontier(weighing(faulty, errors), faulty.merge)
        own = {"index": index, "shards": 3, "page_errors": errors}
        found.append(Shard(faulty, frontier, small_web.fetcher(), MemoryStore(index), **own))  # type: ignore[arg-type]
        found[-1].start(small_web.seeds())
    return found


@pytest.mark.parametrize("wrong", ["", "nan", "weight-nan", "weight-inf", "tuple"])
def test_a_weight_that_cannot_be_told_is_noted(tmp_path: Path, wrong: str) -> None:
    assert crawled(tmp_path, f"method=weigh,times=1,wrong={wrong}" if wrong else "method=weigh,times=1") == (
        "nothing left to fetch"
    )
    figures = summary(tmp_path)
    assert figures["pages"] > PAGES
    assert figures["internal_errors"] == sum(figures["strategy_errors"].values()) == 1
    assert "Error in weigh" in min(figures["strategy_errors"])
    assert "strategy, weigh\nTraceback" in (tmp_path / ERROR_LOG).read_text()


def test_a_lane_keeps_the_weight_that_it_had() -> None:
    told: list[Weight | None] = [Weight(3.0), None, Weight(4.0), None, None]
    frontier = MemoryFrontier(lambda lane: told.pop(0))
    frontier.offer([Offer(Link("http://a.test/"), lane=("one",))])
    for heavy in (3.0, 4.0, 4.0):
        frontier.reweigh(("one",))
        assert next(frontier.lanes()).weight == Weight(heavy)
    frontier.offer([Offer(Link("http://a.test/2"), lane=("two",))])
    assert [lane.weight.shift for lane in frontier.lanes()] == [4.0, 0.0]


def test_a_crawl_stops_when_weights_fail_as_a_rule(tmp_path: Path) -> None:
    why = crawled(tmp_path, "method=weigh")
    assert why.startswith(INTERNAL)
    assert "KeyError in weigh" in why
    assert "no such thing" in why
    assert MOST < summary(tmp_path)["internal_errors"] < 5 * MOST


@pytest.mark.parametrize("wrong", ["", "numbers", "offer-nan"])
def test_news_that_cannot_be_heard_are_noted(wrong: str) -> None:
    all_of_them = shards("hear", wrong, times=1)
    assert asyncio.run(crawl(all_of_them, Limits())) == "nothing left to fetch"
    assert sum(shard.store.pages for shard in all_of_them) > PAGES
    assert [shard.page_errors.failed_.total() for shard in all_of_them] == [1, 1, 1]


def test_a_crawl_stops_when_news_fail_as_a_rule() -> None:
    assert "KeyError in hear" in asyncio.run(crawl(shards("hear"), Limits()))


def test_a_stage_that_cannot_be_ended_ends_the_crawl_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = crawled(tmp_path, "method=dry")
    assert why.startswith(f"{INTERNAL}KeyError in dry (faulty_strategy.py, line ")
    assert str(tmp_path / ERROR_LOG) in why
    assert summary(tmp_path)["pages"] > PAGES
    monkeypatch.setattr(Faulty, "mended", True)
    assert crawled(tmp_path, "method=dry") == "nothing left to fetch"  # it was asked again
    assert summary(tmp_path)["strategy_errors"] == {f"{INTERNAL}KeyError in dry": 1}


def test_a_reason_that_cannot_be_told_is_not_asked_for_again(tmp_path: Path) -> None:
    with closing(opened(tmp_path, strategy="tests.faulty_strategy:Faulty(method=why)")) as run:
        assert [run.fallen for _ in range(3 * MOST)] == 3 * MOST * [""]
        assert run.shard.page_errors.failed_ == {f"{INTERNAL}KeyError in why": 1}


@pytest.mark.parametrize(("wrong", "error"), [("", "KeyError"), ("numbers", "AttributeError")])
def test_a_report_says_that_there_is_no_picture(tmp_path: Path, wrong: str, error: str) -> None:
    crawled(tmp_path, f"method=picture,wrong={wrong}" if wrong else "method=picture")
    assert f"because of a bug in it: {error} in picture (" in report(tmp_path)
    assert "strategy, picture\nTraceback" in (tmp_path / ERROR_LOG).read_text()


def test_they_are_counted_wherever_people_look(tmp_path: Path) -> None:
    crawled(tmp_path, "method=weigh,times=1")
    assert summary(tmp_path)["internal_errors"] == Watch(tmp_path).look().internal_errors == 1
    shown = CliRunner().invoke(app, ["status", str(tmp_path), "--json"])
    assert json.loads(shown.stdout)["internal_errors"] == 1
    assert "1 internal errors" in report(tmp_path)


def test_a_strategy_that_cannot_start_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PageError, match="KeyError in start") as raised:
        crawled(tmp_path, "method=start")
    assert raised.value.exit_code == 1
    monkeypatch.setattr(Faulty, "mended", True)
    assert crawled(tmp_path, "method=start") == "nothing left to fetch"
    assert summary(tmp_path)["pages"] > PAGES  # it began with the seeds


@pytest.mark.parametrize("method", ["start", "weigh", "dry"])
def test_a_benchmark_ends_with_the_first_exception(method: str) -> None:
    with pytest.raises(PageError, match=rf"strategy: KeyError in {method} \(faulty_strategy.py, line \d+\)"):
        trace(Faulty(method), small_web.fetcher(), small_web.seeds(), 1000)
