"""What people would call the page types of a site: by what it says itself, else by what its pages hold and where links lead.

Pages of one type and one rule of URLs are looked at together, so that a type which holds two kinds of pages is called by both.
Somebody who writes is linked from what they wrote: where links to short pages of one kind take turns with paragraphs, these are
profiles, and the pages with the paragraphs are threads; so are those where dates take turns with paragraphs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple, TypeVar

from ...html.leaves import IMAGE, leaves
from ...learning.clusters import LEAST_POINTS, OUTLIER
from ...learning.sample import inside
from ...learning.url_patterns import common_words, pattern
from ...nouns import Page
from .survey import Survey
from .type_contents import Group, amounts, bylines, own_leaves
from .type_words import LIST, WORD, addressed, declared, of_body, part_of_one

LOOKED_AT = 20  # pages of a group
MANY_LINKS = 5.0  # to pages of one kind, from which a page is a list of them
MOSTLY = 0.2  # of its links, those of menus left out
EVERYWHERE = 0.1  # of all pages link to what is in a menu
LONG = 150  # words of an article
POSTS = 2.0  # from which a page is a thread
LONG_POST = 12  # paragraphs, on average at most
SHORT = 60  # words of a form
ALPHABET = 8  # folders of one letter, from which they are no short words
ALSO = 0.15  # of the pages of a type: another kind that is named as well
USUAL = 0.9  # of the groups of a site have a word that says nothing
PAGE, ARTICLE, THREAD, PROFILE, FORM, PRODUCT = "page", "article", "thread", "profile", "form", "product"
ASIDE = {LIST, FORM, "print view", "search page", "history", "comparison", "calendar"}  # nothing that lists are made of

T = TypeVar("T")


class Held(NamedTuple):
    """What the pages of a group hold, the median of each over some of them."""

    words: float  # that are in no link
    paragraphs: float
    pictures: float
    fields: float  # of forms
    prices: float  # and one more if it can be put into a basket
    posts: float  # dates with paragraphs, as many as a third of the pages has
    bylines: Mapping[Group, float]  # paragraphs with a link to a page of each group, likewise
    leads: Mapping[Group, float]  # links to pages of each group, its own left out
    links: float
    declared: str  # the kind that most of them say they are
    body: str  # and that of the classes of <body>
    address: tuple[str, bool]  # the kind that addresses speak of, and whether of one


def named(found: Survey) -> dict[int, str]:
    """A name for each page type; two types may have the same."""
    groups = _Groups(found)
    menu = _menu(found.pages)
    held = {group: _held(pages, groups, menu) for group, pages in groups.pages.items()}
    names = _kinds(held)
    return {
        name: _together({g: len(groups.pages[g]) for g in names if g[0] == name}, names)
        for name in found.sitemap.clusters
    }


def _together(sizes: Mapping[Group, int], names: Mapping[Group, str]) -> str:
    """What most pages of a type are, and what many others are."""
    pages: Counter[str] = Counter()
    for group, size in sizes.items():
        pages[names[group]] += size
    if any(name.startswith("list of") for name in pages):
        del pages[LIST]
    (first, _), *others = pages.most_common(2)
    also = [
        name for name, size in others if size >= max(LEAST_POINTS, ALSO * pages.total()) and PAGE not in (name, first)
    ]
    return " or ".join([first, *also])


def _menu(pages: Sequence[Page]) -> set[str]:
    """What is linked from everywhere: it says nothing about a page."""
    links = Counter(link.url for page in pages for link in {link.url: link for link in inside(page)}.values())
    return {url for url, count in links.items() if count > max(LEAST_POINTS, EVERYWHERE * len(pages))}


def _words(pages: Sequence[Page]) -> set[str]:
    return {word for page in pages for word in WORD.findall(page.url.lower())}


class _Groups:
    """The pages of each type by the rule of their URLs; rules with few pages are taken together."""

    def __init__(self, found: Survey) -> None:
        self.words = common_words({link.url for page in found.pages for link in inside(page)})
        types = dict.fromkeys(found.sitemap.clusters)
        rows = [
            ((name, self.rule(page.url)), page)
            for page, name in zip(found.pages, found.names, strict=True)
            if name in types
        ]
        sizes = Counter(group for group, _ in rows)
        self.pages: dict[Group, list[Page]] = {}
        for group, page in rows:
            self.pages.setdefault(group if sizes[group] >= LEAST_POINTS else (group[0], ""), []).append(page)
        self.known = {page.url: group for group, pages in self.pages.items() for page in pages}
        self.rules = {
            rule: (name, rule)
            for (name, rule), _ in sorted(sizes.items(), key=lambda item: item[1])
            if (name, rule) in self.pages
        }
        spoken = Counter(word for pages in self.pages.values() for word in _words(pages[:1]))
        usual = {word for word, count in spoken.items() if count > max(1, USUAL * len(self.pages))}
        letters = {word for word in _words(found.pages) if len(word) == 1}
        self.usual = frozenset(usual | letters if len(letters) > ALPHABET else usual)

    def rule(self, url: str) -> str:
        return pattern(url, self.words)

    def behind(self, url: str) -> Group:
        """The group behind a link: that of the page if it is known, else of those whose URLs are made by the same rule."""
        return self.known.get(url) or self.rules.get(self.rule(url), (OUTLIER, ""))


def _held(pages: Sequence[Page], groups: _Groups, menu: set[str]) -> Held:
    pages = pages[:LOOKED_AT]
    own = [[link for link in inside(page) if link.url not in menu] for page in pages]
    led = [Counter(groups.behind(link.url) for link in links) for links in own]
    itself = groups.known[pages[0].url]
    leads = {group: median(row[group] for row in led) for group in groups.pages if group != itself}
    parts = own_leaves(pages)
    rows = list(zip(*map(amounts, pages, parts), strict=True))
    written = [bylines(row, groups.behind) for row in parts]
    speaks = _most([declared(page.body) for page in pages], ""), _most([of_body(page.body) for page in pages], "")
    words, paragraphs, pictures, fields, prices = map(median, rows[:-1])
    return Held(
        words,
        paragraphs,
        pictures,
        fields,
        prices,
        _third(rows[-1]),
        {group: _third([row.get(group, 0) for row in written]) for group in leads},
        leads,
        median(map(len, own)),
        *speaks,
        _most([addressed(page.url, groups.usual) for page in pages], ("", False)),
    )


def _third(amounts: Sequence[float]) -> float:
    """What a third of the pages has, or more."""
    return sorted(amounts)[-1 - len(amounts) // 3]


def _most(spoken: Sequence[T], else_: T) -> T:
    (word, count), *_ = Counter(spoken).most_common(1)
    return word if 2 * count > len(spoken) else else_


def _kinds(held: Mapping[Group, Held]) -> dict[Group, str]:
    """What the pages of each group are."""
    bodies, menu = Counter(one.body for one in held.values()), min((one.fields for one in held.values()), default=0.0)
    held = {group: one._replace(fields=one.fields - menu) for group, one in held.items()}
    spoken = {group: _own_name(one, 2 * bodies[one.body] <= len(held)) for group, one in held.items()}
    writers = _writers(held, spoken)
    names = {group: _content(group, one, spoken[group][0], writers) for group, one in held.items()}
    for group, one in held.items():
        single = spoken[group][1] and not part_of_one(group[1])
        if not single and group not in writers and names[group] not in ASIDE - {LIST}:
            names[group] = _listed(one, names[group], names) or names[group]
    return names


def _own_name(one: Held, bodies: bool) -> tuple[str, bool]:
    """What the site calls these pages, if it does, and whether that is about one thing, not a list of them."""
    if one.declared:
        return one.declared, one.declared != LIST
    kind, single = one.address
    if kind:
        return kind, single and kind != LIST
    return (one.body, True) if bodies and one.body else ("", False)


def _writers(held: Mapping[Group, Held], spoken: Mapping[Group, tuple[str, bool]]) -> set[Group]:
    """The groups whose pages are linked from most posts of others: people. They have fewer words themselves."""
    found = {
        (posts, other)
        for (_, rule), one in held.items()
        for other, posts in one.bylines.items()
        if rule
        and posts >= POSTS <= one.paragraphs
        and held[other].words < min(LONG, one.words / 2)
        and max(held[other].posts, *held[other].bylines.values(), 0.0) < POSTS
        and spoken[other][0] in ("", PROFILE)
    }
    return {max(found)[1]} if found else set()


def _content(group: Group, one: Held, spoken: str, writers: set[Group]) -> str:
    if one.fields >= 1 and one.words < SHORT and spoken in ("", FORM, THREAD, PROFILE, "post", "question"):
        return FORM  # what members only may see is at the address of what they asked for
    if spoken or group in writers:
        return spoken or PROFILE
    if one.prices >= 1 and one.posts <= one.prices and (one.pictures >= 1 or one.fields >= 1):
        return PRODUCT
    dated = one.posts if one.paragraphs <= LONG_POST * one.posts else 0.0
    if max(dated, *(one.bylines.get(other, 0.0) for other in writers), 0.0) >= POSTS:
        return THREAD
    return ARTICLE if one.words >= LONG else PAGE


def _listed(one: Held, known: str, names: Mapping[Group, str]) -> str:
    """What most links of a page lead to, if that is what the page is there for; people come last.

    What was something before is no list of people or of pages of which nothing is known.
    """
    leads: dict[str, float] = {}
    for group, links in one.leads.items():
        weak = known not in (PAGE, LIST, PROFILE) and (
            names[group] == PAGE or (names[group] == PROFILE and known != ARTICLE)
        )
        if not weak and names[group] not in ASIDE and not names[group].startswith("list of"):
            leads[names[group]] = leads.get(names[group], 0.0) + links
    least = max(MANY_LINKS, MOSTLY * one.links, one.paragraphs)
    order = sorted(leads, key=lambda kind: (kind == PROFILE, kind == PAGE, -leads[kind]))
    return next((f"list of {kind}s" for kind in order if leads[kind] >= least), "")


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
