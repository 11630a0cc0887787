"""Thumbnails with names beside them: which links of a page belong together, told by where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from ...codec import saved
from ...html.leaves import IMAGE, Leaf
from ...urls import site

Position: TypeAlias = str  # the path string of a link, with a mark when it holds a picture
MARK = "image:"
FEW = 2  # links at one position before they can be a row of thumbnails
NEARLY = 0.8  # of the thumbnails have a name, and of the names a thumbnail


def position(leaf: Leaf) -> Position:
    return f"{MARK}{leaf.place}" if leaf.kind == IMAGE else leaf.place


def inside(leaves: Iterable[Leaf], url: str) -> list[Leaf]:
    """The leaves that are part of a link to another page of the site."""
    home = site(url)
    return [leaf for leaf in leaves if leaf.url and leaf.url != url and site(leaf.url) == home]


def positions(linked: Iterable[Leaf]) -> dict[Position, list[str]]:
    """Where the links of a page stand, and where they lead, in their order."""
    found: dict[Position, dict[int, str]] = {}
    for leaf in linked:
        found.setdefault(position(leaf), {})[leaf.link] = leaf.url
    return {where: list(urls.values()) for where, urls in found.items()}


@saved
class Beside(NamedTuple):
    """A position of thumbnails and the position of the names beside them."""

    thumb: Position
    name: Position
    first: bool  # the name comes before its thumbnail


class Shown(NamedTuple):
    """A thumbnail: the page it leads to, and the page of the name beside it, "" when there is none."""

    url: str
    name: str


def rows(linked: Sequence[Leaf]) -> Iterator[tuple[Beside, list[Shown]]]:
    """Every pair of positions of a page that looks like thumbnails with names beside them."""
    places = positions(linked)
    for thumb, urls in places.items():
        if not thumb.startswith(MARK) or len(set(urls)) < FEW:
            continue
        for name, others in places.items():
            if name == thumb or name == thumb.removeprefix(MARK) or not NEARLY <= len(others) / len(urls) <= 1 / NEARLY:
                continue
            beside = Beside(thumb, name, _comes_first(linked, name, thumb))
            found = [shown for shown in shown_at(linked, beside) if shown.name not in ("", shown.url)]
            if len(found) >= max(FEW, NEARLY * len(urls)):
                yield beside, found


def shown_at(linked: Sequence[Leaf], beside: Beside) -> list[Shown]:
    """The thumbnails of a pair of positions, each with its name."""
    found: list[Shown] = []
    name = ""
    for leaf in reversed(linked) if not beside.first else linked:
        where = position(leaf)
        if where == beside.name:
            name = leaf.url
        elif where == beside.thumb:
            found.append(Shown(leaf.url, name))
            name = ""
    return found


def _comes_first(linked: Iterable[Leaf], one: Position, other: Position) -> bool:
    return next(where == one for leaf in linked if (where := position(leaf)) in (one, other))
