"""Structure as printed (SOUrCe), and the methods that its paper compares with: target-map, irobot."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from opilio import registry
from opilio.bench.agreement import agreement
from opilio.errors import ConfigError, UnreadableError
from opilio.html.document import Document
from opilio.learning import sample as sample_module
from opilio.learning.clusters import OUTLIER
from opilio.learning.navigation import Table, adjacency, hits
from opilio.learning.page_types import Sitemap
from opilio.learning.sample import SAMPLE, Sample, inside
from opilio.learning.url_patterns import pattern
from opilio.loop import trace
from opilio.nouns import DROP, Link, Offer, Page, Weight
from opilio.report.structure import cluster_features
from opilio.strategies.irobot.informative import informative, informativeness
from opilio.strategies.structure import Structure
from opilio.strategies.structure.from_sample import learn, navigation, one_of_each
from opilio.strategies.structure.scores import Wish, score
from opilio.strategies.target_map import TargetMap
from opilio.strategies.target_map.tree_match import ALIKE, MOST_ELEMENTS, Shapes
from opilio.testing import laws, small_web
from tests.strategies.forum import HOME, Forum

FORUM, TITLED = Forum(), Forum(titled=True)


def wish(**chosen: object) -> Wish:
    usual: dict[str, object] = {
        "goal": "", "example": None, "sampling": "apath", "bins": "divided", "alpha": None, "parts": "info+dsim+balance",
    }  # fmt: skip
    return Wish.of(**(usual | chosen))  # type: ignore[arg-type]


# the sample


def test_one_random_link_of_each_apath_is_followed() -> None:
    """Section 4.1: "only one randomly-selected link is crawled for each unique Apath"."""
    links = [Link(f"http://a.test/{n}", path=f"html/body/{'ul/li/a' if n < 10 else 'p/a.next'}") for n in range(12)]
    drawn = [one_of_each(links, str(seed)) for seed in range(40)]
    assert all([link.path for link in pair] == ["html/body/ul/li/a", "html/body/p/a.next"] for pair in drawn)
    assert len({pair[0].url for pair in drawn}) > 8


def test_the_others_are_put_by_until_the_sample_is_over() -> None:
    strategy = Structure(seed=3, sample=5)
    page = FORUM.get(HOME + "board/0/1")
    says = list(strategy.observe(page))
    offered = {say.link.url for say in says if isinstance(say, Offer)}
    assert len(offered) == len(one_of_each(inside(page), "")) < len(inside(page))
    assert {say.lane for say in says if isinstance(say, Offer)} == {(SAMPLE,)}
    for number in range(4):
        says = list(strategy.observe(FORUM.get(f"{HOME}t/{number}")))
    assert {link.url for link in inside(page)} - {f"{HOME}t/{n}" for n in range(4)} <= {
        say.link.url for say in says if isinstance(say, Offer)
    }
    assert strategy.weigh((SAMPLE,)) == DROP


def test_a_sample_can_be_taken_breadth_first() -> None:
    near = [
        [visit.url for visit in trace(registry.make(spec, {"seed": 3}), FORUM.fetcher(), [HOME], 40, batch=10)]
        for spec in ("structure(sample=200,sampling='breadth-first')", "breadth-first")
    ]
    assert set(near[0]) == set(near[1])


# clusters


def test_all_pages_of_the_sample_tell_what_a_new_page_is() -> None:
    """Section 4.2: k = minPts - 1 = 3 nearest pages of the sample, outliers among them."""
    bags = [FORUM.get(f"{HOME}{kind}/{n}").paths for kind in "tu" for n in range(20)] + [FORUM.get(HOME).paths]
    sitemap, names = learn(bags, None, "divided")
    assert len(sitemap.rows) == len(bags)
    assert names[-1] == OUTLIER == sitemap.classify(sitemap.row(bags[-1]))
    assert {sitemap.classify(sitemap.row(FORUM.get(f"{HOME}u/{n}").paths)) for n in range(30, 50)} == {names[20]}
    three = Sitemap(
        sitemap.columns, sitemap.idf, np.array([[0.0], [0.2], [0.3], [0.31]]), np.array([0, 1, 1, 0]), 1.0, {}
    )
    assert three.classify(np.array([0.0])) == 1  # two of the three nearest, the fourth has no say


@pytest.mark.parametrize(("kind", "seen"), [("t", True), ("u", True), ("t", False)])
def test_the_example_gives_the_cluster(kind: str, seen: bool) -> None:
    """An example that is an outlier is of the cluster of the nearest page that has one."""
    bags = [FORUM.get(f"{HOME}{one}/{n}").paths for one in "tu" for n in range(20)]
    example = FORUM.get(f"{HOME}{kind}/25") if seen else Forum(changed=0).get(HOME + "t/25")
    sitemap, names = learn(bags, example, "divided")
    assert sitemap.target == names[0 if kind == "t" else 20]
    assert list(sitemap.wanted.values()) == [1.0]


# equations 4 to 12


def linked(*rows: tuple[str, str, list[str]]) -> Sample:
    """A sample of pages: URL, and for each apath where its links lead."""
    sample = Sample()
    for url, path, targets in rows:
        sample.add(url, {"html": 1}, [Link(target, url, path=path) for target in targets])
    return sample


def test_a_sample_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_module, "MOST_TEXT", 100)
    sample = linked(("a", "x", [f"/{number}" for number in range(1000)]), ("b", "x", ["/1", "/999", "/new"]))
    assert sample.order() == ["a", "b"]
    assert sum(map(len, sample.urls)) <= 102
    assert [url for page, _, url in sample.links() if page == 1] == ["/1"]


def test_the_table_counts_links_between_clusters_as_often_as_they_are_there() -> None:
    """Equations 4 to 6: lists are concatenated; only destinations with a cluster count, but all links are in |U|."""
    sample = linked(
        ("a1", "x", ["b1", "b2", "new1", "out"]), ("a2", "x", ["b1", "a1", "new2"]), ("b1", "y", ["a1"]), ("b2", "y", ["new3"]),
        ("out", "x", ["b1", "b2"]),
    )  # fmt: skip
    table = navigation(sample, [0, 0, 1, 1, OUTLIER])
    assert table.counts == {("0", "x"): {1: 3.0, 0: 1.0}, ("1", "y"): {0: 1.0}}
    assert table.links == {("0", "x"): 7, ("1", "y"): 2}
    assert adjacency(table, [0, 1]).tolist() == [[7 / 4, 21 / 4], [2.0, 0.0]]
    assert table.exact(("0", "x"), {0: 1.0, 1: 10.0}) == 1 / 4 + 10 * 3 / 4  # equation 12
    assert table.exact(("0", "never seen"), {0: 1.0}) == 0.0


def small_site() -> tuple[Table, Sitemap]:
    table = navigation(
        linked(("a", "x", ["b", "b2", "c"]), ("b", "y", ["a", "c"]), ("b2", "y", ["c"]), ("c", "z", ["a"])),
        [0, 1, 1, 2],
    )
    empty = np.zeros((0, 0))
    return table, Sitemap(
        {}, np.zeros(0), empty, np.zeros(0, dtype=np.int64), 1.0, {0: 0.5, 1: 0.25, 2: 0.125}, wanted={1: 1.0}
    )


def test_hits_is_iterated_until_it_converges() -> None:
    """Equations 7 and 8: in the end h = A·a and a = Aᵀ·h but for their length."""
    matrix = np.array([[0.0, 3.0, 1.0], [1.0, 0.0, 2.0], [1.0, 0.0, 0.0]])
    hubs, authorities = hits(matrix)
    for vector, image in ((hubs, matrix @ authorities), (authorities, matrix.T @ hubs)):
        assert vector == pytest.approx(image / np.linalg.norm(image), abs=1e-6)


def test_user_content_is_scored_by_info_dsim_and_balance() -> None:
    """Equations 9 to 11 with α = 0.5; Balance is 1 less the cluster's share of what was fetched."""
    table, sitemap = small_site()
    found = score(wish(), table, sitemap, {0: 5, 1: 3, OUTLIER: 2})
    hubs, authorities = hits(adjacency(table, [0, 1, 2]))
    for name, balance in ((0, 0.5), (1, 0.7), (2, 1.0)):
        info = 0.5 * authorities[name] + 0.5 * hubs[name]
        assert found.whole[name] == pytest.approx(info * sitemap.spread[name] * balance)
    assert score(wish(parts="dsim+balance"), table, sitemap, {0: 5, 1: 5}).whole == {0: 0.25, 1: 0.125, 2: 0.125}


