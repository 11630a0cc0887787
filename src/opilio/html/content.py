"""What a page says, out of what one walk over its tree brought home."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, takewhile
from types import MappingProxyType
from typing import NamedTuple

from .. import urls
from ..batch import Many, many
from ..nouns import Link
from .announced import Announced, refreshed, with_refresh
from .size_limits import FEW_LINKS, LONGEST_ANCHOR, LONGEST_TITLE, MOST_LINK_TEXT
from .walk import Attributes, Columns, Gathered

ADVICE = {"robots": "", "opilio": "", "tdm-reservation": "tdm-reservation="}  # names of <meta> that speak to robots
FEEDS = ("application/rss+xml", "application/atom+xml", "application/rdf+xml")  # types of <link rel=alternate>
MOST_FEEDS = 5  # that a page may name
FEED = "feed"  # the rel of links that lead to one
TYPE = re.compile(r'"@type"\s*:\s*"(\w{1,40})"')  # of schema.org, in a block of JSON-LD


class Content(NamedTuple):
    """What there is to know of a page."""

    lines: str = ""
    keep: bytes = b""  # for each line: 1 if it is content
    title: str = ""
    links: Sequence[Link] = ()
    left_out: int = 0  # links that came after those, and for which there was no room
    nofollow: bool = False  # whether a link asks for it
    leaves: Sequence[str] = ()  # the path to each link, text and image, with classes
    language: str = ""
    robots: frozenset[str] = frozenset()
    canonical: str = ""
    marks: Mapping[str, int] = MappingProxyType({})
    feeds: Sequence[Link] = ()


class About:
    """What the elements of the head, and others, say about the page; the first one to say it counts."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.title = self.base = self.canonical = self.refresh = ""
        self.robots: list[str] = []
        self.feeds: dict[str, str] = {}  # their titles, by what is written as their address
        self._titled = False
        self.marks = dict(counts)

    def read_metadata(self, metadata: Iterable[tuple[str, Attributes, str]]) -> None:
        for tag, attributes, text in metadata:
            if tag == "meta":
                self._meta(attributes)
            elif tag == "title":
                self.title, self._titled = (
                    self.title if self._titled else " ".join(text.split())[:LONGEST_TITLE].rstrip(),
                    True,
                )
            elif tag == "base":
                self.base = self.base or attributes.get("href") or ""
            elif tag == "itemtype":
                self._mark(f"schema {_last_word(attributes['itemtype'])}")
            elif tag == "script":
                for name in TYPE.findall(text):
                    self._mark(f"schema {name.lower()}")
            else:
                self._link(attributes, (attributes.get("rel") or "").lower().split())

    def _link(self, attributes: Attributes, rel: Sequence[str]) -> None:
        href = attributes.get("href") or ""
        if "canonical" in rel:
            self.canonical = self.canonical or href
        elif href and "alternate" in rel and _is_feed(attributes, rel) and len(self.feeds) < MOST_FEEDS:
            self.feeds.setdefault(href, " ".join((attributes.get("title") or "").split())[:LONGEST_ANCHOR])

    def _meta(self, attributes: Attributes) -> None:
        if (name := (attributes.get("name") or "").lower()) in ADVICE:
            self.robots.append(f"{ADVICE[name]}{attributes.get('content') or ''}")
        elif not self.refresh and (attributes.get("http-equiv") or "").lower() == "refresh":
            self.refresh = attributes.get("content") or ""
        elif (attributes.get("property") or "").lower() == "og:type":
            self._mark(f"og {_last_word(attributes.get('content'))}")

    def _mark(self, name: str) -> None:
        self.marks[name] = self.marks.get(name, 0) + 1


def content(gathered: Gathered, url: str, announced: Announced) -> Content:
    about = About(gathered.counts)
    about.read_metadata(gathered.metadata)
    base = (urls.canonical(about.base, url) if about.base else "") or url
    links, left_out = _links(gathered.links, url, base)
    refresh = announced.refresh or refreshed(about.refresh, base)
    return Content(
        lines=gathered.text,
        keep=gathered.keep,
        title=about.title,
        links=with_refresh(links, refresh, url, about.title) if refresh else links,
        left_out=left_out,
        nofollow=any("nofollow" in rel for rel in filter(None, gathered.links.rels)),
        leaves=gathered.leaves,
        language=gathered.root.get("lang") or gathered.root.get("xml:lang") or "",
        robots=_directives(",".join(about.robots)),
        canonical=urls.canonical(about.canonical, base) if about.canonical else announced.canonical,
        marks=about.marks,
        feeds=_feeds(about.feeds, url, base) if about.feeds else (),
    )


def _links(columns: Columns, url: str, base: str) -> tuple[Many[Link], int]:
    """The links of a page, and how many more there were."""
    found = urls.joined(columns.targets, base)
    links = many(Link, found, url, *columns[1:])
    return _short(links if all(found) else links.some([number for number, target in enumerate(found) if target]), url)


def _short(links: Many[Link], url: str) -> tuple[Many[Link], int]:
    """As many of the links as there is room for, and how many there is none for: all of this is stored with each of them."""
    if len(links) <= FEW_LINKS:
        return links, 0
    texts = (map(len, links.column(name)) for name in ("url", "anchor", "context", "path"))
    sizes = accumulate(len(url) + sum(sizes) for sizes in zip(*texts, strict=True))
    count = sum(1 for _ in takewhile(MOST_LINK_TEXT.__ge__, sizes))
    return (links if count == len(links) else links.some(list(range(count)))), len(links) - count


def _is_feed(attributes: Attributes, rel: Sequence[str]) -> bool:
    kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
    return kind in FEEDS and "nofollow" not in rel


def _feeds(named: Mapping[str, str], url: str, base: str) -> Sequence[Link]:
    found = {to: title for href, title in named.items() if (to := urls.canonical(href, base)) and to != url}
    return [Link(to, url, title, title, "html/head/link", rel=(FEED,)) for to, title in found.items()]


def _last_word(text: str | None) -> str:
    """The name at the end of an address such as http://schema.org/NewsArticle, in lower case."""
    return (text or "").rstrip("/ ").rpartition("/")[2].rpartition(":")[2].lower()[:40]


def _directives(content: str) -> frozenset[str]:
    found = frozenset(word.strip() for word in content.lower().split(",")) - {""}
    return found | {"noindex", "nofollow"} if "none" in found else found
