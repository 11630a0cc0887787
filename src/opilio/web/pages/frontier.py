"""What waits: lanes and hosts with their weights."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from ..dashboard import dashboard_of
from ..page_router import PageRouter, Tab
from ..render import render

router = PageRouter(Tab("Frontier", "/frontier", 4))


@router.get("/runs/{name}/frontier")
def frontier(request: Request, name: str) -> Response:
    dashboard = dashboard_of(request)
    waiting = dashboard.view(dashboard.folders.run(name)).frontier.get()
    return render(request, "frontier.html", name=name, waiting=waiting)
