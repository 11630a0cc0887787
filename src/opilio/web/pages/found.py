"""The pages that a crawl brought: search, facets, sorted by any column, one part after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ...engine.held_out import held_out
from ...errors import ConfigError
from ...nouns import RELEVANT
from ...report.best_pages import snippets
from ...report.search import Wanted, check_relevance, search
from ...store.reader import LARGEST
from ..dashboard import Dashboard, dashboard_of
from ..page_list import FALLING, SHOWN, Filter, Order, found
from ..page_router import PageRouter, Tab
from ..render import render

router = PageRouter(Tab("Pages", "/pages", 2))


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
    order: Order = "newest",
    reverse: bool = False,
    after: str = "",
    skip: int = 0,
) -> Response:
    dashboard = dashboard_of(request)
    folder = dashboard.folders.run(name)
    asked = {"q": q, "site": site.strip(), "language": language, "genre": genre, "type": type, "relevance": relevance}
    least = _least(relevance)
    if q.strip():
        shown = _hits(
            dashboard, folder, q, Wanted(asked["site"], language, least, genre, type), min(max(0, skip), LARGEST)
        )
    else:
        chosen = Filter(asked["site"], language, genre, type, least, kind, error)
        shown = {"part": found(folder, chosen, order, after, reverse=reverse)}
    view = dashboard.view(folder)
    return render(
        request,
        "found.html",
        name=name,
        asked={**asked, "kind": kind, "error": error, "order": order, "reverse": "true" if reverse else ""},
        falling=FALLING,
        kinds=view.kinds(),
        histogram=view.histogram(),
        least=RELEVANT if least is None else least,
        total=view.now().pages,
        **{"hits": None, "part": None, "behind": False, "skip": 0} | shown,
    )


@router.get("/runs/{name}/held-out")
def judged_without_labels(request: Request, name: str) -> Response:
    """The labelled pages, each judged as if it had no label."""
    return JSONResponse([page._asdict() for page in held_out(dashboard_of(request).folders.run(name))])


@router.get("/runs/{name}/snippets")
def some_snippets(request: Request, name: str, numbers: str = "") -> Response:
    """What some pages say of the topic, by their numbers."""
    asked = [int(word) for word in numbers.split(",")[:SHOWN] if word.isdecimal() and len(word) < 19]
    return JSONResponse(
        {str(key): value for key, value in snippets(dashboard_of(request).folders.run(name), asked).items()}
    )


def _least(text: str) -> float | None:
    try:
        least = float(text) if text.strip() else None
    except ValueError:
        raise ConfigError(f'relevance "{text[:20]}" is not a number; give one from 0 to 1, as in 0.5') from None
    check_relevance(least)
    return least


def _hits(dashboard: Dashboard, folder: Path, query: str, wanted: Wanted, skip: int) -> dict[str, Any]:
    """What a search found, from the `skip`-th hit on."""
    behind = dashboard.index(folder)
    hits = search(folder, query, wanted, SHOWN, skip)
    more = skip + SHOWN if skip + SHOWN < hits.total else None
    return {"hits": hits, "behind": behind, "skip": skip, "more": more}
