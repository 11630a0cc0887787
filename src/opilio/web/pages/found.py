"""The pages that a crawl brought: search, filters, one part after the other."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ...errors import ConfigError
from ...report.search import Found, Wanted, check_relevance, search
from ...store.reader import LARGEST
from ..page_list import SHOWN, Filter, found
from ..render import render
from ..state import desk_of

TAB = ("Pages", "/pages", 2)
router = APIRouter()


@router.get("/runs/{name}/pages")
def pages(
    request: Request,
    name: str,
    q: str = "",
    site: str = "",
    language: str = "",
    genre: str = "",
    type: str = "",
    relevance: str = "",
    kind: Literal["", "pages", "errors"] = "",
    error: str = "",
    order: Literal["newest", "relevance"] = "newest",
    after: str = "",
    skip: int = 0,
) -> Response:
    desk = desk_of(request)
    folder = desk.shelf.run(name)
    asked = {"q": q, "site": site.strip(), "language": language, "genre": genre, "type": type, "relevance": relevance}
    told: dict[str, Any] = {"hits": None, "part": None, "behind": False, "skip": min(max(0, skip), LARGEST)}
    least = _least(relevance)
    if q.strip():
        told["behind"] = desk.index(folder)
        wanted = Wanted(asked["site"], language, least, genre, type)
        told["hits"] = hits = search(folder, q, wanted, SHOWN, told["skip"])
        told["more"] = _more(hits, told["skip"])
    else:
        told["part"] = found(folder, Filter(asked["site"], language, genre, type, least, kind, error), order, after)
    view = desk.view(folder)
    return render(
        request,
        "found.html",
        name=name,
        asked={**asked, "kind": kind, "error": error, "order": order},
        kinds=view.kinds(),
        total=view.now().pages,
        **told,
    )


def _least(text: str) -> float | None:
    try:
        least = float(text) if text.strip() else None
    except ValueError:
        raise ConfigError(f'relevance "{text[:20]}" is not a number; give one from 0 to 1, as in 0.5') from None
    check_relevance(least)
    return least


def _more(hits: Found, skip: int) -> int | None:
    return skip + SHOWN if skip + SHOWN < hits.total else None
