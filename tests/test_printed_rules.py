"""Rules and constants that the papers print: whoever changes one is told which it is."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from opilio import registry
from opilio.config import Config
from opilio.html import walk
from opilio.learning import clusters, mdl_clusters, paths
from opilio.learning.link_promise import predicted
from opilio.learning.navigation import Table
from opilio.nouns import DROP, PARK, RELEVANT, Weight
from opilio.strategies.community import Community, similarity
from opilio.strategies.community.relevance import BySimilarity
from opilio.strategies.genre import Genre, features, prior
from opilio.strategies.genre.model import GENRES, Guess, model
from opilio.strategies.irobot.regions import EPSILON, MIN_DEPTH, MIN_R
from opilio.strategies.otie import Otie
from opilio.strategies.profile import Profile, tags
from opilio.strategies.profile.lanes import LISTS, USER, WHO
from opilio.strategies.profile.people import People
from opilio.strategies.profile.tag_fields import Term
from opilio.strategies.profile_opic import ProfileOpic
from opilio.strategies.structure import scores
from opilio.topics import counted, network

COMMUNITY = "Shen, Sun and Yang 2015 (community)"
GENRE = "Qian, Suebchua and Yamana 2017 (genre)"
PROFILE = "Zhang and Nasraoui 2009 (profile)"
OTIE = "Wang et al. 2009 (otie)"
SOURCE = "Xu, Gao and Callan 2018 (structure)"


def default_of(function: Callable[..., Any], argument: str) -> Any:
    return inspect.signature(function).parameters[argument].default


def default(strategy: str, setting: str) -> Any:
    return inspect.signature(registry.kind_of(strategy)).parameters[setting].default


def topic_model(strategy: str) -> str:
    return registry.kind_of(strategy).topic_model


def most_at_once(strategy: str) -> int | None:
    return registry.kind_of(strategy).most_at_once


ONE_AT_A_TIME = {  # where the text takes from a queue; 003 alone takes lists
    PROFILE: ("profile", "profile-opic"),
    SOURCE: ("structure", "target-map", "irobot"),
    COMMUNITY: ("community", "best-first", "fish", "shark"),
    GENRE: ("genre", "best-first"),
}
CONSTANTS = [
    (SOURCE, "minPts = 4", lambda: clusters.LEAST_POINTS, 4),
    (SOURCE, "K-dist is the distance to the neighbour minPts", lambda: default_of(clusters.epsilon, "least"), 4),
    (SOURCE, "the search ends at a bin of fewer than minPts pages", lambda: default_of(clusters.epsilon, "thin"), 4),
    (SOURCE, "k = minPts - 1 neighbours tell a new page", lambda: clusters.NEIGHBOURS, 3),
    (SOURCE, "w = 4.8 for 1,000 pages", lambda: (clusters.FEATURES_A_BIN, clusters.PAPER_SAMPLE), (4.8, 1000)),
    (SOURCE, "both readings of NumBins = w · NumFeats", lambda: clusters.BINS, ("divided", "printed")),
    (SOURCE, "paths in fewer than minPts pages are left out", lambda: paths.LEAST_PAGES, 4),
    (SOURCE, "α = 0.5 for user content (5.3)", lambda: scores.CONTENT_ALPHA, 0.5),
    (SOURCE, "α = 0.8 for a target (5.4)", lambda: scores.TARGET_ALPHA, 0.8),
    (SOURCE, "Score = Info · DSim · Balance (eq. 11)", lambda: default("structure", "parts"), "info+dsim+balance"),
    (SOURCE, "one random link of each apath of a page (4.1)", lambda: default("structure", "sampling"), "apath"),
    (SOURCE, "MDL: dt = 0.2", lambda: mdl_clusters.NEAR, 0.2),
    (SOURCE, "iRobot: MinDepth = 3", lambda: MIN_DEPTH, 3),
    (SOURCE, "iRobot: MinR = 0.3", lambda: MIN_R, 0.3),
    (SOURCE, "iRobot: Epsilon = 0.5", lambda: EPSILON, 0.5),
    (OTIE, "a = 0.85 in the revision (eq. 8)", lambda: default("otie", "a"), 0.85),
    (OTIE, "d = 3.0 in the revision (eq. 8)", lambda: default("otie", "d"), 3.0),
    (OTIE, "β = 0.25 in the predicted similarity (eq. 9)", lambda: default("otie", "beta"), 0.25),
    (OTIE, "β = 0.25 of link-context-prediction (eq. 9)", lambda: default("link-context", "beta"), 0.25),
    (OTIE, "OPIC is the greedy one", lambda: default("opic", "select"), "greedy"),
    (OTIE, "OPIC without a virtual page, which only convergence asks for", lambda: default("opic", "virtual"), False),
    (OTIE, "N = 50 URLs in a fetch list", lambda: Config().batch, 50),
    (OTIE, "the fetch list is whole from the start: otie", lambda: registry.kind_of("otie").whole_batches, True),
    (OTIE, "the fetch list is whole from the start: opic", lambda: registry.kind_of("opic").whole_batches, True),
    (
        OTIE,
        "the fetch list is whole from the start: link-context",
        lambda: registry.kind_of("link-context").whole_batches,
        True,
    ),
    *(
        (OTIE, f"context_score by the SVM: {name}", partial(topic_model, name), "svm")
        for name in ("otie", "link-context")
    ),
    (GENRE, "R by multinomial naive Bayes", partial(topic_model, "genre"), "multinomial"),
    *(
        (paper, f"the best URL is next: {name}", partial(most_at_once, name), 1)
        for paper, names in ONE_AT_A_TIME.items()
        for name in names
    ),
    *(
        (OTIE, f"a whole list is next: {name}", partial(most_at_once, name), None)
        for name in ("otie", "opic", "link-context")
    ),
    (OTIE, "scores of duplicate URLs add up in otie", lambda: registry.kind_of("otie").merge, "sum"),
    (
        OTIE,
        "the higher score of a duplicate URL stays in link-context",
        lambda: registry.kind_of("link-context").merge,
        "max",
    ),
    (OTIE, "T = 20 words around a link", lambda: walk.CONTEXT, 20),
    (OTIE, "2,000 words by χ²", lambda: counted.BEST, 2000),
    (OTIE, "4 hidden nodes", lambda: network.HIDDEN, 4),
    (OTIE, "learning rate 0.3", lambda: network.RATE, 0.3),
    (OTIE, "at most 500 epochs", lambda: network.EPOCHS, 500),
    (OTIE, "30 % of the examples to validate", lambda: network.VALIDATION, 0.3),
    (COMMUNITY, "θ = 0.5 between title and content (formula 2)", lambda: default("community", "theta"), 0.5),
    (COMMUNITY, "α = 0.3 (formula 3)", lambda: default("community", "alpha"), 0.3),
    (COMMUNITY, "β = 0.3 (formula 3)", lambda: default("community", "beta"), 0.3),
    (COMMUNITY, "γ = 0.4 (formula 3)", lambda: default("community", "gamma"), 0.4),
    (COMMUNITY, "sites with more than 1,000 links in or out are left out", lambda: default("community", "most"), 1000),
    (COMMUNITY, "nothing else leaves a site out", lambda: Community.common, 1.0),
    (COMMUNITY, "two links of a pair are one edge (3.2.1)", lambda: Community.mutual, False),
    (COMMUNITY, "a page is on the topic when SC(D,T) > 0.7", lambda: similarity.ON_TOPIC, 0.7),
    (COMMUNITY, "a link is promising when Score(url) > 0.6", lambda: similarity.PROMISING, 0.6),
    (COMMUNITY, "fish: depth 3 (De Bra et al. 1994)", lambda: default("fish", "depth"), 3),
    (COMMUNITY, "shark: δ = 0.5 (Hersovici et al. 1998)", lambda: default("shark", "delta"), 0.5),
    (COMMUNITY, "shark: γ = 0.8", lambda: default("shark", "gamma"), 0.8),
    (COMMUNITY, "shark: b = 0.5", lambda: default("shark", "b"), 0.5),
    (GENRE, "w_R = 0.95", lambda: default("genre", "relevance"), 0.95),
    (GENRE, "five genres", lambda: set(GENRES), {"news", "blog", "image", "video", "other"}),
    (GENRE, "nine features, and no others, unless asked for", lambda: len(features.NINE), 9),
    (GENRE, "the shipped forest asks for nothing but the nine", lambda: int(model().asked.max()) < 9, True),
    (GENRE, "P of blogs, relevant pages (tables 2 and 3)", lambda: prior.PRINTED["relevant"]["blog"], 0.828),
    (GENRE, "P of images, relevant pages", lambda: prior.PRINTED["relevant"]["image"], 0.534),
    (GENRE, "P of news, relevant pages", lambda: prior.PRINTED["relevant"]["news"], 0.6195),
    (GENRE, "P of videos, relevant pages", lambda: prior.PRINTED["relevant"]["video"], 0.671),
    (GENRE, "P of others, relevant pages", lambda: prior.PRINTED["relevant"]["other"], 0.5545),
    (
        GENRE,
        "P of irrelevant pages",
        lambda: tuple(prior.PRINTED["irrelevant"].values()),
        (0.071, 0.021, 0.0345, 0.0105, 0.0075),
    ),
    (PROFILE, "RANK_TH = 0.01", lambda: default("profile", "threshold"), 0.01),
    (PROFILE, "two rounds of co-tagging", lambda: default("profile", "rounds"), 2),
    (PROFILE, "cash adds up with OPIC (8.3)", lambda: registry.kind_of("profile-opic").merge, "sum"),
    (PROFILE, "fifteen tags of a topic (tables 2 and 3)", lambda: tags.MOST_COTAGS, 15),
    (PROFILE, "camera tags are noise", lambda: {"nikon", "canon"} <= tags.STOP, True),
    (OTIE, "a classifier calls a page relevant from 0.5 on", lambda: RELEVANT, 0.5),
]


@pytest.mark.parametrize("name", [name for name in registry.strategies() if name.endswith("-plus")])
def test_what_is_ours_judges_by_our_model(name: str) -> None:
    assert topic_model(name) == "auto"


@pytest.mark.parametrize(("paper", "rule", "ours", "printed"), CONSTANTS, ids=[f"{p}: {r}" for p, r, _, _ in CONSTANTS])
def test_constant_is_as_printed(paper: str, rule: str, ours: Any, printed: Any) -> None:
    assert ours() == printed, f"{paper}: {rule}"


# Formulas, each by hand: a test far away would say that something is wrong, not which rule.


def test_predicted_similarity_of_a_link() -> None:
    """Wang et al. 2009, eq. 9: β·sim(parent) + (1-β)·sim(context)."""
    topic = SimpleNamespace(page=lambda page: 0.8, links=lambda page: [0.2, 1.0])
    page = SimpleNamespace(links=("a", "b"))
    assert predicted(topic, page, 0.25).values == pytest.approx([0.35, 0.95])  # type: ignore[arg-type]


@pytest.mark.parametrize(("a", "relevance", "growth"), [(0.85, 1.0, 0.85), (0.85, 0.25, -0.10625), (2.0, 0.0, -1.0)])
def test_revision_of_cash(a: float, relevance: float, growth: float) -> None:
    """Wang et al. 2009, eq. 8: max(-1, a·(2r-1)^d)."""
    assert Otie(SimpleNamespace(), a).reward(relevance) == pytest.approx(growth)  # type: ignore[arg-type]


def test_rank_of_an_uploader() -> None:
    """Zhang and Nasraoui 2009, eq. 1, 2 and 5: α·inner + β·(1/N)·Σ inner over all N contacts, known or not."""
    people, topic = People(), {"honey": 1.0}
    people.learn("http://x.example/b", [Term("honey", 1)], [], topic)
    contacts = [f"http://x.example/{name}" for name in "bcde"]
    people.learn("http://x.example/a", [Term("honey", 3), Term("cars", 4)], contacts, topic)
    number = people.numbers["http://x.example/a"]
    assert people.rank(number, 0.7, 0.3) == pytest.approx(0.7 * 3 / 5 + 0.3 * 1 / 4)


@pytest.mark.parametrize(("rank", "weight"), [(0.0101, Weight()), (0.01, DROP)])
def test_details_pass_above_the_threshold_alone(rank: float, weight: Weight, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zhang and Nasraoui 2009, algorithm 4, line 10: Rank(u) > RANK_TH; they wait while no profile is known."""
    strategy = Profile("honey")
    assert strategy.gate(7) == PARK
    strategy.people_.inner[7] = 1.0
    monkeypatch.setattr(People, "rank", lambda *_: rank)
    assert strategy.gate(7) == weight


