"""A response becomes a page; the same whoever brought it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .. import html
from ..html.announced import Announced, announced, forward
from ..nouns import Document, Offer, Page
from ..urls import canonical

Parse = Callable[[bytes, str, str, Announced], Document]
AHEAD = 1 << 16  # bytes in which a page says that it leads elsewhere


def answered(offer: Offer, status: int, headers: Mapping[str, str], body: bytes, parse: Parse = html.Document) -> Page:
    """The page of a response whose header names are in lower case: with a document, a location or an error."""
    url = offer.link.url
    page = Page(offer, url, status, headers, body)
    if 300 <= status < 400:
        page.location = canonical(headers.get("location", "") or "no:where", url)
    if 200 <= status < 300:
        page.document = parse(body, url, headers.get("content-type", ""), announced(headers, url))
        if "refresh" in headers or b"refresh" in body[:AHEAD].lower():  # few are: all others are not read yet
            page.location = forward(page.document)
    elif not page.location:
        page.error = f"http {status}"
    return page
