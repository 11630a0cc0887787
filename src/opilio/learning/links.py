"""What a link promises before its page is known."""

from __future__ import annotations

from itertools import repeat
from typing import NamedTuple

from ..nouns import Link, Page, Topic


class Promise(NamedTuple):
    link: Link
    value: float  # β·parent + (1-β)·context
    parent: float  # R of the page the link stands on
    context: float  # R of the words around the link


def predicted(topic: Topic, page: Page, beta: float) -> list[Promise]:
    """The predicted similarity of each link on a page (eq. 9 of the OTIE paper)."""
    links = page.links
    if not links:
        return []
    parent, contexts = topic.page(page), topic.links(page)
    values = [beta * parent + (1 - beta) * context for context in contexts]
    return list(map(Promise._make, zip(links, values, repeat(parent, len(links)), contexts, strict=True)))