def test_tags_beside_those_of_the_topic() -> None:
    """Zhang and Nasraoui 2009, eq. 6: φ = n(T∩T1)/(n(T)·n(T1)) above a threshold; identical tag sets count once."""
    beside = [("honey", "hive", f"b{n}") for n in range(6)]
    items = [*beside, *beside, *(("cars", "hive", f"c{n}") for n in range(2)), *(("cars", f"d{n}") for n in range(6))]
    found = tags.cotags(tags.distinct(items), {"honey"}, 1.0)
    assert [(one.tag, one.votes) for one in found] == [("hive", 6)]
    assert found[0].score == pytest.approx(14 * 6 / (6 * 8))
    assert tags.cotags(tags.distinct(items), {"honey"}, 1.75) == [], "as much as the threshold is not above it"


def test_lists_of_the_topic_have_the_highest_score_with_opic() -> None:
    """Zhang and Nasraoui 2009, 8.3: lists 1.0, users' pages their rank, all else its OPIC score."""
    strategy = ProfileOpic("honey")
    strategy.people_.inner[7] = 0.5
    assert strategy.crawling((LISTS, "honey")).shift == 1.0
    assert strategy.crawling((USER, "7")).shift == strategy.crawling((WHO, "7")).shift == pytest.approx(0.35)
    assert strategy.crawling((USER, "8")) == strategy.crawling((LISTS, "cars")) == Weight(0.0, 1.0)


