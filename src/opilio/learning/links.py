"""What links promise before their pages are known: columns, with an entry for each link of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..many import column, some
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


def once(links: Sequence[Link], *columns: Sequence[float]) -> tuple[Sequence[Link], list[list[float]]]:
    """The first link of each URL, and of each column the highest entry of its links."""
    best, urls = list(map(list, columns)), column(links, "url")
    firsts = dict(zip(reversed(urls), range(len(urls) - 1, -1, -1), strict=True))
    if len(firsts) == len(urls):
        return links, best
    places = sorted(firsts.values())
    for place in set(range(len(urls))).difference(places):
        first = firsts[urls[place]]
        for each in best:
            each[first] = max(each[first], each[place])
    return some(links, places), [[each[place] for place in places] for each in best]
