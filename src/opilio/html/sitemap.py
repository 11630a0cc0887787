"""Sitemaps, their indexes, feeds and lists of URLs, plain or gzipped: a document whose links are the entries.

They are read with patterns and not with an XML parser: half of the ones on the web are broken, and no entity can blow up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain, islice, pairwise

from isal import isal_zlib
from isal.igzip_lib import IsalError

from .. import urls
from ..nouns import Link
from . import charset
from .size_limits import LONGEST_ANCHOR

MOST_ENTRIES = 50_000  # in one file, as the protocol has it
MOST_NEWS = 1000  # entries of a feed
MOST_LINES = 2 * MOST_ENTRIES  # of a list that are looked at, URLs or not
MOST_BYTES = 8 << 20  # after decompression; the protocol allows more, but a text may take four times its bytes
MOST_ENTRY = 20_000  # characters of one entry that are looked at
SITEMAP = "sitemap"  # the rel of links that lead to a sitemap

ROOT = re.compile(rb"<(?:[a-z][\w-]{0,20}:)?([a-z][\w-]*)")  # the first element, in lower case
BEGINS = (b"<?xml", b"<rss", b"<feed", b"<rdf:")
START = 1024  # bytes in which it stands
READ = {
    b"rss": MOST_NEWS,
    b"feed": MOST_NEWS,
    b"rdf": MOST_NEWS,
    b"urlset": MOST_ENTRIES,
    b"sitemapindex": MOST_ENTRIES,
}
ENTRY = re.compile(r"<(?:[\w-]+:)?(url|sitemap|item|entry)(?=[\s>])[^<>]*>")
PLACE = re.compile(r"<(?!image:|video:)(?:[\w-]+:)?(?:loc|link)(?:\s[^<>]*)?>\s*(<!\[CDATA\[.*?\]\]>|[^<]*)", re.DOTALL)
GUID = re.compile(r"<guid(?![^<>]*false)[^<>]*>\s*(?:<!\[CDATA\[\s*)?(https?://[^\s<>\]]+)", re.IGNORECASE)
HREF = re.compile(r"<(?:atom:)?link\s(?![^<>]*rel\s*=\s*[\"'](?!alternate))[^<>]*href\s*=\s*[\"']([^\"'<>]+)")
TITLE = re.compile(r"<(?:news:)?title(?:\s[^<>]*)?>\s*(<!\[CDATA\[.*?\]\]>|[^<]*)", re.DOTALL)
LINE = re.compile(r"\S[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*")
KEYWORDS = re.compile(r"<news:keywords>\s*(<!\[CDATA\[.*?\]\]>|[^<]*)", re.DOTALL)
SUMMARY = re.compile(r"<(?:description|summary|content)(?:\s[^<>]*)?>\s*(<!\[CDATA\[.*?\]\]>|[^<]*)", re.DOTALL)
MOST_SUMMARY = 300  # characters; the beginning says what an entry is about
TAG = re.compile(r"<[^<>]*>?")


def listing(body: bytes, content_type: str) -> int:
    """How many entries are read of a body that is a feed or a sitemap by its first element; 0 for anything else."""
    start = body[:START].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not start.startswith(BEGINS) and "xml" not in content_type.lower():
        return 0
    found = ROOT.search(start)
    return READ.get(found[1], 0) if found else 0


class Sitemap:
    """What a sitemap says; it never raises, whatever the bytes are."""

    title = text = main = language = canonical = ""
    robots: frozenset[str] = frozenset()
    left_out = 0

    def __init__(self, body: bytes, url: str, content_type: str = "", most: int = MOST_ENTRIES) -> None:
        self._body, self._url, self._content_type, self._most = body, url, content_type, most

    @cached_property
    def charset(self) -> str:
        return charset.sniff(self._plain, self._content_type)

    @property
    def paths(self) -> Mapping[str, int]:
        return {}

    @property
    def styled(self) -> Mapping[str, int]:
        return {}

    @property
    def marks(self) -> Mapping[str, int]:
        return {}

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """One link an entry; those that lead to further sitemaps say so in their rel."""
        text = charset.decode(self._plain, self.charset).lstrip("\ufeff")
        found = _entries(text, self._url, self._most) if "<" in text[:1024] else _lines(text, self._url)
        kept: dict[str, Link] = {}
        for link in found:
            kept.setdefault(link.url, link)
            if len(kept) >= self._most:
                break
        return tuple(kept.values())

    @cached_property
    def _plain(self) -> bytes:
        body, self._body = self._body, b""
        if not body.startswith(b"\x1f\x8b"):
            return body[:MOST_BYTES]
        try:
            return bytes(isal_zlib.decompressobj(wbits=31).decompress(body, MOST_BYTES))
        except IsalError:  # type: ignore[misc]
            return b""


def _entries(text: str, source: str, most: int) -> Iterator[Link]:
    found: dict[str, str] = {}
    for start, following in pairwise(chain(islice(ENTRY.finditer(text), most), [None])):
        assert start
        end = following.start() if following else len(text)
        inside = _closed(text[start.end() : min(end, start.end() + MOST_ENTRY)])
        address = _address(inside, start[1])
        if address not in found and (url := found.setdefault(address, urls.canonical(address, source))):
            title = _first(TITLE, inside)[:LONGEST_ANCHOR]
            context = " ".join([title, _first(KEYWORDS, inside)[:LONGEST_ANCHOR], _summary(inside), *urls.words(url)])
            rel = (SITEMAP,) if start[1] == "sitemap" else ()
            yield Link(url, source, title, context.strip(), f"sitemap/{start[1]}", rel=rel)


def _closed(inside: str) -> str:
    """An entry without sections that are opened and never closed: looking for the ends of all of them would take long."""
    end = inside.rfind("]]>") + 1
    return inside[:end] + inside[end:].replace("<![CDATA[", "")


def _address(inside: str, kind: str) -> str:
    """Where an entry leads; some write it without an element of its own. "no:where" is no URL."""
    if kind == "entry" and (found := HREF.search(inside)):
        return _unescaped(found[1]).strip()
    guid = GUID.search(inside)
    return (
        _first(PLACE, inside)
        or (_unescaped(guid[1]) if guid else "")
        or _unescaped(inside.partition("<")[0]).strip()
        or "no:where"
    )


def _summary(inside: str) -> str:
    """How an entry of a feed begins, without tags."""
    return " ".join(TAG.sub(" ", _first(SUMMARY, inside)[: 4 * MOST_SUMMARY]).split())[:MOST_SUMMARY]


def _first(pattern: re.Pattern[str], text: str) -> str:
    """The first words that stand there, entities undone."""
    return next(filter(None, (_words(found[1].strip()) for found in pattern.finditer(text))), "")


def _words(inner: str) -> str:
    text = inner[9:-3] if inner.startswith("<![CDATA[") else _unescaped(inner)
    return " ".join(text.split())


def _unescaped(text: str) -> str:
    if "&" not in text:
        return text
    from html import unescape  # here, since its table of entities takes a millisecond to make

    try:
        return unescape(text)
    except ValueError:  # a number of thousands of digits
        return text


def _lines(text: str, source: str) -> Iterator[Link]:
    for line in islice(LINE.finditer(text), MOST_LINES):
        url = urls.canonical(line[0].rstrip()) if "://" in line[0] else ""
        if url:
            yield Link(url, source, "", " ".join(urls.words(url)), "sitemap/line")
