"""A topic that learns while a crawl runs: it gets better, does not drift, obeys people, and forgets nothing at a stop."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

import pytest

from opilio.codec import pack, unpack
from opilio.engine.topic import relearned
from opilio.nouns import Material, Page, Topic
from opilio.shard import learned, restore
from opilio.topics import adaptive
from opilio.topics.adaptive import FIRST, GROWTH, MANY, SAMPLE, Both, Growing, standing, steady
from opilio.topics.kept_material import Sample, enter, pages
from opilio.topics.models.auto import Auto
from opilio.topics.models.svm import Svm

from .test_topics import BEES, BOATS, MATERIAL, TRAINS, page

FEW = Material("honey bees", MATERIAL.positives[:4])


class Fixed(Topic):
    """Says what it was told to say of all pages."""

    def __init__(self, said: float) -> None:
        self.said = said

    def text(self, text: str) -> float:
        return self.said


class Contrary(Fixed):
    """Very sure that pages on bees are off the topic, and all others on it."""

    def page(self, page: Page) -> float:
        return 1e-12 if "honey" in page.url else 1 - 1e-12

    def bare(self) -> Auto:
        return Auto.learn(FEW).bare()


def crawled(count: int, first: int = 200) -> list[Page]:
    """Pages as a crawl brings them: a third on bees."""
    return [page((BEES, BOATS, TRAINS)[n % 3], n) for n in range(first, first + count)]


def fed(topic: Growing, brought: Sequence[Page]) -> Growing:
    for one in brought:
        topic.observe(one, topic.page(one))
    return topic


@pytest.fixture(scope="module")
def grown() -> Growing:
    return fed(Growing(Auto.learn(FEW), adapts=True), crawled(FIRST))


def test_it_learns_from_pages_that_it_meets(grown: Growing) -> None:
    assert grown.learned_ == 1
    assert isinstance(grown.now, Both)
    assert grown.due_ == GROWTH * FIRST
    assert 0 < len(grown.sample_) <= SAMPLE
    trusted = grown._trusted()
    assert all("honey" in one.url for one in trusted.positives)
    assert len(trusted.negatives) >= FIRST // 3
    assert not any("honey" in one.url for one in trusted.negatives)
    judged = [grown.page(one) for one in (page(BEES, 900), page(BOATS, 900))]
    assert judged[0] > 0.5 > judged[1]
    assert len(grown.links(page(BEES, 900))) == 5


def test_it_does_not_learn_unless_it_may() -> None:
    for topic in (
        Growing(Auto.learn(FEW), adapts=False),
        Growing(Auto.around(Svm.learn(MATERIAL), MATERIAL), adapts=True),
    ):
        fed(topic, crawled(FIRST))
        assert (topic.seen_, topic.sample_, topic.second_) == (0, {}, b"")
    enough = Material("", MATERIAL.positives, tuple(page(BOATS, n) for n in range(MANY)))
    told = fed(Growing(Auto.learn(enough), adapts=True), crawled(FIRST))
    assert told.second_ == b""  # people named pages off the topic: nothing is taken on trust


@pytest.mark.parametrize("cut", [0, 1, FIRST - 1, FIRST, FIRST + 7])
def test_stop_and_go_on_is_never_stopped(cut: int) -> None:
    brought = crawled(FIRST + 20)
    whole = fed(Growing(Auto.learn(FEW), adapts=True), brought)
    state = pack(learned(fed(Growing(Auto.learn(FEW), adapts=True), brought[:cut])))
    again = Growing(Auto.learn(FEW), adapts=True)
    restore(again, unpack(state))
    assert learned(fed(again, brought[cut:])) == learned(whole)
    assert again.page(page(BEES, 950)) == whole.page(page(BEES, 950))


def test_a_drifting_model_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second model that is very sure of the opposite puts the user's own examples below other pages."""
    topic = fed(Growing(Auto.learn(FEW), adapts=True), crawled(FIRST - 1))
    monkeypatch.setattr(topic, "_learned", lambda own, trusted: Contrary(0.5))
    before = topic.page(page(BEES, 960))
    topic.observe(page(TRAINS, 999), 0.01)
    assert (topic.due_, topic.learned_, topic.second_) == (GROWTH * FIRST, 0, b"")
    assert topic.page(page(BEES, 960)) == before
    monkeypatch.setattr(adaptive, "standing", lambda topic, held, sample: 1.0)
    monkeypatch.setattr(adaptive, "steady", lambda new, old, sample: True)
    topic._grow()  # without the guard it would be
    assert topic.learned_ == 1


def test_the_guard() -> None:
    yes, no = Fixed(0.9), Fixed(0.1)
    bees = Auto.learn(MATERIAL)
    boats, trains = page(BOATS, 950), [page(TRAINS, n) for n in range(950, 960)]
    assert standing(bees, Material("", (page(BEES, 950),)), trains) == 1
    assert standing(bees, Material("", (), (page(BEES, 950),)), trains) == 0
    assert standing(yes, Material("", (boats,), (boats,)), trains) == 0  # a tie stands neither above nor below
    assert standing(no, Material("words"), trains) == 1
    sample = [page(BEES, n) for n in range(10)]
    assert steady(yes, yes, sample)
    assert not steady(yes, no, sample)
    assert not steady(no, yes, sample)


def test_what_people_say_counts_at_once_and_most(grown: Growing) -> None:
    topic = Growing(Auto.learn(FEW), adapts=True)
    restore(topic, unpack(pack(learned(grown))))
    guessed = topic._trusted().positives[0]
    url = guessed.url
    assert topic.page(guessed) > 0.9
    start = time.process_time()
    labels = [(page(BOATS, n), True) for n in range(300, 308)] + [(page(BEES, n), False) for n in range(300, 312)]
    why = relearned(topic, [*labels, (guessed, False)])
    assert time.process_time() - start < 5  # a tenth of it on a calm machine
    assert "12 examples on the topic and 13 off it" in why
    assert url not in topic.sample_
    assert topic.second_ == b""
    assert topic.page(page(BOATS, 400)) > 0.5
    topic.observe(guessed, 0.99)
    assert url not in topic.sample_
    again = Growing(Auto.learn(FEW), adapts=True)
    restore(again, unpack(pack(learned(topic))))
    assert again.page(page(BOATS, 401)) == topic.page(page(BOATS, 401))


def test_a_page_without_words_says_nothing() -> None:
    topic = Growing(Auto.learn(FEW), adapts=True)
    failed = Page(page(BEES, 0).offer, "http://a.example/x", error="timeout")
    topic.told(failed, True)
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


def test_two_models_meet_in_the_middle() -> None:
    assert Both(Fixed(0.8), Fixed(0.8)).text("") == pytest.approx(0.8)
    assert Both(Fixed(0.9), Fixed(0.1)).text("") == pytest.approx(0.5)
    assert Both(Fixed(1.0), Fixed(0.0)).text("") == 0.5
    assert Both(Fixed(1.0), Fixed(0.3)).text("") == 1.0
