"""Cash: conserved by opic exactly, by otie up to its revision; opic's history approaches PageRank."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from opilio.fetchers.replay import Recorded, Replay
from opilio.frontier.memory import MemoryFrontier
from opilio.html import Document
from opilio.learning.flow import AGAIN
from opilio.nouns import PARK, Known, Link, Offer, Page, Reweigh, Strategy, Topic
from opilio.shard import Shard
from opilio.store.memory import MemoryStore
from opilio.strategies.opic import LANES, Opic
from opilio.strategies.otie import Otie
from opilio.testing import small_web

HOST = "http://graph.test/"


def graph(count: int, seed: int = 1) -> list[list[int]]:
    """A strongly connected graph without periods: a ring, a loop, and random links."""
    rng = random.Random(seed)
    links = [
        sorted({(i + 1) % count, *(rng.randrange(count) for _ in range(rng.randrange(1, 9)))}) for i in range(count)
    ]
    links[0] = sorted({*links[0], 0})
    return links


def served(links: list[list[int]]) -> Replay:
    answers = {}
    for number, targets in enumerate(links):
        body = "".join(f'<a href="{HOST}{target}">page</a>' for target in targets)
        answers[f"{HOST}{number}"] = Recorded(200, {"content-type": "text/html"}, body.encode())
    return Replay(answers.get)


def started(strategy: Strategy, fetcher: Replay, seeds: list[str], batch: int = 1) -> tuple[Shard, MemoryFrontier]:
    frontier = MemoryFrontier(strategy.weigh, strategy.merge)
    shard = Shard(strategy, frontier, fetcher, MemoryStore(), batch=batch)
    shard.start(seeds)
    return shard, frontier


def stationary(links: list[list[int]]) -> npt.NDArray[np.float64]:
    """The exact PageRank without damping: the left eigenvector of the transition matrix, by solving for it."""
    count = len(links)
    matrix = np.zeros((count, count))
    for i, targets in enumerate(links):
        matrix[i, targets] = 1 / len(targets)
    system = np.vstack([matrix.T - np.eye(count), np.ones(count)])
    solution = np.linalg.lstsq(system, np.append(np.zeros(count), 1.0), rcond=None)[0]
    return np.asarray(solution, dtype=np.float64)


def history(frontier: MemoryFrontier, count: int) -> npt.NDArray[np.float64]:
    found = np.array([(frontier.known(f"{HOST}{i}") or (0.0,))[0] for i in range(count)], dtype=np.float64)
    return np.asarray(found / found.sum())


def visits_until(select: str, links: list[list[int]], error: float, most: int) -> int:
    """How many visits opic needs until its history is that near to PageRank (L1)."""
    count, exact = len(links), stationary(links)
    strategy = Opic(seed=3, select=select, recrawl=1)  # type: ignore[arg-type]
    shard, frontier = started(strategy, served(links), [f"{HOST}{i}" for i in range(count)])
    for visits in range(1, most):
        asyncio.run(shard.step(1, 0.0))
        if visits % count == 0 and np.abs(history(frontier, count) - exact).sum() < error:
            return visits
    return most


@pytest.mark.slow
def test_history_approaches_pagerank() -> None:
    links = graph(1000)
    strategy = Opic(recrawl=1)
    fetcher = served(links)
    shard, frontier = started(strategy, fetcher, [f"{HOST}{i}" for i in range(1000)], batch=25)

    async def visit(pages: int) -> None:
        for _ in range(pages // 25):
            await shard.step(25, 0.0)

    asyncio.run(visit(30_000))
    assert np.abs(history(frontier, 1000) - stationary(links)).sum() < 0.01


@pytest.mark.slow
def test_greedy_gets_there_before_random() -> None:
    links = graph(100)
    greedy, chance = (visits_until(select, links, 0.03, 20_000) for select in ("greedy", "random"))
    assert greedy < chance < 20_000


def test_cycle_visits_all_pages_equally_often() -> None:
    links = graph(50)
    shard, _ = started(Opic(select="cycle", recrawl=1), served(links), [f"{HOST}{i}" for i in range(50)])
    for _ in range(500):
        asyncio.run(shard.step(1, 0.0))
    assert isinstance(shard.store, MemoryStore)
    urls = [visit.url for visit in shard.store.visits]
    assert max(urls.count(url) for url in set(urls)) - min(urls.count(url) for url in set(urls)) <= 2


def test_selections_that_go_round_have_so_many_lanes() -> None:
    strategy = Opic(select="cycle")
    lanes = {strategy._placed(Offer(Link(f"{HOST}{n}"), 1.0)).lane[1] for n in range(50)}
    assert max(map(int, lanes)) < LANES
    assert len(lanes) > 40


class Exact(Opic):
    """The same in exact fractions."""

    def start(self, seeds: Any, pages: Any) -> Any:
        return [replace(say, value=Fraction(1, len(self.seeds_))) for say in super().start(seeds, pages)]  # type: ignore


@pytest.mark.parametrize("recrawl", [0, 1, 7])
def test_opic_conserves_cash_exactly(recrawl: int) -> None:
    shard, frontier = started(Exact(recrawl=recrawl), small_web.fetcher(), small_web.seeds(), batch=5)
    assert frontier.total() == 1
    for _ in range(30):
        asyncio.run(shard.step(5, 0.0))
        assert frontier.total() == 1


def test_opic_with_a_virtual_page_conserves_cash() -> None:
    strategy = Opic(virtual=True, recrawl=3)
    shard, frontier = started(strategy, small_web.fetcher(), small_web.seeds(), batch=5)
    for _ in range(30):
        asyncio.run(shard.step(5, 0.0))
        assert frontier.total() + strategy.held_ == pytest.approx(1, abs=1e-9)
    assert strategy.pages_ > 60


def test_otie_conserves_cash_up_to_the_revision() -> None:
    """The total is one, and what the rewards have added and taken, less what pages without links had."""
    topic = small_web.Share()
    strategy = Otie(topic, recrawl=10)
    shard, frontier = started(strategy, small_web.fetcher(), small_web.seeds(), batch=5)
    seen = 0
    expected = 1.0
    assert isinstance(shard.store, MemoryStore)
    for _ in range(25):
        asyncio.run(shard.step(5, 0.0))
        for visit in shard.store.visits[seen:]:
            expected += visit.lease.offer.value * change(strategy, visit.url)
        seen = len(shard.store.visits)
        assert frontier.total() == pytest.approx(expected, abs=1e-9)


def change(strategy: Otie, url: str) -> float:
    """What becomes of a page's cash, as a share of it."""
    page = small_web.page(url)
    if not page.document:
        return 0.0
    return strategy.reward(strategy.topic.page(page)) if page.links else -1.0


