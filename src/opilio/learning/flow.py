"""Cash that flows along links: what opic and otie share."""

from __future__ import annotations

from collections.abc import Sequence

from ..batch import many, rows
from ..nouns import PARK, Lane, Link, Offer, Page, Weight

AGAIN: Lane = ("again",)
SHARES = ("cash of the parent", "after its revision", "share of it", "similarity or part")  # the note of each offer
RICHEST = Weight(1e6, 1.0, most=1)  # before everything else, the richest fetched page, once


def handed_on(
    page: Page,
    cash: float,
    links: Sequence[Link],
    parts: Sequence[float],
    again: Lane | None = AGAIN,
    noted: Sequence[float | list[float]] = (),
) -> Sequence[Offer]:
    """The page's cash, dealt to its links in proportion to their parts; a dead end gives it back to itself.

    Note of each offer: the cash that the page had, what of it was dealt, the share, the part, and what is `noted` of all links or
    of each.
    """
    total = sum(parts)
    if not total:
        return [Offer(page.offer.link, cash)]
    values = [cash * part / total for part in parts]
    shares = [part / total for part in parts]
    notes = rows(len(links), float(page.value), float(cash), list(map(float, shares)), list(map(float, parts)), *noted)
    return many(Offer, links, values, (), notes, again)


def due(pages: int, every: int) -> bool:
    """Whether it is time to fetch the richest page again."""
    return bool(every and pages and pages % every == 0)


def weight_again(pages: int, every: int) -> Weight:
    """What the lane of fetched pages is worth after this many pages."""
    return RICHEST if due(pages, every) else PARK