def test_a_target_is_scored_by_its_authority_and_hubs() -> None:
    """Section 4.4.2 with α = 0.8; the hub score of pages at the edge of a recording is 0 (section 5.4)."""
    table, sitemap = small_site()
    found = score(wish(example=FORUM.get(HOME + "t/7")), table, sitemap, {0: 5, 1: 5})
    leading = adjacency(table, [0, 1, 2])[:, 1]
    hubs = leading / np.linalg.norm(leading)
    assert [found.whole[name] for name in range(3)] == pytest.approx(
        [0.2 * hubs[0], 0.8 + 0.2 * hubs[1], 0.2 * hubs[2]]
    )
    assert found.edge == {0: 0.0, 1: 0.8, 2: 0.0}


# the crawl


def test_nothing_is_held_back_and_the_best_comes_next() -> None:
    strategy = Structure("target", FORUM.get(HOME + "t/7"), seed=3, sample=60)
    trace(strategy, FORUM.fetcher(), [HOME], 60, batch=10)
    lanes = [("0", ""), *strategy.table_.links]
    weights = [strategy.weigh(lane) for lane in lanes]
    assert all(
        weight == Weight(0.0, strategy.table_.exact(lane, strategy.scores_.whole))
        for lane, weight in zip(lanes, weights, strict=True)
    )
    assert len({weight.scale for weight in weights}) > 3
    visits = trace(strategy, FORUM.fetcher(), [HOME], len(FORUM.pages) + 50, batch=10)
    assert {visit.url for visit in visits} == set(FORUM.pages)


