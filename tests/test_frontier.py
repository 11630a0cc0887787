"""The frontier: memory and disk against a naive model, and each promise on its own."""

from __future__ import annotations

import copy
import math
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from opilio import key_index, native, urls
from opilio.codec import pack, unpack
from opilio.frontier import rows
from opilio.frontier.disk import nearest_offers, row_log
from opilio.frontier.disk import offers as texts
from opilio.frontier.disk import rows as disk_rows
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.frontier.memory import MemoryFrontier
from opilio.frontier.queue import bag as piles
from opilio.frontier.queue import lane as queues
from opilio.frontier.queue import lane_heads, moves, schedule, waiting_hosts
from opilio.frontier.queue.lane import Bag
from opilio.frontier.queue.waiting_bags import WaitingBags
from opilio.key_index import Index, by_numpy
from opilio.key_index.by_numpy import find
from opilio.nouns import DROP, PARK, Lane, LaneState, Lease, Link, Offer, Weight
from opilio.secret import SECRET

Merge: TypeAlias = Literal["max", "sum"]
Weights: TypeAlias = dict[Lane, Weight]
Both: TypeAlias = MemoryFrontier | DiskFrontier
Make: TypeAlias = Callable[..., Both]

URLS = [f"http://{host}.example/{page}" for host in "abc" for page in range(4)]
LANES: list[Lane] = [(), ("x",), ("x", "y"), ("z",)]


@dataclass
class Known:
    fetched: bool = False
    leased: bool = False
    cash: float = 0.0
    kept: tuple[Any, ...] | None = None
    places: dict[Lane, Offer] = field(default_factory=dict)


def preferred(offer: Offer) -> tuple[Any, ...]:
    order = (
        offer.link.source,
        offer.link.anchor,
        repr(offer.note),
        offer.again or (),
        offer.again is None,
        offer.tries,
    )
    return (-offer.value, *order)


class Model:
    """What a frontier does, said naively: look at everything, each time."""

    def __init__(self, weights: Weights, merge: Merge, delay: float) -> None:
        self.weights, self.sums, self.delay = weights, merge == "sum", delay
        self.urls = {url: Known() for url in URLS}
        self.lanes: dict[Lane, list[Any]] = {}  # weight, leases left, dropped
        self.rests: dict[str, float] = {}
        self.delays: dict[str, float] = {}
        self.number = 1
        self.left: list[Lease] = []

    def offer(self, offers: list[Offer]) -> None:
        for offer in offers:
            url = self.urls[offer.link.url]
            url.cash += offer.value if self.sums else 0.0
            lane = offer.again if url.fetched or url.leased else offer.lane
            if lane is not None:
                self.enter(url, lane, offer)

    def enter(self, url: Known, lane: Lane, offer: Offer) -> None:
        state = self.lanes.setdefault(lane, [self.weights[lane], self.weights[lane].most, 0])
        if state[0].scale < 0 and not url.leased:
            state[2] += 1
        else:
            url.places[lane] = min(url.places.get(lane, offer), offer, key=preferred)

    def reweigh(self, lane: Lane | None) -> None:
        for name in self.lanes if lane is None else {lane} & self.lanes.keys():
            self.lanes[name][:2] = self.weights[name], self.weights[name].most
            for url in self.urls.values():
                if self.weights[name].scale < 0 and not url.leased:
                    self.lanes[name][2] += url.places.pop(name, None) is not None

    def offered(self) -> Iterator[tuple[float, float, int, Lane, str]]:
        for name, url in self.urls.items():
            for lane, offer in url.places.items():
                weight, left, _ = self.lanes[lane]
                if not url.leased and weight.scale >= 0 and weight.shift > -math.inf and left > 0:
                    value = url.cash if self.sums else offer.value
                    yield -(weight.shift + weight.scale * value), -value, urls.digest(name), lane, name

    def take(self, most: int, now: float) -> list[Lease]:
        leases: list[Lease] = []
        for lease in list(self.left):
            if len(leases) < most and self.until(lease.offer.link.url) <= now:
                self.left.remove(lease)
                self.visit(lease.offer.link.url, now)
                leases.append(lease)
        while len(leases) < most and (able := [best for best in self.offered() if self.until(best[4]) <= now]):
            leases.append(self.lease(*min(able)[1:], now))
        return leases

    def lease(self, minus: float, digest: int, lane: Lane, name: str, now: float) -> Lease:
        url, weight = self.urls[name], self.lanes[lane][0]
        offer = replace(url.places[lane], value=-minus, lane=lane)
        lease = Lease(self.number, offer, weight, (url.kept or ()) if url.fetched else None)
        url.places, url.cash, url.leased = {}, 0.0, True
        self.lanes[lane][1] -= 1
        self.number += 1
        self.visit(name, now)
        return lease

    def settle(self, lease: Lease, kept: tuple[Any, ...] | None) -> None:
        url = self.end(lease)
        url.fetched, url.kept = True, url.kept if kept is None else kept

    def give_back(self, lease: Lease) -> None:
        offer = lease.offer
        again = offer.lane if self.end(lease).fetched else offer.again
        self.offer([replace(offer, again=again, tries=offer.tries + 1)])

    def end(self, lease: Lease) -> Known:
        url = self.urls[lease.offer.link.url]
        url.leased = False
        self.left = [other for other in self.left if other != lease]
        waiting, url.places = url.places, {}
        for lane, offer in waiting.items():
            self.enter(url, lane, offer)
        return url

    def visit(self, url: str, now: float) -> None:
        delay = self.delays.get(urls.host(url), self.delay)
        if delay > 0:
            self.rest(urls.host(url), now + delay)

    def rest(self, host: str, until: float) -> None:
        self.rests[host] = max(until, self.rests.get(host, -math.inf))

    def until(self, url: str) -> float:
        return self.rests.get(urls.host(url), -math.inf)

    def ready(self, now: float) -> float | None:
        names = [best[4] for best in self.offered()] + [lease.offer.link.url for lease in self.left]
        return max(now, min(map(self.until, names))) if names else None

    def open(self, lane: Lane | None = None) -> int:
        opened = [url.places for url in self.urls.values() if url.places and not url.leased]
        return sum(lane is None or lane in places for places in opened)


VALUES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 1.0, -1.0, 3.0])
LINKS = st.builds(Link, st.sampled_from(URLS), st.sampled_from(["http://s.example/1", "http://s.example/2"]))
AGAIN = st.none() | st.sampled_from(LANES)
OFFERS = st.builds(Offer, LINKS, VALUES, st.sampled_from(LANES[:3]), st.sampled_from([(), (1, "a"), (2.5,)]), AGAIN)
WEIGHTS = st.sampled_from(
    [Weight(), PARK, DROP, Weight(0.5, 0.0), Weight(-1.0, 2.0), Weight(most=1), Weight(2.0, 1.0, 2)]
)
KEPT = st.none() | st.sampled_from([(), ("a", 1), (2,), (0.0,), (0.25,)])


