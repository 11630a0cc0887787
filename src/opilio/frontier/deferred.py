"""Offers that are taken after all others, in a lane of their own, and how they come back."""

from __future__ import annotations

from dataclasses import replace

from ..nouns import DEFERRED, Offer


def deferred(offer: Offer) -> Offer:
    """The offer in the last lane; its note remembers where it was."""
    return replace(offer, lane=DEFERRED, note=(offer.lane, offer.note))


def in_original_lane(offer: Offer) -> Offer:
    """An offer as its strategy made it, wherever it has fallen to."""
    return replace(offer, lane=tuple(offer.note[0]), note=tuple(offer.note[1])) if offer.lane == DEFERRED else offer
