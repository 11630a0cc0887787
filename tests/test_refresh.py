"""Pages that send their reader elsewhere by themselves: <meta http-equiv=refresh>, the Refresh header, a canonical URL."""

from __future__ import annotations

import pytest

from opilio.fetchers.replay import Recorded, Replay
from opilio.html.announced import Announced, announced, refreshed
from opilio.loop import trace
from opilio.shard.arrivals import MOST_HOPS
from opilio.strategies.breadth_first import BreadthFirst

from .polite_web import fetched, page

URL = "http://a.test/x"
TEXT = "<p>" + "a page that has something to say " * 20


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("0; url=/y", "http://a.test/y"),
        ("0;URL='/y' and more", "http://a.test/y"),
        (' 5.5 , url = "http://b.test/y"', "http://b.test/y"),
        ("3 /y", "http://a.test/y"),
        ("0; y", "http://a.test/y"),
        ("30; url=y#part", "http://a.test/y"),
        ("31; url=/y", ""),
        ("999999999999999999; url=/y", ""),
        ("5", ""),
        ("5;", ""),
        ("0; url=", ""),
        ("0; url=javascript:go()", ""),
        ("soon; url=/y", ""),
        ("", ""),
    ],
)
def test_where_a_refresh_leads(text: str, target: str) -> None:
    assert refreshed(text, URL) == target


def test_what_headers_announce() -> None:
    links = '</style.css>; rel=preload, </home>; title="a, b"; rel="canonical", </other>; rel=canonical'
    assert announced({"link": links, "refresh": "0; url=/y"}, URL) == Announced("http://a.test/y", "http://a.test/home")
    assert announced({"link": "</amp>; rel=amphtml, <nothing"}, URL) == Announced()


def answer(body: str, **headers: str) -> Recorded:
    return Recorded(200, {"content-type": "text/html", **headers}, body.encode())


def visited(answers: dict[str, Recorded]) -> list[str]:
    return [visit.url for visit in trace(BreadthFirst(), Replay(answers.get), ["http://a.test/0"], 100)]


@pytest.mark.parametrize(
    "first",
    [
        answer("<meta http-equiv=Refresh content='0; url=/1'>"),
        answer("<meta http-equiv=refresh content='0; url=/1'><p>Moved <a href=/1>here</a>"),
        answer("", refresh="0; url=/1"),
        answer(TEXT, refresh="0; url=/1"),
        answer(f"<meta http-equiv=refresh content='5; url=/1'>{TEXT}"),
    ],
)
def test_a_refresh_is_followed(first: Recorded) -> None:
    answers = {"http://a.test/0": first, "http://a.test/1": answer(TEXT)}
    assert visited(answers) == ["http://a.test/0", "http://a.test/1"]


def test_only_a_page_that_says_no_more_is_a_redirect() -> None:
    meta = "<meta http-equiv=refresh content='0; url=/y'>"
    bodies = [meta, meta + "<a href=/y>here</a>", meta + TEXT, meta + "<a href=/z>z</a>", meta.replace("/y", "/x")]
    urls = [f"http://a{number}.test/x" for number in range(len(bodies))]
    pages, _ = fetched({url: page(body) for url, body in zip(urls, bodies, strict=True)}, *urls)
    assert [got.location for got in pages] == ["http://a0.test/y", "http://a1.test/y", "", "", ""]
    assert [[link.url[-2:] for link in got.links] for got in pages[2:]] == [["/y"], ["/z", "/y"], []]
    assert pages[2].links[0].rel == ("refresh",)


def test_refreshes_without_end_end() -> None:
    """As redirects do: after this many in a row."""
    chain = {f"http://a.test/{n}": answer(f"<meta http-equiv=refresh content='0;/{n + 1}'>") for n in range(50)}
    assert len(visited(chain)) == MOST_HOPS + 1


def test_nofollow_holds_for_a_refresh() -> None:
    robots = "<meta name=robots content=nofollow>"
    [got], _ = fetched({URL: page(robots, Refresh="0; url=/y")}, URL)
    assert (got.location, got.links) == ("", ())


def test_a_canonical_url_in_a_header_counts_as_one_in_the_page() -> None:
    [got], _ = fetched({URL: page(TEXT, Link='</home>; rel="canonical"')}, URL)
    assert got.document
    assert got.document.canonical == "http://a.test/home"
    assert [(link.url, link.rel) for link in got.links] == [("http://a.test/home", ("canonical",))]
    [got], _ = fetched({URL: page(f"<link rel=canonical href=/own>{TEXT}", Link="</home>; rel=canonical")}, URL)
    assert [link.url for link in got.links] == ["http://a.test/own"]
