"""All runs and benchmarks, and the buttons that change a run."""

from __future__ import annotations

import re
import shutil
from typing import Literal

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...errors import ConfigError
from ..dashboard import dashboard_of
from ..forms import Form
from ..page_router import PageRouter
from ..render import part, render
from ..run_list import listed, spark

Sort = Literal["name", "strategy", "state", "started", "pages", "relevant", "harvest"]
router = PageRouter()


@router.get("/runs")
def runs(request: Request, q: str = "", sort: Sort = "started", reverse: bool = False) -> Response:
    dashboard = dashboard_of(request)
    figures = dashboard.all_figures()
    known = dashboard.folders.runs()
    lines = {run["name"]: spark(dashboard.view(known[run["name"]]).course()) for run in figures if run["name"] in known}
    return render(
        request,
        "runs.html",
        runs=listed(figures, q, sort, reverse),
        count=len(figures),
        lines=lines,
        benchmarks=list(dashboard.folders.benchmarks()),
        folders=[str(folder) for folder in dashboard.folders.given],
        lost=[name for name in known if name not in lines],
        asked={"q": q, "sort": sort, "reverse": reverse},
    )


@router.get("/runs/{name}/delete")
def ask_to_delete(request: Request, name: str) -> Response:
    dashboard = dashboard_of(request)
    folder = dashboard.folders.run(name)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return render(request, "delete.html", name=name, folder=str(folder), run=dashboard.figures(name), size=size)


@router.post("/runs/{name}/delete")
def delete(request: Request, name: str) -> Response:
    dashboard = dashboard_of(request)
    folder = dashboard.folders.run(name)
    if dashboard.crawls.pid(folder):
        raise ConfigError("this crawl is running; stop it before you delete it")
    shutil.rmtree(folder)
    dashboard.forget(folder)
    return RedirectResponse("/runs", 303)


@router.post("/runs/{name}/act")
def act(request: Request, name: str, form: Form) -> Response:
    dashboard = dashboard_of(request)
    folder, action = dashboard.folders.run(name), form.get("action", "")
    match action:
        case "pause":
            dashboard.crawls.pause(folder)
        case "stop":
            dashboard.crawls.stop(folder)
        case "resume":
            more = form.get("max_pages", "").strip()
            if more and not re.fullmatch("[0-9]{1,12}", more):
                raise ConfigError(f'max pages: "{more[:20]}" is not a whole number; write one, as in 1000')
            dashboard.crawls.resume(folder, int(more) if more else None)
        case _:
            raise ConfigError(f'"{action[:20]}" is not an action (pause, resume, stop)')
    return RedirectResponse(f"/runs/{part(name)}", 303)