def small_bags() -> pytest.MonkeyPatch:
    """Let bags be put in order few at a time, the tables on disk be cleared of little, and few rows be cached."""
    patch = pytest.MonkeyPatch()
    patch.setattr(piles, "NEAR", 2)
    patch.setattr(piles, "SPLIT", 3)
    patch.setattr(queues, "SPLIT", 3)
    patch.setattr(lane_heads, "SPLIT", 1)
    patch.setattr(lane_heads, "PASSED", 1)
    patch.setattr(queues, "STALE", 1)
    patch.setattr(waiting_hosts, "FORGOTTEN", 1)
    patch.setattr(by_numpy, "FEW", 2)
    patch.setattr(row_log, "BLOCK", 3)
    patch.setattr(row_log, "SLACK", 2)
    patch.setattr(row_log, "CLEAR", 4)
    patch.setattr(texts, "SLACK", 2)
    patch.setattr(texts, "CLEAR", 4)
    patch.setattr(disk_rows, "CACHED", 3)
    patch.setattr(nearest_offers, "MOST", 4)
    patch.setattr(nearest_offers, "FEW", 1)
    patch.setattr(moves, "MOST", 3)
    patch.setattr(rows, "REMEMBERED", 3)
    patch.setattr(schedule, "LOOKED", 100)
    return patch


class SideBySide(RuleBasedStateMachine):
    """Drives memory, disk and model together; a crash loses what was not committed and hands open leases out again."""

    @initialize(merge=st.sampled_from(["max", "sum"]), delay=st.sampled_from([0.0, 0.0, 2.0]), waits=st.booleans())
    def start(self, merge: Merge, delay: float, waits: bool) -> None:
        self.weights: Weights = dict.fromkeys(LANES, Weight())
        self.weigh = self.weights.__getitem__
        self.merge, self.delay, self.waits, self.now = merge, delay, waits, 0.0
        self.small = small_bags()
        self.db = sqlite3.connect(":memory:")
        self.disk = self.opened()
        self.memory = MemoryFrontier(self.weigh, merge, delay)
        self.model = Model(self.weights, merge, delay)
        self.out: list[Lease] = []
        self.commit()

    def opened(self) -> DiskFrontier:
        return DiskFrontier(self.db, self.weigh, self.merge, self.delay, waits=self.waits)

    @rule()
    def commit(self) -> None:
        if self.waits:
            self.disk.save()
            self.same_total(self.disk)
        self.db.commit()
        memo = {id(shared): shared for shared in (self.weights, self.weigh)}
        self.saved = copy.deepcopy((self.memory, self.model, self.out), memo)

    @rule()
    def crash(self) -> None:
        self.db.rollback()
        self.memory, self.model, self.out = self.saved
        self.model.left = list(self.out)
        self.disk = self.opened()
        self.commit()

    @rule()
    def reopen(self) -> None:
        self.commit()
        self.crash()

    @rule(offers=st.lists(OFFERS, max_size=12))
    def offer(self, offers: list[Offer]) -> None:
        for frontier in (self.memory, self.disk, self.model):
            frontier.offer(offers)

    @rule(lane=st.sampled_from(LANES), weight=WEIGHTS, every=st.booleans())
    def reweigh(self, lane: Lane, weight: Weight, every: bool) -> None:
        self.weights[lane] = weight
        for frontier in (self.memory, self.disk, self.model):
            frontier.reweigh(None if every else lane)

    @rule(most=st.integers(0, 6), later=st.sampled_from([0.0, 0.0, 1.0, 2.0]))
    def take(self, most: int, later: float) -> None:
        self.now += later
        wanted = self.model.take(most, self.now)
        assert self.disk.take(most, self.now) == wanted
        before = [lease for lease in wanted if lease in self.out]
        for lease in before:
            self.rested(lease.offer.link.url)
        assert [*before, *self.memory.take(most - len(before), self.now)] == wanted
        self.out += wanted[len(before) :]

    @rule(most=st.integers(0, 6))
    def prices(self, most: int) -> None:
        model = copy.deepcopy(self.model, {id(shared): shared for shared in (self.weights, self.weigh)})
        wanted = [lease.price for lease in model.take(most, self.now)]
        assert self.disk.prices(most, self.now) == wanted
        if not self.model.left:
            assert self.memory.prices(most, self.now) == wanted

    def rested(self, url: str) -> None:
        """Memory has no leases left over: let the host rest as if it had handed this one out again."""
        if self.model.delays.get(urls.host(url), self.delay) > 0:
            self.memory.rest(urls.host(url), self.model.until(url))

    @rule(at=st.integers(0, 100), kept=KEPT)
    def settle(self, at: int, kept: tuple[Any, ...] | None) -> None:
        if self.out:
            lease = self.out.pop(at % len(self.out))
            for frontier in (self.memory, self.disk, self.model):
                frontier.settle(lease, kept)

    @rule(at=st.integers(0, 100))
    def give_back(self, at: int) -> None:
        if self.out:
            lease = self.out.pop(at % len(self.out))
            for frontier in (self.memory, self.disk, self.model):
                frontier.give_back(lease)

    @rule(
        host=st.sampled_from(["a.example", "b.example"]), seconds=st.sampled_from([0.0, 1.0, 5.0]), ever=st.booleans()
    )
    def slow(self, host: str, seconds: float, ever: bool) -> None:
        for frontier in (self.memory, self.disk):
            frontier.set_delay(host, seconds) if ever else frontier.rest(host, self.now + seconds)
        if ever:
            self.model.delays[host] = seconds
        else:
            self.model.rest(host, self.now + seconds)

    @invariant()
    def alike(self) -> None:
        model = self.model
        states = [LaneState(lane, state[0], model.open(lane), state[2]) for lane, state in model.lanes.items()]
        for frontier in (self.memory, self.disk):
            assert list(frontier.lanes()) == states
            assert len(frontier) == model.open()
            if not (frontier is self.disk and self.waits):  # asked for all cash, it no longer waits
                self.same_total(frontier)
            for name, url in model.urls.items():
                assert frontier.known(name) == ((url.kept or ()) if url.fetched else None)
                assert frontier.credit(name) == url.cash

    def same_total(self, frontier: Both) -> None:
        assert frontier.total() == pytest.approx(sum(url.cash for url in self.model.urls.values()))

    @invariant()
    def ready(self) -> None:
        wanted = self.model.ready(self.now)
        assert self.disk.ready(self.now) == wanted
        if not self.model.left:
            assert self.memory.ready(self.now) == wanted

    def teardown(self) -> None:
        if hasattr(self, "db"):
            self.db.close()
            self.small.undo()


SideBySide.TestCase.settings = settings(stateful_step_count=50, deadline=None)
TestSideBySide = SideBySide.TestCase


