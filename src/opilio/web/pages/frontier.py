"""What waits: lanes and hosts with their weights."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from ..page_router import PageRouter, Tab
from ..render import render
from ..state import desk_of

router = PageRouter(Tab("Frontier", "/frontier", 4))


@router.get("/runs/{name}/frontier")
def frontier(request: Request, name: str) -> Response:
    desk = desk_of(request)
    waiting = desk.view(desk.shelf.run(name)).frontier.get()
    return render(request, "frontier.html", name=name, waiting=waiting)
