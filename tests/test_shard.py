"""The loop: what ends it, what it stores, what it does with redirects and letters."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from opilio.errors import PageError
from opilio.fetchers.replay import Recorded, Replay
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.frontier.memory import MemoryFrontier
from opilio.loop import Limits, crawl, exchange, trace
from opilio.nouns import Fetcher, Link, News, Offer, Page, Reweigh, Say, Strategy, Topic
from opilio.shard import FirstBatches, Shard
from opilio.shard.arrivals import MOST_HOPS
from opilio.store.memory import MemoryStore
from opilio.store.run import RunStore
from opilio.strategies.best_first import BestFirst
from opilio.strategies.breadth_first import BreadthFirst
from opilio.strategies.link_context import LinkContext
from opilio.strategies.otie_plus import OtiePlus
from opilio.testing import small_web


def new(strategy: Strategy, topic: Topic | None = None, batch: int = 10) -> Shard:
    frontier = MemoryFrontier(strategy.weigh, strategy.merge)
    shard = Shard(strategy, frontier, small_web.fetcher(), MemoryStore(), topic=topic, batch=batch)
    shard.start(small_web.seeds())
    return shard


def run(shard: Shard, limits: Limits, clock: Iterable[float] = ()) -> str:
    ticks = iter(clock)
    return asyncio.run(crawl([shard], limits, clock=lambda: next(ticks, 0.0)))


def test_page_limit() -> None:
    shard = new(BreadthFirst())
    assert run(shard, Limits(pages=25)) == "page limit: 25"
    assert shard.store.pages == 25


def test_time_limit() -> None:
    assert run(new(BreadthFirst()), Limits(seconds=5), map(float, range(100))) == "time limit: 5 s"


def test_byte_limit() -> None:
    shard = new(BreadthFirst())
    assert run(shard, Limits(bytes=4000)) == "byte limit: 4000"
    assert shard.store.bytes >= 4000


def test_saturation() -> None:
    why = run(new(BestFirst(small_web.Share()), small_web.Share()), Limits(saturation=0.9, window=50))
    assert why.startswith("saturated: ")
    assert why.endswith("of the last 50 pages were relevant")


def test_known_pages_are_where_a_crawl_starts_at_no_cost() -> None:
    fetcher = small_web.fetcher()
    seed, *_ = small_web.seeds()
    first = trace(BreadthFirst(), fetcher, [seed], 1)[0].url
    page = asyncio.run(fetcher.fetch(Offer(Link(first))))
    linked = {link.url for link in page.links} - {first}
    assert linked
    visited = [visit.url for visit in trace(BreadthFirst(), fetcher, [], len(linked), batch=1, known=[page])]
    assert set(visited) == linked
    everything = [visit.url for visit in trace(BreadthFirst(), fetcher, [seed], 10_000, known=[page])]
    assert first not in everything


def test_runs_dry() -> None:
    assert run(new(BreadthFirst()), Limits()) == "nothing left to fetch"


def replay(answers: dict[str, Recorded]) -> Replay:
    return Replay(answers.get)


def moved(target: str) -> Recorded:
    return Recorded(302, {"location": target}, b"")


def urls(answers: dict[str, Recorded], seeds: Sequence[str], strategy: Strategy | None = None) -> list[str]:
    return [visit.url for visit in trace(strategy or BreadthFirst(), replay(answers), seeds, 100)]


def test_a_redirect_is_the_same_offer_for_the_new_url() -> None:
    end = Recorded(200, {"content-type": "text/html"}, b"<p>here")
    assert urls({"http://a.test/": moved("/b"), "http://a.test/b": end}, ["http://a.test/"]) == [
        "http://a.test/",
        "http://a.test/b",
    ]


def test_endless_redirects_end() -> None:
    chain = {f"http://a.test/{n}": moved(f"/{n + 1}") for n in range(50)}
    assert len(urls(chain, ["http://a.test/0"])) == MOST_HOPS + 1


def test_redirects_in_a_circle_end() -> None:
    circle = {"http://a.test/x": moved("/y"), "http://a.test/y": moved("/x")}
    assert urls(circle, ["http://a.test/x"]) == ["http://a.test/x", "http://a.test/y"]


class Stages(Strategy):
    """Waits with everything but the seeds until it runs dry, once."""

    def __init__(self) -> None:
        self.open_ = False

    def observe(self, page: Page) -> Iterable[Say]:
        return [Offer(link, lane=("later",)) for link in page.links]

    def weigh(self, lane: tuple[str, ...]) -> object:  # type: ignore[override]
        from opilio.nouns import PARK, Weight

        return PARK if lane and not self.open_ else Weight()

    def dry(self) -> Iterable[Say]:
        self.open_ = True
        return [Reweigh(("later",))]


def test_a_stage_ends_when_nothing_is_left() -> None:
    shard = new(Stages())
    assert run(shard, Limits()) == "nothing left to fetch"
    assert shard.store.pages > 50


class Gossip(Strategy):
    """Tells every page to the other shards, and counts what it hears."""

    def __init__(self) -> None:
        self.heard_: set[str] = set()

    def observe(self, page: Page) -> Iterable[Say]:
        yield News((page.url,))
        yield from map(Offer, page.links)

    def hear(self, news: News) -> Iterable[Say]:
        self.heard_.add(news.fact[0])
        return ()


def pair(strategies: Sequence[Strategy], folder: Path | None = None) -> list[Shard]:
    shards = []
    for index, strategy in enumerate(strategies):
        if folder:
            store = RunStore(folder / str(index), index)
            frontier = DiskFrontier(store.db, strategy.weigh, strategy.merge)
            shards.append(Shard(strategy, frontier, small_web.fetcher(), store, batch=5, index=index, shards=2))
        else:
            memory = MemoryFrontier(strategy.weigh, strategy.merge)
            made = Shard(strategy, memory, small_web.fetcher(), MemoryStore(index), batch=5, index=index, shards=2)
            shards.append(made)
        shards[-1].start(small_web.seeds())
    return shards


def test_every_shard_hears_the_news_of_the_others() -> None:
    left, right = Gossip(), Gossip()
    shards = pair([left, right])
    asyncio.run(crawl(shards, Limits()))
    for mine, other in ((left, shards[1]), (right, shards[0])):
        assert isinstance(other.store, MemoryStore)
        assert mine.heard_ == {visit.url for visit in other.store.visits if visit.status != 301}


@pytest.mark.parametrize("cut", [1, 3, 6])
def test_letters_survive_a_crash_of_both_shards(tmp_path: Path, cut: int) -> None:
    """Both stop between posting and delivery and lose all that was not committed; no page is lost or fetched twice."""
    shards = pair([BreadthFirst(), BreadthFirst()], tmp_path)
    for _ in range(cut):
        for shard in shards:
            asyncio.run(shard.step(5, 0.0))
    for shard in shards:
        assert isinstance(shard.store, RunStore)
        shard.store.close()
    again = pair([BreadthFirst(), BreadthFirst()], tmp_path)
    asyncio.run(crawl(again, Limits()))
    visited = [url for shard in again for (url,) in shard.store.db.execute("SELECT url FROM pages")]  # type: ignore[union-attr]
    for shard in again:
        shard.store.close()  # type: ignore[union-attr]
    assert len(visited) == len(set(visited))
    assert set(visited) == {
        visit.url for visit in trace(BreadthFirst(), small_web.fetcher(), small_web.seeds(), 10_000)
    }


def test_exchange_forgets_what_was_heard() -> None:
    shards = pair([BreadthFirst(), BreadthFirst()])
    for shard in shards:
        asyncio.run(shard.step(50, 0.0))
    assert any(list(shard.store.mail.letters()) for shard in shards)
    assert exchange(shards)
    assert not any(list(shard.store.mail.letters()) for shard in shards)
    assert not exchange(shards)


def test_offers_that_are_not_finite_are_refused() -> None:
    class Wild(BreadthFirst):
        def observe(self, page: Page) -> Iterable[Say]:
            return [Offer(Link(page.url + "x"), float("nan"))]

    with pytest.raises(PageError, match=r"ValueError in observe .*: a value must be finite"):
        run(new(Wild()), Limits())


def test_recall_reads_the_richest_page_from_the_archive(tmp_path: Path) -> None:
    """With recall a page comes again without a fetch and without a second record."""
    visits = {}
    for recall in (False, True):
        strategy = OtiePlus(small_web.Share(), recrawl=5, recall=recall)
        store = RunStore(tmp_path / str(recall))
        frontier = DiskFrontier(store.db, strategy.weigh, strategy.merge)
        shard = Shard(strategy, frontier, small_web.fetcher(), store, batch=5)
        shard.start(small_web.seeds())
        run(shard, Limits(pages=60))
        visits[recall] = [url for (url,) in store.db.execute("SELECT url FROM pages")]
        assert strategy.pages_ >= 50
        store.close()
    assert len(set(visits[True])) == 60
    assert len(set(visits[False])) < 60


class Hanging(Fetcher):
    """Some hosts let everybody wait until so many others were fetched."""

    def __init__(self, others: int = 0) -> None:
        self._left = others

    async def fetch(self, offer: Offer) -> Page:
        self._left -= "hang" not in offer.link.url
        until = time.monotonic() + 60
        while "hang" in offer.link.url and self._left > 0 and time.monotonic() < until:
            await asyncio.sleep(0.01)
        return Page(offer, offer.link.url, 200)


class HangingFirst(BreadthFirst):
    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> list[Offer]:
        return [Offer(link, float("hang" in link.url)) for link in seeds]


def test_hosts_that_let_us_wait_keep_no_others_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first batch of five is all theirs; the others come before them all the same."""
    monkeypatch.setattr("opilio.shard.in_flight.SLOW", 0.1)
    well = [f"http://well{n}.test/" for n in range(20)]
    hang = [f"http://hang{n}.test/" for n in range(5)]
    visits = [visit.url for visit in trace(HangingFirst(), Hanging(len(well)), [*well, *hang], 100)]
    assert sorted(visits[:20]) == sorted(well)
    assert sorted(visits[20:]) == hang


