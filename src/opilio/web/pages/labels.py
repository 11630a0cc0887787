"""Judging pages, one at a time: the topic on top, the page beside what speaks for and against it, and what an answer did."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...engine.labels import labels as known_labels
from ...engine.labels import take_back
from ...engine.stored_pages import copy
from ...errors import ConfigError
from ...report.best_pages import snippet
from ...text.tokens import tokens
from ..dashboard import Dashboard, dashboard_of, row_of
from ..forms import Form
from ..page_router import PageRouter, Tab
from ..render import part, query, render

NEXT, SHOWN = 5, 50  # pages that come next, labels that are shown
LONG = 160  # words of a page that are shown
DECIDE = 12  # words that speak for a page, or against it
READ = 20_000  # characters in which they are looked for
router = PageRouter(Tab("Labels", "/labels", 5))


class Asked(NamedTuple):
    """A page to be judged."""

    number: int
    url: str
    title: str
    relevance: float
    text: list[tuple[str, bool]]
    speaks_for: list[str]
    against: list[str]


@router.get("/runs/{name}/labels")
def labels(request: Request, name: str, before: int | None = None) -> Response:
    dashboard = dashboard_of(request)
    folder = dashboard.folders.run(name)
    asked = dashboard.unlabelled(folder, 1 + NEXT)
    judged = list(known_labels(folder).items())
    return render(
        request,
        "labels.html",
        name=name,
        topic=dashboard.figures(name)["topic"],
        page=_asked(dashboard, folder, asked[0]) if asked else None,
        later=asked[1:],
        judged=judged[::-1][:SHOWN],
        count=len(judged),
        now=dashboard.view(folder).now(),
        before=before,
    )


@router.post("/runs/{name}/labels")
def label(request: Request, name: str, form: Form) -> Response:
    dashboard = dashboard_of(request)
    folder, answer = dashboard.folders.run(name), form.get("answer", "")
    before = dashboard.view(folder).now().relevant
    match answer:
        case "yes" | "no":
            dashboard.label(folder, form.get("url", ""), answer == "yes")
        case "undo":
            take_back(folder, form.get("url", ""))
            dashboard.crawls.learn(folder)
        case "skip" if form.get("number", "").isdecimal():
            dashboard.view(folder).skipped.add(int(form["number"]))
            return RedirectResponse(f"/runs/{part(name)}/labels", 303)
        case _:
            raise ConfigError(f'"{answer[:20]}" is not an answer (yes, no, skip, undo)')
    return RedirectResponse(f"/runs/{part(name)}/labels{query(before=before)}", 303)


def _asked(dashboard: Dashboard, folder: Path, asked: Any) -> Asked:
    """A question with the text of its page, and the words in it that decide."""
    row = row_of(folder, asked.number)
    page = copy(folder, row) if row else None
    text = " ".join((page.main or page.text)[:READ].split()) if page else ""
    config, there = dashboard.config(folder), set(tokens(text))
    words = [word for word in dashboard.view(folder).deciding.get() if word.word in there]
    parts = snippet(text, config.topic if config else "", (row or {}).get("language") or "", LONG, 1200)
    return Asked(
        asked.number,
        asked.url,
        asked.title,
        asked.relevance,
        parts,
        [word.word for word in words if word.weight > 0][:DECIDE],
        [word.word for word in words if word.weight < 0][:DECIDE],
    )
