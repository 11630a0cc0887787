"""Genre: the price, what it learns, and that it loses nothing where there is nothing to learn."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from opilio import registry
from opilio.errors import ConfigError, UnreadableError
from opilio.fetchers.replay import Recorded, Replay
from opilio.loop import trace
from opilio.nouns import DROP, Link, Offer, Page, Strategy
from opilio.strategies.genre import Genre
from opilio.strategies.genre.model import GENRES, guess, model
from opilio.strategies.genre.prior import PRINTED, Prior, Read
from opilio.strategies.genre_plus import GenrePlus
from opilio.strategies.genre_plus.kinds import MOST, template
from opilio.strategies.genre_plus.link_sample import SAMPLE
from opilio.strategies.genre_plus.outcomes import DOUBT, Outcomes
from opilio.testing import laws, small_web

HUBS, LEAVES = 40, 20


def made(spec: str) -> Strategy:
    return registry.make(spec, small_web.given())


def visited(spec: str, fetcher: Replay, seeds: list[str], budget: int) -> list[str]:
    return [visit.url for visit in trace(made(spec), fetcher, seeds, budget, batch=1)]


def body(kind: str, links: list[str]) -> Recorded:
    """A page on the topic, of a genre: every hub is as relevant as the others."""
    text = "honey hive bee queen wax swarm " * 10
    show = "blog my weblog, another blog post " * 4 if kind == "blog" else "photo gallery of images and pictures " * 4
    images = "<img>" * (40 if kind == "image" else 1)
    anchors = "".join(f'<p><a href="{link}">honey</a></p>' for link in links)
    return Recorded(200, {"content-type": "text/html"}, f"<p>{text}{show}</p>{images}{anchors}".encode())


def two_genres() -> tuple[Replay, str, set[str]]:
    """A start page with links to hubs: what hangs off blogs is relevant, what hangs off galleries is not."""
    web: dict[str, Recorded] = {}
    good: set[str] = set()
    start, hubs = "http://start.test/", [f"http://hub{n}.test/" for n in range(HUBS)]
    web[start] = body("", hubs)
    for number, hub in enumerate(hubs):
        kind = "blog" if number % 2 else "image"
        leaves = [f"{hub}{leaf}" for leaf in range(LEAVES)]
        web[hub] = body(kind, leaves)
        words = "honey hive bee" if kind == "blog" else "stone river engine"
        web |= {leaf: Recorded(200, {"content-type": "text/html"}, words.encode()) for leaf in leaves}
        good |= {*leaves} if kind == "blog" else set()
    return Replay(web.get), start, good


@pytest.mark.parametrize(
    "spec",
    [
        "genre-plus(further=none)",
        "genre-plus(further=none,sample=30)",
        "genre-plus(further=none,relevance=0.9)",
        "genre-plus",
    ],
)
def test_links_on_pages_of_a_better_genre_are_followed_first(spec: str) -> None:
    fetcher, start, good = two_genres()
    budget = 1 + HUBS + LEAVES * HUBS // 2
    plain = len(good & {*visited("best-first", fetcher, [start], budget)})
    assert len(good & {*visited(spec, fetcher, [start], budget)}) > 1.3 * plain


def test_with_one_genre_only_it_is_best_first() -> None:
    pages = [small_web.page(url) for url in small_web.pages() if small_web.page(url).document]
    assert {found.genre for found in guess(pages, model())} == {"other"}
    for spec in ("genre-plus(further=none)", "genre-plus"):
        mine = visited(spec, small_web.fetcher(), small_web.seeds(), 90)
        assert mine == visited("best-first", small_web.fetcher(), small_web.seeds(), 90)


def test_links_are_followed_as_the_prior_says(tmp_path: Path) -> None:
    fetcher, start, good = two_genres()
    sample = {
        "a": Read(0.9, "blog", frozenset("a")),
        "b": Read(0.9, "image", frozenset("c")),
        "c": Read(0.1, "other", frozenset()),
    }
    Prior.of(sample).save(tmp_path / "prior.json")
    budget = 1 + HUBS + LEAVES * HUBS // 2
    urls = visited(f"genre(relevance=0.5,prior={tmp_path / 'prior.json'})", fetcher, [start], budget)
    assert len(good & {*urls}) > 0.95 * len(good)


def test_s_is_as_printed() -> None:
    """S = w_R·R + w_G·(C·P[I,G]), w_G = 1 - w_R."""
    strategy = Genre(small_web.Share(), relevance=0.75)
    page = small_web.page(small_web.url(3))
    (offer, *_) = (say for say in strategy.observe(page) if isinstance(say, Offer))
    relevance, genre, sure, led = offer.note
    assert led == PRINTED["relevant" if relevance >= 0.5 else "irrelevant"][genre]
    assert offer.value == pytest.approx(0.75 * relevance + 0.25 * (sure * led))


def test_the_prior_is_links_to_relevant_pages_by_all_links() -> None:
    pages = {
        "a": Read(0.9, "blog", frozenset("bcdx")),
        "b": Read(0.8, "news", frozenset("a")),
        "c": Read(0.2, "blog", frozenset("ab")),
        "d": Read(0.5, "other", frozenset()),
    }
    prior = Prior.of(pages)
    assert prior.counts["relevant", "blog"] == (2, 3), "x is not in the sample"
    assert prior.counts["relevant", "news"] == (1, 1)
    assert prior.counts["irrelevant", "blog"] == (2, 2)
    assert prior.rates()["relevant"]["image"] == pytest.approx(3 / 4), "of all genres, where none was seen"


def test_a_prior_is_saved_and_loaded(tmp_path: Path) -> None:
    prior = Prior.of({"a": Read(0.9, "blog", frozenset("ab")), "b": Read(0.1, "news", frozenset("a"))})
    prior.save(tmp_path / "prior.json")
    assert Prior.load(tmp_path / "prior.json") == prior
    assert Genre(small_web.Share(), prior=str(tmp_path / "prior.json")).rates == prior.rates()
    (tmp_path / "prior.json").write_text("{}")
    with pytest.raises(UnreadableError, match="opilio genre prior"):
        Prior.load(tmp_path / "prior.json")


def test_with_all_weight_on_relevance_it_is_best_first() -> None:
    mine = visited("genre(relevance=1.0)", small_web.fetcher(), small_web.seeds(), 90)
    assert mine == visited("best-first", small_web.fetcher(), small_web.seeds(), 90)


def test_the_papers_price_with_a_p_that_is_learned() -> None:
    strategy = GenrePlus(small_web.Share(), "none", relevance=0.75)
    outcomes = strategy.outcomes_
    for good in (True, True, True, False):
        outcomes.note("relevant", ("blog",), good)
    weight = strategy.weigh(("relevant", "8", "blog"))
    assert weight.shift + weight.scale * 0.6 == pytest.approx(
        0.75 * 0.6 + 0.25 * 0.8 * outcomes.rate("relevant", "blog")
    )


def test_a_rare_genre_gets_neither_nought_nor_one() -> None:
    outcomes = Outcomes()
    for number in range(100):
        outcomes.note("relevant", ("blog",), number % 2 == 0)
    outcomes.note("relevant", ("video",), False)
    outcomes.note("relevant", ("image",), True)
    half = pytest.approx(0.5, abs=0.01)
    assert outcomes.rate("relevant", "blog") == half
    assert outcomes.rate("relevant", "news") == half
    assert outcomes.rate("relevant", "video") == pytest.approx(0.5 * DOUBT / (DOUBT + 1), abs=0.01)
    assert outcomes.rate("relevant", "image") == pytest.approx((1 + 0.5 * DOUBT) / (DOUBT + 1), abs=0.01)


def test_what_a_kind_adds() -> None:
    outcomes = Outcomes()
    assert outcomes.gain("relevant", "blog") == outcomes.hope("relevant", "blog") == 0
    for number in range(1000):
        outcomes.note("relevant", ("blog" if number % 2 else "image",), number % 4 == 1)
        outcomes.note("irrelevant", ("other",), False)
    assert outcomes.gain("relevant", "blog") == pytest.approx(0.25, abs=0.01)
    assert outcomes.gain("relevant", "image") == pytest.approx(-0.25, abs=0.01)
    assert outcomes.gain("irrelevant", "other") == 0
    assert 0 < outcomes.hope("relevant", "video") < 0.25, "a new kind is worth a try, but less than a good one"
    assert outcomes.hope("relevant", "video") > 5 * outcomes.hope("relevant", "blog") > 0
    assert outcomes.hope("irrelevant", "other") == 0


def test_a_genre_never_tried_is_not_left_behind() -> None:
    for online in (True, False):
        strategy = GenrePlus(small_web.Share(), "none", online=online)
        outcomes = strategy.outcomes_
        for number in range(100):
            outcomes.note("relevant", ("other",), number % 2 == 0)
            outcomes.note("relevant", ("image",), number % 3 == 0)
        tried, new = (strategy.weigh(("relevant", "9", genre)).shift for genre in ("other", "blog"))
        assert (new > tried) == online, "a fixed P has nothing to learn from trying"


def test_genres_that_lead_alike_come_to_weigh_nothing() -> None:
    outcomes, dice = Outcomes(), Random(5)
    for links in (100, 1000, 10_000):
        for _ in range(links):
            outcomes.note("relevant", (dice.choice(GENRES),), dice.random() < 0.3)
        assert max(abs(outcomes.gain("relevant", genre)) for genre in GENRES) < 2 / links**0.5


def test_how_much_genres_differ() -> None:
    outcomes, dice = Outcomes(), Random(5)
    assert outcomes.differ("relevant") == 0
    for _ in range(1000):
        outcomes.note("relevant", ("other",), dice.random() < 0.3)
        assert outcomes.differ("relevant") == 0, "one genre differs from nothing"
    shares = []
    for _ in range(200):
        alike = Outcomes()
        for _ in range(200):
            alike.note("relevant", (dice.choice(GENRES),), dice.random() < 0.3)
        shares.append(alike.differ("relevant"))
    assert sorted(shares)[100] < 0.1, "half the time chance is all there is"
    for _ in range(1000):
        outcomes.note("relevant", ("blog",), dice.random() < 0.6)
    assert outcomes.differ("relevant") > 0.9


def test_each_family_of_kinds_is_judged_by_itself() -> None:
    outcomes, dice = Outcomes(), Random(5)
    for number in range(2000):
        good = float(dice.random() < (0.2 if number % 2 else 0.6))
        outcomes.note("relevant", (dice.choice(GENRES), f"template {number % 2}"), good)
    kinds = [outcomes.rows["relevant", f"template {n}"] for n in (0, 1)]
    every, best = outcomes.rows["relevant", ""]
    mean = (best + 0.5) / (every + 1)
    spread = sum((good - seen * mean) ** 2 / seen for seen, good in kinds) / (mean * (1 - mean))
    assert outcomes.differ("relevant", 1) == pytest.approx(1 - 1 / spread)
    assert outcomes.differ("relevant", 1) > 0.95 > outcomes.differ("relevant", 0) + 0.2


def test_the_slope_is_that_of_the_outcomes() -> None:
    outcomes = Outcomes()
    assert outcomes.slope() == 1
    for number in range(10_000):
        parent = number % 10 / 10
        outcomes.compare(parent, number // 10 % 100 < 50 * parent, ("other",))
    assert outcomes.slope() == pytest.approx(0.5, abs=0.02)


def test_a_good_kind_followed_from_poor_pages_does_not_hide_the_slope() -> None:
    outcomes = Outcomes()
    for number in range(10_000):
        parent = number % 5 / 10
        outcomes.compare(parent, 0.5 + 0.4 * parent, ("index",))
        outcomes.compare(parent + 0.5, 0.4 * (parent + 0.5), ("article",))
    assert outcomes.slope() == pytest.approx(0.4, abs=0.01), "over all links it falls"


def test_a_kind_that_a_model_half_believes_in_is_behind_one_that_it_is_sure_of() -> None:
    """By the paper's count, 20 pages of 0.6 are better than 18 of 0.95 and 2 of 0.1."""
    strategy, fixed = GenrePlus(small_web.Share(), "none"), GenrePlus(small_web.Share(), "none", relevance=0.5)
    for each in (strategy, fixed):
        outcomes = each.outcomes_
        for number in range(20):
            outcomes.note("relevant", ("other",), each._counts(0.6))
            outcomes.note("relevant", ("blog",), each._counts(0.95 if number > 1 else 0.1))
    gains = [each.outcomes_.gain("relevant", "blog") for each in (strategy, fixed)]
    assert gains[0] > 0 > gains[1]


