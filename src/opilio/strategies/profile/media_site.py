"""A media-sharing site as far as it is known: its page types, where their links lead, where tags and uploaders stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

from ...codec import saved
from ...html.leaves import Leaf
from .page_types import DETAIL, LIST, OTHER, PROFILE, PageTypes, strings
from .tag_fields import Field, Headings, Term, terms
from .tags import tag_name
from .thumbnails import Beside, Position, Shown, inside, position, shown_at

MOSTLY = 0.5

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

    def names(self, leaves: Sequence[Leaf]) -> set[str]:
        """The tags of a detail page."""
        return {term.name for term in self.terms(leaves, DETAIL)}

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
    """The type of page that most links at a position lead to."""
    seen = leads.get(where)
    if not seen:
        return OTHER
    best = max(seen, key=lambda kind: (seen[kind], kind))
    return best if seen[best] > MOSTLY * sum(seen.values()) else OTHER
