"""The application: pages found in their folder, the API, and the guard before all of it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from .. import __version__
from ..bench.palette import css
from ..errors import OpilioError, UnreadableError
from ..report.shipped_files import shipped
from . import api, metrics
from . import pages as page_folder
from .dashboard import Dashboard
from .guard import Guard, Keys
from .page_router import PageRouter
from .render import render

ABOUT = "What the dashboard shows, for programs. Send the token as `Authorization: Bearer TOKEN`."
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def application(
    folders: Sequence[Path], token: str, port: int, hosts: Sequence[str] = (), states: Sequence[str] = ()
) -> ASGIApp:
    """The dashboard for the runs and benchmarks in these folders, and the crawls on clusters that are kept in these states.

    It answers to its loopback names, and to `hosts`."""
    keys = Keys(token, port)
    app = FastAPI(
        title="Opilio",
        version=__version__,
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    found = routers()
    app.state.dashboard = Dashboard(folders, keys, states)
    app.state.tabs = sorted((page.tab for page in found if page.tab), key=lambda tab: tab.place)
    app.include_router(api.router)
    app.include_router(metrics.router)
    for page in found:
        app.include_router(page, include_in_schema=False)
    app.add_exception_handler(OpilioError, _trouble)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _refused)
    app.add_api_route("/", lambda: RedirectResponse("/runs", 303), include_in_schema=False)
    app.add_api_route("/static/{name}", static, include_in_schema=False)
    return Guard(app, keys, [f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]", *hosts)])


@cache
def routers() -> list[PageRouter]:
    """Every page there is: the one router in each file of pages/."""
    names = sorted(name for _, name, _ in pkgutil.iter_modules(page_folder.__path__))
    files = [importlib.import_module(f"{page_folder.__name__}.{name}") for name in names]
    return [value for file in files for value in vars(file).values() if isinstance(value, PageRouter)]


def static(name: str) -> Response:
    """A file of our own."""
    there = texts()
    if name not in there:
        return Response("not here\n", 404, media_type="text/plain")
    return Response(there[name], media_type=TYPES[name.rpartition(".")[2]], headers={"Cache-Control": "no-cache"})


@cache
def texts() -> dict[str, str]:
    folder = files(__package__).joinpath("static")
    own = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(tuple(TYPES))}
    shared = {"style.css": css() + shipped("style.css") + own["style.css"], "charts.js": shipped("charts.js")}
    return {**own, **shared}


async def _trouble(request: Request, error: Exception) -> Response:
    return _answer(request, str(error), 404 if isinstance(error, UnreadableError) else 400)


async def _refused(request: Request, error: Exception) -> Response:
    """What the framework answers: nothing is at that address, or what was sent is not understood."""
    if isinstance(error, RequestValidationError):
        sentence = "; ".join(f"{one['loc'][-1]}: {one['msg']}" for one in error.errors())
        return _answer(request, sentence, 422)
    assert isinstance(error, HTTPException)
    missing = error.status_code == 404
    return _answer(
        request, f"there is nothing at {request.url.path[:200]}" if missing else error.detail, error.status_code
    )


def _answer(request: Request, sentence: str, status: int) -> Response:
    if request.url.path.startswith(("/api/", "/metrics")):
        return JSONResponse({"error": sentence[:1000]}, status)
    heading = "Not found" if status == 404 else "That did not work"
    return render(request, "trouble.html", status, error=sentence[:1000], heading=heading)
