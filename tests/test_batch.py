"""Objects that are many: made when they are asked for, the same as if they had been made one by one."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from opilio import native
from opilio.batch import Together, column, many, parts, rows, some
from opilio.nouns import Keep, Link, Offer

LINKS = [Link("a", "s", "one"), Link("b", "s", "two"), Link("c", "s", "three")]
WAYS = pytest.mark.parametrize("way", [native.without, nullcontext])


@WAYS
def test_they_are_as_if_made_one_by_one(way: type[nullcontext[None]]) -> None:
    with way():
        links = many(Link, ["a", "b", "c"], "s", ["one", "two", "three"])
        offers = many(Offer, links, [1.0, 2.0, 3.0], (), rows(3, [4, 5, 6], "x"))
        assert links[1] == LINKS[1]
        assert (len(links), list(links), links[1:]) == (3, LINKS, LINKS[1:])
        assert offers[2] == Offer(LINKS[2], 3.0, (), (6, "x"))
        assert list(offers) == [Offer(link, n + 1.0, (), (n + 4, "x")) for n, link in enumerate(LINKS)]
        assert list(offers.some([2, 0])) == [offers[2], offers[0]]
        assert not many(Link, [])


def test_they_are_equal_by_what_they_are() -> None:
    links = many(Link, ["a", "b", "c"], "s", ["one", "two", "three"])
    assert links == LINKS
    assert links == many(Link, ["a", "b", "c"], "s", ["one", "two", "three"])
    assert links != LINKS[:2]
    assert links != "abc"
    assert repr(links) == repr(LINKS)


def test_columns_and_some_of_them_are_the_same_of_objects_that_were_made() -> None:
    links = many(Link, ["a", "b", "c"], "s", ["one", "two", "three"])
    for things in (links, LINKS, tuple(LINKS)):
        assert list(column(things, "url")) == ["a", "b", "c"]
        assert list(column(things, "source")) == ["s"] * 3
        assert list(column(things, "rel")) == [()] * 3
        assert list(some(things, [1])) == [LINKS[1]]


def test_what_is_said_together_is_heard_one_by_one() -> None:
    offers = many(Offer, LINKS, 1.0)
    said = Together(Keep((1,)), offers)
    assert list(said) == [Keep((1,)), *(Offer(link) for link in LINKS)]
    assert list(said) == list(said)
    assert [type(part).__name__ for part in parts(said)] == ["Keep", "Many"]
    assert parts(offers)[0] is offers
    assert parts(iter(LINKS)) == LINKS
