"""Where round one looks first: sites that relevant home pages recommend."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ...nouns import PARK, Reweigh, Weight
from ..community.home_pages import Home
from ..community.two_rounds import HOMES

FIRST = 1e9  # the price of seeds in round one
PATIENCE, TWICE = (
    100,
    1.5,
)  # after this many home pages, the relevance of those that recommend a site must add up to this
SLIGHT = 0.01  # relevance below which praise moves no price


def worth_a_look(name: str, seeds: Collection[str], praise: Mapping[str, float], asked: int) -> Weight:
    """Seeds first, then the sites that relevant home pages recommend most.

    Once enough home pages have answered, one recommendation is no longer enough: a site with a single link into the
    community would hardly pass FRTW, and there are many of them.
    """
    price = FIRST if name in seeds else praise.get(name, 0.0)
    return PARK if asked >= PATIENCE and price < TWICE else Weight(price, 0.0)


def praised(praise: dict[str, float], home: Home, asked: int, most: int) -> Iterator[Reweigh]:
    """The `asked`-th home page of at most `most` recommends its friends: `praise` changes, and the prices that follow from it."""
    relevance, friends = home[0], sorted(home[2])
    for friend in friends:
        praise[friend] = praise.get(friend, 0.0) + relevance
    if asked == PATIENCE:
        yield Reweigh()
    elif asked < most and relevance > SLIGHT:
        yield from (Reweigh((HOMES, friend)) for friend in friends)
