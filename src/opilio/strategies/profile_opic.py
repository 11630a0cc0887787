"""Profile with OPIC: lists of the topic first, details and profiles by their user's rank, the rest competes by its OPIC score."""

from __future__ import annotations

from collections.abc import Iterator

from ..nouns import DROP, Lane, Page, Say, Terms, Weight
from .profile import Profile
from .profile.lanes import LISTS, OUTSIDE, TIE, USER, WHO, Places
from .profile.link_cash import cash_offers
from .profile.media_sample import SAMPLE


class ProfileOpic(Profile):
    """price = 1 for list pages of the topic, the rank of their user for details and profiles, and cash for all else.

    Cash flows along the links of all pages, in equal shares, as in opic. Where the rank of a user is not known yet, cash
    decides about their pages, too (section 8.3 of Zhang and Nasraoui 2009).
    """

    terms = Terms("cash", shift="rank of its user, or of lists", lane="page type and uploader")
    merge = "sum"
    instead = "OPIC"

    def crawling(self, lane: Lane) -> Weight:
        if lane[0] == LISTS and lane[1] in self.topic_:
            return Weight(1.0, TIE)
        if lane[0] in (USER, WHO) and self.people_.is_known(int(lane[1])):
            return Weight(self.people_.rank(int(lane[1]), self.alpha, self.beta), TIE)
        return DROP if lane == OUTSIDE or lane[0] == SAMPLE else Weight(0.0, 1.0)

    def turn(self) -> float:
        """Cash decides, not the order in which links were found."""
        return 0.0

    def paid(self, page: Page, places: Places) -> Iterator[Say]:
        return cash_offers(page, places)