def test_nothing_is_in_flight_after_a_fault() -> None:
    shard = Shard(HangingFirst(), MemoryFrontier(BreadthFirst().weigh, "max"), Hanging(1), MemoryStore())
    shard.start(["http://hang.test/"])

    def fault() -> None:
        assert shard.in_flight
        raise RuntimeError("a fault of ours")

    with pytest.raises(RuntimeError):
        asyncio.run(crawl([shard], Limits(), watch=fault))
    assert not shard.in_flight


def test_the_redirect_that_is_one_too_many_is_noted(tmp_path: Path) -> None:
    chain = {f"http://a.test/{n}": moved(f"/{n + 1}") for n in range(50)}
    strategy, store = BreadthFirst(), RunStore(tmp_path)
    shard = Shard(strategy, MemoryFrontier(strategy.weigh, strategy.merge), replay(chain), store)
    shard.start(["http://a.test/0"])
    asyncio.run(crawl([shard], Limits()))
    rows = store.db.execute("SELECT url, reason FROM refusals").fetchall()
    store.close()
    assert rows == [("http://a.test/6", "trap: more than 5 redirects in a row")]


class Batches(LinkContext):
    whole_batches = False


@pytest.mark.parametrize(
    ("kind", "asked", "first"),
    [(LinkContext, "strategy", 20), (Batches, "strategy", 5), (LinkContext, "small", 5), (Batches, "whole", 20)],
)
def test_the_first_batch_is_whole_where_the_method_or_the_user_asks(
    kind: type[LinkContext], asked: FirstBatches, first: int
) -> None:
    strategy = kind(small_web.Share())
    frontier = MemoryFrontier(strategy.weigh, strategy.merge)
    shard = Shard(strategy, frontier, small_web.fetcher(), MemoryStore(), batch=20, first_batches=asked)
    shard.start([small_web.url(n) for n in range(30)])
    assert asyncio.run(shard.step(100, 0.0)) == first


