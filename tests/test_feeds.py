"""RSS and Atom feeds: named by pages, read whatever leads there, within bounds, and visited again."""

from __future__ import annotations

from pathlib import Path

import pytest

from opilio.engine.recrawl import recrawl
from opilio.fetchers.live import Manners
from opilio.html.content import MOST_FEEDS
from opilio.html.sitemap import MOST_ENTRIES, MOST_NEWS, Sitemap, listing

from .local_site import LocalSite, Reply
from .polite_web import QUICK, fetched, page

PAGE = "http://a.test/blog/x"
FEED_URL = "http://a.test/feed"
RSS = """<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY x "xxxx"><!ENTITY y "&x;&x;"><!ENTITY file SYSTEM "file:///etc/passwd">]>
<rss version="2.0"><channel><title>Bees</title><link>http://a.test/</link>
<item><guid isPermaLink="false">12345</guid><title>Hives &amp; wax</title><link>http://a.test/1?a=1&amp;b=2</link>
<description>&lt;p&gt;How to keep &lt;b&gt;drones&lt;/b&gt;</description></item>
<item><title>&y;&file;</title><guid>http://a.test/2</guid></item>
<item><title>nowhere</title><guid>tag:a.test,2020:3</guid></item>
<item><title><![CDATA[Queens]]></title><link><![CDATA[/3]]></link><description><![CDATA[<p>Of queens]]></description></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/feed"/>
<entry><title>One</title><link rel="edit" href="/edit/1"/><link rel="alternate" href="/1"/><summary>about wax</summary></entry>
<entry><title>Two</title><link href="/2"/></entry></feed>"""
RDF = (
    '<rdf:RDF xmlns="x"><channel/><item rdf:about="/1"><title>One</title><link>http://a.test/1</link></item></rdf:RDF>'
)


def named(*heads: str, **headers: str) -> list[tuple[str, str]]:
    """The feeds among the links of a page with this head: where they lead, and what they are called."""
    [got], _ = fetched({PAGE: page("".join(heads), **headers)}, PAGE)
    return [(link.url, link.anchor) for link in got.links if "feed" in link.rel]


def test_a_page_names_its_feeds() -> None:
    rss = '<link rel="alternate" type="application/rss+xml" title="All  news" href="../rss.xml">'
    atom = '<LINK REL="Alternate home" TYPE="application/atom+xml; charset=utf-8" HREF="http://b.test/atom">'
    assert named(rss, atom, rss) == [("http://a.test/rss.xml", "All news"), ("http://b.test/atom", "")]
    assert named('<base href="http://c.test/d/">', rss) == [("http://c.test/rss.xml", "All news")]


@pytest.mark.parametrize(
    "head",
    [
        '<link rel="alternate" hreflang="de" href="/de">',
        '<link rel="alternate" type="application/rss+xml" href="">',
        '<link rel="alternate" type="application/rss+xml" href="mailto:x">',
        '<link rel="alternate" type="application/rss+xml" href="/blog/x">',
        '<link rel="alternate nofollow" type="application/rss+xml" href="/rss">',
        '<link rel="stylesheet" type="application/rss+xml" href="/rss">',
        '<!-- <link rel="alternate" type="application/rss+xml" href="/rss"> -->',
        '<meta name=robots content=nofollow><link rel="alternate" type="application/rss+xml" href="/rss">',
    ],
)
def test_what_is_no_feed(head: str) -> None:
    assert named(head) == []


def test_five_feeds_a_page_and_none_where_they_are_not_wanted() -> None:
    heads = [f'<link rel=alternate type=application/rss+xml href="/{n}.rss">' for n in range(9)]
    assert len(named(*heads)) == MOST_FEEDS
    [got], _ = fetched({PAGE: page("".join(heads))}, PAGE, manners=Manners(sitemaps=False, pace=QUICK))
    assert not got.links


@pytest.mark.parametrize("kind", ["application/rss+xml", "text/xml; charset=utf-8", "text/html", "text/plain", ""])
def test_the_links_of_a_feed_are_its_entries(kind: str) -> None:
    [got], _ = fetched({FEED_URL: (200, {"Content-Type": kind}, RSS.encode())}, FEED_URL)
    assert [(link.url, link.anchor) for link in got.links] == [
        ("http://a.test/1?a=1&b=2", "Hives & wax"),
        ("http://a.test/2", "&y;&file;"),  # entities are not expanded
        ("http://a.test/3", "Queens"),
    ]
    assert "How to keep drones" in got.links[0].context
    assert "Of queens" in got.links[2].context


@pytest.mark.parametrize(("body", "count"), [(ATOM, 2), (f"\ufeff\n{ATOM}", 2), (RDF, 1)])
def test_atom_and_rdf(body: str, count: int) -> None:
    [got], _ = fetched({FEED_URL: (200, {"Content-Type": "text/xml"}, body.encode())}, FEED_URL)
    assert [link.url for link in got.links] == [f"http://a.test/{n}" for n in range(1, count + 1)]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("<html><body><rss>", "text/html"),
        ("<?xml version='1.0'?><html><feed>", "application/xhtml+xml"),
        ("<svg><metadata><rdf:RDF>", "image/svg+xml"),
        ("<?xml version='1.0'?>", "text/xml"),
        ("feed", "text/plain"),
        ("", ""),
    ],
)
def test_what_is_read_as_a_page(body: str, content_type: str) -> None:
    assert listing(body.encode(), content_type) == 0


def test_a_feed_has_bounds() -> None:
    body = b"<rss>" + b"".join(b"<item><link>http://a.test/%d</link></item>" % n for n in range(3000))
    [got], _ = fetched({FEED_URL: (200, {"Content-Type": "text/xml"}, body)}, FEED_URL)
    assert len(got.links) == MOST_NEWS
    assert listing(b"<?xml version='1.0'?><urlset>", "") == MOST_ENTRIES
    long = Sitemap(f"<item><link>/1</link><description>{'word ' * 3000}".encode(), FEED_URL).links[0]
    assert len(long.context) < 400


def site() -> LocalSite:
    return LocalSite({
        "/": b'<link rel="alternate" type="application/rss+xml" href="/news.rss"><p>bees',
        "/news.rss": Reply(b"<rss><item><title>One</title><link>/1</link></item></rss>", "application/rss+xml"),
        "/1": b"<p>one",
        "/2": b"<p>two",
    })  # fmt: skip


def test_crawls_follow_feeds_and_recrawls_find_what_they_list_since(tmp_path: Path) -> None:
    with site() as served:
        served.crawl(tmp_path / "run")
        assert {request.path for request in served.asked} == {"/robots.txt", "/", "/news.rss", "/1"}
        first = recrawl(tmp_path / "run")
        assert (first.new, first.changed, len(first.unchanged)) == ([], [], 3)
        served.pages["/news.rss"] = Reply(
            b"<rss><item><link>/2</link></item><item><link>/1</link></item></rss>", "text/xml"
        )
        again = recrawl(tmp_path / "run")
    assert (again.new, again.changed) == ([f"{served.url}/2"], [f"{served.url}/news.rss"])
