"""Which pages are shown by a browser, and what becomes of them."""

from __future__ import annotations

from collections import defaultdict
from typing import Literal

from ..html import Document
from ..html.document import kind_of
from ..urls import site
from .chromium import Chromium, Get, check_installed
from .http.client import Answer

Render = Literal["never", "auto", "always"]
FEW_WORDS = 30  # of a page that does not say much by itself
SHOWN = "x-opilio-rendered"  # the header of a stored page that a browser has made
MISSES = 5  # pages of a site in a row that a browser made no richer, before it is left alone
HITS = 2  # that it made richer, before all are shown by it


class Rendering:
    """Decides by what a page has to say, and by what the browser has brought on its site so far."""

    def __init__(self, when: Render, agent: str) -> None:
        if when != "never":
            check_installed()
        self._when = when
        self._browser = Chromium(agent)
        self._hits: dict[str, int] = defaultdict(int)
        self._misses: dict[str, int] = defaultdict(int)  # in a row

    async def close(self) -> None:
        await self._browser.close()

    async def shown(self, answer: Answer, get: Get) -> tuple[Answer, tuple[Answer, ...]]:
        """The answer as a browser shows it, and what else that asked for; as it is where no browser is wanted."""
        if not self._wanted(answer):
            return answer, ()
        shown = await self._browser.show(answer, get)
        html = shown.html.encode("utf-8", "replace")
        richer = _words(html, answer.url) > 1.5 * _words(answer.body, answer.url)
        self._learn(site(answer.url), richer)
        headers = {**answer.headers, "content-type": "text/html; charset=utf-8", SHOWN: "chromium"}
        if shown.error:
            return answer._replace(error=shown.error) if self._when == "always" else answer, shown.answers
        if shown.left_for and not _words(html, answer.url):
            html = b'<meta http-equiv=refresh content="0; url=%b">' % shown.left_for.replace('"', "%22").encode()
        return answer._replace(body=html, headers=headers), shown.answers

    def _wanted(self, answer: Answer) -> bool:
        content_type = answer.headers.get("content-type", "")
        if (
            self._when == "never"
            or answer.error
            or answer.status != 200
            or kind_of(answer.body[:2048], content_type) != "html"
        ):
            return False
        if self._when == "always":
            return True
        name = site(answer.url)
        if b"<script" not in answer.body.lower() or self._misses[name] >= MISSES:
            return False
        return self._hits[name] >= HITS or _poor(answer)

    def _learn(self, name: str, richer: bool) -> None:
        self._hits[name] += richer
        self._misses[name] = 0 if richer else self._misses[name] + 1


def _poor(answer: Answer) -> bool:
    """Whether a page has hardly any text, or no links."""
    page = Document(answer.body, answer.url, answer.headers.get("content-type", ""))
    return len(page.text.split()) < FEW_WORDS or not page.links


def _words(body: bytes, url: str) -> int:
    page = Document(body, url, "text/html")
    return len(page.text.split()) + len(page.links)
