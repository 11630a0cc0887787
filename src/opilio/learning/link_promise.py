"""What links promise before their pages are known: columns, with an entry for each link of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..batch import column, some
from ..nouns import Link, Page, Topic


class Promises(NamedTuple):
    parent: float  # R of the page that the links stand on
    contexts: Sequence[float]  # R of the words around each
    values: list[float]  # β·parent + (1-β)·context


def predicted(topic: Topic, page: Page, beta: float) -> Promises:
    """The predicted similarity of each link on a page (eq. 9 of the OTIE paper)."""
    if not page.links:
        return Promises(0.0, (), [])
    parent, contexts = topic.page(page), topic.links(page)
    share, rest = beta * parent, 1 - beta
    return Promises(parent, contexts, [share + rest * context for context in contexts])


def once(links: Sequence[Link], *columns: Sequence[float]) -> tuple[Sequence[Link], list[list[float]]]:
    """The first link of each URL, and of each column the highest entry of its links."""
    best = list(map(list, columns))
    if (found := firsts(list(column(links, "url")))) is None:
        return links, best
    places, again = found
    for place, first in again:
        for each in best:
            each[first] = max(each[first], each[place])
    return some(links, places), [[each[place] for place in places] for each in best]


def firsts(names: list[str]) -> tuple[list[int], list[tuple[int, int]]] | None:
    """The numbers of those that were not there before, and of the others, each with that of the first; None where all differ."""
    known = dict(
        zip(reversed(names), range(len(names) - 1, -1, -1), strict=True)
    )  # of a name that comes again, the first
    if len(known) == len(names):
        return None
    found = map(known.__getitem__, names)
    return sorted(known.values()), [(number, first) for number, first in enumerate(found) if first != number]
