"""Offers that are joined, and offers that are priced again: the same in memory and on disk."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import pytest

from opilio.frontier.disk.frontier import DiskFrontier
from opilio.frontier.frontier import RowFrontier
from opilio.frontier.memory import MemoryFrontier
from opilio.loop import trace
from opilio.nouns import DEFERRED, DROP, Lane, Link, Offer, Page, Say, Strategy, Weight
from opilio.testing import small_web

Make = Callable[..., RowFrontier]


def weigh(lane: Lane) -> Weight:
    return DROP if lane == ("gone",) else Weight()


def added(groups: Sequence[Sequence[Offer]]) -> list[Offer]:
    """Values add up, and the notes are counted."""
    assert all(type(offer.note[0]) is int for group in groups for offer in group)
    return [
        replace(group[0], value=sum(offer.value for offer in group), note=(sum(offer.note[0] for offer in group),))
        for group in groups
    ]


def wish(name: str, value: float, host: str = "a.test") -> Offer:
    return Offer(Link(f"http://{host}/{name}"), value, note=(1,))


@pytest.fixture(params=["memory", "disk", "waiting disk"])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:

        def made(delay: float = 0.0) -> RowFrontier:
            if request.param == "memory":
                return MemoryFrontier(weigh, "join", delay, join=added)
            return DiskFrontier(db, weigh, "join", delay, waits=request.param != "disk", join=added)

        yield made


def taken(frontier: RowFrontier, most: int = 100) -> list[tuple[str, float, tuple[int, ...]]]:
    leases = frontier.take(most)
    return [(lease.offer.link.url[-1], lease.offer.value, lease.offer.note) for lease in leases]


def test_offers_for_one_url_become_one(make: Make) -> None:
    frontier = make()
    frontier.offer([wish("x", 1.0), wish("y", 2.5), wish("x", 1.0)])
    frontier.offer([wish("x", 1.0)])
    assert len(frontier) == 2
    assert taken(frontier) == [("x", 3.0, (3,)), ("y", 2.5, (1,))]


def test_a_joined_offer_can_be_worth_less(make: Make) -> None:
    frontier = make()
    frontier.offer([wish("x", 3.0), wish("y", 2.0), wish("x", -2.0)])
    assert [name for name, *_ in taken(frontier)] == ["y", "x"]


def test_what_is_deferred_is_not_given_to_the_strategy(make: Make) -> None:
    """Its note is that of the frontier, until it is back in its original lane, also when it is given back."""
    frontier = make()
    frontier.offer([wish("x", 3.0), wish("y", 2.0)])
    (lease,) = frontier.take(1, 0.0, lambda url: url.endswith("x"))
    assert lease.offer.link.url.endswith("y")
    (late,) = frontier.take(1, 0.0, lambda url: True)
    assert (late.offer.lane, late.offer.note) == (DEFERRED, ((), (1,)))
    frontier.give_back(late)
    (again,) = frontier.take(1, 0.0, lambda url: False)
    assert (again.offer.link.url[-1], again.offer.lane, again.offer.note) == ("x", (), (1,))


def test_what_was_fetched_is_not_joined(make: Make) -> None:
    frontier = make()
    frontier.offer([wish("x", 1.0)])
    (lease,) = frontier.take(1)
    frontier.offer([wish("x", 1.0)])
    frontier.settle(lease)
    frontier.offer([wish("x", 1.0)])
    assert not frontier.take(1)


def test_the_highest_priced_are_priced_again(make: Make) -> None:
    frontier = make()
    frontier.offer([wish(name, value) for name, value in zip("abcd", (4.0, 3.0, 2.0, 1.0), strict=True)])
    assert len(frontier) == 4
    asked: list[list[str]] = []

    def price(offers: Sequence[Offer]) -> list[float]:
        asked.append([offer.link.url[-1] for offer in offers])
        return [0.5, 3.0, 5.0]

    frontier.reprice(3, 0.0, price)
    assert asked == [["a", "b", "c"]]
    assert [(name, value) for name, value, _ in taken(frontier)] == [("c", 5.0), ("b", 3.0), ("d", 1.0), ("a", 0.5)]


def test_what_was_joined_just_now_is_not_priced_twice(make: Make) -> None:
    frontier = make()
    frontier.offer([wish("a", 4.0), wish("b", 3.0)])
    frontier.take(1)
    frontier.offer([wish("c", 2.0)])
    asked: list[str] = []

    def price(offers: Sequence[Offer]) -> list[float]:
        asked.extend(offer.link.url[-1] for offer in offers)
        return [offer.value for offer in offers]

    frontier.reprice(2, 0.0, price)
    at_once = isinstance(frontier, DiskFrontier) and not frontier.waits
    assert asked == (["b", "c"] if at_once else ["b"])  # c was joined when it was written, and this is a later look


def test_only_hosts_that_may_be_visited_are_priced_again(make: Make) -> None:
    frontier = make(delay=10.0)
    frontier.offer([wish("a", 4.0), wish("b", 3.0), wish("c", 2.0, "b.test")])
    frontier.take(1, now=1.0)
    frontier.reprice(5, 2.0, lambda offers: [9.0 for _ in offers])
    assert [(lease.offer.link.url, lease.offer.value) for lease in frontier.take(5, now=2.0)] == [
        ("http://b.test/c", 9.0)
    ]
    assert [lease.offer.value for lease in frontier.take(5, now=20.0)] == [3.0]


def test_values_that_add_up_are_not_priced_again() -> None:
    frontier = MemoryFrontier(weigh, "sum")
    frontier.offer([wish("a", 4.0)])
    frontier.reprice(3, 0.0, lambda offers: pytest.fail("asked"))


def test_joining_and_pricing_survive_a_restart() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        frontier = DiskFrontier(db, weigh, "join", join=added)
        frontier.offer([wish("x", 1.0), wish("x", 1.5), wish("y", 2.0), wish("z", 1.0)])
        frontier.reprice(1, 0.0, lambda offers: [0.1])
        again = DiskFrontier(db, weigh, "join", join=added)
        assert taken(again) == [("y", 2.0, (1,)), ("z", 1.0, (1,)), ("x", 0.1, (2,))]


def test_memory_and_disk_agree_on_long_runs() -> None:
    rng = random.Random(5)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        both: list[RowFrontier] = [
            MemoryFrontier(weigh, "join", join=added),
            DiskFrontier(db, weigh, "join", waits=True, join=added),
        ]
        for _ in range(60):
            offers = [wish(str(rng.randrange(40)), rng.random(), f"{rng.randrange(4)}.test") for _ in range(10)]
            factor = rng.random()
            found = []
            for frontier in both:
                frontier.offer(offers)
                frontier.reprice(15, 0.0, lambda best, by=factor: [offer.value * by for offer in best])  # type: ignore[misc]
                leases = frontier.take(3)
                for lease in leases:
                    frontier.settle(lease)
                found.append([(lease.offer.link.url, lease.offer.value) for lease in leases])
            assert found[0] == found[1]


class Joiner(Strategy):
    """Prices by the number of links; raises an exception where it is told to."""

    merge = "join"

    def __init__(self, wrong: str = "") -> None:
        self.wrong = wrong

    def observe(self, page: Page) -> list[Say]:
        return [Offer(link, 1.0, note=(1,)) for link in page.links]

    def join(self, held: Offer, new: Offer) -> Offer:
        link = Link("http://other.test/") if self.wrong == "join" else held.link
        return replace(held, link=link, value=held.value + new.value)

    def reprices(self) -> int:
        return 5

    def reprice(self, offers: Sequence[Offer]) -> Sequence[float]:
        return [1.0] if self.wrong == "reprice" else [offer.value for offer in offers]


def test_a_strategy_can_join_offers() -> None:
    visits = trace(Joiner(), small_web.fetcher(), small_web.seeds(), 30)
    assert len({visit.url for visit in visits}) == 30


@pytest.mark.parametrize("wrong", ["join", "reprice"])
def test_wrong_answers_are_the_strategys_fault(wrong: str) -> None:
    with pytest.raises(Exception, match=f"{wrong}"):
        trace(Joiner(wrong), small_web.fetcher(), small_web.seeds(), 60)