@pytest.fixture(params=["memory", "disk", "disk that waits"])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Makes either kind of frontier; lanes weigh what the weights say when they are asked."""
    bases: list[sqlite3.Connection] = []

    def made(weights: Weights | None = None, merge: Merge = "max", delay: float = 0.0) -> Both:
        given = {} if weights is None else weights

        def weigh(lane: Lane) -> Weight:
            return given.get(lane, Weight())

        if request.param == "memory":
            return MemoryFrontier(weigh, merge, delay)
        bases.append(sqlite3.connect(":memory:"))
        return DiskFrontier(bases[-1], weigh, merge, delay, waits=request.param != "disk")

    yield made
    for base in bases:
        base.close()


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    base = sqlite3.connect(":memory:")
    yield base
    base.close()


def wish(url: str, value: Any = 1.0, lane: Lane = (), again: Lane | None = None, **link: Any) -> Offer:
    return Offer(Link(url, **link), value, lane, again=again)


def taken(leases: list[Lease]) -> list[str]:
    return [lease.offer.link.url for lease in leases]


def one(frontier: Both, now: float = 0.0) -> Lease:
    (lease,) = frontier.take(1, now)
    return lease


A, B, C, D = "http://a.example/", "http://b.example/", "http://c.example/", "http://d.example/"


def test_many_offers_come_out_exactly_in_order(make: Make) -> None:
    frontier, rng = make(), random.Random(1)
    values = [rng.choice([rng.random(), 0.5 + rng.random() * 1e-15, -rng.random()]) for _ in range(1500)]
    offers = [wish(f"http://h{rng.randrange(9)}.example/{n}", value) for n, value in enumerate(values)]
    for start in range(0, len(offers), 80):
        frontier.offer(offers[start : start + 80])
    wanted = sorted(offers, key=lambda offer: (-offer.value, urls.digest(offer.link.url)))
    assert [lease.offer for _ in range(100) for lease in frontier.take(15)] == wanted
    assert frontier.take(1) == []
    assert len(frontier) == 0


def test_offers_that_come_while_others_are_taken_find_their_place(make: Make) -> None:
    small = small_bags()
    frontier, rng, waiting = make(), random.Random(2), set[tuple[float, str]]()
    for n in range(2000):
        if rng.random() < 0.6:
            value, url = rng.random(), f"http://h{rng.randrange(40)}.example/{n}"
            waiting.add((value, url))
            frontier.offer([wish(url, value)])
        elif waiting:
            highest = max(waiting)
            waiting.remove(highest)
            assert taken(frontier.take(1)) == [highest[1]]
    assert len(frontier) == len(waiting)
    small.undo()


def test_price_is_shift_plus_scale_times_value(make: Make) -> None:
    frontier = make({("x",): Weight(0.5, 0.1), ("y",): Weight(-1.0, 2.0)})
    frontier.offer([wish(A, 0.58), wish(B, 1.0, ("x",)), wish(C, 0.75, ("y",)), wish(D, 0.9, ("y",))])
    leases = frontier.take(9)
    assert taken(leases) == [D, B, A, C]
    assert [lease.price for lease in leases] == pytest.approx([0.8, 0.6, 0.58, 0.5])


def test_equal_prices_go_by_value_then_by_hash(make: Make) -> None:
    frontier = make({("flat",): Weight(1.0, 0.0)})
    frontier.offer([wish(A, 0.1, ("flat",)), wish(B, 0.2, ("flat",)), wish(C), wish(D)])
    assert taken(frontier.take(9)) == [*sorted([C, D], key=urls.digest), B, A]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_refused_with_their_batch(make: Make, value: float) -> None:
    frontier = make()
    with pytest.raises(ValueError, match="finite"):
        frontier.offer([wish(A), wish(B, value)])
    assert len(frontier) == 0
    assert list(frontier.lanes()) == []


def test_max_keeps_the_best_offer_of_a_lane(make: Make) -> None:
    frontier = make()
    frontier.offer([wish(A, 0.5, source=B), wish(A, 0.7, source=C), wish(A, 0.6, source=D)])
    assert one(frontier).offer == wish(A, 0.7, source=C)


@pytest.mark.parametrize("merge", ["max", "sum"])
def test_equal_offers_merge_the_same_in_any_order(make: Make, merge: Merge) -> None:
    offers = [
        *(wish(A, 0.5, source=source, anchor=anchor) for source in (B, C) for anchor in ("one", "two")),
        *(replace(wish(A, 0.5, source=B, anchor="one"), note=note) for note in ((1,), (2,), ("a",))),
    ]
    first = set()
    for seed in range(20):
        random.Random(seed).shuffle(offers)
        frontier = make(merge=merge)
        for offer in offers:
            frontier.offer([offer])
        first.add(one(frontier).offer)
    assert len(first) == 1
    assert first.pop().link == Link(A, B, "one")


def test_a_url_stands_in_all_its_lanes_and_leaves_them_together(make: Make) -> None:
    weights = {("x",): Weight(), ("y",): Weight(5.0)}
    frontier = make(weights)
    frontier.offer([wish(A, 0.9, ("x",)), replace(wish(A, 0.1, ("y",)), note=("deep",)), wish(B, 0.95, ("x",))])
    assert len(frontier) == 2
    lease = one(frontier)
    assert (lease.offer.lane, lease.offer.note, lease.offer.value) == (("y",), ("deep",), 0.1)
    assert lease.weight == Weight(5.0)
    assert taken(frontier.take(9)) == [B]
    assert {state.open for state in frontier.lanes()} == {0}


def test_sum_adds_up_and_remembers_the_largest_offer(make: Make) -> None:
    frontier = make(merge="sum")
    frontier.offer([wish(A, 0.25, source=B), wish(A, 0.5, source=C), wish(B, 0.875)])
    frontier.offer([wish(A, 0.25, source=D)])
    assert one(frontier).offer == wish(A, 1.0, source=C)
    assert one(frontier).offer == wish(B, 0.875)


def test_sum_has_one_total_in_all_lanes(make: Make) -> None:
    frontier = make({("x",): PARK}, merge="sum")
    frontier.offer([wish(A, 3.0, ("x",)), wish(A, 1.0, ("y",)), wish(B, 3.5, ("y",))])
    lease = one(frontier)
    assert (lease.offer.link.url, lease.offer.lane, lease.offer.value) == (A, ("y",), 4.0)
    assert len(frontier) == 1


def test_sum_can_fall(make: Make) -> None:
    frontier = make(merge="sum")
    frontier.offer([wish(A, 1.0), wish(B, 0.5)])
    frontier.offer([wish(A, -0.75)])
    assert taken(frontier.take(2)) == [B, A]


def test_a_fetched_url_is_not_fetched_again_unless_asked(make: Make) -> None:
    frontier = make()
    frontier.offer([wish(A)])
    lease = one(frontier)
    frontier.offer([wish(A, 2.0)])  # while it is in flight
    frontier.settle(lease, ("seen",))
    frontier.offer([wish(A, 2.0)])
    assert frontier.take(1) == []
    frontier.offer([wish(A, 0.5, ("new",), again=("again",)), wish(A, 0.7, ("new",), again=("again",))])
    lease = one(frontier)
    assert (lease.offer.value, lease.offer.lane, lease.kept) == (0.7, ("again",), ("seen",))
    assert [state.lane for state in frontier.lanes()] == [(), ("again",)]


@pytest.mark.parametrize("merge", ["max", "sum"])
def test_again_during_a_lease_waits_for_its_end(make: Make, merge: Merge) -> None:
    frontier = make(merge=merge)
    frontier.offer([wish(A)])
    lease = one(frontier)
    frontier.offer([wish(A, 0.25, again=("again",)), wish(A, 0.5, again=("again",))])
    assert (frontier.take(1), len(frontier), frontier.ready(0.0)) == ([], 0, None)
    frontier.settle(lease)
    assert len(frontier) == 1
    assert one(frontier).offer.value == (0.5 if merge == "max" else 0.75)


def test_credit_goes_along_with_the_next_lease(make: Make) -> None:
    frontier = make(merge="sum")
    frontier.offer([wish(A, 0.5)])
    lease = one(frontier)
    assert frontier.credit(A) == 0
    frontier.offer([wish(A, 0.25)])
    frontier.settle(lease)
    frontier.offer([wish(A, 0.25)])
    assert (frontier.credit(A), frontier.total(), len(frontier)) == (0.5, 0.5, 0)
    frontier.offer([wish(A, 0.5, again=("again",))])
    frontier.offer([wish(A, 0.25)])
    assert one(frontier).offer.value == 1.25
    assert (frontier.credit(A), frontier.total()) == (0, 0)


def test_cash_in_fractions_is_conserved_exactly() -> None:
    frontier, rng, cash = MemoryFrontier(lambda lane: Weight(), "sum"), random.Random(3), Fraction(1)
    pages = [f"http://h{n % 4}.example/{n}" for n in range(30)]
    frontier.offer([wish(pages[0], cash)])
    for _ in range(300):
        lease = one(frontier)
        children = rng.sample(pages, rng.randint(1, 7))
        share = lease.offer.value / Fraction(len(children))
        frontier.offer([wish(child, share, again=("again",)) for child in children])
        frontier.settle(lease)
        assert frontier.total() == cash


def test_a_lane_is_weighed_when_first_seen_and_when_told(db: sqlite3.Connection) -> None:
    asked: list[Lane] = []

    def weigh(lane: Lane) -> Weight:
        asked.append(lane)
        return Weight()

    both: list[Both] = [MemoryFrontier(weigh), DiskFrontier(db, weigh)]
    for frontier in both:
        asked.clear()
        frontier.offer([wish(A, lane=("x",)), wish(B, lane=("x",)), wish(C, lane=("y",))])
        assert asked == [("x",), ("y",)]
        frontier.reweigh(("x",))
        frontier.reweigh(("never seen",))
        frontier.reweigh()
        assert asked == [("x",), ("y",), ("x",), ("x",), ("y",)]
    DiskFrontier(db, weigh).offer([wish(D, lane=("x",))])
    assert len(asked) == 5


def test_a_parked_lane_waits(make: Make) -> None:
    weights = {("x",): PARK}
    frontier = make(weights)
    frontier.offer([wish(A, lane=("x",))])
    assert (frontier.take(1), frontier.ready(0.0), len(frontier)) == ([], None, 1)
    weights["x",] = Weight()
    assert frontier.take(1) == []
    frontier.reweigh(("x",))
    assert frontier.ready(0.0) == 0.0
    assert taken(frontier.take(1)) == [A]


def test_a_dropped_lane_is_freed_and_counted(make: Make) -> None:
    weights: Weights = {}
    frontier = make(weights)
    frontier.offer([wish(A, lane=("x",)), wish(B, lane=("x",)), wish(B, lane=("y",))])
    weights["x",] = DROP
    frontier.reweigh()
    frontier.offer([wish(C, lane=("x",)), wish(C, lane=("x",))])
    assert list(frontier.lanes()) == [LaneState(("x",), DROP, 0, 4), LaneState(("y",), Weight(), 1, 0)]
    assert len(frontier) == 1
    weights["x",] = Weight()
    frontier.reweigh(("x",))
    frontier.offer([wish(A, lane=("x",))])  # it is as if it had never been seen
    assert sorted(taken(frontier.take(9))) == [A, B]


def test_cash_of_a_dropped_lane_joins_the_next_offer(make: Make) -> None:
    weights: Weights = {}
    frontier = make(weights, merge="sum")
    frontier.offer([wish(A, 0.5, ("x",)), wish(B, 0.5, ("x",)), wish(B, 0.25, ("y",))])
    weights["x",] = DROP
    frontier.reweigh()
    frontier.offer([wish(A, 0.25, ("x",)), wish(B, 1.0, ("x",))])
    assert (frontier.credit(A), frontier.credit(B), frontier.total(), len(frontier)) == (0.75, 1.75, 2.5, 1)
    frontier.offer([wish(A, 1.25, ("y",))])
    assert [(lease.offer.link.url, lease.offer.value) for lease in frontier.take(9)] == [(A, 2.0), (B, 1.75)]
    assert frontier.total() == 0


def test_cash_of_a_fetched_url_outlives_the_lane_it_was_to_be_fetched_again_in(make: Make) -> None:
    weights: Weights = {}
    frontier = make(weights, merge="sum")
    frontier.offer([wish(A, 1.0)])
    frontier.settle(one(frontier))
    frontier.offer([wish(A, 0.5, again=("again",))])
    weights["again",] = DROP
    frontier.reweigh()
    assert (frontier.credit(A), frontier.total(), len(frontier)) == (0.5, 0.5, 0)
    frontier.offer([wish(A, 0.25, again=("other",))])
    assert one(frontier).offer.value == 0.75


def test_a_leased_url_is_not_taken_for_an_offer_that_waits(make: Make) -> None:
    frontier = make()
    frontier.offer([wish(A, 2.0), wish(A + "2", 1.0)])
    lease = one(frontier)
    frontier.offer([wish(A, 2.0, again=())])  # the same rank, in the same bag
    assert taken(frontier.take(9)) == [A + "2"]
    frontier.settle(lease)
    assert taken(frontier.take(9)) == [A]


@pytest.mark.parametrize("merge", ["max", "sum"])
def test_an_offer_that_waits_is_dropped_when_its_turn_comes(make: Make, merge: Merge) -> None:
    weights: Weights = {}
    frontier = make(weights, merge=merge)
    frontier.offer([wish(A, 2.0, ("x",)), wish(A + "2", 1.0, ("x",))])
    lease = one(frontier)
    frontier.offer([wish(A, 2.0, again=("x",))])
    weights["x",] = DROP
    frontier.reweigh()
    assert (len(frontier), next(frontier.lanes()).dropped) == (0, 1)
    frontier.settle(lease)
    assert (len(frontier), next(frontier.lanes()).dropped) == (0, 2)
    frontier.offer([wish(A, 3.0, again=("y",))])
    assert len(frontier) == 1
    assert one(frontier).offer.value == (3.0 if merge == "max" else 5.0)
    assert (len(frontier), frontier.take(1)) == (0, [])


def test_most_is_the_number_of_leases_until_the_lane_is_weighed(make: Make) -> None:
    weights = {("x",): Weight(1.0, most=2)}
    frontier = make(weights)
    frontier.offer([wish(url, value, ("x",)) for value, url in enumerate([A, B, C])] + [wish(D)])
    assert taken(frontier.take(9)) == [C, B, D]
    assert (frontier.ready(0.0), len(frontier)) == (None, 1)
    frontier.reweigh(("x",))
    assert taken(frontier.take(9)) == [A]


@pytest.mark.parametrize("weight", [Weight(math.nan), Weight(0.0, math.nan), Weight(most=math.nan), Weight(math.inf)])
def test_weights_must_be_numbers(make: Make, weight: Weight) -> None:
    weights: Weights = {}
    frontier = make(weights)
    frontier.offer([wish(A, lane=("x",))])
    weights["x",] = weight
    with pytest.raises(ValueError, match="must be numbers"):
        frontier.reweigh()
    assert next(frontier.lanes()).weight == Weight()


def test_a_host_rests_after_a_visit(make: Make) -> None:
    frontier = make(delay=2.0)
    frontier.offer([wish(A, 3.0), wish(A + "2", 2.0), wish(B, 1.0)])
    assert taken(frontier.take(9, now=10.0)) == [A, B]
    assert frontier.ready(10.0) == 12.0
    assert frontier.ready(math.inf) == math.inf  # asking changes nothing
    assert frontier.take(9, now=11.9) == []
    assert taken(frontier.take(9, now=12.0)) == [A + "2"]
    assert frontier.ready(12.0) is None


def test_a_host_can_be_told_to_rest_and_have_its_own_delay(make: Make) -> None:
    frontier = make()
    frontier.offer([wish(A, 3.0), wish(A + "2", 2.0), wish(B, 1.0), wish(B + "2", 0.5)])
    frontier.rest("a.example", 5.0)
    frontier.rest("a.example", 4.0)
    frontier.set_delay("b.example", 3.0)
    assert taken(frontier.take(9, now=0.0)) == [B]
    assert [frontier.ready(now) for now in (0.0, 3.5, 4.5)] == [3.0, 3.5, 4.5]
    assert taken(frontier.take(1, now=4.0)) == [B + "2"]
    assert frontier.ready(4.0) == 5.0
    assert taken(frontier.take(9, now=5.0)) == [A, A + "2"]


def test_a_better_offer_for_a_waiting_host_is_first_when_it_wakes(make: Make) -> None:
    frontier = make(delay=1.0)
    frontier.offer([wish(A, 9.0), wish(A + "2", 5.0, ("x",)), wish(A + "3", 4.0, ("y",)), wish(B, 8.0, ("y",))])
    assert taken(frontier.take(9, now=0.0)) == [A, B]
    assert frontier.ready(1.0) == 1.0
    assert frontier.take(0, now=1.0) == []  # the host is awake, and its lanes still stand aside
    frontier.offer([wish(A + "4", 6.0, ("y",)), wish(C, 5.5, ("y",))])
    assert taken(frontier.take(9, now=1.0)) == [A + "4", C]
    frontier.offer([wish(A + "5", 7.0, ("y",))])
    assert taken(frontier.take(9, now=2.0)) == [A + "5"]
    assert taken(frontier.take(9, now=3.0)) == [A + "2"]


def test_time_does_not_go_back(make: Make) -> None:
    frontier = make(delay=1.0)
    frontier.offer([wish(A, 9.0), wish(A + "2", 5.0, ("x",)), wish(A + "3", 4.0, ("y",))])
    assert taken(frontier.take(9, now=0.0)) == [A]
    assert frontier.take(0, now=1.0) == []
    assert frontier.ready(0.5) == 0.5
    assert taken(frontier.take(9, now=0.5)) == [A + "2"]


def test_a_new_weight_reaches_offers_of_waiting_hosts(make: Make) -> None:
    weights: Weights = {}
    frontier = make(weights, delay=1.0)
    frontier.offer([wish(A, 9.0), wish(A + "2", 5.0, ("x",)), wish(A + "3", 4.0, ("y",))])
    assert taken(frontier.take(9, now=0.0)) == [A]
    weights["y",] = Weight(3.0)
    frontier.reweigh(("y",))
    weights["x",] = PARK
    assert taken(frontier.take(1, now=1.0)) == [A + "3"]
    frontier.reweigh(("x",))
    assert frontier.ready(1.0) is None


def test_a_lane_that_is_used_up_makes_nobody_wait(make: Make) -> None:
    frontier = make({("x",): Weight(9.0, most=1)}, delay=1.0)
    frontier.rest("a.example", 5.0)
    frontier.offer([wish(A, 2.0, ("x",)), wish(B, 1.0, ("x",))])
    assert taken(frontier.take(9, now=0.0)) == [B]
    assert frontier.ready(0.0) is None
    frontier.reweigh()
    assert frontier.ready(0.0) == 5.0
    assert taken(frontier.take(9, now=5.0)) == [A]


def test_known_tells_what_was_kept(make: Make) -> None:
    frontier = make()
    frontier.offer([wish(A, again=()), wish(B)])
    assert (frontier.known(A), frontier.known(C)) == (None, None)
    first, second = frontier.take(2)
    assert frontier.known(A) is None
    frontier.settle(first, ("x", 1))
    frontier.settle(second)
    assert {frontier.known(A), frontier.known(B)} == {("x", 1), ()}
    frontier.offer([replace(first.offer, again=())])
    lease = one(frontier)
    assert lease.kept == ("x", 1)
    frontier.settle(lease)
    assert frontier.known(lease.offer.link.url) == ("x", 1)


def test_a_lease_is_settled_once(make: Make) -> None:
    frontier = make()
    frontier.offer([wish(A)])
    lease = one(frontier)
    frontier.settle(lease)
    with pytest.raises(ValueError, match="not out"):
        frontier.settle(lease)


def test_leases_are_handed_out_again_after_a_crash(db: sqlite3.Connection) -> None:
    weigh = {(): Weight(1.0), ("x",): Weight(0.0, 2.0, 3)}.__getitem__
    frontier = DiskFrontier(db, weigh)
    frontier.offer([replace(wish(A, 0.5, ("x",), source=B), note=((1, 2), "n"))] + [wish(url) for url in (B, C, D)])
    leases = frontier.take(3)
    frontier.settle(leases[0])
    db.commit()
    frontier.take(1)
    db.rollback()
    frontier = DiskFrontier(db, lambda lane: DROP)
    assert frontier.ready(0.0) == 0.0
    assert frontier.take(1) == leases[1:2]
    again = frontier.take(9)
    assert again[0] == leases[2]
    assert [lease.number for lease in again] == [3, 4]
    for lease in (leases[1], *again):
        frontier.settle(lease)
    db.commit()
    assert DiskFrontier(db, weigh).take(1) == []


def test_a_lease_left_over_can_be_settled_before_it_is_handed_out(db: sqlite3.Connection) -> None:
    frontier = DiskFrontier(db, lambda lane: Weight())
    frontier.offer([wish(A), wish(B)])
    first, second = frontier.take(2)
    frontier = DiskFrontier(db, lambda lane: Weight())
    frontier.settle(first)
    assert frontier.take(9) == [second]


def test_lease_numbers_go_on_after_all_were_settled(db: sqlite3.Connection) -> None:
    frontier = DiskFrontier(db, lambda lane: Weight())
    frontier.offer([wish(A), wish(B)])
    frontier.settle(one(frontier))
    assert one(DiskFrontier(db, lambda lane: Weight())).number == 2


def _three_at_a_time(lane: Lane) -> Weight:
    return Weight(most=3)


def test_rest_delays_and_what_is_left_of_a_lane_survive(db: sqlite3.Connection) -> None:
    weigh = _three_at_a_time
    frontier = DiskFrontier(db, weigh, delay=2.0)
    frontier.set_delay("b.example", 7.0)
    frontier.offer([wish(base + str(n)) for base in (A, B) for n in range(3)])
    for lease in frontier.take(9, now=100.0):
        frontier.settle(lease)
    frontier = DiskFrontier(db, weigh, delay=2.0)
    assert frontier.ready(100.0) == 102.0
    assert [urls.host(url) for url in taken(frontier.take(9, now=102.0))] == ["a.example"]
    assert (frontier.ready(102.0), len(frontier)) == (None, 3)
    frontier.reweigh()
    assert frontier.ready(102.0) == 104.0
    frontier.rest("a.example", 200.0)
    assert DiskFrontier(db, weigh, delay=2.0).ready(104.0) == 107.0


def test_a_waiting_host_is_not_visited_again_for_a_lease_left_over(db: sqlite3.Connection) -> None:
    frontier = DiskFrontier(db, lambda lane: Weight(), delay=2.0)
    frontier.offer([wish(A + "1"), wish(A + "2"), wish(B)])
    leases = frontier.take(9, now=0.0) + frontier.take(9, now=2.0)
    frontier = DiskFrontier(db, lambda lane: Weight(), delay=2.0)
    mine = [lease for lease in leases if urls.host(lease.offer.link.url) == "a.example"]
    assert frontier.ready(3.0) == 3.0
    assert urls.host(taken(frontier.take(9, now=3.0))[0]) == "b.example"
    assert frontier.take(9, now=4.0) == mine[:1]
    assert frontier.ready(4.0) == 6.0
    assert frontier.take(9, now=6.0) == mine[1:]


def test_the_disk_frontier_leaves_the_transaction_to_its_caller(db: sqlite3.Connection) -> None:
    frontier = DiskFrontier(db, lambda lane: Weight())
    frontier.offer([wish(A)])
    assert db.in_transaction
    db.rollback()
    assert len(DiskFrontier(db, lambda lane: Weight())) == 0


def test_what_waits_is_written_when_told(db: sqlite3.Connection) -> None:
    frontier = DiskFrontier(db, lambda lane: Weight(), "sum", waits=True)
    frontier.offer([wish(A, 0.5), wish(B, 0.25)])
    frontier.settle(one(frontier), ("kept",))
    assert len(DiskFrontier(db, lambda lane: Weight(), "sum")) == 0
    frontier.save()
    again = DiskFrontier(db, lambda lane: Weight(), "sum")
    assert (again.known(A), len(again), one(again).number) == (("kept",), 1, 2)


def test_only_leases_that_are_out_are_written(db: sqlite3.Connection) -> None:
    frontier = DiskFrontier(db, lambda lane: Weight(), waits=True)
    frontier.offer([wish(url, value) for url, value in ((A, 3.0), (B, 2.0), (C, 1.0))])
    first, second, third = frontier.take(3)
    frontier.settle(third)
    frontier.settle(first)
    written: list[str] = []
    db.set_trace_callback(written.append)
    frontier.save()
    db.set_trace_callback(None)
    assert sum(line.startswith("INSERT INTO frontier_leases") for line in written) == 2  # one for the number alone
    again = DiskFrontier(db, lambda lane: Weight(), waits=True)
    assert again.take(3) == [second]
    again.offer([wish(D)])
    assert one(again).number == 4


@pytest.mark.parametrize("block", [3, 64])
def test_gifts_that_change_nothing_but_totals_are_written_together(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(row_log, "BLOCK", block)
    names = [f"http://h{n % 7}.example/{n}" for n in range(300)]
    frontier = DiskFrontier(db, lambda lane: Weight(), "sum", waits=True)
    for value in (1.0, 0.5, 0.25):  # the first is written with its offer, the second as a record, the third into that
        frontier.offer([wish(name, value) for name in names])
        frontier.save()
    again = DiskFrontier(db, lambda lane: Weight(), "sum")
    assert again.total() == 1.75 * len(names) == frontier.total()
    monkeypatch.setattr(disk_rows, "CACHED", 3)
    frontier.save()  # nothing is cached after the second time: it is read where the index says
    frontier.save()
    assert frontier.credit(names[-1]) == 1.75
    assert sorted(taken(again.take(300))) == sorted(names)


def test_values_that_are_no_floats_are_not_rounded() -> None:
    frontier, third = MemoryFrontier(lambda lane: Weight()), Fraction(1, 3)
    frontier.offer([wish(A, 0.25), wish(B, 1 / 3), wish(A + "2", 0.5)])
    frontier.offer([wish(A + "3", third), wish(A, 2**60 + 1), wish(B + "2", 2**60)])
    assert Fraction(1 / 3) < third
    assert taken(frontier.take(9)) == [A, B + "2", A + "2", A + "3", B]


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts how often a bag is looked into."""
    looks, head = [0], Bag.head

    def look(bag: Bag) -> Any:
        looks[0] += 1
        return head(bag)

    monkeypatch.setattr(Bag, "head", look)
    return looks


