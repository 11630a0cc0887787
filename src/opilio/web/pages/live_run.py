"""One run as it goes."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ...errors import UnreadableError
from ...report.harvest import Course, drawings
from ...report.html_parts import Bar
from ..dashboard import Dashboard, dashboard_of
from ..drawing import drawing
from ..events import snapshot
from ..folders import NAME
from ..page_router import PageRouter, Tab
from ..render import part, query, render

DRAWINGS = 3
BLANK = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 330"></svg>'  # until there is something to draw
router = PageRouter(Tab("Live", "", 1))


@router.get("/runs/{name}")
def live(request: Request, name: str) -> Response:
    dashboard = dashboard_of(request)
    if name not in dashboard.folders.runs() and (folder := _begun(dashboard, name)):
        return render(request, "beginning.html", name=name, trouble=dashboard.crawls.trouble(folder))
    folder = dashboard.folders.run(name)
    figures = snapshot(dashboard, name)
    config = dashboard.config(folder)
    return render(
        request,
        "live_run.html",
        name=name,
        now=figures,
        topic=config.topic if config else "",
        strategy=config.strategy if config else "",
        max_pages=config.max_pages if config else 0,
        drawings=_drawings(dashboard.view(folder).course()),
        errors=_errors(figures["errors"], f"/runs/{part(name)}/pages"),
        refusals=_refusals(figures["refused_because"], f"/runs/{part(name)}/refused"),
    )


def _drawings(course: Course) -> dict[int, Markup]:
    """Harvest, and relevant pages over time; empty until there are some."""
    there = drawings(course, inline=True) if len(course.time) else []
    return {place: Markup(there[place]) if place < len(there) else Markup() for place in (0, 2)}


def _errors(kinds: dict[str, int], pages: str) -> list[Bar]:
    return [Bar(kind, count, None, pages + query(kind="errors", error=kind), True) for kind, count in kinds.items()]


def _refusals(kinds: dict[str, int], page: str) -> list[Bar]:
    return [Bar(kind, count, None, page + query(kind=kind)) for kind, count in kinds.items()]


def _begun(dashboard: Dashboard, name: str) -> Path | None:
    """The folder of a run that was started here and has not fetched its first pages yet."""
    folder = dashboard.folders.home / name if dashboard.folders.home and NAME.fullmatch(name) else None
    return folder if folder and dashboard.crawls.began(folder) else None


@router.get("/runs/{name}/drawing/{place}.svg")
def drawn(request: Request, name: str, place: int, inline: bool = False) -> Response:
    dashboard = dashboard_of(request)
    course = dashboard.view(dashboard.folders.run(name)).course()
    if not 0 <= place < DRAWINGS:
        raise UnreadableError("there is no such drawing")
    there = drawings(course, inline) if len(course.time) else []
    return drawing(there[place] if place < len(there) else BLANK)