def test_the_sample_is_breadth_first_two_hops_wide() -> None:
    fetcher = small_web.fetcher()
    mine = visited("genre-plus(further=none,sample=40)", fetcher, small_web.seeds(), 40)
    assert {*mine[:30]} == {*visited("breadth-first", fetcher, small_web.seeds(), 40)[:30]}


def test_the_sample_counts_all_links_between_its_pages() -> None:
    strategy = GenrePlus(small_web.Share(), "none", sample=120)
    visits = trace(strategy, small_web.fetcher(), small_web.seeds(), 100, batch=10)
    urls = {visit.url for visit in visits}
    known = sum(len({link.url for link in small_web.page(url).links} & urls) for url in urls)
    rows = strategy.outcomes_.rows
    # Links that a page has to itself and redirects are the difference: neither tells where a link leads.
    assert known * 0.9 < sum(seen for (_, kind), (seen, _) in rows.items() if not kind) <= known


def test_after_the_sample_its_lane_is_dropped() -> None:
    strategy = GenrePlus(small_web.Share(), "none", sample=20)
    trace(strategy, small_web.fetcher(), small_web.seeds(), 60, batch=10)
    assert strategy.weigh(SAMPLE) == DROP
    assert not strategy.waiting_


def test_after_a_sample_links_are_counted_as_in_the_sample() -> None:
    counted = []
    for spec in ("genre-plus(further=none,relevance=0.9,sample=20)", "genre-plus(further=none,sample=20)"):
        strategy = made(spec)
        assert isinstance(strategy, GenrePlus)
        trace(strategy, small_web.fetcher(), small_web.seeds(), 80, batch=10)
        rows = strategy.outcomes_.rows
        counted.append(sum(seen for (_, kind), (seen, _) in rows.items() if not kind))
    assert counted[0] > 1.5 * counted[1], "links to pages fetched before, and not those that were followed alone"


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize(
    "spec", ["genre-plus(relevance=0.9)", "genre-plus(relevance=0.9,sample=20)", "genre(relevance=0.5)"]
)
def test_laws_hold_with_the_papers_formula(law: laws.Law, spec: str) -> None:
    law(partial(made, spec))