class ThreeAtOnce(BestFirst):
    most_at_once = 3


def test_a_strategy_may_choose_fewer_at_once_than_are_committed_together() -> None:
    strategy, store = ThreeAtOnce(small_web.Share()), MemoryStore()
    frontier = MemoryFrontier(strategy.weigh, strategy.merge)
    shard = Shard(strategy, frontier, small_web.fetcher(), store, batch=20, first_batches="whole")
    shard.start([small_web.url(n) for n in range(30)])
    commits: list[int] = []
    store.commit = lambda state: commits.append(store.pages)  # type: ignore[method-assign]
    assert [asyncio.run(shard.step(100, 0.0)) for _ in range(5)] == [3] * 5
    assert commits == [3, 15]  # the first at once, as long as nothing is kept


def test_the_seconds_spent_are_those_of_all_lives_of_a_crawl(tmp_path: Path) -> None:
    """A time limit does not start anew with a resume."""
    lives = []
    for limit in (10.0, 10.0, 25.0):
        store, ticks = RunStore(tmp_path / "run"), iter(range(1_000_000))
        strategy = BreadthFirst()
        shard = Shard(
            strategy, DiskFrontier(store.db, strategy.weigh, strategy.merge), small_web.fetcher(), store, batch=5
        )
        shard.start(small_web.seeds())
        before = store.pages
        why = asyncio.run(crawl([shard], Limits(seconds=limit), clock=lambda ticks=ticks: float(next(ticks))))  # type: ignore[misc]
        lives.append((why, store.pages - before))
        shard.commit()
        store.close()
    assert [why for why, _ in lives] == ["time limit: 10 s", "time limit: 10 s", "time limit: 25 s"]
    assert lives[0][1] > 0 < lives[2][1]
    assert lives[1][1] == 0, "its time was spent already"