def test_a_page_without_links_has_no_cash_afterwards() -> None:
    """Wang et al. 2009, algorithm 1, line 13."""
    page = Page(
        Offer(Link("http://a.test/"), 2.0), "http://a.test/", 200, document=Document(b"honey", "http://a.test/")
    )
    assert not [say for say in Otie(Sure(1.0)).observe(page) if isinstance(say, Offer)]


def test_only_pages_that_could_be_downloaded_are_revised() -> None:
    page = Page(Offer(Link("http://a.test/"), 2.0), "http://a.test/", error="timeout")
    assert [say.value for say in Otie(Sure(0.0)).observe(page) if isinstance(say, Offer)] == [2.0]


class Sure(Topic):
    def __init__(self, relevance: float) -> None:
        self.relevance = relevance

    def text(self, text: str) -> float:
        return self.relevance


class Told(Known):
    def __init__(self, notes: dict[str, tuple[float]]) -> None:
        self.notes = notes

    def __call__(self, url: str) -> tuple[float] | None:
        return self.notes.get(url)


def test_otie_gives_by_similarity_and_takes_the_true_one_of_fetched_pages() -> None:
    page = Page(Offer(Link("http://a.test/"), 2.0), "http://a.test/", 200)
    page.document = small_web.page(small_web.url(0)).document
    urls = list(dict.fromkeys(link.url for link in page.links))
    page.known = Told({urls[0]: (0.9,)})
    offers = [say for say in Otie(small_web.Share()).observe(page) if isinstance(say, Offer)]
    relevance = small_web.Share().page(page)
    cash = 2.0 * (1 + Otie(small_web.Share()).reward(relevance))
    assert sum(offer.value for offer in offers) == pytest.approx(cash, abs=1e-12)
    assert {offer.link.url: offer.note[3] for offer in offers}[urls[0]] == 0.9


@pytest.mark.parametrize(("relevance", "growth"), [(1.0, 0.85), (0.5, 0.0), (0.0, -0.85), (0.75, 0.85 * 0.125)])
def test_reward(relevance: float, growth: float) -> None:
    assert Otie(small_web.Share()).reward(relevance) == pytest.approx(growth)


def test_reward_never_takes_more_than_there_is() -> None:
    assert Otie(small_web.Share(), a=1.5).reward(0.0) == -1.0


@pytest.mark.parametrize("strategy", [Opic(recrawl=100), Otie(SimpleNamespace(page=lambda page: 0.5))])  # type: ignore[arg-type]
def test_the_richest_page_is_fetched_again_once_after_every_hundred_pages(strategy: Opic | Otie) -> None:
    """Wang et al. 2009, algorithm 1, lines 4 and 5; how often is not printed."""
    empty = Page(Offer(Link("http://a.example/")), "http://a.example/")
    due = [number for number in range(1, 301) if any(isinstance(say, Reweigh) for say in strategy.observe(empty))]
    assert due == [100, 200, 300]
    assert strategy.weigh(AGAIN).most == 1
    list(strategy.observe(empty))
    assert strategy.weigh(AGAIN) == PARK
