"""What a page holds that tells people what it is: text, pictures, fields, prices, and posts with a date or somebody's name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ...html.leaves import IMAGE, Leaf, leaves
from ...nouns import Page

Group: TypeAlias = tuple[int, str]  # page type, and the rule of its URLs if several pages have it

PARAGRAPH = 8  # words
PRICE = re.compile(r"(?:[^\W\d]+:? ){0,2}(?:[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[$€£¥]|EUR|USD|CHF))")
FIELD = re.compile(r"<(?:input|textarea|select)\b([^<>]*)", re.IGNORECASE)
NO_FIELD = re.compile(r"\b(?:hidden|search|submit)\b", re.IGNORECASE)
TARGET = re.compile(r"(?:href|action)\s*=\s*[\"']?([^\"'\s>]*)", re.IGNORECASE)
BASKET = re.compile(r"(?:basket|cart|warenkorb|panier|carrito|carrello|winkelwagen)\b", re.IGNORECASE)
ADD = re.compile(r"add|\d", re.IGNORECASE)
YEAR = r"(?:19[89]|20\d)\d"
DATE = re.compile(
    rf"\b(?:{YEAR}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./](?:{YEAR}|\d\d)\b|\d{{1,2}}\.? [^\W\d]{{3,10}}\.?,? {YEAR}"
    rf"|[^\W\d]{{3,10}}\.? \d{{1,2}},? {YEAR})"
)
DATED = 10  # words of a line that says when something was written, at most


def amounts(page: Page, parts: Sequence[Leaf]) -> tuple[float, ...]:
    """Words that are in no link, paragraphs, pictures, fields of forms, prices (one more for a basket), posts with a date."""
    texts = [len(leaf.text.split()) for leaf in parts if not leaf.url and leaf.kind != IMAGE]
    source = page.body[: 1 << 20].decode("latin-1")
    return (
        sum(texts),
        sum(words >= PARAGRAPH for words in texts),
        sum(leaf.kind == IMAGE for leaf in parts),
        sum(NO_FIELD.search(rest) is None for rest in FIELD.findall(source)),
        sum(PRICE.fullmatch(leaf.text) is not None for leaf in parts) + any(map(_buys, TARGET.findall(source))),
        _dates(parts),
    )


def _buys(url: str) -> bool:
    """Whether it puts something into a basket."""
    found = BASKET.search(url)
    return found is not None and ADD.search(url, found.end()) is not None


def own_leaves(pages: Sequence[Page]) -> list[list[Leaf]]:
    """What each page holds, without the texts that most of them have."""
    parts = [leaves(page) for page in pages]
    texts = Counter(text for row in parts for text in {leaf.text for leaf in row if leaf.text})
    common = {text for text, count in texts.items() if count > max(1, len(pages) / 2)}
    return [[leaf for leaf in row if leaf.text not in common] for row in parts]


def _dates(parts: Sequence[Leaf]) -> int:
    """The posts of a page whose lines with a date are all at one place."""
    dated = [leaf for leaf in parts if len(leaf.text.split()) <= DATED and DATE.search(leaf.text)]
    return _posts(parts, dated)


def _posts(parts: Sequence[Leaf], marks: Sequence[Leaf]) -> int:
    """How often a mark and text take turns, of marks at the place that most of them have."""
    if not marks:
        return 0
    ((place, _),) = Counter(leaf.path for leaf in marks).most_common(1)
    chosen = {id(leaf) for leaf in marks if leaf.path == place}
    posts = [0]
    for leaf in parts:
        if id(leaf) in chosen:
            posts.append(0)
        elif not leaf.url:
            posts[-1] += len(leaf.text.split())
    written = [words >= PARAGRAPH for words in posts]
    return max(sum(written[1:]), sum(written[:-1]))


def bylines(parts: Sequence[Leaf], behind: Callable[[str], Group]) -> dict[Group, int]:
    """The posts of a page with a link to each group of pages, to different ones; links within paragraphs are none of them."""
    prose = {leaf.path for leaf in parts if not leaf.url and len(leaf.text.split()) >= PARAGRAPH}
    marks: dict[Group, list[Leaf]] = {}
    for leaf in parts:
        if leaf.url and leaf.text and leaf.place.partition(">")[2] not in prose:
            marks.setdefault(behind(leaf.url), []).append(leaf)
    return {group: min(_posts(parts, found), len({leaf.url for leaf in found})) for group, found in marks.items()}
