"""What is learned of a site while it is crawled: content by abundance, addresses, pages that fit nowhere."""

from __future__ import annotations

import random
from typing import NamedTuple, cast

import pytest

from opilio.learning import dead_links
from opilio.learning.clusters import OUTLIER
from opilio.learning.navigation import Table, abundance
from opilio.learning.page_types import WANTED, learn
from opilio.nouns import Lane, Link, Offer, Page
from opilio.strategies.structure_plus.goals import Aim, likely_content
from opilio.strategies.structure_plus.lane_worths import LaneWorths
from opilio.strategies.structure_plus.lanes import Row, by_folder
from opilio.strategies.structure_plus.quotas import Quotas
from opilio.strategies.structure_plus.redesign import Strays
from tests.test_clusters import page, pages

NEW_LOOKS = {"t": {"html/main/p": 9, "html/main/a": 2}, "u": {"html/aside/dl": 5, "html/aside/img": 1}}


class Found(NamedTuple):
    """As much of a page as strays look at."""

    url: str
    paths: dict[str, int]
    offer: Offer


def test_a_site_that_changed_is_noticed_and_its_new_pages_are_known_by_lane_and_address() -> None:
    rng = random.Random(3)
    sitemap = learn(pages()[0], page("thread", rng)).sitemap
    table, strays = Table(), Strays()
    for number in range(20):
        for kind, name, lane in (("t", WANTED, ("0", "html/body/a")), ("u", 1, ("0", "html/body/b"))):
            table.note(lane, {name: 1.0})
            strays.see(found(f"http://a.test/{kind}/{number}", lane), lane, {name: 1.0})
    assert not strays.changed
    for number in range(20, 26):
        for kind, lane in (("t", ("-1", "html/main/a")), ("u", ("0", "html/body/b"))):
            table.note(lane, {OUTLIER: 1.0})
            strays.see(found(f"http://a.test/{kind}/{number}", lane, NEW_LOOKS[kind]), lane, {OUTLIER: 1.0})
    assert strays.changed
    after = strays.settle(sitemap, table)
    kinds = [after.kinds(after.classify(row), row) for looks in NEW_LOOKS.values() for row in [after.row(looks)]]
    assert [WANTED in kind for kind in kinds] == [True, False]
    assert not strays.changed
    assert not strays.pages
    assert table.share(("-1", "html/main/a"), WANTED) == 1.0


def found(url: str, lane: Lane, looks: dict[str, int] | None = None) -> Page:
    return cast(Page, Found(url, looks or {}, Offer(Link(url), lane=lane)))


def test_many_pages_are_likely_content_and_outliers_only_early() -> None:
    sitemap = learn(pages()[0]).sitemap
    lists, threads, profiles = sitemap.clusters
    sitemap = sitemap._replace(many={lists: 10.0, threads: 200.0, profiles: 150.0, OUTLIER: 90.0})
    content = likely_content(sitemap, {threads: 50, lists: 5, OUTLIER: 45}, early=False)
    assert content[profiles] == 1.0
    assert content[threads] == pytest.approx(0.75)  # half of what was fetched
    assert content[lists] < 0.1
    assert OUTLIER in likely_content(sitemap, {}, early=True)


def test_each_url_counts_once_for_where_its_lane_leads() -> None:
    table = Table()
    for kind in (1, 1, 1, 2):
        table.note(("0", "a"), {kind: 1.0})
    many = abundance(table, [1, 2], [("0", "a")] * 8)
    assert many[1] > 2.5 * many[2]
    assert sum(many.values()) == pytest.approx(8, rel=0.1)


def test_links_in_doubt_have_lanes_of_their_own() -> None:
    pair = ("3", "html/body/a")
    lanes = [dead_links.lane(chance, pair) for chance in (0.9, 0.5, 0.1)]
    assert lanes[0] == pair
    assert dead_links.doubt(pair) == 1.0
    assert 1.0 > dead_links.doubt(lanes[1]) > dead_links.doubt(lanes[2])


def test_a_folder_is_known_a_little_by_the_folders_in_it() -> None:
    seen: dead_links.Seen = {}
    for number in range(20):
        dead_links.note(seen, f"http://a.test/u/detail/{number}.html", 1.0)
    assert dead_links.trust(seen, "http://a.test/u/detail/99.html") > 0.9
    assert dead_links.trust(seen, "http://a.test/u/99.html") == 2 / 3  # one folder in it, whatever number of pages
    assert dead_links.trust(seen, "http://a.test/v/99.html") == 0.5
    assert dead_links.share(seen, "http://a.test/u/99.html") is None
    assert dead_links.share(seen, "http://a.test/u/detail/99.html") == 1.0


def test_programs_that_make_pages_are_told_apart() -> None:
    seen: dead_links.Seen = {}
    for number in range(9):
        dead_links.note(seen, f"http://a.test/topic.php?t={number}", 1.0)
        dead_links.note(seen, f"http://a.test/user{number}.php?u={number}", 0.0)
    assert dead_links.share(seen, "http://a.test/topic.php?t=99") == 1.0
    assert dead_links.share(seen, "http://a.test/user99.php?u=99") == 0.0


def test_a_new_program_is_trusted_more_the_more_are_known_beside_it() -> None:
    seen: dead_links.Seen = {}
    assert dead_links.trust(seen, "http://a.test/new.php?x=1") == 0.5
    for name in ("a", "b", "c"):
        dead_links.note(seen, f"http://a.test/{name}.php?x=1", 1.0)
    assert dead_links.trust(seen, "http://a.test/new.php?x=1") == 0.8


def test_one_url_linked_from_many_pages_is_no_folder_of_many_links() -> None:
    lane = ("0", "html/body/a")
    often = [Row(f"http://a.test/{number}", lane, "html/body/a", "http://a.test/t/pinned/1") for number in range(9)]
    assert by_folder(Table(), {}, often, [lane] * 9) == [lane] * 9
    many = [Row("http://a.test/", lane, "html/body/a", f"http://a.test/old/{number}") for number in range(9)]
    assert all(len(found) == 3 for found in by_folder(Table(), {}, many, [lane] * 9))


def test_a_list_is_worth_less_while_more_wanted_pages_wait_than_were_fetched() -> None:
    threads, lists = ("0", "html/body/h3/a"), ("0", "html/body/nav/a")
    worths = LaneWorths(aim=Aim({1: 0.8, 2: 0.2}, {1: 1.0}))
    for _ in range(9):
        worths.table.note(threads, {1: 1.0})
        worths.table.note(lists, {2: 1.0})
        worths.yields.note(lists, 20.0)
    links = [Link(f"http://a.test/t/{number}", "http://a.test/", path=threads[1]) for number in range(400)]
    worths.look_ahead(100)
    assert worths.need == 1.0  # nothing waits
    before = worths.weigh(lists).scale
    worths.credit(lists, links, [threads] * len(links))
    worths.look_ahead(100)
    waiting = worths.weigh(lists).scale
    assert waiting < before / 2
    worths.look_ahead(10_000)  # few wait beside what was fetched
    assert waiting < worths.weigh(lists).scale < before


def test_after_a_retry_every_lane_has_a_fetch() -> None:
    quotas = Quotas()
    for number in range(12):
        for _ in range(number):
            quotas.grant((str(number), ""), 0)
    quotas.retry()
    assert all(quotas.grant((str(number), ""), 0) >= 1 for number in range(12))
