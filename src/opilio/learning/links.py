"""What a link promises before its page is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..nouns import Link, Page, Topic


class Promise(NamedTuple):
    link: Link
    value: float  # β·parent + (1-β)·context
    parent: float  # R of the page the link stands on
    context: float  # R of the words around the link


def predicted(topic: Topic, page: Page, beta: float) -> Iterator[Promise]:
    """The predicted similarity of each link on a page (eq. 9 of the OTIE paper)."""
    if not page.links:
        return
    parent = topic.page(page)
    for link, context in zip(page.links, topic.links(page), strict=True):
        yield Promise(link, beta * parent + (1 - beta) * context, parent, context)
