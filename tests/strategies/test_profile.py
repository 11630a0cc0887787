"""Profile as printed, and its variant with OPIC, on synthetic media-sharing sites."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from opilio import registry
from opilio.fetchers.replay import Recorded, Replay
from opilio.html.leaves import Leaf, leaves
from opilio.loop import trace
from opilio.nouns import DROP, PARK, Link, Offer, Page, Weight
from opilio.strategies.profile import Profile
from opilio.strategies.profile.lanes import ELSE, LISTS, USER, WHO, Places
from opilio.strategies.profile.media_strategy import CRAWL
from opilio.strategies.profile.page_types import DETAIL, LIST, OTHER, PROFILE, all_strings, strings
from opilio.strategies.profile.people import People
from opilio.strategies.profile.sampled_site import DISCOVER
from opilio.strategies.profile.tag_fields import Term
from opilio.strategies.profile.tags import cotags, distinct
from opilio.strategies.profile_opic import ProfileOpic
from opilio.synth.fetcher import SynthFetcher
from opilio.testing import laws, small_web
from tests.strategies.test_profile_plus import MAKES, fetched, harvest, home, made, tag, web

NAMES = ["profile", "profile-opic"]


def crawled(make: str, spec: str, budget: int) -> tuple[Profile, list[Offer]]:
    """The strategy, and the offers that it fetched, in order."""
    strategy = registry.make(spec, {"tag": tag(make), "seed": 1})
    assert isinstance(strategy, Profile)
    visits = trace(strategy, SynthFetcher(web()), [home(make)], budget, batch=10)
    return strategy, [visit.lease.offer for visit in visits]


def types_of(offers: list[Offer]) -> list[str]:
    return [web().labels(offer.link.url).get("page_type", "") for offer in offers]


@pytest.mark.parametrize("make", MAKES)
def test_harvest_is_above_breadth_first(make: str) -> None:
    strategy, offers = crawled(make, "profile", 300)
    assert strategy.stage_ == CRAWL
    seeds, fetcher = [home(make)], SynthFetcher(web())
    other = [visit.url for visit in trace(registry.make("breadth-first", {}), fetcher, seeds, 300, batch=10)]
    assert harvest(make, [offer.link.url for offer in offers]) > 1.2 * harvest(make, other)


def test_only_outlinks_of_list_pages_are_followed_after_the_sample() -> None:
    strategy, offers = crawled("stream", "profile", 400)
    assert strategy.site_ is not None
    assert strategy.site_.types.whole, "algorithm 2: a page is of a type when it has all of its strings"
    sources = {offer.link.source for offer in offers if offer.lane[0] in (USER, WHO, "listed")}
    assert {web().labels(source).get("page_type") for source in sources} == {"list"}


def test_stage_one_follows_no_profile() -> None:
    strategy = Profile("honey")
    strategy.stage_ = DISCOVER
    assert strategy.weigh((WHO, "0")) == strategy.weigh((USER, "0")) == strategy.weigh(ELSE) == PARK
    assert strategy.weigh((LISTS, "honey")) == strategy.weigh(("listed", "honey")) == Weight()
    assert strategy.weigh((LISTS, "stone")) == PARK


def test_the_gate_of_algorithm_4() -> None:
    """Unknown users wait, those above the threshold pass, others are discarded; every profile link is queued."""
    strategy = Profile("honey")
    strategy.stage_ = CRAWL
    high, low, unknown = (strategy.people_.number(f"http://a.test/{name}") for name in ("high", "low", "unknown"))
    strategy.people_.learn("http://a.test/high", [Term("honey", 1)], (), strategy.topic_)
    strategy.people_.learn("http://a.test/low", [Term("stone", 1)], (), strategy.topic_)
    assert [strategy.weigh((USER, str(number))) for number in (high, low, unknown)] == [Weight(), DROP, PARK]
    assert strategy.weigh((WHO, str(unknown))) == Weight()
    assert strategy.weigh(("listed", "honey")) == DROP, "details on lists of the topic pass the same gate"
    assert strategy.weigh(ELSE) == DROP


def test_links_are_queued_first_in_first_out() -> None:
    strategy = Profile("honey")
    page = Page(Offer(Link("http://a.test/")), "http://a.test/")
    places: Places = {f"http://a.test/{n}": [((LISTS, "honey"), (-1, "", ""))] for n in range(3)}
    values = [say.value for _ in range(2) for say in strategy.paid(page, places) if isinstance(say, Offer)]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == 6


def test_inter_is_one_nth_over_all_contacts() -> None:
    people, topic = People(), {"honey": 1.0}
    people.learn("b", [Term("honey", 1)], (), topic)
    people.learn("a", [Term("stone", 1)], ["b", "c", "d", "a"], topic)
    number = people.numbers["a"]
    assert people.rank(number, 0.7, 0.3) == pytest.approx(0.7 * 0.0 + 0.3 * (1.0 / 3)), "c and d are not known yet"
    assert people.rank(people.numbers["b"], 0.7, 0.3) == pytest.approx(0.7)


def test_profiles_are_gathered_from_several_pages() -> None:
    people, topic = People(), {"honey": 1.0}
    people.learn("a", [Term("stone", 3)], ["b"], topic)
    assert people.inner[people.numbers["a"]] == 0.0
    moved = people.learn("a", [Term("honey", 4)], ["c"], topic)
    assert moved[0] == people.numbers["a"]
    assert people.inner[people.numbers["a"]] == pytest.approx(4 / 5)
    assert len(people.contacts[people.numbers["a"]]) == 2


def test_phi_is_equation_6() -> None:
    """φ = n(T∩T1)/(n(T)·n(T1)), here times the number of items; tags at chance or below are left out."""
    near = [frozenset(("honey", "bee", "sky"))] * 6 + [frozenset(("honey", "bee", f"x{n}", "sky")) for n in range(6)]
    far = [frozenset(("sky", f"y{n}")) for n in range(12)]
    items = distinct([*near, *far])
    found = cotags(items, ["honey"], 1.0)
    assert [(one.tag, one.votes) for one in found] == [("bee", 7)], (
        "six identical sets count once; the sky is everywhere"
    )
    assert found[0].score == pytest.approx(7 * 19 / (7 * 7))
    assert [one.tag for one in cotags(items, ["honey"], 0.9)] == ["bee", "sky"]


def test_where_all_items_have_the_topic_votes_tell() -> None:
    items = [frozenset(("honey", "bee", f"x{n}")) for n in range(8)]
    assert [one.tag for one in cotags(items, ["honey"], 5.0)] == ["bee"]


def test_the_second_round_starts_from_what_the_first_found() -> None:
    strategy = Profile("honey", discover=8)
    strategy.stage_ = DISCOVER
    strategy.items_ = [("honey", "bee", f"x{n}") for n in range(8)]
    list(strategy.next_round())
    assert (strategy.stage_, list(strategy.topic_)) == (DISCOVER, ["honey", "bee"])
    assert strategy.weigh((LISTS, "bee")) == Weight(), "its lists are read now"
    strategy.items_ += [("bee", "wax", f"z{n}") for n in range(8)] + [("stone", f"s{n}") for n in range(20)]
    list(strategy.next_round())
    assert strategy.stage_ == CRAWL
    assert strategy.topic_ == {"honey": 1.0, "bee": 1.0, "wax": 1.0}, "wax never stood beside honey; all weigh the same"


def test_the_first_round_leaves_room_for_the_second() -> None:
    """Section 6, (2): the top tags open a new round, and what it finds is of the topic as well."""
    strategy = Profile("honey", discover=20)
    strategy.stage_ = DISCOVER
    strategy.items_ = [("honey", *(f"tag {n}" for n in range(19)), f"x{item}") for item in range(20)]
    list(strategy.next_round())
    assert len(strategy.topic_) == 1 + 10
    strategy.items_ += [("tag-0", *(f"late {n}" for n in range(9)), f"z{item}") for item in range(60)]
    list(strategy.next_round())
    assert len(strategy.topic_) == 15
    assert list(strategy.topic_)[11:] == ["late-0", "late-1", "late-2", "late-3"], "they have more votes"


def leaf_of(body: str) -> list[Leaf]:
    answers = {"http://a.test/": Recorded(200, {"content-type": "text/html"}, body.encode())}
    return leaves(asyncio.run(Replay(answers.get).fetch(Offer(Link("http://a.test/")))))


def test_a_page_is_of_a_type_when_it_has_all_of_its_strings() -> None:
    """Algorithms 1 and 2: schema pairs are on every page, and removed first."""
    foot = "<p>terms of use</p>"
    bodies = {
        LIST: [f"<ul><li>thing {n}</li></ul>{foot}" for n in range(2)],
        DETAIL: [f"<h1>thing {n}</h1><em>tag {n}</em>{foot}" for n in range(2)],
        PROFILE: [f"<h2>user {n}</h2><ul><li>thing {n}</li></ul>{foot}" for n in range(2)],
    }
    pages = [(kind, leaf_of(body)) for kind, found in bodies.items() for body in found]
    types = all_strings([page for _, page in pages], [kind for kind, _ in pages])
    assert not [path for core in types.core.values() for path in core if path.startswith("<p>")], "schema"
    assert [types.classify(strings(page)) for _, page in pages] == [kind for kind, _ in pages]
    assert types.classify(strings(leaf_of("<h1>thing</h1>"))) == OTHER, "a part of the strings is not enough"


def test_with_opic_lists_come_first_and_the_rest_competes() -> None:
    strategy = ProfileOpic("honey")
    strategy.stage_ = CRAWL
    strategy.people_.learn("http://a.test/high", [Term("honey", 1)], (), strategy.topic_)
    unknown = strategy.people_.number("http://a.test/unknown")
    assert strategy.weigh((LISTS, "honey")).shift == 1.0
    assert strategy.weigh((USER, "0")).shift == pytest.approx(0.7)
    assert strategy.weigh((USER, str(unknown))) == strategy.weigh(ELSE) == Weight(0.0, 1.0), "its cash"
    _, offers = crawled("stream", "profile-opic", 400)
    rest = [offer for offer in offers if offer.lane == ELSE]
    assert len(rest) > 20


@pytest.mark.slow
@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_laws_hold_in_every_stage(law: laws.Law, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_web, "fetcher", lambda: SynthFetcher(web()))
    monkeypatch.setattr(small_web, "seeds", lambda: [home("stream")])
    monkeypatch.setattr(small_web, "page", fetched)
    law(partial(registry.make, f"{name}(sample=20,discover=5)", {"tag": made("stream").tags[0]}))