def test_weights_of_words() -> None:
    """Shen, Sun and Yang 2015, formula 1: (lg tf + 1)·lg(d/df), over the pages crawled; formula 2: θ titles, 1-θ contents."""
    found = similarity.Similarity(0.25, pages=100, seen=Counter(honey=10, hive=1))
    found.teach("honey", "honey " * 10 + "hive")
    title, content = found._topic()
    assert title == {"honey": 1.0}
    assert content["honey"] / content["hive"] == pytest.approx((1 + 1) * 1 / (1 * 2))
    assert found._mixed({"a": 1.0}, {"b": 1.0}, {"a": 1.0}, {"c": 1.0}) == 0.25


def test_score_of_a_link_in_a_community() -> None:
    """Shen, Sun and Yang 2015, formula 3: the parent's SC is divided by the number of its links."""
    judge = BySimilarity(SimpleNamespace(page=lambda page: 0.6), {})  # type: ignore[arg-type]
    assert judge.inherited(SimpleNamespace(links=[0] * 4)) == pytest.approx(0.15)  # type: ignore[arg-type]


def test_worth_of_user_content() -> None:
    """Xu, Gao and Callan 2018, eq. 7 to 11: (α·a + (1-α)·h) · DSim · (1 - share of the pages crawled)."""
    table = Table({("0", "/a"): {1: 1.0}}, Counter({("0", "/a"): 3}))  # 0 links to 1 and is a hub, 1 is an authority
    sitemap = SimpleNamespace(clusters=[0, 1], spread={0: 0.5, 1: 0.25})
    wish = scores.Wish.of("user-content", None, "apath", "divided", 0.8, "info+dsim+balance")
    found = scores.content_scores(wish, table, sitemap, {0: 1, 1: 3}).whole  # type: ignore[arg-type]
    assert found == pytest.approx({0: 0.2 * 0.5 * 0.75, 1: 0.8 * 0.25 * 0.25})


def test_score_by_genre() -> None:
    """Qian, Suebchua and Yamana 2017: S = w_R·R + w_G·(C·P[I,G])."""
    strategy = Genre(SimpleNamespace(), relevance=0.9)  # type: ignore[arg-type]
    assert strategy.score(0.5, Guess("blog", 0.6), 0.8) == pytest.approx(0.9 * 0.5 + 0.1 * 0.6 * 0.8)


def test_shares_of_relevant_links_by_genre() -> None:
    """Qian, Suebchua and Yamana 2017, eq. 1: links of such pages to relevant pages, of their links within the sample."""
    pages = {"a": (0.5, {"b", "c", "out"}), "b": (0.9, {"a", "c"}), "c": (0.49, set())}
    read = {url: prior.Read(relevance, "blog", frozenset(links)) for url, (relevance, links) in pages.items()}
    found = prior.Prior.of(read).counts
    assert found["relevant", "blog"] == (2, 4)
    assert found["irrelevant", "blog"] == (0, 0)
