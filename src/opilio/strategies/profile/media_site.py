"""A media-sharing site as far as it is known: its page types, where their links lead, where tags and uploaders stand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

from ...codec import saved
from ...html.leaves import TEXT, Leaf
from .page_types import DETAIL, LIST, MEDIA_TYPES, OTHER, PROFILE, PageTypes, strings
from .page_types import learn as learn_types
from .roles import Seen
from .tag_fields import Field, Headings, Term, find_fields, headings, shared_values, terms
from .tags import tag_name
from .thumbnails import Beside, Position, Shown, inside, position, positions, rows, shown_at

COMMON = 0.9  # of the pages of a type that was found without examples have its path strings
MOSTLY = 0.5
ENOUGH = 3  # pages that a position must have led to before we go by it
NO_TAGS = "its detail pages have no tags that can be told from other text"

LETTER = re.compile(r"[^\W\d_]")
Leads: TypeAlias = dict[Position, dict[str, int]]


@saved
class MediaSite(NamedTuple):
    """All that a crawl knows of it."""

    types: PageTypes
    leads: Leads  # how many pages of each type the links at a position led to
    beside: list[Beside]  # thumbnails and the names beside them
    headings: dict[str, Headings]  # by page type
    tags: dict[str, list[Field]]  # where details and profiles have tags
    owners: list[Position]  # where a detail page names its uploader
    own: bool  # thumbnails without a name on a detail page are of the same uploader

    def classify(self, leaves: Iterable[Leaf]) -> str:
        return self.types.classify(strings(leaves))

    def expected(self, where: Position) -> str:
        """The type of page that a link at this position leads to."""
        return expected(self.leads, where)

    def terms(self, leaves: Sequence[Leaf], kind: str) -> list[Term]:
        """The tags of a detail page, or the terms of a profile with their counts."""
        return terms(leaves, self.tags[kind], self.headings[kind])

    def profile(self, leaves: Sequence[Leaf], url: str) -> tuple[list[Term], list[str]]:
        """The terms and the contacts of a profile page."""
        return self.terms(leaves, PROFILE), self.contacts(inside(leaves, url))

    def teach(self, place: int, kind: str) -> None:
        """A link at a position, by its number among those known, led to a page of that kind."""
        if place >= 0:
            seen = next(islice(self.leads.values(), place, None))
            seen[kind] = seen.get(kind, 0) + 1

    def shown(self, linked: Sequence[Leaf]) -> list[Shown]:
        """The thumbnails of a page that lead to details, each with its uploader where one stands beside it."""
        found: dict[str, str] = {}
        for beside in self.beside:
            for url, name in shown_at(linked, beside):
                found[url] = found.get(url) or name
        for leaf in linked:
            if self.expected(position(leaf)) == DETAIL:
                found.setdefault(leaf.url, "")
        return [Shown(url, name) for url, name in found.items()]

    def list_tag(self, leaf: Leaf, kind: str, tag: str) -> str:
        """The tag of the list that a link leads to: the words of the link, or, where lists turn pages, the list's own."""
        turns = kind == LIST and (not LETTER.search(leaf.text) or (leaf.path, leaf.text) in self.headings[LIST])
        return tag if turns else tag_name(leaf.text)

    def owner(self, linked: Sequence[Leaf]) -> str:
        """The uploader that a detail page names."""
        return next((leaf.url for where in self.owners for leaf in linked if position(leaf) == where), "")

    def contacts(self, linked: Sequence[Leaf]) -> list[str]:
        """The profiles that a profile page names, those beside thumbnails left out."""
        names = {beside.name for beside in self.beside}
        places = ((leaf.url, position(leaf)) for leaf in linked)
        return list(dict.fromkeys(url for url, at in places if at not in names and self.expected(at) == PROFILE))


def expected(leads: Leads, where: Position) -> str:
    seen = leads.get(where)
    if not seen:
        return OTHER
    best = max(seen, key=lambda kind: (seen[kind], kind))
    return best if seen[best] > MOSTLY * sum(seen.values()) else OTHER


