"""Trading the token for a cookie. The token comes in the part of the URL that browsers keep to themselves."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..dashboard import dashboard_of
from ..forms import Form
from ..page_router import PageRouter
from ..render import render

router = PageRouter()


@router.get("/login")
def ask(request: Request) -> Response:
    return render(request, "login.html", wrong=False)


@router.post("/login")
def enter(request: Request, form: Form) -> Response:
    keys = dashboard_of(request).keys
    if not keys.is_token(form.get("token", "").strip()):
        return render(request, "login.html", 403, wrong=True)
    answer = RedirectResponse("/runs", 303)
    answer.set_cookie(keys.cookie, keys.session, httponly=True, samesite="strict", path="/")
    return answer
