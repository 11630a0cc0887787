"""The lanes of a crawl by profiles: links of one uploader share a fate, and so do those on the lists of one tag."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from ...html.leaves import Leaf
from ...nouns import Lane
from ...urls import digest
from .media_site import MediaSite
from .page_types import DETAIL, LIST, PROFILE
from .thumbnails import inside, position

LISTS = "lists"  # and a tag: list pages of that tag
LISTED = "listed"  # and a tag: details on such lists
USER = "user"  # and a number: details of an uploader
WHO = "who"  # and a number: their profile
MORE = "more"  # and a number: further pages of that profile
TIE = 1e-6  # of its cash: decides between pages of one price
CROWD: Lane = ("crowd",)  # of uploaders too many to keep apart
ELSE: Lane = ("else",)  # other pages of the site
OUTSIDE: Lane = ("outside",)  # of other sites

Note: TypeAlias = tuple[int, str, str]  # position of the link, uploader, tag of the list it leads to or stands on
Places: TypeAlias = dict[str, list[tuple[Lane, Note]]]  # by URL
NOTES = ("position", "uploader", "tag of the list")


def lane(kind: str, number: int | None) -> Lane:
    return CROWD if number is None else (kind, str(number))


def uploaders(places: Places) -> set[int]:
    """The numbers of those whose details have lanes of their own."""
    return {int(where[1]) for found in places.values() for where, _ in found if where[0] == USER}


class Numbered(Protocol):
    """Keeps uploaders apart."""

    def number(self, url: str) -> int | None: ...
    def saw(self, number: int, link: int, promise: float) -> None: ...


class Placing:
    """Puts the links of pages into lanes. `matters`: whether a tag's lists may be of interest; `worth`: how much they are."""

    def __init__(
        self,
        site: MediaSite,
        people: Numbered,
        matters: Callable[[str], bool],
        worth: Mapping[str, float],
    ) -> None:
        self.site, self.people, self.matters, self.worth = site, people, matters, worth
        self.numbers = {where: number for number, where in enumerate(site.leads)}

    def places(self, url: str, leaves: Sequence[Leaf], kind: str, tag: str) -> Places:
        """The lanes of every link of a page of that kind; `tag` is that of the list which the page is."""
        linked = inside(leaves, url)
        owner = {PROFILE: url, DETAIL: self.site.owner(linked) if self.site.own else ""}.get(kind, "")
        names = {shown.url: shown.name or owner for shown in self.site.shown(linked)}
        places: Places = {}
        for leaf in linked:
            number = self.numbers.get(position(leaf), -1)
            here = places.setdefault(leaf.url, [])
            if leaf.url in names:
                here += [] if here else self._detail(leaf.url, names[leaf.url], number, tag if kind == LIST else "")
                continue
            leads = self.site.expected(position(leaf))
            if leads == PROFILE and not here:
                here.append((lane(WHO, self.people.number(leaf.url)), (number, leaf.url, "")))
            elif leads == LIST and leaf.text:
                named = self.site.list_tag(leaf, kind, tag)
                here.append(((LISTS, named) if self.matters(named) else ELSE, (number, "", named)))
        return {target: found for target, found in places.items() if found}

    def _detail(self, url: str, user: str, number: int, tag: str) -> list[tuple[Lane, Any]]:
        note = (number, user, tag)
        lanes: list[Lane] = [(LISTED, tag)] if tag and self.matters(tag) else []
        if not user:
            return [(where, note) for where in (*lanes, ELSE)]
        who = self.people.number(user)
        if who is not None:
            self.people.saw(who, digest(url), self.worth.get(tag, 0.0))
        return [(where, note) for where in (*lanes, lane(USER, who))]
