"""Page types from structure: features, eps, DBSCAN, classifying, the other clusterings, and where links lead."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN
from sklearn.metrics import silhouette_score

from opilio.bench.agreement import agreement, precision, stratified
from opilio.codec import pack, unpack
from opilio.learning import dead_links
from opilio.learning.clusters import (
    NEIGHBOURS,
    OUTLIER,
    Classifier,
    Clustering,
    bin_count,
    cluster,
    dbscan,
    distances,
    epsilon,
    joined,
    prototypes,
    silhouette,
    thin_bin,
    unchained,
)
from opilio.learning.likeness import likeness
from opilio.learning.mdl_clusters import distance, mdl
from opilio.learning.navigation import MOST_PAIRS, RULE, RULED, Table, adjacency, fallbacks, hits
from opilio.learning.page_types import WANTED, Sitemap, learn, settled
from opilio.learning.paths import Matrix, apath, weights
from opilio.learning.url_patterns import common_words, pattern
from opilio.nouns import Link
from opilio.strategies.irobot.regions import cluster_regions, regions
from opilio.strategies.structure_plus.lanes import Row, by_folder, by_place
from opilio.strategies.structure_plus.link_names import MOST, MOST_RULES, NAMELESS, Names, name_in
from opilio.strategies.structure_plus.quotas import TRIAL, Quotas
from opilio.urls import digest

TEMPLATES = {
    "list": {"html/body/nav/a": 5, "html/body/table/tr/td/a": 20, "html/body/table/tr/td": 20},
    "thread": {"html/body/nav/a": 5, "html/body/div/article/p": 8, "html/body/div/article/h3/a": 4},
    "profile": {"html/body/nav/a": 5, "html/body/dl/dt": 6, "html/body/dl/dd": 6, "html/body/div/img": 1},
}


def page(kind: str, rng: random.Random) -> dict[str, int]:
    return {path: max(1, count + rng.randrange(-2, 3)) for path, count in TEMPLATES[kind].items()}


def pages(each: int = 30, seed: int = 1) -> tuple[list[dict[str, int]], list[str]]:
    rng = random.Random(seed)
    kinds = [kind for kind in TEMPLATES for _ in range(each)]
    return [page(kind, rng) for kind in kinds], kinds


def test_apath_keeps_the_classes_of_the_last_element_only() -> None:
    assert apath("html/body.dark/div.main/ul/li.x/a.title.big") == "html/body/div/ul/li/a[title big]"
    assert apath("html/body/a") == "html/body/a"


def test_weights_follow_the_formula() -> None:
    bags = [{"a": 1, "b": 3}, {"a": 1}, {"a": 1}, {"a": 2}, {"a": 1, "b": 1}, {"b": 1}, {"b": 2}, {"c": 9}]
    known = weights(bags)
    assert list(known.columns) == ["a", "b"]  # c is in fewer than 4 pages
    wa, wb = np.log(1 + 1) * np.log(8 / 5 + 1), np.log(3 + 1) * np.log(8 / 4 + 1)
    assert known.row(bags[0]) == pytest.approx([wa / (wa + wb), wb / (wa + wb)])
    assert known.row({"c": 9}).sum() == 0


def fourth(*counts: tuple[int, float]) -> Matrix:
    """Distances between 100 pages: each page is as far from all others as its 4th neighbour is."""
    between = np.repeat([far for _, far in counts], [count for count, _ in counts])[:, None] * np.ones(100)
    np.fill_diagonal(between, 0.0)
    return between


@pytest.mark.parametrize(
    ("counts", "eps"),
    [
        (((60, 0.05), (5, 0.2), (3, 0.3), (30, 0.4), (2, 0.95)), 0.25),  # 3 pages are fewer than minPts
        (((60, 0.05), (5, 0.2), (4, 0.3), (29, 0.4), (2, 0.95)), 0.45),  # 4 are not; the next bin is empty
        (((49, 0.05), (2, 0.2), (47, 0.3), (2, 0.95)), 0.15),  # more than half of the pages
        (((48, 0.05), (2, 0.2), (48, 0.3), (2, 0.95)), 0.35),  # half of them is not more
        (((50, 0.05), (50, 0.95)), 0.95),  # no bin is thin
    ],
)
def test_eps_is_the_left_edge_of_the_first_thin_bin(counts: tuple[tuple[int, float], ...], eps: float) -> None:
    """Stop at the first bin of fewer than minPts pages, once more than 50 % are counted; bins are 0.1 wide from 0.05 on."""
    assert bin_count(93, 100) == 9
    assert epsilon(fourth(*counts), features=93) == pytest.approx(eps)


def test_eps_goes_by_the_fourth_neighbour() -> None:
    """K = minPts = 4, the page itself not counted."""
    between = np.tile([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, *[9.0] * 94], (100, 1))
    assert epsilon(between, features=93) == pytest.approx(4.0, abs=0.1)


def test_the_bins_as_printed_end_the_search_sooner() -> None:
    """4.8 bins for each feature are so narrow that the first of them beyond the middle is all but empty."""
    between = fourth(*[(1, 0.05 + 0.001 * n) for n in range(100)])
    assert epsilon(between, features=93, bins="printed") < epsilon(between, features=93)


def test_bins_for_a_thousand_pages() -> None:
    """NumBins = w · NumFeats, w = 4.8 at 1,000 pages; read as features / 4.8, or to the letter."""
    assert bin_count(480, 1000) == 100
    assert bin_count(480, 1000, "printed") == 2304
    assert bin_count(480, 125) == 50
    assert bin_count(5, 1000) == 11  # by Sturges


def test_pages_that_are_the_same_have_no_distance() -> None:
    rows = np.random.default_rng(1).random((40, 30))
    rows /= rows.sum(1)[:, None]
    assert not distances(rows, rows).diagonal().any()


def test_eps_counts_half_of_the_pages_before_it_stops() -> None:
    """A first bin that is nearly empty does not end the search while most pages are still to come."""
    near, far = np.arange(0, 3) * 0.001, 10 + np.arange(0, 97) * 0.5
    both = np.concatenate([near, far])[:, None]
    between = distances(both, both)
    fourth = np.sort(between, axis=1)[:, 4]
    assert (fourth <= epsilon(between, features=480) + 1e-9).mean() > 0.5


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=40), st.floats(0.5, 3))
def test_dbscan_agrees_with_scikit_learn(points: list[tuple[int, int]], eps: float) -> None:
    rows = np.array(points, dtype=float)
    between = distances(rows, rows)
    theirs = DBSCAN(eps=eps, min_samples=4, metric="precomputed").fit(between).labels_
    assert dbscan(between, eps).tolist() == theirs.tolist()


def test_templates_are_found_and_new_pages_recognised() -> None:
    bags, kinds = pages()
    sitemap, names, _ = learn(bags)
    assert agreement(names, kinds).purity == 1.0
    assert agreement(names, kinds).micro > 0.95
    new, new_kinds = pages(10, seed=2)
    found = [sitemap.classify(sitemap.row(bag)) for bag in new]
    assert min(precision(found, new_kinds, names, kinds)) > 0.95
    assert sitemap.classify(sitemap.row({"html/body/form/input": 3, "html/body/nav/a": 1})) == OUTLIER


def test_precision_is_counted_by_pages_and_by_clusters() -> None:
    """Macro-Prec and Micro-Prec of section 5.2: known pages say what a cluster means; outliers are clusters of one."""
    known, known_types = [0, 0, 0, 1, 1], ["a", "a", "b", "b", "b"]
    found, types = [0, 0, 0, 0, 1, OUTLIER], ["a", "a", "a", "b", "b", "a"]
    assert tuple(precision(found, types, known, known_types)) == pytest.approx((4 / 6, (3 / 4 + 1 + 0) / 3))
    assert precision([], [], known, known_types) == (0.0, 0.0)


def test_folds_are_stratified() -> None:
    dealt = stratified(["a"] * 8 + ["b"] * 4, 4)
    assert [dealt[:8].count(fold) for fold in range(4)] == [2] * 4
    assert sorted(dealt[8:]) == [0, 1, 2, 3]


def test_prototypes_are_few_and_near() -> None:
    bags, _ = pages(60)
    rows = weights(bags).rows(bags)
    labels, eps = cluster(rows)
    kept = prototypes(rows, labels, eps / 2)
    assert len(kept) < 0.6 * len(bags)
    assert len(prototypes(rows, labels, 2 * eps)) < len(kept) / 4
    for number, label in enumerate(labels):
        if label != OUTLIER:
            own = [place for place in kept if labels[place] == label]
            assert distances(rows[[number]], rows[own]).min() <= eps / 2 + 1e-9


def test_pages_that_are_all_the_same_have_as_many_votes_as_others() -> None:
    """One prototype stands for twenty equal pages; those of a varied type beside them would outvote it."""
    rows = np.array([[0.0]] * 20 + [[0.3], [0.34], [0.38], [0.42], [0.46]])
    labels = np.array([0] * 20 + [1] * 5)
    kept = prototypes(rows, labels, 0.02)
    assert len(kept) == NEIGHBOURS + 5
    assert Classifier(rows[kept], labels[kept], np.full(len(kept), 0.5))(np.array([0.0])) == 0


def test_votes_beyond_eps_do_not_count() -> None:
    rows = np.array([[0.0], [0.9], [1.0], [1.1]])
    classify = Classifier(rows, np.array([0, 1, 1, 1]), np.full(4, 0.2))
    assert classify(np.array([0.1])) == 0
    assert classify(np.array([1.0])) == 1
    assert classify(np.array([0.5])) == OUTLIER


def test_a_chained_cluster_comes_apart_and_a_varied_one_does_not() -> None:
    """Two templates with a few pages between them; and one template whose pages are spread evenly as far."""
    rng = np.random.default_rng(1)
    chained = np.concatenate([rng.normal(0, 0.3, 50), np.arange(1, 10, 0.9), rng.normal(10, 0.3, 50)])[:, None]
    spread = np.linspace(0, 10, len(chained))[:, None]
    one = Clustering(np.zeros(len(chained), dtype=np.int64), 2.0)
    labels = unchained(chained, one)
    assert len(set(labels[:50].tolist())) == len(set(labels[-50:].tolist())) == 1
    assert labels[0] != labels[-1]
    assert set(unchained(spread, one).tolist()) == {0}


def test_silhouette_agrees_with_scikit_learn() -> None:
    bags, kinds = pages()
    rows = weights(bags).rows(bags)
    labels = np.array([list(TEMPLATES).index(kind) for kind in kinds])
    assert silhouette(distances(rows, rows), labels) == pytest.approx(silhouette_score(rows, labels), abs=1e-6)


def test_outliers_found_new_clusters_that_inherit_what_was_expected() -> None:
    bags, kinds = pages()
    sitemap = learn(bags, bags[40]).sitemap
    fresh = [{"html/body/section/p": 5 + n % 3, "html/body/section/h2/a": 3, "html/body/nav/a": 5} for n in range(16)]
    assert {sitemap.classify(sitemap.row(bag)) for bag in fresh} == {OUTLIER}
    wider, names = sitemap.extended(fresh, [0.9] * len(fresh))
    assert len(set(names) - {OUTLIER}) == 1
    assert wider.classify(wider.row(fresh[3])) == names[3]
    assert wider.wanted[names[3]] == 1.0
    assert wider.clusters == [*sitemap.clusters, names[3]], "a new one has a number that none had"
    assert [wider.classify(wider.row(bag)) for bag in bags] == [sitemap.classify(sitemap.row(bag)) for bag in bags]
    assert not set(sitemap.extended(fresh, [0.1] * len(fresh))[0].wanted) - set(sitemap.wanted)
    assert kinds


def test_pages_of_a_new_type_may_have_more_paths_than_all_before() -> None:
    bags, _ = pages()
    sitemap = learn(bags, bags[40]).sitemap
    fresh = [{f"html/body/section/p{k}": 5 + n % 3 for k in range(3 * len(sitemap.columns))} for n in range(16)]
    wider, names = sitemap.extended(fresh, [0.9] * len(fresh))
    assert len(wider.columns) > 2 * len(sitemap.columns)
    assert wider.classify(wider.row(fresh[3])) == names[3]


def test_pages_of_known_types_stay_what_they_are_when_others_have_shown_that_more_paths_count() -> None:
    """Signatures were too rare in the sample to count; those of the new type have them as well."""
    bags, _ = pages()
    sitemap = learn(bags, bags[40]).sitemap
    signed = [{**bag, "html/body/section/i": 9, "html/body/section/b": 9} for bag in bags]
    fresh = [{"html/body/section/i": 9, "html/body/section/b": 5 + n % 3} for n in range(16)]
    wider, _ = sitemap.extended(fresh, [0.1] * len(fresh))
    assert len(wider.columns) > len(sitemap.columns)
    for known in (wider, unpack(pack(wider))):
        for bag in signed:
            row, before = known.row(bag), sitemap.row(bag)
            kinds = sitemap.kinds(sitemap.classify(before), before)
            assert known.kinds(known.classify(row), row) == pytest.approx(kinds)


def test_sitemap_survives_packing() -> None:
    sitemap = learn(pages()[0]).sitemap
    again = unpack(pack(sitemap))
    assert isinstance(again, Sitemap)
    bag = pages(seed=5)[0][7]
    assert again.classify(again.row(bag)) == sitemap.classify(sitemap.row(bag))


def test_an_example_that_fits_nowhere_is_a_cluster_of_its_own() -> None:
    sitemap = learn(pages()[0], {"html/body/video": 1, "html/body/nav/a": 5}).sitemap
    assert sitemap.target not in (OUTLIER, *learn(pages()[0]).sitemap.clusters)


def test_settled_needs_the_second_half_to_look_like_the_first() -> None:
    rng = random.Random(3)
    mixed = [page(rng.choice(list(TEMPLATES)), rng) for _ in range(60)]
    assert settled(mixed)
    assert not settled([*[page("list", rng) for _ in range(30)], *[page("profile", rng) for _ in range(30)]])


def test_clusters_keep_their_names_when_more_pages_are_known() -> None:
    rng = random.Random(3)
    bags = [page(kind, rng) for kind in (*["thread"] * 10, *["list"] * 10)]
    first = learn(bags).renamed([], 7)
    assert sorted(set(first.names)) == [7, 8]
    more = [page("profile", rng) for _ in range(10)]
    second = learn([*more, *bags]).renamed([OUTLIER] * 10 + first.names, 9)
    assert second.names == [9] * 10 + first.names
    assert sorted(second.sitemap.spread) == [7, 8, 9]
    assert set(second.sitemap.labels.tolist()) == {7, 8, 9}


def test_variants_of_a_template_are_one_cluster_and_templates_are_not() -> None:
    rng = random.Random(3)
    quoted = [page("thread", rng) | {"html/body/div/article/blockquote/p": 1} for _ in range(20)]
    bags = [*quoted, *[page(kind, rng) for kind in TEMPLATES for _ in range(20)]]
    rows = weights(bags).rows(bags)
    split = np.repeat([0, 1, 2, 3], 20)  # quoted, list, thread, profile
    assert joined(rows, split).tolist() == [0] * 20 + [1] * 20 + [0] * 20 + [2] * 20
    assert joined(rows, np.full(80, OUTLIER)).tolist() == [OUTLIER] * 80


def test_likeness_tells_two_kinds_in_one_cluster() -> None:
    bags, kinds = pages()
    rows = weights(bags).rows(bags)
    like = likeness(rows[40], rows)
    means = {
        kind: np.mean([like(row) for row, other in zip(rows, kinds, strict=True) if other == kind])
        for kind in TEMPLATES
    }
    assert means["thread"] > 0.9
    assert max(means["list"], means["profile"]) < 0.3


def test_likeness_of_a_handful_of_pages_is_yes() -> None:
    rows = np.eye(4)
    assert likeness(rows[0], rows)(rows[3]) == 1.0


# where links lead

LANE = ("0", "html/body/div/ul/li/a[title]")


def test_table_gives_the_share_of_each_destination() -> None:
    table = Table()
    for kind in (1, 1, 1, 2):
        table.note(LANE, {kind: 1.0})
    assert table.exact(LANE, {1: 1.0}) == 0.75
    assert table.exact(("1", LANE[1]), {1: 1.0}) == 0.0
    assert table.answers(LANE) == 4


def test_unseen_pairs_lean_on_the_apath_then_on_similar_ones() -> None:
    table = Table()
    for _ in range(20):
        table.note(LANE, {1: 1.0})
        table.note(("0", "html/body/p/a"), {2: 1.0})
    other_cluster = table.chance(("5", LANE[1]), 1)
    other_class = table.chance(("5", "html/body/div/ul/li/a[other]"), 1)
    same_end = table.chance(("5", "html/body/main/ul/li/a"), 1)
    nothing = table.chance(("5", "html/body/x/y/z/a"), 1)
    assert other_cluster > 0.9
    assert other_class > 0.9
    assert same_end > nothing
    assert nothing == pytest.approx(0.45, abs=0.05)


def test_what_was_followed_most_says_little_of_what_was_never_followed() -> None:
    table = Table()
    for _ in range(200):
        table.note(LANE, {1: 1.0})
    for number in range(4):
        table.note(("0", f"html/body/p/{number}/a"), {2: 1.0})
    assert table.chance(LANE, 1) > 0.99
    assert table.chance(("5", "html/body/x/y/z/a"), 1) < 0.6


def test_a_lane_leans_on_its_rule_and_its_place_then_on_what_is_alike() -> None:
    lane = ("3", "/html/body/div/ul/a[x]", f"{RULE}t/*", "1f")
    assert fallbacks(lane) == (
        lane[:3],
        (RULED, lane[2]),
        lane[:2],
        ("path", "/html/body/div/ul/a[x]"),
        ("tags", "/html/body/div/ul/a"),
        ("tail", "div/ul/a"),
        ("any",),
    )


@pytest.mark.parametrize(("place", "rule", "wanted"), [((50, 50), (9, 1), 0.9), ((9, 1), (50, 50), 0.9)])
def test_of_place_and_rule_the_purer_is_nearer(place: tuple[int, int], rule: tuple[int, int], wanted: float) -> None:
    """Not the one with more pages."""
    lane, table = ("3", "/html/a", f"{RULE}t/*"), Table()
    for key, (yes, no) in (((RULED, lane[2]), rule), (lane[:2], place)):
        table.add(key, {WANTED: float(yes), 1: float(no)})
    assert table.chance(lane, WANTED) == pytest.approx(wanted, abs=0.04)


def test_a_list_leans_on_its_pair() -> None:
    assert fallbacks((*LANE, "page"))[0] == LANE
    table = Table()
    for kind in (1, 2, 1, 2):
        table.note(LANE, {kind: 1.0})
    own = table.single(LANE, "http://a.test/", 1)
    assert own[:2] == LANE
    table.note(own, {1: 1.0})
    assert table.chance(own, 1) > table.chance(LANE, 1)


def test_corrected_destinations_add_up() -> None:
    table = Table()
    table.note(LANE, {OUTLIER: 1.0})
    table.correct(LANE, OUTLIER, {3: 1.0})
    assert table.chance(LANE, 3) > 0.9
    assert table.answers(LANE) == 1


def test_pairs_without_end_share_a_lane() -> None:
    table = Table()
    table.links.update({("0", str(number)): 1 for number in range(MOST_PAIRS)})
    assert table.lane(0, "5") == ("0", "5")
    assert table.lane(0, "new") == ("0", "")


def test_adjacency_spreads_links_by_the_table() -> None:
    table = Table()
    table.links[LANE] = 10
    for kind in (1, 1, 1, 2):
        table.note(LANE, {kind: 1.0})
    assert adjacency(table, [0, 1, 2]).tolist() == [[0, 7.5, 2.5], [0, 0, 0], [0, 0, 0]]


def test_hits_agrees_with_the_eigenvectors() -> None:
    matrix = np.array([[0.0, 3, 1], [2, 0, 0], [1, 1, 5]])
    hubs, authorities = hits(matrix)
    values, vectors = np.linalg.eigh(matrix.T @ matrix)
    assert authorities == pytest.approx(np.abs(vectors[:, values.argmax()]), abs=1e-6)
    assert hubs @ hubs == pytest.approx(1.0)


def test_hits_keeps_given_authorities() -> None:
    matrix = np.array([[0.0, 3, 1], [2, 0, 0], [1, 1, 5]])
    hubs, authorities = hits(matrix, np.array([0.0, 1.0, 0.0]))
    assert authorities.tolist() == [0, 1, 0]
    assert hubs == pytest.approx(np.array([3, 0, 1]) / 10**0.5)


def named(rules: dict[str, list[str]]) -> Names:
    names = Names()
    for rule, anchors in rules.items():
        for number, anchor in enumerate(anchors):
            names.hear(rule, f"{rule}{number}", name_in(anchor))
    names.compare()
    return names


def test_pages_that_links_call_by_the_same_word_count_as_one() -> None:
    names = named(
        {"thread": [f"about x{n}" for n in range(50)], "print": ["Print"] * 50, "page": ["2", "3", "2020-01-01"]}
    )
    assert name_in("12") == name_in("") == NAMELESS != name_in("Print") == name_in(" print 2")
    assert names.share("thread") == names.share("unheard of") == 1.0
    assert names.share("print") < 0.05
    assert names.worth("page") < 0.4 < names.worth("thread")


def test_names_say_nothing_where_only_menus_have_some() -> None:
    names = named({"thread": ["Thread"] * 50, "profile": ["by"] * 40, "menu": ["about", "help", "login"]})
    assert names.share("thread") == names.share("profile") == names.share("menu") == 1.0


def test_a_url_goes_by_the_first_link_that_has_a_word_to_say() -> None:
    names = Names()
    for anchor in ("", "7", "Bees", "Honey"):
        names.hear("thread", "t/7", name_in(anchor))
    assert [*names.rules.values()] == [{digest("t/7"): name_in("Bees")}]


def test_names_have_an_end() -> None:
    names = Names()
    for number in range(MOST_RULES + 10):
        names.hear(f"rule {number}", "url", 1)
        names.hear("rule 0", f"url {number}", 1)
    assert len(names.rules) == MOST_RULES
    assert max(map(len, names.rules.values())) == MOST


def test_lanes_that_never_answer_get_less_and_less() -> None:
    quotas = Quotas()
    silent = [quotas.grant(LANE, 0) for _ in range(200)]
    assert silent[0] == TRIAL
    assert sum(silent) < 4 * TRIAL
    assert any(silent[50:])
    talking = [quotas.grant(("1", "a"), answers) for answers in range(1, 50, 5)]
    assert all(grant >= TRIAL for grant in talking)


# other clusterings


def test_mdl_groups_pages_with_links_at_the_same_places() -> None:
    places = [{"nav", "row", "next"}] * 10 + [{"nav", "post", "author"}] * 10 + [{"nav", "row"}]
    labels = mdl(places).tolist()
    assert len(set(labels[:10])) == len(set(labels[10:20])) == 1
    assert labels[0] != labels[10]
    assert labels[20] == labels[0]
    assert distance({"a"}, {"a", "b"}) == 0.5


def test_regions_group_by_what_repeats() -> None:
    bags, kinds = pages(10)
    deep = [{f"html/body/main/{path}": count for path, count in bag.items()} for bag in bags]
    labels, leaders = cluster_regions(deep)
    assert agreement(labels.tolist(), kinds).purity == 1.0
    assert len(leaders) == 3
    assert regions({"html/body/main/p": 1}) == {}


def test_url_patterns_keep_common_words() -> None:
    urls = [f"http://a.test/t/word{n}-of-{n}/{n}" for n in range(20)] + [f"http://a.test/u/user{n}" for n in range(20)]
    words = common_words(urls)
    assert pattern("http://a.test/t/other-of-7/99", words) == pattern(urls[0], words)
    assert pattern("http://a.test/u/eve", words) == pattern(urls[-1], words) == "a.test/u/*"
    assert pattern(urls[0], words) != pattern(urls[-1], words)


def test_a_first_word_that_many_titles_have_is_no_rule() -> None:
    """Titles begin with the same word now and then: of the first of several words a tenth of the URLs must have it."""
    urls = [f"http://a.test/t/{'how' if n % 16 == 0 else f'word{n}'}-x{n}" for n in range(96)]
    words = common_words(urls)
    assert pattern("http://a.test/t/how-long", words) == pattern("http://a.test/t/why-not", words) == "a.test/t/*"


def test_b_cubed_asks_for_whole_types_and_pure_clusters() -> None:
    types = ["t"] * 4 + ["u"] * 4
    assert agreement([0] * 4 + [1] * 4, types).cubed == pytest.approx(1.0)
    assert agreement([0] * 8, types).cubed == pytest.approx(
        2 / 3
    )  # half of each cluster is right, all of each type is there
    assert agreement([0, 0, 1, 1, 2, 2, 3, 3], types).cubed == pytest.approx(2 / 3)  # the other way round


def test_agreement_counts_outliers_as_clusters_of_one() -> None:
    types = ["a"] * 4 + ["b"] * 4 + ["rare"]
    perfect = agreement([0] * 4 + [1] * 4 + [7], types)
    assert perfect == (1.0, 1.0, 1.0, 1.0)
    assert agreement([OUTLIER] * 9, types).purity == 1.0
    assert agreement([OUTLIER] * 9, types).micro == pytest.approx(0.4)
    assert agreement([0] * 9, types).purity == 0.5


def test_kinds_of_a_page_add_up_to_one() -> None:
    bags, _ = pages()
    sitemap, names, rows = learn(bags, bags[40])
    shares = [sitemap.kinds(name, row) for name, row in zip(names, rows, strict=True)]
    assert all(sum(kinds.values()) == pytest.approx(1.0) for kinds in shares)
    assert Counter(WANTED in kinds for kinds in shares)[True] >= 25


# lanes narrower than a pair


def test_links_into_a_dead_folder_are_worth_less() -> None:
    seen: dead_links.Seen = {}
    for number in range(20):
        dead_links.note(seen, f"http://a.test/old/{number}.html", there=False)
        dead_links.note(seen, f"http://a.test/new/{number}.html", there=True)
    assert dead_links.alive(seen, "http://a.test/old/99.html") < 0.1
    assert dead_links.alive(seen, "http://a.test/new/99.html") > 0.9
    assert 0.3 < dead_links.alive(seen, "http://a.test/other/99.html") < 0.7  # leans on its host
    assert dead_links.alive({}, "http://b.test/") == 1.0


def test_links_below_a_folder_whose_folders_are_dead_are_worth_less() -> None:
    seen: dead_links.Seen = {}
    for number in range(20):
        dead_links.note(seen, f"http://a.test/old/{number}/x.html", there=False)
        dead_links.note(seen, f"http://a.test/new/{number}/x.html", there=True)
    old, new = (dead_links.alive(seen, f"http://a.test/{folder}/99/y.html") for folder in ("old", "new"))
    assert old < 0.1 < 0.9 < new


@pytest.mark.parametrize(("hops", "there"), [(0, 1.0), (1, 1 / 2), (2, 1 / 3)])
def test_a_link_that_redirects_is_worth_a_share_of_its_page(hops: int, there: float) -> None:
    link = Link("http://a.test/a")
    page = SimpleNamespace(document=b"x", offer=SimpleNamespace(note=(), hops=hops, link=link), known=lambda url: None)
    seen: dead_links.Seen = {}
    dead_links.heed(seen, set(), page, [])  # type: ignore[arg-type]
    assert {(links, pages) for links, pages, _ in seen.values()} == {(1.0, there)}


def test_what_is_remembered_of_folders_is_bounded() -> None:
    seen: dead_links.Seen = {}
    for number in range(dead_links.MOST):
        dead_links.note(seen, f"http://a.test/{number}/x", there=True)
    assert len(seen) <= dead_links.MOST


def test_several_links_into_an_unknown_folder_share_a_lane() -> None:
    rows = [Row("http://a.test/", LANE, "html/body/a", f"http://a.test/u/{n}") for n in range(4)]
    rows.append(Row("http://a.test/", LANE, "html/body/a", "http://a.test/about"))
    lanes = by_folder(Table(), {}, rows, [LANE] * 5)
    assert lanes[4] == LANE
    assert len(set(lanes[:4])) == 1
    assert lanes[0][:2] == LANE
    assert lanes[0] != LANE
    seen: dead_links.Seen = {}
    dead_links.note(seen, "http://a.test/u/77", there=True)
    assert by_folder(Table(), seen, rows, [LANE] * 5) == [LANE] * 5


def test_classes_above_a_link_tell_two_kinds_apart_where_its_apath_does_not() -> None:
    table = Table()
    ways = {1: "html/body/td.title/a", 2: "html/body/td.author/a"}
    rows = [
        Row(f"http://a.test/{n}", LANE, ways[kind], f"http://a.test/{kind}/{n}") for n in range(20) for kind in ways
    ]
    known = {(row.lane, row.url): {int(row.url.split("/")[3]): 1.0} for row in rows}
    for (lane, _), shares in known.items():
        table.note(lane, shares)
    lanes = by_place(table, rows, [LANE] * len(rows), 1, known)
    assert len(set(lanes)) == 2
    assert table.chance(lanes[0], 1) > 0.9
    assert table.chance(lanes[1], 1) < 0.1
    sure = by_place(table, rows, [LANE] * len(rows), 3, known)
    assert set(sure) == {LANE}


def test_an_example_that_is_an_outlier_takes_its_like_with_it() -> None:
    """Most pages are of one template to the letter, so that eps is tiny: the few that are like the example are outliers."""
    rng = random.Random(4)
    bags = [dict(TEMPLATES["profile"]) for _ in range(60)] + [page("thread", rng) for _ in range(6)]
    sitemap, names, _ = learn(bags, page("thread", rng))
    assert {names[number] for number in range(60)}.isdisjoint(sitemap.wanted)
    assert sum(name in sitemap.wanted for name in names[60:]) >= 4


def test_a_small_sample_needs_an_empty_bin() -> None:
    assert thin_bin(100) == 1.0
    assert thin_bin(500) == 2.0
    assert thin_bin(1000) == thin_bin(5000) == 4.0
