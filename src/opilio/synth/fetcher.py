"""Crawls the synthetic web without storing it first."""

from __future__ import annotations

from ..fetchers.to_page import answered
from ..nouns import Fetcher, Offer, Page
from .web import Web


class SynthFetcher(Fetcher):
    """Answers offers from a synthetic web, on the fly."""

    def __init__(self, web: Web) -> None:
        self.web = web

    async def fetch(self, offer: Offer) -> Page:
        status, headers, body = self.web.answer(offer.link.url)
        return answered(offer, status, {name.lower(): value for name, value in headers.items()}, body)
