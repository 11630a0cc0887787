"""Clusters of which links say that they are one page type."""

from __future__ import annotations

import numpy as np
import pytest

from opilio.fetchers.replay import Recorded, Replay
from opilio.learning.cluster_links import Hop, linked_alike
from opilio.learning.leads import leads
from opilio.learning.page_types import learn_pages, learn_styled
from opilio.learning.sample import inside
from opilio.nouns import Link, Offer
from opilio.synth.software.drupal import Drupal
from opilio.synth.software.world import World

LABELS = np.repeat([0, 1, 2, 3], 5)  # short print views, long ones, threads, people
ROWS = np.array([[0.6, 0.4, 0.0, 0.0], [0.0, 0.5, 0.5, 0.0], [0.0, 0.0, 0.5, 0.5], [0.5, 0.0, 0.0, 0.5]])[LABELS]
PRINT, AUTHOR, BACK = "html/body/a[print]", "html/body/p/a", "html/body/h1/a"


def hops(short: str = PRINT, long: str = PRINT, back: tuple[int, int] = (10, 10)) -> list[Hop]:
    """Threads link to print views, short and long ones, and to people; print views lead back to something."""
    to_prints = [(10 + n, place, n + 5 * kind) for n in range(5) for kind, place in enumerate((short, long))]
    return [
        *to_prints,
        *((10 + n, AUTHOR, 15 + n) for n in range(5)),
        *((n + 5 * kind, BACK, back[kind] + n) for n in range(5) for kind in (0, 1)),
    ]


@pytest.mark.parametrize(
    ("links", "one"),
    [
        (hops(), True),
        (hops(long=AUTHOR), False),  # reached by other links
        (hops(back=(10, 15)), False),  # leading elsewhere
        ([hop for hop in hops() if hop[1] != BACK], True),  # both lead nowhere
        ([hop for hop in hops() if hop[1] != BACK or hop[0] < 5], False),  # one of them leads nowhere
        ([hop for hop in hops() if hop[1] == BACK], False),  # of what no link reaches nothing is known
    ],
)
def test_clusters_are_one_that_the_same_links_reach_and_that_lead_to_the_same(links: list[Hop], one: bool) -> None:
    found = linked_alike(ROWS, LABELS, links)
    assert len(set(found.tolist())) == (3 if one else 4)
    assert (found[0] == found[5]) == one


def test_pages_that_share_next_to_nothing_are_two_types_whatever_their_links_say() -> None:
    apart = np.where(LABELS[:, None] == 1, [0.0, 0.3, 0.0, 0.7], ROWS)
    assert set(linked_alike(apart, LABELS, hops()).tolist()) == {0, 1, 2, 3}


def test_links_between_the_two_are_links_within_one() -> None:
    """Short and long articles: each kind links to the other as to its own."""
    links = [(n, AUTHOR, (n + step) % 10) for n in range(10) for step in (1, 4, 6)]
    assert len(set(linked_alike(ROWS, LABELS, links).tolist())) == 3


def test_links_between_pages_leave_menus_out() -> None:
    urls = [f"http://a.test/{n}" for n in range(6)]
    links = [[Link(urls[0], path="html/body/nav/a"), Link(urls[(n + 1) % 6], path="html/body/p/a")] for n in range(6)]
    assert leads(links, urls).between == [(n, "html/body/p/a", n + 1) for n in range(5)]
    assert leads(links).between == []


def test_print_views_of_a_forum_are_one_type_however_long_they_are() -> None:
    home = "http://drupal.test"
    made = {home + page.path: page for page in Drupal(World(5)).pages() if not page.target}
    fetcher = Replay(lambda url: Recorded(200, {"content-type": "text/html"}, made[url].html.encode()))
    urls = sorted(made)[::7][:900]
    pages = [fetcher.answer(Offer(Link(url))) for url in urls]
    by_content = learn_styled([page.styled for page in pages], led=leads([inside(page) for page in pages]))
    shares = []
    for names in (by_content.names, learn_pages(pages).names):
        prints = [name for name, url in zip(names, urls, strict=True) if made[url].kind == "print"]
        shares.append(max(map(prints.count, prints)) / len(prints))
    assert shares[0] < 0.7 < 0.85 < shares[1]
