"""The sample: near the seeds all links are followed, and all of them count, whenever it is known what they lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...nouns import Lane, Offer, Page, Say
from .outcomes import Outcomes

Counted = Callable[[float], float]  # what a page of some relevance counts
SAMPLE: Lane = ("sample",)
HOPS = 2  # from the seeds: as far as the sample goes


def spread(
    outcomes: Outcomes,
    waiting: dict[str, list[Lane]],
    page: Page,
    lane: Lane,
    note: tuple[Any, ...],
    good: Counted,
) -> Iterator[Say]:
    """Count the links of a page, now or once they are followed; near the seeds, follow them."""
    depth = 1 - page.value if page.offer.lane == SAMPLE else HOPS + 1
    for link in {link.url: link for link in page.links}.values():
        if fetched := page.known(link.url):
            outcomes.note(lane[0], lane[2:], good(fetched[0]))
        else:
            waiting.setdefault(link.url, []).append(lane)
        if depth <= HOPS:
            yield Offer(link, -depth, SAMPLE, note)


def note_known(outcomes: Outcomes, page: Page, lane: Lane, good: Counted) -> None:
    """The sample counted all links: followed ones alone, the best, would raise P, and with it the weight of C."""
    for url in {link.url for link in page.links}:
        if fetched := page.known(url):
            outcomes.note(lane[0], lane[2:], good(fetched[0]))
