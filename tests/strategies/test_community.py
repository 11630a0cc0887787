"""The community strategy on a web of a few sites: two topics, a shop that all advertise, a mirror, a portal, dead sites."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable
from functools import partial

import pytest

from opilio import registry
from opilio.codec import pack, unpack
from opilio.fetchers.replay import Recorded, Replay
from opilio.frontier.memory import MemoryFrontier
from opilio.loop import Limits, crawl, trace
from opilio.nouns import DROP, PARK, Link, News, Offer, Page
from opilio.shard import Shard
from opilio.shard.saved_state import learned
from opilio.store.memory import MemoryStore
from opilio.strategies.community import Community
from opilio.strategies.community.home_pages import counted
from opilio.strategies.community.similarity import Similarity
from opilio.strategies.community.two_rounds import TwoRounds
from opilio.strategies.community.url_lexicon import known_share, path_words, url_words
from opilio.strategies.community_plus import CommunityPlus
from opilio.testing import laws, small_web
from opilio.urls import site

BEES = [f"bee{n}.example" for n in range(8)]
CARS = [f"car{n}.example" for n in range(8)]
FILLER = (
    "of the and to in is that it was for on are with as his they at be this from have or by one had not but what all"
)
Web = dict[str, Recorded]


def door(name: str) -> str:
    return f"http://{name}/"


def html(
    words: str, links: Iterable[tuple[str, str]] = (), friends: Iterable[str] = (), ads: Iterable[str] = ()
) -> Recorded:
    text = f"{words} " * 12
    inner = "".join(f'<li class="post"><a href="{url}">{anchor}</a></li>' for url, anchor in links)
    blogroll = "".join(f'<li><a href="{door(name)}">{name}</a></li>' for name in friends)
    adverts = "".join(f'<a href="{door(name)}">buy</a>' for name in ads)
    body = f'<p>{text}</p><ul>{inner}</ul><ul class="friends">{blogroll}</ul><div class="ads">{adverts}</div>'
    return Recorded(
        200, {"content-type": "text/html"}, f"<html><title>{words}</title><body>{body}</body></html>".encode()
    )


def site_pages(name: str, words: str, friends: Iterable[str], beyond: str = "") -> Web:
    posts = [(f"http://{name}/{words.split()[0]}/{n}", words) for n in range(4)]
    away = [(f"http://{beyond}/post/1", words)] if beyond else []
    web = {door(name): html(f"{words} {name}", posts, friends, ["shop.example"])}
    return web | {url: html(f"{words} {n} {name}", [*posts, *away]) for n, (url, _) in enumerate(posts)}


def two_topics() -> Web:
    """Bees recommend bees, cars cars, and one of each the other."""
    web: Web = {}
    for names, other, words in ((BEES, CARS, "honey hive bee"), (CARS, BEES, "stone engine train")):
        for turn, name in enumerate(names):
            friends = [names[(turn + step) % 8] for step in (1, 2, 3)] + ([other[0]] if turn == 0 else [])
            web |= site_pages(name, words, friends, "late.example" if names is BEES else "")
    web |= site_pages("shop.example", "market paper window", ())
    web |= site_pages("late.example", "honey swarm queen", ())
    web["http://late.example/post/1"] = html("honey swarm queen", [("http://late.example/honey/1", "honey")])
    return web


def made(web: Web, seeds: list[str], budget: int = 500, **settings: object) -> tuple[Community, list[str]]:
    """As printed."""
    strategy = Community("honey hive bee", **settings)  # type: ignore[arg-type]
    return strategy, visited(strategy, web, seeds, budget)


def plus(web: Web, seeds: list[str], **settings: object) -> tuple[CommunityPlus, list[str]]:
    strategy = CommunityPlus(small_web.Share(), **settings)  # type: ignore[arg-type]
    return strategy, visited(strategy, web, seeds)


def visited(strategy: TwoRounds, web: Web, seeds: list[str], budget: int = 500) -> list[str]:
    return [visit.url for visit in trace(strategy, Replay(web.get), seeds, budget, batch=5)]


def test_round_two_stays_in_the_community_of_the_most_relevant_seed() -> None:
    strategy, urls = made(two_topics(), [door(CARS[4]), door(BEES[3])])
    assert strategy.round_ == 2
    assert strategy.members_ == set(BEES)
    deep = {site(url) for url in urls if "/honey/" in url or "/stone/" in url}
    assert deep == set(BEES)
    assert len([url for url in urls if "/honey/" in url]) == 4 * len(BEES)


def test_round_one_fetches_front_doors_only_and_no_advertising() -> None:
    _, urls = made(two_topics(), [door(BEES[3])])
    first = urls[: urls.index(next(url for url in urls if "/honey/" in url))]
    assert set(first) == {door(name) for name in (*BEES, *CARS)}


def test_links_outside_are_counted_and_listed() -> None:
    strategy, urls = made(two_topics(), [door(BEES[3])])
    assert strategy.outside_["late.example"] == 4 * len(BEES)
    assert not [url for url in urls if "late" in url]
    assert strategy.weigh(("pages", "late.example")) == DROP


def test_a_growing_community_takes_in_what_relevant_pages_link_to() -> None:
    strategy, urls = plus(two_topics(), [door(BEES[3])], grow=True, beyond=False)
    assert strategy.members_ == {*BEES, "late.example"}
    assert "http://late.example/honey/1" in urls
    assert strategy.weigh(("pages", CARS[0])) == PARK


def pairs() -> Web:
    """Bees that know one other site each: whatever community is found, most seeds are outside of it."""
    web: Web = {}
    for turn, name in enumerate(BEES):
        web |= site_pages(name, "honey hive bee", [BEES[turn ^ 1]])
    return web


def test_where_a_community_has_few_of_the_seeds_all_sites_are_crawled() -> None:
    seeds = [f"http://{name}/honey/1" for name in BEES[::2]]
    strategy, urls = plus(pairs(), seeds)
    assert strategy.members_ == {"bee0.example", "bee1.example"}
    assert strategy.why() == "community-plus crawls all sites: 1 of 4 seed sites are in the community"
    assert sorted(urls) == sorted(
        [*pairs(), door("shop.example")]
    )  # each page once: those of round one are not fetched again
    inside, urls = plus(pairs(), seeds, beyond=False)
    assert not inside.why()
    assert {url for url in pairs() if site(url) in inside.members_} <= set(urls) < set(pairs())


def test_when_nothing_is_left_inside_the_crawl_goes_on_outside() -> None:
    strategy, urls = plus(two_topics(), [door(BEES[3])])
    assert strategy.why() == "community-plus crawls all sites: nothing is left inside the community"
    assert strategy.members_ == set(BEES)
    deep = [site(url) for url in urls if url.count("/") > 3]
    assert set(deep[: 4 * len(BEES)]) == set(BEES)
    assert {"late.example", *CARS} <= set(deep)


def test_round_one_has_a_budget() -> None:
    strategy, urls = made(two_topics(), [door(BEES[3])], homes=6)
    assert sum(url.endswith("example/") for url in urls) <= 6 + 5  # a batch may be in flight
    assert strategy.members_ <= set(BEES)


def test_inner_pages_as_seeds_lead_to_their_front_door() -> None:
    strategy, urls = made(two_topics(), ["http://bee2.example/honey/1"])
    assert door("bee2.example") in urls
    assert strategy.members_ == set(BEES)


def test_the_site_graph_can_be_looked_at() -> None:
    strategy, _ = made(two_topics(), [door(BEES[3])])
    edges = strategy.edges_
    assert (BEES[0], CARS[0]) in edges
    assert not [edge for edge in edges if "shop.example" in edge]
    assert len(edges) == 8 * 3 * 2 + 1


def test_members_can_be_given() -> None:
    strategy, urls = plus(two_topics(), [door(CARS[1])], members=f"{CARS[1]} {CARS[2]}")
    assert strategy.members_ == {CARS[1], CARS[2]}
    assert {site(url) for url in urls} == {CARS[1], CARS[2]}


# what goes wrong on the web


def test_a_seed_site_that_is_down_is_passed_over() -> None:
    strategy, _ = made(two_topics(), ["http://down.example/", door(BEES[3])])
    assert strategy.members_ == set(BEES)


def test_nothing_but_dead_seeds_ends_the_crawl() -> None:
    strategy, urls = made(two_topics(), ["http://down.example/x"])
    assert sorted(urls) == ["http://down.example/", "http://down.example/x"]
    assert strategy.members_ == set()


def test_a_seed_site_without_friends_is_crawled_alone() -> None:
    strategy, urls = made(site_pages("alone.example", "honey bee", ()), [door("alone.example")])
    assert strategy.members_ == {"alone.example"}
    assert len(urls) == 5


def test_a_graph_in_one_piece_is_one_community() -> None:
    web: Web = {}
    for name in BEES:
        web |= site_pages(name, "honey hive", [other for other in BEES if other != name])
    strategy, _ = made(web, [door(BEES[0])])
    assert strategy.members_ == set(BEES)


@pytest.mark.parametrize("around", ["best", "all"])
def test_islands(around: str) -> None:
    web: Web = {}
    for names in (BEES[:4], BEES[4:]):
        for name in names:
            web |= site_pages(name, "honey hive", [other for other in names if other != name])
    strategy, _ = plus(web, [door(BEES[0]), door(BEES[7])], around=around)
    assert strategy.members_ == set(BEES if around == "all" else BEES[:4])


def test_a_site_that_links_to_everybody_is_left_out() -> None:
    web = two_topics()
    crowd = [f"crowd{n}.example" for n in range(40)]
    web |= site_pages("portal.example", "honey", [*BEES, *CARS, *crowd])
    web[door(BEES[3])] = html("honey hive bee", [], [*BEES[4:7], "portal.example"])
    strategy, _ = made(web, [door(BEES[3])], most=30)
    assert "portal.example" not in strategy.members_
    assert strategy.members_ >= set(BEES)


def test_a_mirror_is_merged() -> None:
    web = two_topics()
    web |= {url.replace("bee1.", "copy."): answer for url, answer in web.items() if "bee1." in url}
    web[door(BEES[2])] = html("honey hive bee", [], [*BEES[3:6], "copy.example"])
    strategy, urls = made(web, [door(BEES[3])])
    assert strategy.members_ == set(BEES)
    assert not [url for url in urls if "copy.example/honey" in url]


def test_a_home_that_has_moved_is_one_site() -> None:
    web = two_topics()
    web[door("old.example")] = Recorded(301, {"location": door(BEES[5])}, b"")
    web[door(BEES[2])] = html("honey hive bee", [], [*BEES[3:5], "old.example"])
    strategy, _ = made(web, [door(BEES[3])])
    assert set(BEES) == strategy.members_


# scores and state


PAGE = {"http://hive.example/": html("honey", [("/honey/cake", "honey stone"), ("/x", "stone")])}


def scored(strategy: TwoRounds) -> tuple[Page, dict[str, Offer]]:
    """Links of a page in round two; pages about stones and wheels were crawled before."""
    list(strategy.start([Link("http://hive.example/")], ()))
    strategy.round_, strategy.members_ = 2, {"hive.example"}
    strategy.lexicon_.update(["honey"])
    for words in ("stone", "wheel"):
        web = {"http://b.example/": html(words)}
        before = asyncio.run(Replay(web.get).fetch(Offer(Link("http://b.example/"))))
        if isinstance(strategy, Community):
            strategy.meet(before)
    page = asyncio.run(Replay(PAGE.get).fetch(Offer(Link("http://hive.example/"), lane=("pages", "hive.example"))))
    return page, {say.link.url: say for say in strategy.observe(page) if isinstance(say, Offer)}


def test_score_has_three_terms_as_printed() -> None:
    """α·SC(D,T)/n + β·SC(anchor,T) + γ·SC(url), n the links on the page, and SC(url) with the words of the host."""
    strategy = Community("honey")
    page, offers = scored(strategy)
    offer = offers["http://hive.example/honey/cake"]
    anchor = strategy.similarity_.texts(["honey stone"])[0]
    assert 0 < anchor < 1
    assert offer.note == pytest.approx((0.3 * strategy.similarity_.page(page) / 2, 0.3 * anchor, 0.4 * 1 / 3))
    assert offer.value == pytest.approx(sum(offer.note))


def test_plus_scores_by_the_topic_and_without_the_host() -> None:
    for share, links in (("links", 2), ("none", 1)):
        page, offers = scored(CommunityPlus(small_web.Share(), share=share))  # type: ignore[arg-type]
        offer = offers["http://hive.example/honey/cake"]
        relevance = small_web.Share().page(page)
        assert offer.note == pytest.approx((0.3 * relevance / links, 0.3 * 0.5, 0.4 * 0.5))


def test_round_one_is_first_in_first_out() -> None:
    _, urls = made(two_topics(), [door(BEES[3])])
    assert urls[:4] == [door(BEES[n]) for n in (3, 4, 5, 6)]


def test_round_two_begins_at_the_members_home_pages_and_pays_for_none_of_them_twice() -> None:
    strategy, urls = made(two_topics(), [door(BEES[3])])
    assert len(urls) == len(set(urls))
    assert strategy.similarity_.pages == len(urls), "d of formula 1: the pages crawled, each once"


def test_the_lexicon_is_made_of_the_urls_of_round_one() -> None:
    strategy, _ = made(two_topics(), [door(BEES[3])])
    assert set(strategy.lexicon_) == {"bee", "car"}


def test_the_community_is_that_of_the_most_relevant_site_whoever_was_the_seed() -> None:
    strategy, _ = made(two_topics(), [door(CARS[0])])
    assert strategy.members_ == set(BEES)


def test_without_words_and_examples_the_seeds_say_what_the_topic_is() -> None:
    strategy = Community("")
    visited(strategy, two_topics(), [door(BEES[3])])
    assert strategy.members_ == set(BEES)


def test_state_is_small_and_can_be_packed() -> None:
    strategy, _ = made(two_topics(), [door(BEES[3])])
    for number in range(100):
        counted(strategy.outside_, f"x{number}.example", 5)
    assert len(strategy.outside_) <= 10
    assert strategy.outside_["late.example"] == 32
    again = unpack(pack(learned(strategy)))
    assert pack(again) == pack(learned(strategy))
    assert not strategy.survey_.homes
    assert not strategy.survey_.asked


def strategies(grow: bool | None) -> TwoRounds:
    return Community("honey hive bee") if grow is None else CommunityPlus(small_web.Share(), grow=grow)


@pytest.mark.parametrize("grow", [None, False, True])
def test_two_shards_find_the_same_community_and_pages(grow: bool | None) -> None:
    shards = []
    for index in range(2):
        strategy = strategies(grow)
        frontier = MemoryFrontier(strategy.weigh, strategy.merge)
        shards.append(
            Shard(strategy, frontier, Replay(two_topics().get), MemoryStore(index), batch=5, index=index, shards=2)
        )
        shards[-1].start([door(BEES[3])])
    asyncio.run(crawl(shards, Limits()))
    alone = visited(strategies(grow), two_topics(), [door(BEES[3])])
    members = [shard.strategy.members_ for shard in shards if isinstance(shard.strategy, TwoRounds)]
    assert members[0] == members[1] == {*BEES, *(["late.example"] if grow else [])}
    visits = [visit.url for shard in shards if isinstance(shard.store, MemoryStore) for visit in shard.store.visits]
    assert sorted(visits) == sorted(alone)


def test_news_of_a_failed_home_page_is_heard_once() -> None:
    strategy = Community("honey")
    page = Page(Offer(Link("http://a.example/"), lane=("homes", "a.example")), "http://a.example/", error="timeout")
    told = [say for say in strategy.observe(page) if isinstance(say, News)]
    other = Community("honey")
    for _ in range(2):
        list(other.hear(told[0]))
    assert other.survey_.homes == strategy.survey_.homes
    assert len(other.survey_.asked) == 1


VARIANTS = [
    "community(unit=host,phi=0.1)",
    "community-plus(grow=true)",
    "community-plus(unit=host,topical=true,mutual=true)",
    "community-plus(around=all,lexicon=topical,phi=0.1)",
]


@pytest.mark.parametrize(
    "law", [laws.deterministic, laws.folds, laws.same_on_disk, laws.letters_twice, laws.hears_twice]
)
@pytest.mark.parametrize("spec", VARIANTS)
def test_variants_keep_the_laws(spec: str, law: laws.Law) -> None:
    law(partial(registry.make, spec, small_web.given()))


# SC(D,T)


def page_of(title: str, text: str) -> Page:
    body = f"<title>{title}</title><p>{text}</p>".encode()
    return asyncio.run(
        Replay({"http://a.example/": Recorded(200, {"content-type": "text/html"}, body)}.get).fetch(
            Offer(Link("http://a.example/"))
        )
    )


def test_similarity_is_formula_1_and_2() -> None:
    """(lg tf + 1)·lg(d/df) over the pages crawled so far, and θ between titles and contents."""
    similarity = Similarity(theta=0.25)
    similarity.teach("honey", "honey hive hive")
    for text in ("honey", "hive", "stone", "stone wheel"):
        similarity.see(page_of("", text))
    found = page_of("honey", "hive stone stone")
    rare, common = math.log10(4 / 1), math.log10(4 / 2)
    topic = (rare, (math.log10(2) + 1) * rare)  # honey, hive
    content = (rare, (math.log10(2) + 1) * common)  # hive, stone
    cosine = topic[1] * content[0] / (math.hypot(*topic) * math.hypot(*content))
    assert similarity.page(found) == pytest.approx(0.25 * 1.0 + 0.75 * cosine)


def test_titles_are_compared_with_titles_and_contents_with_contents() -> None:
    similarity = Similarity(theta=1.0)
    similarity.teach("honey", "hive")
    for text in ("honey", "hive", "stone"):
        similarity.see(page_of("", text))
    assert similarity.page(page_of("honey", "stone")) == pytest.approx(1.0)
    assert similarity.page(page_of("stone", "honey hive")) == 0.0
    similarity.theta = 0.0
    assert similarity.page(page_of("honey", "stone")) == 0.0
    assert similarity.page(page_of("stone", "hive")) == pytest.approx(1.0)


def test_words_of_a_url_are_those_of_the_paper() -> None:
    assert url_words("http://digi.it.sohu.com/mobile.shtml") == ["digi", "it", "sohu", "mobile"]
    assert url_words("http://www.sports.cn/") == ["sports"]
    assert path_words("http://digi.it.sohu.com/mobile.shtml") == ["mobile"]


def test_sc_of_a_url_is_formula_4() -> None:
    assert known_share("http://digi.it.sohu.com/mobile.shtml", {"sohu", "mobile", "other"}) == 2 / 4
    assert known_share("http://sohu.com/sohu/mobile.shtml", {"sohu"}) == 1 / 2, (
        "t_i is 1 or 0 for a word of the lexicon"
    )
