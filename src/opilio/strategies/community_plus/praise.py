"""Where round one looks first: sites that relevant home pages recommend."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...nouns import PARK, Weight

FIRST = 1e9  # the price of seeds in round one
PATIENCE, TWICE = 100, 1.5  # after so many home pages, the relevance of those that recommend a site must add up to this


def worth_a_look(name: str, seeds: Collection[str], praise: Mapping[str, float], asked: int) -> Weight:
    """Seeds first, then the sites that relevant home pages recommend most.

    Once enough home pages have answered, one recommendation is no longer enough: a site with a single link into the
    community would hardly pass FRTW, and there are many of them.
    """
    price = FIRST if name in seeds else praise.get(name, 0.0)
    return PARK if asked >= PATIENCE and price < TWICE else Weight(price, 0.0)
