"""What page types are called: by what their pages hold, whatever the software."""

from __future__ import annotations

from collections import Counter

import pytest

from opilio.fetchers.replay import Recorded, Replay
from opilio.nouns import Link, Offer
from opilio.report.page_type_map import svg
from opilio.report.structure import learn_site, site_table
from opilio.strategies.structure.survey import Survey
from opilio.strategies.structure.survey_file import describe
from opilio.strategies.structure.type_names import named, sketch
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


@pytest.mark.parametrize("name", ["vbulletin", "phpbb"])
def test_forums_have_threads_profiles_and_lists_of_threads(name: str) -> None:
    found, kinds = learned(name)
    names = named(found)
    called: dict[str, Counter[str]] = {}
    for page, cluster in zip(found.pages, found.names, strict=True):
        if cluster in names:
            called.setdefault(kinds[page.url], Counter())[names[cluster]] += 1
    expected = {"thread": "thread", "profile": "profile", "board": "list of threads", "login": "form"}
    for kind, told in expected.items():
        assert called[kind][told] > 0.7 * called[kind].total(), (kind, called[kind])


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