def test_a_new_weight_costs_the_same_for_any_number_of_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    weights: Weights = {}
    frontier = MemoryFrontier(lambda lane: weights.get(lane, Weight()))
    frontier.offer(wish(f"http://h{n}.example/", n / 5000, ("many",)) for n in range(5000))
    looks = counted(monkeypatch)
    for n in range(100):
        weights["many",] = Weight(float(n), 1.0 + n)
        frontier.reweigh(("many",))
    assert looks == [0]
    assert taken(frontier.take(1)) == ["http://h4999.example/"]
    assert looks[0] <= 3


def test_one_slow_host_with_many_lanes_costs_little_per_visit(monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = MemoryFrontier(lambda lane: Weight(), delay=1.0)
    frontier.offer(wish(f"{A}{n}", n / 3000, (str(n % 1500),)) for n in range(3000))
    assert taken(frontier.take(5, now=0.0)) == [A + "2999"]
    looks = counted(monkeypatch)
    for now in range(1, 201):
        assert taken(frontier.take(5, now=float(now))) == [f"{A}{2999 - now}"]
    assert looks[0] < 200 * 10


def test_asking_when_costs_little_however_many_hosts_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = MemoryFrontier(lambda lane: Weight(), delay=10.0)
    frontier.offer(wish(f"http://h{n}.example/{m}") for n in range(300) for m in range(1 + n % 2))
    visits = {urls.host(url): now for now in range(300) for url in taken(frontier.take(1, float(now) / 100))}
    asked, has_live = [0], WaitingBags._has_live

    def look(bags: WaitingBags, sleeper: Any) -> bool:
        asked[0] += 1
        return has_live(bags, sleeper)

    monkeypatch.setattr(WaitingBags, "_has_live", look)
    first = min(visits[f"h{n}.example"] for n in range(1, 300, 2))  # the hosts that have another page
    assert {frontier.ready(3.0) for _ in range(100)} == {first / 100 + 10.0}
    assert asked[0] == 100


def test_what_no_longer_counts_is_cleared_away() -> None:
    weights: Weights = {}
    frontier = MemoryFrontier(lambda lane: weights.get(lane, Weight()), "sum")
    for n in range(5000):
        weights[()] = Weight(float(n))
        frontier.offer([wish(A, 0.5), wish(A + "2", 0.25)])
        frontier.reweigh()
    (bag,) = frontier._lanes.queues[()].bags.values()
    assert len(bag.near) + len(bag.rest or ()) + len(bag.void or ()) < 200
    assert frontier._schedule._lanes.heap.size < 200
    assert bag.queue.heads.size < 200


@pytest.mark.parametrize("merge", ["max", "sum"])
def test_what_is_out_of_date_is_cleared_from_the_disk_and_from_memory(db: sqlite3.Connection, merge: Merge) -> None:
    small, rng = small_bags(), random.Random(4)
    memory, disk = MemoryFrontier(lambda lane: Weight(), merge), DiskFrontier(db, lambda lane: Weight(), merge)
    for n in range(400):
        url = f"http://h{rng.randrange(5)}.example/{rng.randrange(4)}"
        for frontier in (memory, disk):
            frontier.offer([wish(url, float(n), again=("again",))])
            if n % 10 == 9:
                frontier.settle(one(frontier), ("kept", n))
    for table in ("frontier_urls", "frontier_texts"):  # twenty URLs in two lanes at most; more than 400 were written
        assert db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] < 2 * (20 + 2 * 20) + 30
    assert isinstance(disk._rows, disk_rows.DiskRows)
    assert set(disk._rows._log.tail) <= {block for (block,) in db.execute("SELECT id FROM frontier_urls")}
    again = DiskFrontier(db, lambda lane: Weight(), merge)
    assert [again.take(1) for _ in range(30)] == [memory.take(1) for _ in range(30)]
    small.undo()


