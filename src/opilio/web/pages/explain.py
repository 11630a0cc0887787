"""The story of one URL, and the stored copy of its page: as text and as source, never as a page."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from ...engine.labels import labels
from ...engine.stored_pages import copy
from ...errors import UnreadableError
from ...report.explain import LOOKS
from ...report.explain import story as tell
from ..dashboard import dashboard_of, row_of
from ..page_router import PageRouter
from ..render import render

FEW = 20  # stored pages that are read for a URL nobody offered, unless more are asked for
LONGEST = 100_000  # characters of a text or a source
router = PageRouter()


@router.get("/runs/{name}/story")
def story(request: Request, name: str, url: str, deep: bool = False) -> Response:
    dashboard = dashboard_of(request)
    folder = dashboard.folders.run(name)
    facts = tell(folder, url, LOOKS if deep else FEW, dashboard.view(folder).ahead_of)
    label = labels(folder).get(facts["url"])
    return render(request, "explain.html", name=name, facts=facts, label=label, deep=deep, few=FEW, looks=LOOKS)


@router.get("/runs/{name}/copy/{number}")
def stored(request: Request, name: str, number: int) -> Response:
    folder = dashboard_of(request).folders.run(name)
    row = row_of(folder, number)
    page = copy(folder, row) if row else None
    if row is None or page is None:
        raise UnreadableError(f"nothing is stored of page {number}")
    charset = (page.document.charset if page.document else "") or "utf-8"
    values = {
        "text": page.text[:LONGEST],
        "source": _decoded(page.body, charset)[:LONGEST],
        "headers": [(key[:100], value[:1000]) for key, value in list(page.headers.items())[:100]],
        "longest": LONGEST,
    }
    return render(request, "copy.html", name=name, row=row, title=page.title, size=len(page.body), **values)


def _decoded(body: bytes, charset: str) -> str:
    try:
        return body[: 4 * LONGEST].decode(charset, "replace")
    except LookupError:  # a charset that only browsers know
        return body[: 4 * LONGEST].decode("utf-8", "replace")
