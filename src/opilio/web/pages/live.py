"""One run as it goes."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ...engine.local import configured
from ...errors import OpilioError, UnreadableError
from ...report.harvest import drawings
from ..desk import desk_of
from ..drawing import drawing
from ..events import snapshot
from ..render import render

TAB = ("Live", "", 1)
router = APIRouter()


@router.get("/runs/{name}")
def live(request: Request, name: str) -> Response:
    desk = desk_of(request)
    folder = desk.shelf.run(name)
    figures = snapshot(desk, name)
    try:
        config = configured(folder)
        told = {"topic": config.topic, "strategy": config.strategy, "max_pages": config.max_pages}
    except OpilioError:
        told = {"topic": "", "strategy": "", "max_pages": 0}
    return render(request, "live.html", name=name, now=figures, **told)


@router.get("/runs/{name}/drawing/{place}.svg")
def drawn(request: Request, name: str, place: int) -> Response:
    desk = desk_of(request)
    course = desk.view(desk.shelf.run(name)).course()
    there = drawings(course) if len(course.time) else []
    if not 0 <= place < len(there):
        raise UnreadableError("there is no such drawing yet")
    return drawing(there[place])
