"""A response becomes a page; the same whoever brought it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .. import html
from ..nouns import Document, Offer, Page
from ..urls import canonical

Parse = Callable[[bytes, str, str], Document]


def answered(offer: Offer, status: int, headers: Mapping[str, str], body: bytes, parse: Parse = html.Document) -> Page:
    """The page of a response whose header names are in lower case: with a document, a location or an error."""
    url = offer.link.url
    page = Page(offer, url, status, headers, body)
    if 300 <= status < 400:
        page.location = canonical(headers.get("location", "") or "no:where", url)
    if 200 <= status < 300:
        page.document = parse(body, url, headers.get("content-type", ""))
    elif not page.location:
        page.error = f"http {status}"
    return page
