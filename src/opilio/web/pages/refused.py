"""The URLs that were not fetched, each with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ...report import refusals
from ...store.reader import reading
from ..dashboard import dashboard_of
from ..page_router import PageRouter
from ..render import render

SHOWN = 100
router = PageRouter()


class Refused(NamedTuple):
    url: str
    reason: str
    source: str


@router.get("/runs/{name}/refused")
def refused(request: Request, name: str, kind: str = "", after: str = "") -> Response:
    folder = dashboard_of(request).folders.run(name)
    with closing(reading(folder)) as db:
        kinds = refusals.counts(db)
    rows = [row for row, _ in zip(_rows(folder, kind, after), range(SHOWN + 1), strict=False)]
    more = rows[SHOWN - 1].url if len(rows) > SHOWN else ""
    return render(request, "refused.html", name=name, rows=rows[:SHOWN], kinds=kinds, kind=kind, more=more)


def _rows(folder: Path, kind: str, after: str) -> Iterator[Refused]:
    """Refusals in the order of their URLs, from a URL on."""
    with closing(reading(folder)) as db:
        query = "SELECT url, reason, source FROM refusals WHERE url > ? ORDER BY url"
        for row in map(Refused._make, db.execute(query, (after,))):
            if not kind or refusals.kind(row.reason) == kind:
                yield row
