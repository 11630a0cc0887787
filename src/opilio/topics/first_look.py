"""A look at what a topic made of the first hundred pages: does it tell pages apart at all, and by which words."""

from __future__ import annotations

import numpy as np

from ..nouns import RELEVANT
from .adaptive import Growing
from .deciding import deciding
from .kept_material import pages

ENOUGH = 100  # pages
MOST, NONE = 0.6, 0.0  # shares of relevant pages that are worth a word
COMMON = 0.5  # a word on so many pages tells nothing
SHOWN = 5  # words


def doubts(topic: Growing) -> str:
    """What looks wrong, which words decide, and what can be done; "" while there are too few pages, or all looks well."""
    if topic.seen_ < ENOUGH:
        return ""
    sample = pages(topic.sample_)
    share = float(np.mean([topic.page(page) >= RELEVANT for page in sample])) if sample else 0.5
    for_it = [one for one in deciding(topic, SHOWN) if one.weight > 0]
    by = f"; what decides: {', '.join(one.word for one in for_it)}" if for_it else ""
    if share > MOST:
        return (
            f"{share:.0%} of the pages so far count as relevant{by}. If that is too many, say no to some (opilio label)"
        )
    if share <= NONE:
        return f"none of {len(sample)} pages so far counts as relevant{by}. If some are: name other words, or give examples"
    usual = [one.word for one in for_it if one.share > COMMON]
    if len(usual) * 2 > len(for_it):
        return f"what decides is on most pages so far ({', '.join(usual)}): say more about the topic, or give examples off it"
    return ""