def learn_site(
    sample: Sequence[Seen], examples: Mapping[str, Sequence[Seen]], common: float = COMMON
) -> MediaSite | str:
    """The site by pages of each type and by whatever other pages were seen; or why it cannot be crawled by profiles."""
    types = learn_types({kind: [strings(page.leaves) for page in examples[kind]] for kind in MEDIA_TYPES}, common)
    kinds = {page.url: types.classify(strings(page.leaves)) for page in sample}
    linked = {page.url: inside(page.leaves, page.url) for page in sample}
    leads = _leads(kinds, linked)
    beside = _beside(linked.values(), leads)
    by_type = {kind: [_own_words(page, leads) for page in sample if kinds[page.url] == kind] for kind in MEDIA_TYPES}
    heads = {kind: headings(by_type[kind]) for kind in MEDIA_TYPES}
    names = list_names(sample, kinds, leads) or shared_values(by_type[DETAIL], by_type[PROFILE])
    tags = {kind: find_fields(by_type[kind], heads[kind], names) for kind in (DETAIL, PROFILE)}
    if not tags[DETAIL]:
        return NO_TAGS
    owners = _owners([linked[url] for url, kind in kinds.items() if kind == DETAIL], leads, beside)
    site = MediaSite(types, leads, beside, heads, tags, owners, False)
    return site._replace(own=_more_of_the_same(site, kinds, linked))


def _own_words(page: Seen, leads: Leads) -> list[Leaf]:
    """The leaves of a page but for the names of people and of things."""
    return [leaf for leaf in page.leaves if not (leaf.url and expected(leads, position(leaf)) in (DETAIL, PROFILE))]


def _leads(kinds: Mapping[str, str], linked: Mapping[str, Sequence[Leaf]]) -> Leads:
    found: dict[Position, Counter[str]] = {}
    for leaves in linked.values():
        for where, urls in positions(leaves).items():
            found.setdefault(where, Counter()).update(kinds[url] for url in sorted(set(urls)) if url in kinds)
    return {where: dict(seen) for where, seen in found.items() if seen}


def _beside(pages: Iterable[Sequence[Leaf]], leads: Leads) -> list[Beside]:
    """Pairs of positions that lead to details and profiles, the commonest first."""
    counts: Counter[Beside] = Counter()
    for linked in pages:
        for pair, shown in rows(linked):
            if expected(leads, pair.thumb) == DETAIL and expected(leads, pair.name) == PROFILE:
                counts[pair] += len(shown)
    return [pair for pair, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def list_names(sample: Sequence[Seen], kinds: Mapping[str, str], leads: Leads) -> set[str]:
    """What links to lists are called, on pages that are no lists themselves: there they are numbers of pages."""
    return {
        tag_name(leaf.text)
        for page in sample
        if kinds[page.url] != LIST
        for leaf in page.leaves
        if leaf.kind == TEXT and leaf.url and expected(leads, position(leaf)) == LIST
    }


def _owners(details: Sequence[Sequence[Leaf]], leads: Leads, beside: Sequence[Beside]) -> list[Position]:
    """Where detail pages name one profile, the positions that most of them have first; those beside thumbnails last."""
    counts: Counter[Position] = Counter()
    for linked in details:
        for where, urls in positions(linked).items():
            if len(set(urls)) == 1 and expected(leads, where) == PROFILE:
                counts[where] += 1
    names = {pair.name for pair in beside}
    return sorted(counts, key=lambda where: (where in names, -counts[where], where))


def _more_of_the_same(site: MediaSite, kinds: Mapping[str, str], linked: Mapping[str, Sequence[Leaf]]) -> bool:
    """Whether thumbnails without a name on detail pages are of the page's uploader, by those whose pages were seen."""
    owners = {url: site.owner(linked[url]) for url, kind in kinds.items() if kind == DETAIL}
    pairs = [
        (owner, owners[shown.url])
        for url, owner in owners.items()
        for shown in site.shown(linked[url])
        if not shown.name and shown.url in owners
    ]
    return sum(one == other for one, other in pairs) > MOSTLY * len(pairs)