@pytest.mark.parametrize("way", [native.without, nullcontext])
def test_the_index_finds_what_was_put_in(way: Callable[[], AbstractContextManager[None]]) -> None:
    with way():
        check_the_index()


def check_the_index() -> None:
    table, rng, wanted = Index(), random.Random(5), dict[int, int]()
    crowd = [n << 10 | rng.randrange(4) for n in range(1, 3000)]  # many keys for few slots
    for round in range(4):
        keys = rng.sample(crowd, 500) + [rng.randrange(-(1 << 63), 1 << 63) for _ in range(500)]
        numbers = [rng.randrange(1, 1 << 40) for _ in keys]
        if round % 2:
            keys, numbers = keys * 2, numbers + [number + 1 for number in numbers]  # the last one stays
            table.fill(np.array(keys).tobytes(), np.array(numbers).tobytes())
        else:
            table.set(dict(zip(keys, numbers, strict=True)))
        few = {key: rng.randrange(1, 1 << 40) for key in (rng.choice(keys), rng.randrange(1 << 63))}
        table.set(few)
        wanted.update(zip(keys, numbers, strict=True))
        wanted |= few
    assert {key: table.get(key) for key in wanted} == wanted
    assert find(table.table, np.array([*wanted, 7])).tolist() == [*wanted.values(), 0]
    assert len(table) == len(wanted)
    with pytest.MonkeyPatch.context() as small:
        small.setattr(key_index, "STRIDE", 1 << 11)
        again = Index.of(
            (key, number) for more in (1, 0) for key, number in ((key, wanted[key] + more) for key in wanted)
        )
    assert {key: again.get(key) for key in wanted} == wanted