def test_what_is_not_online_stays_as_the_sample_left_it() -> None:
    states: list[Any] = []
    for budget in (30, 80):
        strategy = GenrePlus(small_web.Share(), "none", sample=30, online=False)
        trace(strategy, small_web.fetcher(), small_web.seeds(), budget, batch=10)
        states.append(strategy.outcomes_)
    assert states[0] == states[1]
    assert states[0].rows


def test_templates_are_told_apart() -> None:
    leaders: list[frozenset[str]] = []
    first = {f"html/body/p{n}": 1 for n in range(10)}
    assert template(leaders, first) == 0
    assert template(leaders, {**first, "html/body/div/a": 3}) == 0
    assert template(leaders, {"html/body/table/tr/td/a": 1}) == 1
    for number in range(100):
        template(leaders, {f"html/{number}": 1})
    assert len(leaders) == MOST


@pytest.mark.parametrize("spec", ["genre(relevance=1.5)", "genre-plus(relevance=1.5)", "genre-plus(further=colour)"])
def test_settings_out_of_range(spec: str) -> None:
    with pytest.raises(ConfigError, match="genre"):
        made(spec)


def test_a_note_says_why() -> None:
    strategy = GenrePlus(small_web.Share(), "none")
    page = small_web.page(small_web.url(3))
    offers = [say for say in strategy.observe(page) if isinstance(say, Offer)]
    relevance, genre, sure = offers[0].note
    assert (relevance, genre) == (small_web.Share().page(page), "other")
    assert 0 < sure <= 1


def test_a_failed_page_counts_against_its_kind() -> None:
    strategy = GenrePlus(small_web.Share(), "none")
    asked = Offer(Link("http://gone.test/"), 0.7, ("relevant", "9", "blog"))
    list(strategy.observe(Page(asked, "http://gone.test/", error="http 404")))
    assert strategy.outcomes_.rows["relevant", "blog"] == [1.0, 0.0]
