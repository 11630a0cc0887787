"""What came of a page is learned by the strategies of all shards, and after a while by as many as is worth its cost."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from opilio import registry
from opilio.codec import pack
from opilio.frontier.memory import MemoryFrontier
from opilio.frontier.merge import joins
from opilio.loop import Limits, crawl
from opilio.nouns import Lesson, Strategy
from opilio.scope import Scope
from opilio.shard import Shard, delivery
from opilio.shard.delivery import Delivery
from opilio.store.memory import MemoryStore
from opilio.strategies.blend import Blend
from opilio.strategies.link_context_plus import LinkContextPlus
from opilio.strategies.otie_plus import OtiePlus
from opilio.testing import small_web


def crawled(strategies: list[Strategy]) -> list[Shard]:
    shards = []
    for index, strategy in enumerate(strategies):
        frontier = MemoryFrontier(strategy.weigh, strategy.merge, join=joins(strategy))
        store, count = MemoryStore(index), len(strategies)
        shards.append(Shard(strategy, frontier, small_web.fetcher(), store, batch=5, index=index, shards=count))
        shards[-1].start(small_web.seeds())
    asyncio.run(crawl(shards, Limits(pages=60)))
    return shards


def test_all_shards_learn_from_every_page() -> None:
    shards = crawled([Blend(small_web.Share()) for _ in range(3)])
    records = [shard.strategy.past_.record for shard in shards if isinstance(shard.strategy, Blend)]
    pages = sum(shard.store.pages for shard in shards)
    assert [record.pages for record in records] == [pages] * 3
    for record in records[1:]:
        assert record.relevance == pytest.approx(records[0].relevance)
        assert set(record.kinds.tolist()) & set(records[0].kinds.tolist())


@pytest.mark.parametrize("kind", [LinkContextPlus, OtiePlus])
def test_all_shards_know_what_kinds_of_links_brought(kind: type[LinkContextPlus | OtiePlus]) -> None:
    tables = [shard.strategy.table_ for shard in crawled([kind(small_web.Share()) for _ in range(3)])]  # type: ignore[attr-defined]
    assert tables[0][""][0] > 30
    for table in tables[1:]:
        assert table.keys() == tables[0].keys()
        assert {part: row[0] for part, row in table.items()} == {part: row[0] for part, row in tables[0].items()}


def test_a_lesson_teaches_what_the_page_itself_did() -> None:
    teacher, shard, pupil = (registry.make("blend", small_web.given()) for _ in range(3))
    assert isinstance(teacher, Blend)
    assert isinstance(pupil, Blend)
    store = crawled([shard])[0].store
    assert isinstance(store, MemoryStore)
    for visit in store.visits[:20]:
        list(pupil.study(teacher._learn(visit.lease.offer, visit.url, 0.5, "bees")))
    assert pupil.past_.record.pages == 20
    assert pack(pupil.past_) == pack(teacher.past_)


def test_after_a_while_a_lesson_goes_to_one_other_shard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "TAUGHT", 40)
    store = MemoryStore(1)
    posts = Delivery(MemoryFrontier(LinkContextPlus(small_web.Share()).weigh), store, Scope(), 1, 4)
    told = []
    for pages in range(100):
        store.pages = pages
        before = len(list(store.mail.letters()))
        posts.apply([Lesson((pages,))])
        told.append([letter.receiver for letter in list(store.mail.letters())[before:]])
    assert all(sorted(receivers) == [0, 2, 3] for receivers in told[:10])
    assert {len(receivers) for receivers in told[10:]} == {1}
    assert Counter(receivers[0] for receivers in told[10:]) == {0: 30, 2: 30, 3: 30}
