"""Kinds of pages that say only what others have said are told by the lines of their last pages."""

from __future__ import annotations

import pytest

from opilio.codec import pack, unpack
from opilio.html import Document
from opilio.learning.navigation import RULE
from opilio.learning.page_types import learn
from opilio.nouns import Link, Offer, Page
from opilio.strategies.structure_plus import repeats
from opilio.strategies.structure_plus.goals import Aim
from opilio.strategies.structure_plus.harvest import Harvest
from opilio.strategies.structure_plus.lane_worths import LaneWorths
from opilio.strategies.structure_plus.repeats import ENOUGH, RECENT, Repeats
from opilio.urls import digest


def page(name: str, *lines: str) -> Page:
    body = "".join(f"<p>{line}</p>" for line in lines)
    url = f"http://a.test/{name}"
    return Page(Offer(Link(url)), url, document=Document(f"<body>{body}</body>".encode(), url))


def said(number: int) -> str:
    return f"what somebody wrote there as number {number}"


def crawled(pages: int) -> Repeats:
    """Posts, and after each an excerpt of it under a heading of its own."""
    found = Repeats()
    for number in range(pages):
        found.see("post", page(f"post/{number}", said(2 * number), said(2 * number + 1)))
        found.see("tag", page(f"tag/{number}", "tag", said(2 * number)))
    return found


def test_lists_of_excerpts_say_less_and_less_that_is_new() -> None:
    assert crawled(0).worth("tag") == crawled(0).worth("post") == 1.0  # nothing is known
    assert crawled(3).worth("post") == crawled(40).worth("post") == 1.0
    assert crawled(2).worth("tag") == pytest.approx(ENOUGH / 3)
    assert crawled(3 * RECENT).worth("tag") < 0.1


def test_what_is_for_the_most_part_new_counts_fully() -> None:
    """Posts of which excerpts stood in lists before."""
    found = Repeats()
    for number in range(20):
        found.see("list", page(f"list/{number}", said(2 * number)))
        found.see("post", page(f"post/{number}", said(2 * number), said(2 * number + 1)))
    assert found.worth("post") > 0.99


def test_what_all_pages_of_a_rule_have_says_nothing() -> None:
    found, template = Repeats(), "this line is on every page of the site"
    for number in range(20):
        found.see("profile", page(f"u/{number}", template, said(number)))
    assert found.fresh[digest("profile")] > 0.99


def test_the_last_pages_count() -> None:
    found = crawled(RECENT)
    for number in range(1000, 1000 + 3 * RECENT):
        found.see("tag", page(f"tag/{number}", said(number)))
    assert found.worth("tag") > 0.9


def test_short_lines_say_nothing_for_or_against() -> None:
    found = Repeats()
    for number in range(9):
        found.see("user", page(f"user/{number}", "joined 2020", "posts 7"))
    assert found.worth("user") == 1.0
    assert not found.pages


def test_what_is_remembered_has_an_end_and_can_be_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "MOST", 2)
    found = Repeats()
    for number in range(5):
        found.see(f"rule {number}", page(f"{number}", said(0)))
    assert len(found.last) == 2
    assert pack(unpack(pack(found))) == pack(found)


def test_lanes_to_what_repeats_others_are_worth_less() -> None:
    worths, lane = LaneWorths(aim=Aim({}, {1: 1.0})), ("1", "html/body/a", RULE + "a.test/tag/*")
    worths.table.note(lane, {1: 1.0})
    before = worths.weigh(lane).scale
    for number in range(2 * RECENT):
        worths.repeats.see(lane[2], page("tag/x", said(number % 2)))
    assert worths.weigh(lane).scale < before / 5


@pytest.mark.parametrize(("examples", "seen"), [(["http://a.test/9"], 0), ([], 1)])
def test_only_where_no_example_says_what_is_wanted(examples: list[str], seen: int) -> None:
    harvest = Harvest(learn([{"html/body/p": 1}] * 5).sitemap)
    harvest.rules.examples = examples
    harvest.visit(page("x", said(1)))
    assert len(harvest.worths.repeats.pages) == seen
