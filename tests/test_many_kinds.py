"""Pages on which each link has a place, a folder and words of its own: what a strategy learns of them has an end."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from opilio import registry
from opilio.fetchers.replay import Recorded, Replay
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.learning import link_kinds, navigation, sample
from opilio.loop import Limits, crawl
from opilio.nouns import Link, Offer, Topic
from opilio.page_errors import PageErrors
from opilio.shard import Shard
from opilio.shard.answers import joining
from opilio.shard.saved_state import packed
from opilio.store.run import RunStore
from opilio.strategies.structure_plus import lanes, link_names
from tests.strategies.golden import WORDS, Mentions

SEED = "http://a.test/"
PAGES, LINKS = 12, 300
FEW = 100  # lanes and pairs, in place of thousands


def page(url: str) -> Recorded:
    draw = random.Random(url)

    def new() -> str:
        return f"{draw.getrandbits(40):x}"

    body = "".join(
        f'<div class="c{new()}"><a class="k{new()}" href="/{new()}/{new()}.{new()}?q{new()}={new()}">'
        f"w{new()} {draw.choice(WORDS)}</a> x{new()}</div>"
        for _ in range(LINKS)
    )
    html = f"<title>{draw.choice(WORDS)} {new()}</title>{body}<p>the {draw.choice(WORDS)} and {new()}</p>"
    return Recorded(200, {"content-type": "text/html; charset=utf-8"}, html.encode())


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_kinds, "MOST_LANES", FEW)
    monkeypatch.setattr(lanes, "MOST_LANES", FEW)
    monkeypatch.setattr(link_names, "MOST_RULES", FEW)
    monkeypatch.setattr(navigation, "MOST_PAIRS", FEW)
    monkeypatch.setattr(sample, "MOST_TEXT", 20_000)


@pytest.mark.parametrize(
    ("name", "goal"), [*((name, "target") for name in registry.strategies()), ("structure-plus", "user-content")]
)
def test_lanes_and_what_is_saved_have_an_end(name: str, goal: str, tmp_path: Path) -> None:
    fetcher, topic = Replay(page), Mentions()
    given = {
        "topic": topic, "seed": 3, "truth": {}, "goal": goal, "tag": "honey", "words": " ".join(WORDS),
        "example": asyncio.run(fetcher.fetch(Offer(Link(SEED)))),
    }  # fmt: skip
    store = RunStore(tmp_path)
    shard = made(name, given, fetcher, topic, store)
    shard.start([SEED])
    asyncio.run(crawl([shard], Limits(pages=PAGES)))
    assert shard.store.pages > 5
    assert not shard.page_errors.rule
    count = sum(1 for _ in shard.frontier.lanes())
    size = len(packed({"strategy": shard.strategy}, None)["strategy"])
    store.close()
    assert count <= 5 * FEW
    assert size <= 400_000


def made(name: str, given: dict[str, object], fetcher: Replay, topic: Topic, store: RunStore) -> Shard:
    strategy, errors = registry.make(name, given), PageErrors(None, strict=True)
    frontier = DiskFrontier(store.db, strategy.weigh, strategy.merge, join=joining(strategy, errors))
    return Shard(strategy, frontier, fetcher, store, topic=topic)
