"""A crawl of all sites, where the community is not that of the topic, or nothing is left in it: as link-context-plus would."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...learning import link_kinds
from ...learning.link_promise import predicted
from ...nouns import Lane, Link, Offer, Page, Topic, Weight
from ..community.two_rounds import HOMES, PAGES

READ: Lane = ("read",)  # pages of round one, which are there already
CONTEXT = 0.25  # β of link-context


def read_again(urls: Iterable[str]) -> Iterator[Offer]:
    """The pages of round one, whose links were not offered then."""
    for url in urls:
        yield Offer(Link(url), 1.0, READ, again=READ)


def promises(topic: Topic, page: Page, lanes: link_kinds.Lanes) -> Iterator[Offer]:
    """What the links of a page promise; their lanes say what links of their kind have kept of it."""
    parent, contexts, values = predicted(topic, page, CONTEXT)
    for link, context, value in zip(page.links, contexts, values, strict=True):
        yield Offer(link, value, lanes.of(link), (CONTEXT * parent, (1 - CONTEXT) * context, 0.0))


def lane_weight(table: link_kinds.Table, lane: Lane) -> Weight:
    """What links of a kind have brought; lanes of the community lead anywhere."""
    if lane == READ:
        return Weight(1.0, 0.0)
    return Weight(0.0, link_kinds.worth(table, () if lane[:1] in ((HOMES,), (PAGES,)) else lane))
