"""What page types are called: by what their pages hold, whatever the software."""

from __future__ import annotations

from collections import Counter

import pytest

from opilio.fetchers.replay import Recorded, Replay
from opilio.nouns import Link, Offer
from opilio.report.page_type_map import svg
from opilio.report.structure import learn_site, site_table
from opilio.strategies.structure import type_names
from opilio.strategies.structure.survey import Survey
from opilio.strategies.structure.survey_file import describe
from opilio.strategies.structure.type_names import named, sketch
from opilio.strategies.structure.type_words import addressed, declared, of_body, part_of_one
from opilio.synth.software import SOFTWARE, World

HOME = "http://site.test/"


def learned(name: str) -> tuple[Survey, dict[str, str]]:
    """A sampled site, and the type that each of its pages really has."""
    made = list(SOFTWARE[name](World(4, threads=150, users=120, boards=5)).pages())
    pages = {
        HOME[:-1] + page.path: Recorded(301, {"location": HOME[:-1] + page.target}, b"")
        if page.target
        else Recorded(200, {"content-type": "text/html"}, page.html.encode())
        for page in made
    }
    return learn_site(Replay(pages.get), [HOME], 150), {HOME[:-1] + page.path: page.kind for page in made}


LOGIN = {"login": "form"}
FORUM = {"thread": "thread", "profile": "profile", "board": "list of threads"}
EXPECTED = {
    "vbulletin": FORUM | LOGIN,
    "phpbb": FORUM | LOGIN | {"print": "print view", "search": "search page"},
    "discourse": FORUM | LOGIN,
    "xenforo": FORUM,
    "drupal": FORUM | LOGIN,
    "shop": {"product": "product", "category": "list of products", "review": "review"},
    "mediawiki": {"article": "article", "category": "list of articles"},
    "stackexchange": {"question": "question", "profile": "profile", "tagged": "list of questions"} | LOGIN,
    "wordpress": {"post": "article", "tag": "list of articles", "attachment": "picture"},
}


def called(name: str) -> dict[str, Counter[str]]:
    """How pages of each kind are called."""
    found, kinds = learned(name)
    names = named(found)
    told: dict[str, Counter[str]] = {}
    for page, cluster in zip(found.pages, found.names, strict=True):
        if cluster in names:
            told.setdefault(kinds[page.url], Counter())[names[cluster]] += 1
    return told


def holds(told: dict[str, Counter[str]], expected: dict[str, str]) -> None:
    for kind, name in expected.items():
        right = sum(count for shown, count in told[kind].items() if name in shown.split(" or "))
        assert right > 0.7 * told[kind].total(), (kind, told[kind])


@pytest.mark.parametrize("name", SOFTWARE)
def test_the_main_types_of_each_software_have_the_names_that_people_use(name: str) -> None:
    holds(called(name), EXPECTED[name])


@pytest.mark.parametrize("name", ["vbulletin", "phpbb", "xenforo", "drupal"])
def test_forums_are_known_by_what_pages_hold_where_addresses_say_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type_names, "addressed", lambda url, usual: ("", False))
    holds(called(name), FORUM)


def test_a_shop_whose_addresses_say_nothing_is_known_by_its_basket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type_names, "addressed", lambda url, usual: ("", False))
    holds(called("shop"), {"product": "product", "category": "list of products"})


@pytest.mark.parametrize(
    ("address", "kind", "single"),
    [
        ("showthread.php?t=56&page=2", "thread", True),
        ("member.php?u=501", "profile", True),
        ("memberlist.php?mode=viewprofile&u=1", "profile", True),
        ("memberlist.php", "list", False),
        ("benutzer/anna", "profile", True),
        ("produits/chaise-bleue", "product", True),
        ("tema/123-hola", "thread", True),
        ("u/page_user_76.html", "profile", False),
        ("members/page-3", "profile", False),
        ("c/support/6", "list", True),
        ("index.php?topic=12.0", "thread", True),
        ("misc.php?do=whoposted&t=662", "", False),
        ("2019/03/nomira-lese", "article", True),
        ("user/login", "form", False),
        ("x/17", "", False),
    ],
)
def test_words_of_addresses_are_understood(address: str, kind: str, single: bool) -> None:
    assert addressed(HOME + address) == (kind, single)


def test_words_that_all_of_a_site_has_say_nothing() -> None:
    assert addressed(HOME + "forum/node/7.html", {"forum"}) == ("", False)


def test_parts_of_a_profile_may_be_lists() -> None:
    assert part_of_one("site.test/user/#/track")
    assert not part_of_one("site.test/u/detail/*.html")
    assert not part_of_one("site.test/t/*/#")


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ('<script type="application/ld+json">{"@type": "Product", "author": {"@type": "Person"}}</script>', "product"),
        ('<div itemscope itemtype="https://schema.org/DiscussionForumPosting">', "thread"),
        ('<div itemtype="http://schema.org/Product"></div>' * 5, "list"),
        ('<meta property="og:type" content="profile">', "profile"),
        ('<meta content="product" property="og:type">', "product"),
        ('<meta property="og:type" content="website">', ""),
        ("<p>Product</p>", ""),
    ],
)
def test_what_a_page_declares_counts(source: str, kind: str) -> None:
    assert declared(source.encode()) == kind


def test_classes_of_body_are_read_if_they_speak_of_one_kind() -> None:
    assert of_body(b"<body class='node-type-product logged-out'>") == "product"
    assert of_body(b"<body class='forum search'>") == ""


def test_the_picture_has_names_and_sketches() -> None:
    site = describe(learned("phpbb")[0])
    drawn = svg(site)
    assert all(f"{kind['name']}: {kind['pages']} pages" in drawn for kind in site["types"])
    assert {kind["name"] for kind in site["types"]} >= {"thread", "profile"}
    assert len({kind["name"] for kind in site["types"]}) == len(site["types"])  # later ones are numbered
    assert site_table(site)[0][:2] == ("type", "name")


def test_a_sketch_is_short_whatever_the_page() -> None:
    body = b"<h1>A title</h1><img src=/x.png><p>some words here<a href=/a>there</a></p>" + b"<p>more</p>" * 1000
    page = Replay({HOME: Recorded(200, {"content-type": "text/html"}, body)}.get).answer(Offer(Link(HOME)))
    strokes = sketch(page)
    assert [kind for kind, _ in strokes[:4]] == ["title", "image", "text", "link"]
    assert len(strokes) == 60
