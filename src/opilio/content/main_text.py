"""The main text of an HTML page, by trafilatura. This runs in a sandbox: nothing else imports it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lxml.etree import strip_tags
from trafilatura import bare_extraction
from trafilatura.xml import xmltotxt

FIELDS = ("title", "date", "author")


def read(html: str, url: str) -> dict[str, str] | None:
    """Text, Markdown, title, date and author of a page; None when there is no text in it."""
    found: Any = bare_extraction(html, url=url, with_metadata=True, include_links=True, include_formatting=True)
    if found is None:
        return None
    bodies = [body for body in (found.body, found.commentsbody) if body is not None]
    for body in bodies:
        _unlink(body)
    markdown = _joined(xmltotxt(body, True) for body in bodies)
    for body in bodies:
        strip_tags(body, "ref")
    fields = {name: getattr(found, name) or "" for name in FIELDS}
    return {"text": _joined(xmltotxt(body, False) for body in bodies), "markdown": markdown, **fields}


def _unlink(body: Any) -> None:
    """Links that lead to no page (scripts, data) become their words."""
    for link in body.iter("ref"):
        if not (link.get("target") or "").startswith(("http://", "https://")):
            link.tag = "hi"
            link.attrib.clear()


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(filter(None, (part.strip() for part in parts)))
