"""One run as it goes."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ...engine.run import configured
from ...errors import OpilioError, UnreadableError
from ...report.harvest import drawings
from ..drawing import drawing
from ..events import snapshot
from ..folders import NAME
from ..render import render
from ..state import Desk, desk_of

TAB = ("Live", "", 1)
DRAWINGS = 3
BLANK = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 330"></svg>'  # until there is something to draw
router = APIRouter()


@router.get("/runs/{name}")
def live(request: Request, name: str) -> Response:
    desk = desk_of(request)
    if name not in desk.shelf.runs() and (folder := _begun(desk, name)):
        return render(request, "beginning.html", name=name, trouble=desk.crawls.trouble(folder))
    folder = desk.shelf.run(name)
    figures = snapshot(desk, name)
    try:
        config = configured(folder)
        told = {"topic": config.topic, "strategy": config.strategy, "max_pages": config.max_pages}
    except OpilioError:
        told = {"topic": "", "strategy": "", "max_pages": 0}
    return render(request, "live.html", name=name, now=figures, **told)


def _begun(desk: Desk, name: str) -> Path | None:
    """The folder of a run that was started here and has not fetched its first pages yet."""
    folder = desk.shelf.home / name if desk.shelf.home and NAME.fullmatch(name) else None
    return folder if folder and desk.crawls.began(folder) else None


@router.get("/runs/{name}/drawing/{place}.svg")
def drawn(request: Request, name: str, place: int) -> Response:
    desk = desk_of(request)
    course = desk.view(desk.shelf.run(name)).course()
    if not 0 <= place < DRAWINGS:
        raise UnreadableError("there is no such drawing")
    there = drawings(course) if len(course.time) else []
    return drawing(there[place] if place < len(there) else BLANK)
