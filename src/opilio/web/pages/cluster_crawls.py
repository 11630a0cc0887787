"""Crawls on clusters, by the logs of their shards."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ...engine.cluster.objects import place
from ...engine.cluster.pull import figures, shard_figures
from ...errors import OpilioError
from ..dashboard import dashboard_of
from ..page_router import PageRouter
from ..render import render

PATIENCE = 5.0  # seconds for which a store may be silent
router = PageRouter()


@router.get("/clusters")
def clusters(request: Request) -> Response:
    return render(request, "cluster_crawls.html", crawls=[crawl(state) for state in dashboard_of(request).states])


def crawl(state: str) -> dict[str, Any]:
    """How a crawl stands, or what is wrong."""
    try:
        objects = place(state, PATIENCE)
        return {
            "state": state,
            "trouble": "",
            "now": figures(objects),
            "shards": [shard for shard in shard_figures(objects) if shard],
        }
    except OpilioError as error:
        return {"state": state, "trouble": str(error)}
