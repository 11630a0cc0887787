"""Judging the pages that the topic is least sure of."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...engine.labels import excerpt
from ...engine.labels import labels as known_labels
from ...errors import ConfigError
from ..forms import Form
from ..render import part, render
from ..state import desk_of

TAB = ("Labels", "/labels", 5)
SHOWN = 10
router = APIRouter()


@router.get("/runs/{name}/labels")
def labels(request: Request, name: str) -> Response:
    desk = desk_of(request)
    folder = desk.shelf.run(name)
    asked = [(page, excerpt(folder, page.number)) for page in desk.unlabelled(folder, SHOWN)]
    said = list(known_labels(folder).items())
    now, state = desk.view(folder).now(), desk.crawls.state(folder)
    return render(
        request, "labels.html", name=name, asked=asked, said=said[::-1][:50], count=len(said), now=now, state=state
    )


@router.post("/runs/{name}/labels")
def label(request: Request, name: str, form: Form) -> Response:
    desk = desk_of(request)
    folder, answer = desk.shelf.run(name), form.get("answer", "")
    match answer:
        case "yes" | "no":
            desk.label(folder, form.get("url", ""), answer == "yes")
        case "skip" if form.get("number", "").isdecimal():
            desk.view(folder).skipped.add(int(form["number"]))
        case _:
            raise ConfigError(f'"{answer[:20]}" is not an answer (yes, no, skip)')
    return RedirectResponse(f"/runs/{part(name)}/labels", 303)
