"""Steps that the papers print, one by one: whoever changes one is told which it is."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from opilio import registry
from opilio.bench.significance import _summary
from opilio.fetchers.replay import Recorded, Replay
from opilio.html.leaves import Leaf, leaves
from opilio.learning.clusters import OUTLIER, Classifier
from opilio.learning.page_types import dsim
from opilio.learning.sample import inside
from opilio.learning.url_patterns import pattern
from opilio.nouns import Link, Material, News, Offer, Page, Strategy, Topic, Weight
from opilio.strategies.community import Community
from opilio.strategies.community.frtw import frtw
from opilio.strategies.community.home_pages import neighbourhood
from opilio.strategies.community.site_graph import SiteGraph
from opilio.strategies.genre.model import GENRES, Guess, guess
from opilio.strategies.irobot import Irobot
from opilio.strategies.irobot.regions import regions
from opilio.strategies.profile import Profile, tags
from opilio.strategies.profile.lanes import MORE
from opilio.strategies.profile.media_site import MediaSite
from opilio.strategies.profile.media_strategy import CRAWL
from opilio.strategies.profile.outlinks import outlinks
from opilio.strategies.profile.page_types import DETAIL, LIST, PROFILE, PageTypes, all_strings
from opilio.strategies.profile.people import People
from opilio.strategies.profile.profile_terms import profile_of
from opilio.strategies.profile.sampled_site import DISCOVER
from opilio.strategies.profile.thumbnails import position
from opilio.strategies.structure import Structure
from opilio.strategies.structure.from_sample import learn
from opilio.strategies.target_map import TARGET, TargetMap
from opilio.topics import counted
from opilio.topics.densities import Densities
from opilio.topics.fields import Multinomials
from opilio.topics.models.svm import Svm

URL = "http://a.example/"


def page(body: str, url: str = URL, offer: Offer | None = None) -> Page:
    answers = {url: Recorded(200, {"content-type": "text/html"}, body.encode())}
    return asyncio.run(Replay(answers.get).fetch(offer or Offer(Link(url))))


def read(body: str) -> list[Leaf]:
    return leaves(page(body))


class Counts(Topic):
    """Relevance by the word: good 0.8, fair 0.5, poor 0.2."""

    def text(self, text: str) -> float:
        return next((value for word, value in (("good", 0.8), ("fair", 0.5), ("poor", 0.2)) if word in text), 0.0)

    def page(self, page: Page) -> float:
        return self.text(page.title)


# Zhang and Nasraoui 2009 (profile)


@pytest.mark.parametrize("at", [1, 2])
def test_identical_tag_sets_count_once_in_both_rounds(at: int) -> None:
    """Section 6, (1): who uploads a series tags it once."""
    strategy = Profile("honey")
    strategy.stage_, strategy.round_ = DISCOVER, at
    strategy.items_ = [("honey", "series", "same")] * 20 + [("honey", "bee", f"x{n}") for n in range(8)]
    list(strategy.next_round())
    assert list(strategy.topic_) == ["honey", "bee"]


def test_further_pages_of_a_profile_are_fetched() -> None:
    """5.1, figure 6: all profile pages of an uploader are collected."""
    strategy = Profile("honey")
    strategy.stage_ = CRAWL
    assert strategy.weigh((MORE, "0")) == Weight()


def test_schema_pairs_are_left_out_before_path_strings_are_compared() -> None:
    """4.3.1, algorithm 1: a path string where all pages have the same text tells a type by the other texts that stand there."""
    same = "<p>terms of use</p>"
    bodies = {
        LIST: [f"<ul><li>thing {n}</li></ul><p>by user {n}</p>{same}" for n in range(2)],
        DETAIL: [f"<h1>thing {n}</h1>{same}" for n in range(2)],
    }
    pages = [(kind, read(body)) for kind, found in bodies.items() for body in found]
    types = all_strings([found for _, found in pages], [kind for kind, _ in pages])
    assert [path.partition(">")[0] for path in types.core[LIST]] == ["<li", "<p"]


def test_strings_that_all_types_have_tell_nothing() -> None:
    """4.3.2: characteristic path strings are those by which a type is told."""
    bodies = [f"<h1>{n}</h1><b>{n}</b>" for n in range(2)] + [f"<h2>{n}</h2><b>{n}</b>" for n in range(2)]
    types = all_strings([read(body) for body in bodies], [LIST, LIST, DETAIL, DETAIL])
    assert [path[:4] for path in (*types.core[LIST], *types.core[DETAIL])] == ["<h1>", "<h2>"]


def test_sets_and_collections_are_terms_of_a_profile() -> None:
    """5.1: inner profile terms come from the names of collections, sets and tags."""
    shown = read("<h3>Sets</h3><ul><li>Wild bees</li></ul><h3>Town</h3><ul><li>Bath</li></ul>")
    headings = [(leaf.path, leaf.text) for leaf in shown if leaf.path.startswith("<h3>")]
    site = MediaSite(PageTypes({}, {}), {}, [], {PROFILE: headings}, {PROFILE: []}, [], False)
    terms, _ = profile_of(site, shown, URL, URL)
    assert [term.name for term in terms] == ["wild-bees"]


def test_noise_tags_are_removed() -> None:
    """8.2: "after removing a few noise tags such as nikon"."""
    items = tags.distinct([("honey", "nikon", "bee", f"x{n}") for n in range(8)])
    assert [one.tag for one in tags.cotags(items, ["honey"], 1.0)] == ["bee"]


def test_the_top_tags_are_those_with_most_votes() -> None:
    """Section 6: "if one tag and the topic tag co-occurred in one photo, we count this as one vote"; φ has the threshold."""
    items = [("honey", "bee", f"x{n}") for n in range(9)] + [("honey", "hive", f"y{n}") for n in range(6)]
    others = [("bee", f"z{n}") for n in range(3)] + [("stone", f"s{n}") for n in range(20)]
    found = tags.cotags(tags.distinct([*items, *others]), ["honey"], 1.0)
    assert [(one.tag, one.votes) for one in found] == [("bee", 9), ("hive", 6)]
    assert found[0].score < found[1].score


def linking(body: str, **leads: str) -> tuple[MediaSite, list[Leaf]]:
    """A site of which it is known what its links lead to, by their texts, and the leaves of a page."""
    shown = read(body)
    known = {position(leaf): {leads[leaf.text]: 3} for leaf in shown if leaf.text in leads}
    return MediaSite(PageTypes({}, {}), known, [], {PROFILE: [], LIST: []}, {PROFILE: []}, [], False), shown


def test_what_is_followed_are_the_outlinks_of_list_pages_and_lists() -> None:
    """7.1, algorithm 4: details and profiles from list pages alone; links to lists wherever they stand, for we make no URLs."""
    site, shown = linking("<p><a href=/tags/bee>bee</a><h1><a href=/u/1>ann</a></h1>", bee=LIST, ann=PROFILE)
    followed = {kind: outlinks(site, People(), f"{URL}here", shown, kind, "") for kind in (LIST, DETAIL, PROFILE)}
    assert {kind: sorted(found) for kind, found in followed.items()} == {
        LIST: [f"{URL}tags/bee", f"{URL}u/1"], DETAIL: [f"{URL}tags/bee"], PROFILE: [f"{URL}tags/bee"],
    }  # fmt: skip


def test_contacts_are_other_people() -> None:
    """5.2: the users that a profile names as contacts; further pages of its own are none."""
    site, shown = linking("<p><a href=/u/1/sets>sets</a><h1><a href=/u/2>bob</a></h1>", sets=PROFILE, bob=PROFILE)
    assert profile_of(site, shown, f"{URL}u/1", f"{URL}u/1")[1] == [f"{URL}u/2"]


# Xu, Gao and Callan 2018 (structure)


def test_links_within_the_site_alone_count() -> None:
    """3.3: "we only focus on anchor links that direct to pages within the same website"."""
    links = "".join(f'<a href="{url}">x</a>' for url in ("/1", "http://b.a.example/2", "http://other.example/3"))
    assert [link.url for link in inside(page(links))] == [f"{URL}1", "http://b.a.example/2"]


def test_the_bins_asked_for_are_those_that_eps_is_read_off() -> None:
    """4.2: both readings of NumBins = w · NumFeats can be crawled with."""
    bags = [{f"p{n % 7}": n % 5 + 1, f"q{n % 11}": 1, "all": n % 3 + 1} for n in range(200)]
    found = {how: learn(bags, None, how)[0].eps for how in ("divided", "printed")}
    assert found["printed"] < found["divided"]


def test_balance_counts_the_pages_of_the_sample() -> None:
    """Eq. 11: the share of the pages crawled so far, and the sample was crawled."""
    strategy = Structure(sample=5)
    for number in range(5):
        list(strategy.observe(page(f"<ul><li><a href=/{number}>x</a></ul>", f"{URL}{number}")))
    assert sum(strategy.visited_.values()) == 5


def test_irobot_draws_its_sample_from_both_ends_of_its_queue() -> None:
    """4.1: "sampled using a double-ended queue": in turn, the deepest link and the nearest to the start."""
    strategy = Irobot()
    ends = [offered(strategy, "", "x", note=(2,))[0][0] for _ in range(4)]
    assert ends == [3.0, -3.0, 3.0, -3.0]


def test_dsim_is_the_mean_distance_to_the_centroid() -> None:
    """Eq. 10: the L2 norm, not its square."""
    assert dsim(np.array([[0.0, 0.0], [6.0, 8.0]])) == pytest.approx(5.0)


def test_outliers_of_the_sample_vote_as_well() -> None:
    """4.2: k nearest neighbours with k = minPts - 1; "new pages can also be classified as outliers"."""
    rows = np.array([[0.0], [0.1], [0.2]])
    assert Classifier(rows, np.array([OUTLIER, OUTLIER, 0]), np.full(3, 1.0))(np.array([0.1])) == OUTLIER
    assert Classifier(rows, np.array([OUTLIER, 0, 0]), np.full(3, 1.0))(np.array([0.1])) == 0


def test_target_map_jumps_to_the_target_from_every_level() -> None:
    """5.4: "we also allow URLs in patterns p1, p2 and p4 to match p4"; targets come first."""
    strategy = TargetMap(page("<p>x", f"{URL}t/1"))
    levels = [URL + "/".join(map(str, range(depth))) for depth in range(1, 5)]
    strategy.way_ = [pattern(url, {}) for url in levels]
    for here in levels:
        says = [say for say in strategy._followed(here, [Link(levels[-1])], 1) if isinstance(say, Offer)]
        assert [say.lane for say in says] == [TARGET]


def test_irobot_reads_what_repeats_often_enough() -> None:
    """5.2: regions at least MinDepth = 3 deep that repeat at least MinR = 0.3 times as often as the one that repeats most."""
    bag = {"html/body/ul/li": 10, "html/body/ol/li": 3, "html/body/p/b": 2, "html/body/p": 9}
    assert sorted(regions(bag)) == ["html/body/ol/li", "html/body/ul/li"]


# Shen, Sun and Yang 2015 (community), and the baselines of its comparison


def test_a_start_with_as_many_links_out_as_in_leaves() -> None:
    """3.1.3, step 2: "k_in must be greater than k_out"."""
    graph = SiteGraph.of([("s", "a"), ("a", "x"), ("s", "b"), ("s", "c"), ("b", "c")])
    assert frtw(graph, "s", 1.0).names(graph) == ["b", "c", "s"]


def test_sites_with_more_than_so_many_links_are_left_out() -> None:
    """4.1: "more than 1000 in-links or out-links": as many are not too many."""
    out = {name: (0.5, 0, frozenset(friends)) for name, friends in (("a", "bcd"), ("b", "cd"), ("c", "d"), ("d", ""))}
    assert neighbourhood(out, 3).crowded == set()
    assert neighbourhood(out, 2).crowded == {"a", "d"}, "three links out, three links in"


def test_the_lexicon_is_made_of_the_urls_of_round_one() -> None:
    """3.2.2: "the lexicon is build up based on the work in section 3.1"."""
    strategy = Community("honey")
    home = (0.5, 0, frozenset(("b.example",)))
    list(strategy.hear(News(("home", 1, ("a.example",), home, ("bees",)))))
    list(strategy.dry())
    list(strategy.hear(News(("home", 2, ("b.example",), home, ("late",)))))
    assert set(strategy.lexicon_) == {"bees"}


def offered(
    strategy: Strategy, title: str, *links: str, note: tuple[Any, ...] = ()
) -> list[tuple[float, tuple[Any, ...]]]:
    """Value and note of the offers that a page brings."""
    body = f"<title>{title}</title>" + "".join(f'<p><a href="/{n}">{text}</a></p>' for n, text in enumerate(links))
    seen = page(body, offer=Offer(Link(URL), note=note))
    return [(say.value, say.note) for say in strategy.observe(seen) if isinstance(say, Offer)]


def made(name: str) -> Strategy:
    return registry.make(name, {"topic": Counts()})


@pytest.mark.parametrize(("title", "value"), [("good", 0.8), ("poor", 0.2)])
def test_best_first_goes_by_the_parent(title: str, value: float) -> None:
    """Menczer et al. 2001: value = R(parent)."""
    assert [found for found, _ in offered(made("best-first"), title, "good", "poor")] == [value, value]


def test_fish_go_to_the_front_and_die_out() -> None:
    """De Bra et al. 1994: depth 3 behind a relevant page, one less behind another, none at 0; the last one found is in front."""
    fish = made("fish")
    assert offered(fish, "fair", "x", note=(3,)) == [(1.0, (3,))]
    assert offered(fish, "good", "x", note=(1,)) == [(2.0, (3,))]
    assert offered(fish, "poor", "x", note=(3,)) == [(-1, (2,))]
    assert offered(fish, "poor", "x", note=(1,)) == []


def test_sharks_inherit_and_smell() -> None:
    """Hersovici et al. 1998: 0.5·inherited + 0.5·(0.8·anchor + 0.2·context), inherited 0.5 of a relevant parent, or its own."""
    (value, note), (other, _) = offered(made("shark"), "good", "good", "poor")
    assert note == pytest.approx((0.4, 0.8, 1.0)), "the context counts as 1 where the anchor is relevant"
    assert value == pytest.approx(0.5 * 0.4 + 0.5 * (0.8 * 0.8 + 0.2 * 1.0))
    assert other < value
    ((value, note),) = offered(made("shark"), "poor", "poor", note=(0.6, 0.0, 0.0))
    assert value == pytest.approx(0.5 * 0.3 + 0.5 * (0.8 * 0.2 + 0.2 * 0.2))


def test_breadth_first_goes_by_the_distance_from_the_seeds() -> None:
    """A page at depth d offers its links with -(d + 1)."""
    assert offered(registry.make("breadth-first", {}), "", "x")[0][0] == Offer(Link(URL)).value - 1


# Wang et al. 2009 (otie)


def test_link_context_is_the_prediction_of_eq_9() -> None:
    """0.25·page_score + 0.75·context_score."""
    topic = SimpleNamespace(page=lambda page: 0.4, links=lambda page: [0.8])
    ((value, note),) = offered(registry.make("link-context", {"topic": topic}), "", "x")
    assert value == pytest.approx(0.25 * 0.4 + 0.75 * 0.8)
    assert note == (0.4, 0.8)


def test_cash_is_shared_by_similarity() -> None:
    """Eq. 5 and 6: cash_gain(j, i) = sim'(j) / Σ sim'(u) · cash[i], after the revision of eq. 8."""
    topic = SimpleNamespace(page=lambda page: 0.5, links=lambda page: [0.1, 0.5])
    seen = page('<a href="/x">y</a><a href="/z">y</a>', offer=Offer(Link(URL), 0.6))
    found = [say for say in registry.make("otie(beta=0)", {"topic": topic}).observe(seen) if isinstance(say, Offer)]
    assert [say.link.url for say in found] == [f"{URL}x", f"{URL}z"]
    assert [say.value for say in found] == pytest.approx([0.6 * 0.1 / 0.6, 0.6 * 0.5 / 0.6])


def test_words_weigh_by_eq_4() -> None:
    """w = f · ln(|E| / df): neither is smoothed, and a word that is there twice counts twice."""
    assert counted.plain_idf(np.array([1.0, 2.0, 4.0]), 4) == pytest.approx([np.log(4), np.log(2), 0.0])
    good, bad = ([page(f"<p>{word} here {n}") for n in range(2)] for word in ("honey hive", "stone"))
    space = Svm.learn(Material("honey", tuple(good), tuple(bad))).folded.space
    words, weights = space.vector("honey honey hive")
    assert sorted(weights / weights.min()) == pytest.approx([1.0, 2.0]), words
    assert space.idf[words] == pytest.approx([np.log(4 / 2)] * 2), "of the examples"


def test_words_are_chosen_by_chi_square(monkeypatch: pytest.MonkeyPatch) -> None:
    """The paper: "we selected the best 2000 words from the candidates", those that tell the two kinds apart best."""
    monkeypatch.setattr(counted, "BEST", 2)
    read = counted.Counted.of(["honey meadow", "honey meadow", "stone meadow", "stone window"], "en")
    best = read.best(np.arange(4), np.array([1.0, 1.0, 0.0, 0.0]))
    assert [read.vocabulary.words[column] for column in best] == ["honey", "stone"]


def test_errors_are_standard_errors_of_the_mean() -> None:
    """Figure 3 and table 2: ± one standard error, the deviation by the root of the number of topics."""
    found = _summary("otie", "target_recall", "5x", [0.2, 0.4, 0.6, 0.8], 1.0)
    assert (found.mean, found.se, found.n) == pytest.approx((0.5, np.std([2, 4, 6, 8], ddof=1) / 10 / 2, 4))


def test_naive_bayes_starts_from_the_odds_of_the_examples() -> None:
    """Pr(class): of three examples on the topic and one off it, where no word tells them apart, 3 to 1."""
    same = counted.Counted.of(["honey"] * 4, "en")
    found = Densities.learn(same, np.array([1.0, 1.0, 1.0, 0.0]))
    doubtful = Densities.learn(same.rows(np.arange(2)), np.array([1.0, 0.0]))
    assert doubtful.score("honey") == pytest.approx(0.0, abs=1e-9)
    assert found.score("honey") == pytest.approx(np.log(3), abs=0.3), (
        "and a little for what one example leaves in doubt"
    )


# Qian, Suebchua and Yamana 2017 (genre)


def test_the_genre_comes_with_the_share_of_the_forest_that_says_so() -> None:
    """3.1: G is the predicted class, C the probability that the page belongs to it."""
    forest = SimpleNamespace(
        names=GENRES, asked=np.array([0]), shares_of=lambda rows: np.array([[0.2, 0.5, 0.3, 0, 0]])
    )
    assert guess([page("<p>x")], forest) == [Guess("blog", 0.5)]  # type: ignore[arg-type]


def test_title_body_and_anchors_have_their_own_words() -> None:
    """4.2: naive Bayes over TITLE, BODY and ANCHOR; a word may speak for the topic in one and against it in another."""
    whole = counted.Counted.of(["honey stone"], "en")
    labels = np.array([1.0, 0.0])
    fields = [whole.others(texts) for texts in (["honey", "stone"], ["stone", "honey"], ["", ""])]
    learned = Multinomials.learn(fields, np.arange(2), labels)
    title, body, anchors = (learned.score(said) for said in (("honey", "", ""), ("", "honey", ""), ("", "", "honey")))
    assert (title, body, anchors) == pytest.approx((np.log(2) / 2, -np.log(2) / 2, 0.0)), (
        "the odds are 2 to 1, of one word"
    )
