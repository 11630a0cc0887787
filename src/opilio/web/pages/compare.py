"""Runs compared."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ...errors import ConfigError
from ...report.compare import compare, drawing
from ..dashboard import dashboard_of
from ..page_router import PageRouter
from ..render import render

MOST = 7  # runs: as many as there are colours
router = PageRouter()


@router.get("/compare")
def compared(request: Request, run: Annotated[list[str] | None, Query()] = None) -> Response:
    dashboard = dashboard_of(request)
    names = list(dict.fromkeys(run or []))
    if not 2 <= len(names) <= MOST:
        raise ConfigError(f"{len(names)} runs were chosen; choose two to {MOST} runs in the list to compare them")
    found = compare({name: dashboard.folders.run(name) for name in names})
    return render(request, "compare.html", names=names, found=found, drawing=Markup(drawing(found, inline=True)))
