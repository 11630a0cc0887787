"""Crawls against a simulated clock: arrivals known by hand, and the same again."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from opilio.bench.metrics.auc import auc
from opilio.bench.over_time import area, over_time
from opilio.bench.results import validate
from opilio.bench.run import bench
from opilio.bench.simulated_time import Arrival, Clock, SimulatedLoop, parse_clock, timed_trace
from opilio.bench.truth import Truth
from opilio.errors import ConfigError
from opilio.fetchers.replay import Recorded, Replay
from opilio.nouns import Link, Offer, Page, Say, Strategy
from opilio.report.bench import page

from .tiny_corpus import labelled, task, url
from .tiny_corpus import write as write_corpus


class Straight(Strategy):
    """Follows every link, as dear as any other."""

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return (Offer(link, 1.0) for link in seeds)

    def observe(self, page: Page) -> Iterable[Say]:
        return (Offer(link, 1.0) for link in page.links)


def web(links: dict[str, str]) -> Replay:
    def find(address: str) -> Recorded | None:
        anchors = "".join(f'<a href="{target}">x</a>' for target in links[address].split())
        return Recorded(200, {"content-type": "text/html"}, anchors.encode()) if address in links else None

    return Replay(find)


ONE = {f"http://one.example/{n}": f"http://one.example/{n + 1}" for n in range(9)} | {"http://one.example/9": ""}
MANY = {"http://0.example/": " ".join(f"http://{n}.example/" for n in range(1, 9))}
MANY |= {f"http://{n}.example/": "" for n in range(1, 9)}


def arrivals(links: dict[str, str], clock: Clock, pages: float = math.inf, seconds: float = math.inf) -> list[Arrival]:
    return timed_trace(Straight(), web(links), [next(iter(links))], clock, pages=pages, seconds=seconds)


def test_a_host_is_visited_once_a_delay() -> None:
    came = arrivals(ONE, Clock(delay=2, fetch=0.5))
    assert [arrival.seconds for arrival in came] == pytest.approx([2 * n + 0.5 for n in range(10)], abs=0.06)


def test_a_slow_host_is_visited_by_one_connection() -> None:
    came = arrivals(ONE, Clock(delay=1, fetch=3))
    assert [arrival.seconds for arrival in came] == pytest.approx([3 * n + 3 for n in range(10)], abs=0.06)


def test_hosts_do_not_wait_for_each_other() -> None:
    came = arrivals(MANY, Clock(delay=60, fetch=0.25))
    assert len(came) == 9
    assert came[-1].seconds < 1.5  # five at a time while the crawl is young
    one_connection = arrivals(MANY, Clock(delay=60, fetch=0.25, connections=1))
    assert one_connection[-1].seconds == pytest.approx(9 * 0.25, abs=0.06)


def test_known_pages_take_no_time() -> None:
    """A user who gives example pages has them: no host is visited for them."""
    start, links = "http://one.example/0", ONE | {f"http://one.example/known{n}": "" for n in range(8)}
    fetcher = web(links)
    known = [fetcher.answer(Offer(Link(f"http://one.example/known{n}"))) for n in range(8)]
    came = timed_trace(Straight(), fetcher, [start], Clock(delay=2, fetch=0.5), known=known)
    assert [arrival.url for arrival in came] == list(ONE)
    assert [arrival.seconds for arrival in came] == pytest.approx([2 * n + 0.5 for n in range(10)], abs=0.06)


def test_a_crawl_ends_when_its_time_or_its_pages_are_over() -> None:
    assert len(arrivals(ONE, Clock(delay=1, fetch=0.5), seconds=3.5)) == 4
    assert len(arrivals(ONE, Clock(delay=1, fetch=0.5), pages=6)) == 6


@pytest.mark.slow
def test_hours_pass_in_no_time_and_always_the_same() -> None:
    begun = time.monotonic()
    one, other = (arrivals(ONE, Clock(delay=3600, fetch=1)) for _ in range(2))
    assert one == other
    assert one[-1].seconds > 9 * 3600
    assert time.monotonic() - begun < 30


def test_a_simulated_loop_does_not_wait_for_what_never_comes() -> None:
    async def forever() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(RuntimeError, match="no clock brings"), asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        runner.run(forever())


def test_area_over_time_by_hand() -> None:
    truth = Truth(frozenset("ab"), frozenset("ab"), 4)
    came = [Arrival("x", 1.0), Arrival("a", 2.0), Arrival("a", 3.0), Arrival("b", 9.0)]
    assert area(came, truth, 10.0) == pytest.approx((8 + 1) / 20)
    timed = over_time(came, truth, 10.0)
    assert timed.curve["seconds"][-1] == 10
    recall = dict(zip(timed.curve["seconds"], timed.curve["target_recall"], strict=True))
    assert [recall[1.8], recall[2.0], recall[8.8], recall[10.0]] == [0, 0.5, 0.5, 1]
    assert dict(zip(timed.curve["seconds"], timed.curve["pages"], strict=True))[3.0] == 3


def test_no_target_no_area() -> None:
    assert area([], Truth(frozenset("a"), frozenset("a"), 4), 5.0) == 0


@pytest.mark.parametrize("text", ["", "delya=1", "delay=fast", "connections=1.5", "fetch=0", "connections=0", "delay"])
def test_a_clock_that_cannot_be(text: str) -> None:
    with pytest.raises(ConfigError, match="--clock"):
        parse_clock(text)


def test_a_clock_as_users_write_it() -> None:
    assert parse_clock("delay=2, connections=10") == Clock(2.0, 0.5, 10)
    assert parse_clock("fetch=.2") == Clock(1.0, 0.2, 10)


@pytest.fixture
def islands(tmp_path: Path) -> Path:
    """A start page with links to eight others, half of them threads."""
    names = [f"t{n}" for n in range(4)] + [f"x{n}" for n in range(4)]
    links = {"s": " ".join(names)} | dict.fromkeys(names, "")
    tasks = task("user-content", column="kind", user_content=["thread"], start=[url("s")])
    return write_corpus(tmp_path / "islands", links, labelled(thread="t0 t1 t2 t3"), tasks).folder


def test_a_benchmark_by_the_clock(islands: Path) -> None:
    asked: dict[str, Any] = {"strategies": ["breadth-first"], "budget": 9, "workers": 1, "batch": 1}
    results = bench(islands, **asked, clock=Clock(delay=1, fetch=0.5))
    checked = validate(results)
    runs = {run.strategy: run for run in checked.runs}
    # One host: a page a second, so that over time is what it is over pages, but that the first page comes after half a second.
    assert runs["oracle"].timed
    assert runs["oracle"].timed.seconds == pytest.approx(8.5, abs=0.1)
    assert runs["oracle"].timed.curve["target_recall"][-1] == 1
    for run in checked.runs:
        assert run.timed
        assert run.timed.auc == pytest.approx(run.auc * 9 / 8.5 - 0.5 / 8.5 * run.curve["target_recall"][-1], abs=0.08)
    at_last = {row.strategy: row for row in checked.summary if row.metric == "auc_over_time"}
    assert at_last["oracle"].of_oracle == 1
    assert checked.clock == {"delay": 1, "fetch": 0.5, "connections": 10}
    assert "AUC over time" in page(checked)
    assert "--clock delay=1,fetch=0.5,connections=10" in page(checked)
    untimed = validate(bench(islands, **asked))
    assert [run.curve for run in untimed.runs] == [run.curve for run in checked.runs]
    assert not any(run.timed for run in untimed.runs)
    assert "over time" not in page(untimed).split("How to read this")[0]


def test_area_by_pages_is_the_area_by_a_clock_that_ticks_once_a_page() -> None:
    urls = list("xaxxb")
    truth = Truth(frozenset("ab"), frozenset("ab"), 5)
    ticking = [Arrival(address, float(number)) for number, address in enumerate(urls)]
    assert area(ticking, truth, 5.0) == pytest.approx(auc(urls, truth)[-1])
