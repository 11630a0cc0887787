"""How a run stands, again and again, as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool

from ..report.headline import why_nothing
from ..report.run_state import FETCHED_NOTHING
from .cache import Shared
from .dashboard import Dashboard
from .render import cut

PAUSE = 1.0  # seconds
EACH = 0.9  # seconds for which all who watch are told the same
LONGEST = 400  # letters of a piece of a snippet
SILENCE = 15  # pauses after which a sign of life is sent, so that nobody in between gives up


async def events(dashboard: Dashboard, name: str, folder: Path) -> AsyncIterator[str]:
    """One event whenever something has changed, the first at once."""
    before, silent = "", 0
    shared = dashboard.events.setdefault(name, Shared(lambda: json.dumps(snapshot(dashboard, name)), EACH))
    while (folder / "state.db").is_file():
        data = await run_in_threadpool(shared.get)
        if data != before:
            before, silent = data, 0
            yield f"data: {data}\n\n"
        else:
            silent += 1
            if silent % SILENCE == 0:
                yield ": still here\n\n"
        await asyncio.sleep(PAUSE)


def snapshot(dashboard: Dashboard, name: str) -> dict[str, Any]:
    """How a run stands, with the last pages cut to what can be shown, the best ones, and why there is nothing to show."""
    figures, folder = dashboard.figures(name), dashboard.folders.run(name)
    view = dashboard.view(folder)
    figures["last"] = [
        {**page._asdict(), "title": cut(page.title), "url": page.url[:2000]} for page in reversed(figures["last"])
    ]
    figures["best"] = [
        {**page._asdict(), "title": cut(page.title), "url": page.url[:2000], "snippet": _short(page.snippet)}
        for page in view.best.get()
    ]
    figures["hosts"] = view.hosts()
    figures["trouble"] = _trouble(figures, dashboard.crawls.trouble(folder))
    return figures


def _trouble(figures: dict[str, Any], complaint: str) -> str:
    """Why there is nothing to show, or what went wrong at last; where nothing was fetched, both."""
    why = why_nothing(
        figures["pages"], figures["relevant"], figures["errors"], figures["refused_because"], figures["waiting"],
        figures["topic"],
    )  # fmt: skip
    return f"{why} {complaint}".strip() if figures["state"] == FETCHED_NOTHING else complaint or why


def _short(snippet: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    return [(text[:LONGEST], is_match) for text, is_match in snippet]