@pytest.mark.parametrize("way", [native.without, nullcontext])
def test_nobody_can_choose_urls_that_meet_in_the_index(way: Callable[[], AbstractContextManager[None]]) -> None:
    """The hash of a URL is for all to know, so its last bits can be chosen."""
    table, rng = Index(), random.Random(8)
    keys = [rng.randrange(1 << 43) << 20 for _ in range(1500)]
    with way():
        table.set(dict.fromkeys(keys, 1))
    cells = np.array(table.table.tolist())
    slots = {key: int(slot) for slot, key in enumerate(cells[::2]) if cells[2 * slot + 1]}
    homes = [(key * SECRET >> 32) % (len(cells) // 2) for key in keys]
    apart = [(slots[key] - home) % (len(cells) // 2) for key, home in zip(keys, homes, strict=True)]
    assert sum(apart) / len(apart) < 100  # was 750


def test_values_may_stop_being_floats_when_there_are_many_hosts() -> None:
    small, rng = small_bags(), random.Random(6)
    frontier, values = MemoryFrontier(lambda lane: Weight()), dict[str, Any]()
    for n in range(200):
        value = rng.random() if n < 100 else Fraction(rng.randrange(1, 1 << 60), (1 << 60) + n)
        values[f"http://h{n % 50}.example/{n}"] = value
        frontier.offer([wish(f"http://h{n % 50}.example/{n}", value)])
    leases = [one(frontier) for _ in range(200)]
    assert [lease.offer.value for lease in leases] == sorted(values.values(), reverse=True)
    assert {lease.offer.link.url: lease.offer.value for lease in leases} == values
    small.undo()


def test_a_lane_is_emptied_and_filled_again_many_times() -> None:
    small = small_bags()
    weights: Weights = {}
    frontier = MemoryFrontier(lambda lane: weights.get(lane, Weight()))
    for n in range(20):
        frontier.offer(wish(f"http://h{n}{m}.example/", m / 7) for m in range(30))
        assert taken(frontier.take(2)) == [f"http://h{n}29.example/", f"http://h{n}28.example/"]
        weights[()] = DROP
        frontier.reweigh()
        weights[()] = Weight()
        frontier.reweigh()
        assert frontier.take(1) == []
    small.undo()


def test_a_bag_does_not_hold_on_to_what_was_taken() -> None:
    frontier = MemoryFrontier(lambda lane: Weight())
    frontier.offer(wish(f"{A}{n}", n / 9000) for n in range(9000))
    for _ in range(8000):
        one(frontier)
    assert len(frontier._lanes.queues[()].heads._near) <= 2 * lane_heads.PASSED  # there may be a lane for each host


def test_what_is_visited_again_and_again_leaves_nothing_behind() -> None:
    frontier = MemoryFrontier(lambda lane: Weight(), "sum", alone=True)
    urls = [f"http://h{n}.example/" for n in range(20)]
    frontier.offer(wish(url, 1.0, again=()) for url in urls)
    for now in range(2000):
        lease = one(frontier, now)
        frontier.offer([wish(url, 0.001, again=()) for url in urls])
        frontier.settle(lease)
    frontier.take(0, 2000.0)
    waiting, queue = frontier._schedule.waiting_hosts, frontier._lanes.queues[()]
    assert len(waiting._awaited) <= 2 * len(urls) + waiting_hosts.FORGOTTEN
    assert len(queue.heads._near) <= 2 * (len(urls) + lane_heads.PASSED)


@pytest.mark.parametrize("merge", ["max", "sum"])
def test_a_database_whose_offers_do_not_say_their_lane_goes_on(db: sqlite3.Connection, merge: Merge) -> None:
    memory, disk = MemoryFrontier(lambda lane: Weight(), merge), DiskFrontier(db, lambda lane: Weight(), merge)
    for frontier in (memory, disk):
        frontier.offer([wish(A, 2.0, ("x",), source=B), wish(C, 1.0, again=("y",))])
        frontier.offer([wish(A, 1.0, ("z",), source=D), wish(C, 0.5, ("z",))])
    for number, data in db.execute("SELECT id, data FROM frontier_texts").fetchall():
        shorter = pack(unpack(data)[-texts.PARTS :])
        db.execute("UPDATE frontier_texts SET data = ? WHERE id = ?", (shorter, number))
    again = DiskFrontier(db, lambda lane: Weight(), merge)
    again.offer([wish(D)])
    memory.offer([wish(D)])
    assert [again.take(1) for _ in range(4)] == [memory.take(1) for _ in range(4)]


@pytest.mark.parametrize("merge", ["max", "sum"])
def test_one_offer_is_all_that_is_read_of_a_url_that_has_had_no_other(db: sqlite3.Connection, merge: Merge) -> None:
    first = DiskFrontier(db, lambda lane: Weight(), merge)
    first.offer([wish(A, 2.0, ("x",), source=B), wish(C, 1.0)])
    first.offer([wish(C, 3.0)])
    again, asked = DiskFrontier(db, lambda lane: Weight(), merge), list[str]()
    db.set_trace_callback(asked.append)
    assert one(again).offer == replace(wish(C, 4.0 if merge == "sum" else 3.0))
    assert one(again).offer == wish(A, 2.0, ("x",), source=B)
    db.set_trace_callback(None)
    rows_read = [query for query in asked if query.startswith("SELECT id, records")]
    assert len(rows_read) == (merge == "sum")


@pytest.mark.parametrize("merge", ["max", "sum"])
def test_the_nearest_offers_are_taken_without_reading(
    db: sqlite3.Connection, merge: Merge, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name, most in [(disk_rows, "CACHED", 3), (nearest_offers, "MOST", 40), (nearest_offers, "FEW", 5)]:
        monkeypatch.setattr(module, name, most)
    frontier, asked = DiskFrontier(db, lambda lane: Weight(), merge), list[str]()
    wishes = [wish(f"http://h{n}.example/", float(n * 37 % 101)) for n in range(101)]
    for offer in wishes:
        frontier.offer([offer])
    db.set_trace_callback(asked.append)
    read: list[bool] = []
    for count in range(101):
        lease = one(frontier)
        assert lease.offer == wishes[(100 - count) * 71 % 101]  # 37 * 71 = 1, modulo 101
        frontier.settle(lease)
        read.append(any("frontier_texts" in query for query in asked))
        asked.clear()
    db.set_trace_callback(None)
    assert not any(read[:20])
    assert all(read[40:90])
    for n in range(12):
        frontier.offer([wish(f"http://new{n}.example/", -1.0)])  # few are left: any offer is near now
    asked.clear()
    db.set_trace_callback(asked.append)
    assert len(frontier.take(12)) == 12
    assert not any("frontier_texts" in query for query in asked)
    db.set_trace_callback(None)


def test_what_was_offered_anew_is_not_taken_for_what_was_near(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_rows, "CACHED", 1)
    frontier = DiskFrontier(db, lambda lane: Weight())
    frontier.offer([wish(A, 1.0, anchor="old"), wish(A, 1.0, ("x",), anchor="other lane")])
    frontier.offer([wish(A, 2.0, anchor="new")])
    frontier.offer([wish(B, 1.5, anchor="first lane")])
    frontier.offer([wish(B, 0.5, ("x",), anchor="other lane")])  # what was written last of it, and so what is in memory
    frontier.offer([wish(C, 1.2, source=D)])
    frontier.offer([wish(C, 1.2, source=A)])  # of equal offers, the one with this source stays
    for n in range(9):
        frontier.offer([wish(f"http://h{n}.example/", 0.1)])
    assert one(frontier).offer == wish(A, 2.0, anchor="new")
    assert one(frontier).offer == wish(B, 1.5, anchor="first lane")
    assert one(frontier).offer == wish(C, 1.2, source=A)


def test_offers_of_equal_value_are_compared_by_one_question(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name, most in [(disk_rows, "CACHED", 1), (nearest_offers, "MOST", 2), (nearest_offers, "FEW", 0)]:
        monkeypatch.setattr(module, name, most)
    frontier, asked = DiskFrontier(db, lambda lane: Weight()), list[str]()
    wishes = [wish(f"http://h{n}.example/", 1.0 + n, source=B) for n in range(9)]
    frontier.offer(wishes)
    for number in range(2):  # cached rows have gone
        frontier.offer([wish(f"http://other{number}.example/", 0.5), wish(f"http://one-more{number}.example/", 0.5)])
    db.set_trace_callback(asked.append)
    frontier.offer([*wishes[:4], *(replace(offer, link=replace(offer.link, source=A)) for offer in wishes[4:])])
    db.set_trace_callback(None)
    assert len([query for query in asked if query.startswith("SELECT") and "frontier_texts" in query]) == 1
    sources = [lease.offer.link.source for lease in frontier.take(9)]
    assert sources == [A] * 5 + [B] * 4
