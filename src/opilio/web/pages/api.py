"""What the API offers, for people; programs read /api/openapi.json."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ..render import render

router = APIRouter()


@router.get("/api")
def api(request: Request) -> Response:
    described = request.app.openapi()
    calls = [
        (method.upper(), path, call.get("description", ""), [given["name"] for given in call.get("parameters", ())])
        for path, methods in described["paths"].items()
        for method, call in methods.items()
    ]
    return render(request, "api.html", calls=calls)
