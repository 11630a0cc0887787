"""Offers as the compiled functions look at them, whether they were made or are many that were not."""

from __future__ import annotations

from ..batch import Many
from ..nouns import Link, Offer

# What they look at, in their order. Of many offers they know the fields by the order in which those are declared.
OFFERS: tuple[tuple[type, str], ...] = (
    *((Offer, name) for name in ("link", "value", "lane", "again")),
    *((Link, name) for name in ("url", "source")),
    *((Many, name) for name in ("fields", "numbers")),
)
