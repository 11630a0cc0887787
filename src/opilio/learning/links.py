"""What links promise before their pages are known: columns, with an entry for each link of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
    return Promises(parent, contexts, [beta * parent + (1 - beta) * context for context in contexts])


def once(links: Sequence[Link], *columns: Sequence[float]) -> tuple[list[Link], list[list[float]]]:
    """The first link of each URL, and of each column the highest entry of its links."""
    firsts: dict[str, int] = {}
    best = list(map(list, columns))
    if len({link.url for link in links}) == len(links):  # as on most pages
        return list(links), best
    for place, link in enumerate(links):
        first = firsts.setdefault(link.url, place)
        if first != place:
            for column in best:
                column[first] = max(column[first], column[place])
    return [links[place] for place in firsts.values()], [
        [column[place] for place in firsts.values()] for column in best
    ]