def test_the_best_url_is_next_whatever_the_batch_is() -> None:
    """4.4.1: a page may bring a link that is better than all that waited before it."""
    traces = [
        [
            visit.url
            for visit in trace(Structure("target", FORUM.get(HOME + "t/7"), sample=60), FORUM.fetcher(), [HOME], 200, n)
        ]
        for n in (1, 50)
    ]
    assert traces[0] == traces[1]


def test_pages_at_the_edge_of_a_recording_are_no_hubs() -> None:
    edge = {f"{HOME}board/0/{n}" for n in range(1, 4)}
    strategy = Structure("target", FORUM.get(HOME + "t/7"), seed=3, perimeter=edge, sample=60)
    trace(strategy, FORUM.fetcher(), [HOME], 60, batch=10)
    lane = next(
        lane for lane in strategy.table_.links if strategy.weigh(lane).scale > strategy.weigh((*lane, "edge")).scale
    )
    assert strategy.weigh((*lane, "edge")).scale == strategy.table_.exact(lane, strategy.scores_.edge)
    page = FORUM.get(HOME)
    lanes = {say.link.url: say.lane for say in strategy.observe(page) if isinstance(say, Offer)}
    assert {url for url, lane in lanes.items() if lane[2:] == ("edge",)} == edge & {link.url for link in page.links}
    assert Structure(perimeter=edge).perimeter == frozenset()  # that is for targets alone


def test_what_the_sample_taught_stays_as_it_is() -> None:
    strategy = Structure(seed=3, sample=60)
    trace(strategy, FORUM.fetcher(), [HOME], 60, batch=10)
    before = (len(strategy.table_.links), len(strategy.table_.counts), strategy.sitemap_)
    for number in range(200, 260):
        list(strategy.observe(FORUM.get(f"{HOME}t/{number}")))
    assert (len(strategy.table_.links), len(strategy.table_.counts), strategy.sitemap_) == before


