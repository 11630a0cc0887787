"""A new crawl."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ... import registry
from ...config import Config
from ...errors import ConfigError, OpilioError
from ..dashboard import dashboard_of
from ..forms import Form
from ..new_crawl import advanced, as_toml, begin, from_form
from ..page_router import PageRouter
from ..preview import Preview, preview
from ..render import part, render

router = PageRouter()


@router.get("/start")
def ask(request: Request) -> Response:
    return _form(request, {})


@router.post("/start")
def start(request: Request, form: Form) -> Response:
    try:
        name = begin(dashboard_of(request), from_form(form))
    except ConfigError as error:
        return _form(request, form, str(error))
    return RedirectResponse(f"/runs/{part(name)}", 303)


@router.post("/start/preview")
def look(request: Request, form: Form) -> Response:
    try:
        asked = from_form(form)
        found = preview(asked.settings, dashboard_of(request).folders.place(asked.name))
    except OpilioError as error:
        return _form(request, form, str(error))
    return _form(request, form, found=found, toml=as_toml(asked.settings))


def _form(
    request: Request, filled: dict[str, str], error: str = "", found: Preview | None = None, toml: str = ""
) -> Response:
    usual = Config.model_fields["strategy"].default
    kinds = sorted(name for name in registry.strategies() if name != "oracle")
    return render(
        request, "new_crawl.html", 400 if error else 200, filled=filled, error=error, strategies=kinds, usual=usual,
        home=dashboard_of(request).folders.home, found=found, toml=toml, advanced=advanced(), settings=set(Config.model_fields),
    )  # fmt: skip
