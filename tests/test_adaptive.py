"""A topic that learns while a crawl runs: it gets better, does not drift, obeys people, and forgets nothing at a stop."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

import pytest

from opilio.codec import pack, unpack
from opilio.engine.topic import relearned
from opilio.nouns import Material, Page
from opilio.shard.saved_state import learned, restore
from opilio.topics.adaptive import FIRST, GROWTH, SAMPLE, Growing
from opilio.topics.kept_material import Sample, enter, pages
from opilio.topics.models.auto import Auto
from opilio.topics.models.svm import Svm

from .test_topics import BEES, BOATS, MATERIAL, TRAINS, page

FEW = Material("honey bees", MATERIAL.positives[:4])


def crawled(count: int, first: int = 200) -> list[Page]:
    """Pages as a crawl brings them: a third on bees."""
    return [page((BEES, BOATS, TRAINS)[n % 3], n) for n in range(first, first + count)]


def fed(topic: Growing, brought: Sequence[Page]) -> Growing:
    for one in brought:
        topic.observe(one, topic.page(one))
    return topic


def test_it_learns_from_pages_that_it_meets() -> None:
    topic = fed(Growing(Auto.learn(FEW), adapts=True), crawled(FIRST - 1))
    assert topic.learned_ == 0
    fed(topic, crawled(2, 300))
    assert "with the web at large" in topic.given.why
    assert f"with {FIRST} pages around" in topic.why
    assert (topic.learned_, topic.due_) == (1, GROWTH * FIRST)
    assert topic.page(page(BEES, 900)) > 0.5 > topic.page(page(BOATS, 900))
    assert len(topic.links(page(BEES, 900))) == 5


def test_what_it_thought_of_pages_is_not_learned() -> None:
    """The same pages, judged otherwise, teach the same: so it cannot talk itself into anything."""
    honest, misled = (Growing(Auto.learn(FEW), adapts=True) for _ in range(2))
    for one in crawled(FIRST):
        honest.observe(one, honest.page(one))
        misled.observe(one, 1.0)
    assert honest.page(page(TRAINS, 900)) == misled.page(page(TRAINS, 900))
    assert honest.model_ == misled.model_


def test_it_does_not_learn_unless_it_may() -> None:
    for topic in (
        Growing(Auto.learn(FEW), adapts=False),
        Growing(Auto.around(Svm.learn(MATERIAL), MATERIAL), adapts=True),
    ):
        fed(topic, crawled(FIRST))
        assert (topic.seen_, topic.sample_, topic.model_) == (0, {}, b"")


@pytest.mark.parametrize("cut", [0, 1, FIRST - 1, FIRST, FIRST + 7])
def test_stop_and_go_on_is_never_stopped(cut: int) -> None:
    brought = crawled(FIRST + 20)
    whole = fed(Growing(Auto.learn(FEW), adapts=True), brought)
    state = pack(learned(fed(Growing(Auto.learn(FEW), adapts=True), brought[:cut])))
    again = Growing(Auto.learn(FEW), adapts=True)
    restore(again, unpack(state))
    assert learned(fed(again, brought[cut:])) == learned(whole)
    assert again.page(page(BEES, 950)) == whole.page(page(BEES, 950))


def test_what_people_say_counts_at_once_and_most() -> None:
    topic = fed(Growing(Auto.learn(FEW), adapts=True), crawled(2 * FIRST))
    guessed = next(one for one in crawled(10) if "honey" in one.url)
    start = time.process_time()
    labels = [(page(BOATS, n), True) for n in range(300, 308)] + [(page(BEES, n), False) for n in range(300, 312)]
    why = relearned(topic, [*labels, (guessed, False)])
    assert time.process_time() - start < 5  # a tenth of it on a calm machine
    assert "12 examples and 13 pages off the topic" in why
    assert guessed.url not in topic.sample_
    assert topic.page(guessed) == 0.0
    assert topic.page(page(BOATS, 400)) > topic.page(page(TRAINS, 400))
    topic.observe(guessed, 0.99)
    assert guessed.url not in topic.sample_
    again = Growing(Auto.learn(FEW), adapts=True)
    restore(again, unpack(pack(learned(topic))))
    assert again.page(page(BOATS, 401)) == topic.page(page(BOATS, 401))


def test_a_page_without_words_says_nothing() -> None:
    topic = Growing(Auto.learn(FEW), adapts=True)
    failed = Page(page(BEES, 0).offer, "http://a.example/x", error="timeout")
    topic.labelled(failed, True)
    topic.observe(failed, 0.99)
    assert (topic.told_, topic.seen_) == ({}, 0)


def test_a_sample_is_the_same_in_any_order_and_bounded() -> None:
    brought = crawled(40)
    samples: list[Sample] = []
    for seed in (1, 2):
        sample: Sample = {}
        random.Random(seed).shuffle(brought)
        for one in brought * 2:
            enter(sample, one, 7)
        samples.append(sample)
    assert samples[0] == samples[1]
    assert len(pages(samples[0])) == 7
    assert [one.url for one in pages(samples[0], 3)] == [one.url for one in pages(samples[1])[:3]]
    assert SAMPLE > 7


@pytest.mark.slow
def test_topics_of_several_shards_know_the_same_pages_around() -> None:
    """Each sees its part of the crawl and hears of the others', late and in any order; all learn at about the same time."""
    brought = crawled(3 * SAMPLE)
    alone = fed(Growing(Auto.learn(FEW), adapts=True), brought)
    shards = [Growing(Auto.learn(FEW), adapts=True) for _ in range(3)]
    for index, topic in enumerate(shards):
        topic.shards = 3
        fed(topic, brought[index::3])
    for topic, letters in [(topic, topic.news()) for topic in shards]:
        assert len(letters) < len(brought) / 3 + 1
        for other in shards:
            if other is not topic:
                for news in random.Random(2).sample(letters, len(letters)):
                    other.hear(unpack(pack(news)))
    assert [set(topic.sample_) for topic in shards] == [set(alone.sample_)] * 3
    assert {topic.learned_ for topic in shards} == {alone.learned_}
    assert not shards[0].news()
