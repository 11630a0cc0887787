"""Path strings, template against content, page types by characteristic strings."""

from __future__ import annotations

import pytest

from opilio.fetchers.to_page import answered
from opilio.html.leaves import IMAGE, OBJECT, Leaf, leaves
from opilio.nouns import Link, Offer, Page
from opilio.strategies.profile.page_types import OTHER, Strings, learn, strings
from opilio.strategies.profile.path_strings import Differentiation, differentiation, pairs, schema
from opilio.strategies.profile.thumbnails import inside, rows

URL = "http://site.test/a/page"


def page(html: str, url: str = URL) -> Page:
    return answered(Offer(Link(url)), 200, {"content-type": "text/html"}, html.encode())


def read(html: str) -> list[Leaf]:
    return leaves(page(html))


def test_path_string_goes_from_the_parent_to_the_root_with_what_is_displayed() -> None:
    found = read('<table><tr class="people" id="x7"><td>John</td></tr></table>')
    assert [(leaf.path, leaf.text) for leaf in found] == [
        ("<td><tr-class/people><table><body><html>", "John"),
    ]


@pytest.mark.parametrize(
    ("html", "path"),
    [
        ("<p align=left><font size=2 color=red>x</font></p>", "<font-color/red-size/2><p-align/left><body><html>"),
        ("<div class='b  a' style='top:3px'>x</div>", "<div-class/b a><body><html>"),
        ("<div class='row-137 odd'>x</div>", "<div-class/row-0 odd><body><html>"),
        ("<div class='a>b'>x</div>", "<div-class/a_b><body><html>"),
        ("<a href=/x id=y>x</a>", "<a><body><html>"),
    ],
)
def test_only_what_changes_the_look_counts(html: str, path: str) -> None:
    assert read(html)[0].path == path


def test_leaves_know_their_link() -> None:
    html = "<base href='http://site.test/b/'><a href='one'><img src=i> first </a><a href='#top'>up</a><embed src=e>"
    picture, text, up, thing = read(html)
    assert (picture.kind, picture.url, picture.link) == (IMAGE, "http://site.test/b/one", 1)
    assert (text.text, text.url, text.link, text.place) == ("first", picture.url, 1, picture.place)
    assert (up.url, up.link) == ("", 0)
    assert thing.kind == OBJECT


@pytest.mark.parametrize("html", ["", "plain words", "<script>1</script>", "<!-- -->", "<p>   </p>", "\x00<\xff<"])
def test_odd_pages_have_no_leaves_and_raise_nothing(html: str) -> None:
    assert all(not leaf.url for leaf in read(html))


def test_deep_nesting_costs_no_more_than_it_must() -> None:
    assert max(len(leaf.path) for leaf in read("<div class=abcdefgh>" * 1500 + "x")) < 3000


def test_schema_is_what_all_pages_have_or_enough_of_them() -> None:
    pages = [pairs(read(f"<h1>{n}</h1><p>Sign in</p>" + "<i>Ad</i>" * (n < 3))) for n in range(4)]
    assert {text for _, text in schema(pages)} == {"Sign in"}
    assert {text for _, text in schema(pages, 0.75)} == {"Sign in", "Ad"}


def test_differentiation_counts_as_the_paper_does() -> None:
    pages = [pairs(read(f"<h1>T{n}</h1><p>Terms</p><p>v{n}</p><b>Tags</b>")) for n in range(3)]
    # pairs: 3 titles, Terms, 3 v, Tags; path strings: p and b of schema, h1 and p of values, p of both
    assert differentiation(pages) == Differentiation(T=8, S=2, V=6, US=2, UV=2, INT=1)


def looks(html: str) -> Strings:
    return strings(read(html))


LIST = "<h1>x</h1><div class=t><a href=/1><img></a><a href=/u1>u</a></div>"
DETAIL = "<h1>x</h1><div class=big><img></div><ul class=tags><li>a</li></ul>"
PROFILE = "<h1>x</h1><ul class=who><li>a</li></ul><div class=t><a href=/1><img></a><a href=/u1>u</a></div>"


def test_types_are_told_by_the_strings_that_only_they_have() -> None:
    types = learn({"list": [looks(LIST)] * 2, "detail": [looks(DETAIL)] * 2, "profile": [looks(PROFILE)] * 2})
    # A profile holds everything that a list has: a list is what lacks the rest.
    assert [types.classify(looks(html)) for html in (LIST, DETAIL, PROFILE)] == ["list", "detail", "profile"]
    assert types.classify(looks("<h1>About us</h1><p>Words</p>")) == OTHER
    assert types.classify(frozenset()) == OTHER


def test_a_page_that_lacks_one_string_of_its_type_is_still_of_it() -> None:
    types = learn({"detail": [looks(DETAIL)] * 2, "list": [looks(LIST)] * 2})
    assert types.classify(looks(DETAIL.replace("<ul class=tags><li>a</li></ul>", ""))) == "detail"


def test_without_examples_there_are_no_types() -> None:
    assert learn({}).classify(looks(LIST)) == OTHER


@pytest.mark.parametrize("first", [True, False])
def test_names_are_found_on_either_side_of_their_thumbnails(first: bool) -> None:
    def unit(n: int) -> str:
        thumb, name = f"<p><a href=/i{n}><img></a></p>", f"<b><a href=/u{n % 2}>who</a></b>"
        return name + thumb if first else thumb + name

    linked = inside(read("".join(map(unit, range(5)))), URL)
    ((beside, shown),) = rows(linked)
    assert beside.first == first
    assert {(one.url[-2:], one.name[-2:]) for one in shown} == {(f"i{n}", f"u{n % 2}") for n in range(5)}


def test_pictures_without_names_are_no_row() -> None:
    html = "".join(f"<p><a href=/i{n}><img></a></p>" for n in range(5)) + "<b><a href=/u>all by me</a></b>"
    assert not list(rows(inside(read(html), URL)))


def test_a_text_at_the_place_of_the_thumbnails_is_no_name() -> None:
    units = (f"<p><a href=/i{n}><img></a></p><p><a href=/u{n % 2}>who</a></p>" for n in range(5))
    assert not list(rows(inside(read("".join(units)), URL)))
