"""Cash along the links of a page, in equal shares, as in OPIC; lanes say what else a link is worth."""

from __future__ import annotations

from collections.abc import Iterator

from ...learning.flow import handed_on
from ...nouns import Offer, Page
from ...urls import site
from .lanes import ELSE, OUTSIDE, Places


def cash_offers(page: Page, places: Places) -> Iterator[Offer]:
    """The page's cash goes to all of its links; further lanes of a link cost nothing."""
    links, home = {link.url: link for link in page.links}, site(page.url)
    for offer in handed_on(page, page.value, list(links.values()), [1.0] * len(links), None):
        elsewhere = ELSE if site(offer.link.url) == home else OUTSIDE
        for turn, (lane, note) in enumerate(places.get(offer.link.url) or [(elsewhere, (-1, "", ""))]):
            yield Offer(offer.link, offer.value if not turn else 0.0, lane, note)