def test_balance_moves_the_weights_while_crawling() -> None:
    strategy = Structure(seed=3, sample=60)
    trace(strategy, FORUM.fetcher(), [HOME], 60, batch=10)
    scores = []
    for number in range(100):
        list(strategy.observe(FORUM.get(f"{HOME}t/{200 + number}")))
        scores.append(strategy.scores_.whole[strategy.visited_.most_common(1)[0][0]])
    assert scores[-1] < scores[0]
    assert all(after <= before for before, after in pairwise(scores))


@pytest.mark.parametrize("kind", ["t", "u"])
def test_a_target_is_found_sooner_than_breadth_first(kind: str) -> None:
    budget = len(FORUM.wanted(kind))

    def share(spec: str, **given: object) -> float:
        visits = trace(registry.make(spec, {"seed": 3, **given}), FORUM.fetcher(), [HOME], budget, batch=10)
        return len(FORUM.wanted(kind).intersection(visit.url for visit in visits)) / budget

    example: Page = FORUM.get(f"{HOME}{kind}/7")
    assert share(f"structure(sample={60 if kind == 't' else 20})", goal="target", example=example) > share(
        "breadth-first"
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"goal": "target"}, "needs an example"),
        ({"goal": "fame"}, "not known"),
        ({"parts": "info+luck"}, "luck"),
        ({"sampling": "depth"}, "sampling=depth must be one of apath, breadth-first"),
        ({"bins": "many"}, "bins=many must be one of divided, printed"),
    ],
)
def test_wrong_settings_are_refused(given: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        Structure(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("goal", ["target", "user-content"])
def test_laws_hold_when_the_sample_is_over(law: laws.Law, goal: str) -> None:
    law(partial(registry.make, "structure(sample=20)", small_web.given() | {"goal": goal}))


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", ["target-map", "irobot"])
def test_laws_hold_for_the_others_when_the_sample_is_over(law: laws.Law, name: str) -> None:
    law(partial(registry.make, f"{name}(sample=20)", small_web.given()))


def test_target_map_follows_its_way_and_stops() -> None:
    strategy = registry.make("target-map(sample=40)", {"example": FORUM.get(HOME + "t/7")})
    urls = [visit.url for visit in trace(strategy, FORUM.fetcher(), [HOME], 2000, batch=10)]
    assert len(FORUM.wanted("t").intersection(urls)) > 250
    assert len(FORUM.wanted("u").intersection(urls)) < len(FORUM.wanted("u"))


def test_target_map_takes_no_step_over_the_edge_of_a_recording() -> None:
    edge = FORUM.wanted("board")
    strategy = registry.make("target-map(sample=40)", {"example": FORUM.get(HOME + "t/7"), "perimeter": edge})
    urls = [visit.url for visit in trace(strategy, FORUM.fetcher(), [HOME], 2000, batch=10)]
    assert not edge.intersection(urls[40:])
    assert FORUM.wanted("t").intersection(urls[40:])


def test_target_map_goes_on_by_one_level_or_jumps_to_the_target() -> None:
    """From pattern n of the way: n, n+1 and the last one (the change that Xu et al. made); none before, none in between."""
    strategy = registry.make("target-map", {"example": FORUM.get(HOME + "t/7")})
    assert isinstance(strategy, TargetMap)
    levels = [HOME + "/".join(map(str, range(depth))) for depth in range(1, 5)]
    strategy.way_ = [pattern(url, {}) for url in levels]
    assert len(set(strategy.way_)) == 4
    for here, allowed in ((0, {0, 1, 3}), (1, {1, 2, 3}), (2, {2, 3}), (3, {3})):
        says = strategy._followed(levels[here], [Link(url) for url in levels], 1)
        assert {levels.index(say.link.url) for say in says if isinstance(say, Offer)} == allowed


def test_target_map_compares_trees() -> None:
    """As RTDM does: elements to delete and insert, from the top; what is below different tags is not shared."""
    shapes = Shapes()

    def shape(html: str) -> int:
        document = Document(html.encode(), HOME, "text/html")
        return shapes.read(Page(Offer(Link(HOME)), HOME, 200, body=html.encode(), document=document))

    two = shape("<body><div><p>a</p><p>b</p></div>")
    assert [shapes.sizes[two], shapes.alike(two, two)] == [6, 1.0], "html, head, body, div, p, p"
    longer = shape("<body><div><p>a</p><p>b</p><p>c</p></div>")
    assert shapes.distance(two, longer) == shapes.distance(longer, two) == 1
    assert shapes.alike(two, longer) == 1 - 1 / 13
    other = shape("<body><section><p>a</p><p>b</p></section>")
    assert shapes.distance(two, other) == 6, "div and section differ, so their paragraphs do too"
    assert shapes.read(Page(Offer(Link(HOME)), HOME, 200)) == -1
    assert ALIKE == 0.8


def test_trees_of_hostile_pages_are_cut() -> None:
    for html in ("<div>" * 1900, "<p>x" * 100_000):
        body = html.encode()
        shapes, page = (
            Shapes(),
            Page(Offer(Link(HOME)), HOME, 200, body=body, document=Document(body, HOME, "text/html")),
        )
        whole, less = shapes.read(page), shapes.read(replace(page, body=body[: len(body) // 2] + b"<hr>" * 50))
        assert shapes.sizes[whole] <= MOST_ELEMENTS
        assert 0 <= shapes.alike(whole, less) <= 1


def test_irobot_turns_the_pages_of_boards() -> None:
    urls = irobot(200)
    assert TITLED.wanted("board") <= set(urls)


def test_irobot_follows_nothing_else() -> None:
    """What is left after the sample are the clusters of the tree; the pages of the menu, all alike, are not in it."""
    urls = irobot(60)
    assert len(urls) < len(TITLED.pages)
    assert set(urls[60:]) <= TITLED.wanted("board") | TITLED.wanted("t") | TITLED.wanted("u")


def irobot(sample: int) -> list[str]:
    strategy = registry.make(f"irobot(sample={sample})", {})
    return [visit.url for visit in trace(strategy, TITLED.fetcher(), [HOME], 2000, batch=10)]


def test_informative_clusters_are_large_have_long_pages_and_no_copies() -> None:
    names = ["thread"] * 10 + ["board"] * 2 + ["login"] * 10 + ["empty"] * 4
    said = [(1000, n) for n in range(10)] + [(500, 10), (500, 11)] + [(100, 12)] * 10 + [(0, 13)] * 4
    found = informativeness(names, said)
    assert found == {"thread": 10_000, "board": 1_000, "login": 10 * 100 * 0.1, "empty": 0.0}
    assert informative(names, said) == {"thread", "board"}, "a login page ten times over has a hundredth of the best"
    assert informative([], []) == set()


def test_features_are_clustered_line_by_line() -> None:
    pages = [FORUM.get(f"{HOME}{kind}/{n}") for kind in ("t", "u") for n in range(20)]
    lines = [json.dumps({"url": page.url, "xpaths": dict(page.paths)}) for page in pages]
    rows = list(cluster_features(lines, "pages.jsonl"))
    assert [row["url"] for row in rows] == [page.url for page in pages]
    assert agreement([row["cluster"] for row in rows], ["t"] * 20 + ["u"] * 20).purity == 1.0
    assert list(cluster_features([], "empty.jsonl")) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 2: this is not JSON"),
        ('{"url": "x"}', "xpaths is missing"),
        ("[1]", "xpaths is missing"),
        ('{"url": "x", "xpaths": {"a": -1}}', "not a whole number"),
    ],
)
def test_broken_features_are_named_with_their_line(line: str, words: str) -> None:
    with pytest.raises(UnreadableError, match=words):
        list(cluster_features(['{"url": "http://a.test/", "xpaths": {"a": 1}}', line], "pages.jsonl"))
