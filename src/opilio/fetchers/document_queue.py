"""PDF and DOCX files are read while others are fetched, one of a kind at a time, and slow ones only so often for a site.

A file may be made to take as long as the sandbox allows. Without a limit, a few hosts full of such files would have everybody
else's documents wait behind them, and the pages in flight with these.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict

from ..documents.to_html import Rendering, kind_of_document, rendered
from ..html.document import media_type
from ..urls import site
from .http.client import Answer

MOST_SLOW = 3  # documents of a site that took too long; then no more of it are read


class DocumentQueue:
    def __init__(self) -> None:
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # by kind
        self._slow: Counter[str] = Counter()  # documents that took too long, by site

    async def read(self, answer: Answer) -> Rendering | None:
        """What a document becomes; None for an answer that is none."""
        if answer.error or not 200 <= answer.status < 300:
            return None
        kind = kind_of_document(answer.body, media_type(answer.headers.get("content-type", "")))
        return await self._in_turn(kind, answer) if kind else None

    async def _in_turn(self, kind: str, answer: Answer) -> Rendering:
        name = site(answer.url)
        async with self._turns[kind]:
            if self._slow[name] >= MOST_SLOW:
                return Rendering(error=f"unreadable {kind}: {MOST_SLOW} documents of its site took too long")
            found = await asyncio.to_thread(rendered, answer.body, kind)
        self._slow[name] += found.slow
        return found
