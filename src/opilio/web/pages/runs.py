"""All runs and benchmarks, and the buttons that change a run."""

from __future__ import annotations

import re

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...errors import ConfigError
from ..forms import Form
from ..render import part, render
from ..state import desk_of

router = APIRouter()


@router.get("/runs")
def runs(request: Request) -> Response:
    desk = desk_of(request)
    told = desk.all_figures()
    lost = [name for name in desk.shelf.runs() if name not in {run["name"] for run in told}]
    folders = [str(folder) for folder in desk.shelf.folders]
    return render(request, "runs.html", runs=told, benchmarks=list(desk.shelf.benchmarks()), folders=folders, lost=lost)


@router.post("/runs/{name}/act")
def act(request: Request, name: str, form: Form) -> Response:
    desk = desk_of(request)
    folder, action = desk.shelf.run(name), form.get("action", "")
    match action:
        case "pause":
            desk.crawls.pause(folder)
        case "stop":
            desk.crawls.stop(folder)
        case "resume":
            more = form.get("max_pages", "").strip()
            if more and not re.fullmatch("[0-9]{1,12}", more):
                raise ConfigError(f'max pages: "{more[:20]}" is not a whole number; write one, as in 1000')
            desk.crawls.resume(folder, int(more) if more else None)
        case _:
            raise ConfigError(f'"{action[:20]}" is not an action (pause, resume, stop)')
    return RedirectResponse(f"/runs/{part(name)}", 303)
