"""What people would call the page types of a site, guessed from what their pages hold and where links lead; no words are read.

Somebody who writes is linked from what they wrote: where links to short pages of one type stand between paragraphs, these are
profiles, and the pages with the paragraphs are threads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from ...html.leaves import IMAGE, leaves
from ...learning.clusters import LEAST_POINTS, OUTLIER
from ...learning.sample import inside
from ...learning.url_patterns import common_words, pattern
from ...nouns import Link, Page
from .survey import Survey

LOOKED_AT = 20  # pages of a type
PARAGRAPH = 8  # words
LIST = 5.0  # links to pages of one type, from which a page is a list of them
MOSTLY = 0.2  # of its links, those of menus left out
EVERYWHERE = 0.1  # of all pages link to what is in a menu
LONG = 150  # words of an article
SHORT = 60  # words of a form
PRICE = re.compile(r"[$€£¥]\s?\d|\d[\d.,]*\s?(?:[$€£¥]|EUR|USD|CHF)\b")
FIELD = re.compile(r"<(?:input|textarea|select)\b(?![^>]*\b(?:hidden|search|submit)\b)", re.IGNORECASE)


class Held(NamedTuple):
    """What the pages of a type hold, the median of each over some of them."""

    words: float  # that are in no link
    paragraphs: float
    pictures: float
    fields: float  # of forms
    prices: float
    leads: Mapping[int, float]  # links to pages of each type, its own left out
    several: frozenset[int]  # types that some page has two links to, or more
    links: float


def named(found: Survey) -> dict[int, str]:
    """A name for each page type; two types may have the same."""
    menu, usual = _menu(found.pages), _Usual(found)
    held = {name: _held(found, name, menu, usual) for name in found.sitemap.clusters}
    writers = _writers(held)
    names = {name: _content(name, one, writers) for name, one in held.items()}
    lists = {name: _listed(one, names) for name, one in held.items() if name not in writers}
    return names | {name: f"list of {names[other]}s" for name, other in lists.items() if other is not None}


def _menu(pages: Sequence[Page]) -> set[str]:
    """What is linked from everywhere: it says nothing about a page."""
    links = Counter(link.url for page in pages for link in {link.url: link for link in inside(page)}.values())
    return {url for url, count in links.items() if count > max(LEAST_POINTS, EVERYWHERE * len(pages))}


class _Usual:
    """The page type behind a link: that of the page if it is known, else of those whose URLs are made by the same rule."""

    def __init__(self, found: Survey) -> None:
        self.kinds = {page.url: name for page, name in zip(found.pages, found.names, strict=True)}
        self.words = common_words({link.url for page in found.pages for link in inside(page)})
        votes: dict[str, Counter[int]] = {}
        for url, name in self.kinds.items():
            votes.setdefault(pattern(url, self.words), Counter())[name] += 1
        self.rules = {rule: count.most_common(1)[0][0] for rule, count in votes.items()}

    def __call__(self, link: Link) -> int:
        return (
            self.kinds[link.url] if link.url in self.kinds else self.rules.get(pattern(link.url, self.words), OUTLIER)
        )


def _held(found: Survey, name: int, menu: set[str], usual: _Usual) -> Held:
    pages = [page for page, other in zip(found.pages, found.names, strict=True) if other == name][:LOOKED_AT]
    own = [[link for link in inside(page) if link.url not in menu] for page in pages]
    led = [Counter(map(usual, links)) for links in own]
    leads = {other: median(row[other] for row in led) for other in found.sitemap.clusters if other != name}
    several = frozenset(other for other in leads if max(row[other] for row in led) > 1)
    words, paragraphs, pictures, fields, prices = map(median, zip(*map(_row, pages), strict=True))
    return Held(words, paragraphs, pictures, fields, prices, leads, several, median(map(len, own)))


def _row(page: Page) -> tuple[float, float, float, float, float]:
    parts = leaves(page)
    texts = [len(leaf.text.split()) for leaf in parts if not leaf.url and leaf.kind != IMAGE]
    source = page.body[: 1 << 20].decode("latin-1")
    return (
        sum(texts),
        sum(words >= PARAGRAPH for words in texts),
        sum(leaf.kind == IMAGE for leaf in parts),
        len(FIELD.findall(source)),
        sum(bool(PRICE.search(leaf.text)) for leaf in parts),
    )


def _writers(held: Mapping[int, Held]) -> set[int]:
    """The types whose pages are linked from between the paragraphs of others: people. They have fewer paragraphs themselves."""
    found = set()
    for one in held.values():
        for other, links in one.leads.items():
            between = 1 <= links <= 2 * one.paragraphs and one.paragraphs > 1 and other in one.several
            if between and held[other].words < one.words / 2:
                found.add((links, other))
    return {max(found)[1]} if found else set()


def _content(name: int, one: Held, writers: set[int]) -> str:
    if name in writers:
        return "profile"
    if one.fields >= 1 and one.words < SHORT:
        return "form"
    if one.prices >= 1 and one.pictures >= 1:
        return "product"
    if one.paragraphs >= 2 and any(one.leads.get(other, 0.0) >= 1 for other in writers):
        return "thread"
    return "article" if one.words >= LONG else "page"


def _listed(one: Held, names: Mapping[int, str]) -> int | None:
    """The type that most links of a page lead to, if that is what the page is there for; people come last."""
    order = sorted(one.leads, key=lambda other: (names[other] == "profile", -one.leads[other]))
    least = max(LIST, MOSTLY * one.links, one.paragraphs)
    return next((other for other in order if one.leads[other] >= least), None)


def sketch(page: Page, most: int = 60) -> list[tuple[str, int]]:
    """A page in a few strokes, from top to bottom: title, link, image or text, and how many words."""
    drawn: list[tuple[str, int]] = []
    for leaf in leaves(page):
        heading = re.search(r"<h[1-3]\b", leaf.path) is not None
        kind = "image" if leaf.kind == IMAGE else "title" if heading else "link" if leaf.url else "text"
        drawn.append((kind, min(99, len(leaf.text.split()))))
        if len(drawn) >= most:
            break
    return drawn


def by_name(names: Mapping[int, str], order: Sequence[int]) -> dict[int, str]:
    """The same, later types of one name numbered."""
    seen: Counter[str] = Counter()
    numbered = {}
    for name in order:
        seen[names[name]] += 1
        numbered[name] = names[name] + (f" {seen[names[name]]}" if seen[names[name]] > 1 else "")
    return numbered
