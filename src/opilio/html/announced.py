"""Where a page says that its reader should go, apart from its links: <meta http-equiv=refresh>, and headers of the answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .. import urls
from ..nouns import Document, Link

SOON = 30  # seconds after which a browser would go there; pages that wait longer are meant to be read
FEW = 200  # characters of a page that says no more than where it leads
REFRESH = "refresh"  # the rel of such links

# "0; url=/there", also without "url=", with a comma or blanks, and with quotes. No part of it can be read in two ways.
_REFRESH = re.compile(r"\s*+(\d{1,9}+)[\d.]*+(?:\s*+[;,]\s*+|\s++)(?:url\s*+=\s*+)?+(.*)", re.IGNORECASE | re.DOTALL)
_LINK = re.compile(r"<([^<>]*)>([^<]*)")  # of a Link header: an address, and what it is
_CANONICAL = re.compile(r";\s*+rel\s*+=\s*+[\"']?+canonical\b", re.IGNORECASE)


class Announced(NamedTuple):
    """What the headers of an answer say, in canonical form; "" for nothing."""

    refresh: str = ""
    canonical: str = ""


def announced(headers: Mapping[str, str], url: str) -> Announced:
    """What headers, their names in lower case, say of a page."""
    if "refresh" not in headers and "link" not in headers:
        return Announced()
    return Announced(refreshed(headers.get("refresh", ""), url), _canonical(headers.get("link", ""), url))


def refreshed(text: str, base: str) -> str:
    """Where a browser would soon go to that is told to refresh the page like this, in canonical form; "" for nowhere."""
    found = _REFRESH.match(text)
    if not found or int(found[1]) > SOON or not (target := _unquoted(found[2])):
        return ""
    return urls.canonical(target, base)


def _unquoted(text: str) -> str:
    return text[1:].partition(text[0])[0].strip() if text[:1] in ("'", '"') else text.strip()


def _canonical(header: str, url: str) -> str:
    targets = (found[1] for found in _LINK.finditer(header) if _CANONICAL.search(found[2]))
    return next((urls.canonical(target.strip(), url) for target in targets), "")


def with_refresh(links: Sequence[Link], target: str, url: str, title: str) -> Sequence[Link]:
    """The links of a page, and at last the one that it would follow by itself."""
    return (*links, Link(target, url, title, title, "html/head/meta", rel=(REFRESH,))) if target != url else links


def forward(document: Document) -> str:
    """Where a page leads that says no more than that; "" for a page to be read."""
    links = document.links
    if not links or REFRESH not in links[-1].rel or len(document.text) > FEW:
        return ""
    target = links[-1].url
    return target if all(link.url == target for link in links) else ""
