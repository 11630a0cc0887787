"""The REST API: what the pages show, as JSON; its OpenAPI description is made from this file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import StreamingResponse

from ..bench.results import load
from ..engine.labels import labels as known_labels
from ..report.explain import story
from ..report.search import Wanted, search
from ..store.reader import LARGEST
from .dashboard import dashboard_of
from .events import events
from .new_crawl import NewCrawl, begin
from .page_list import SHOWN, Filter, Order, found

MOST = 1000  # rows of an answer
Relevance = Annotated[float | None, Query(ge=0, le=1)]
router = APIRouter(prefix="/api", tags=["api"])


class Label(BaseModel):
    """What a person says of a page."""

    url: str
    relevant: bool


class Longer(BaseModel):
    max_pages: int | None = Field(None, ge=1, description="a new limit, counted from the start of the crawl")


@router.get("/runs")
def runs(request: Request) -> list[dict[str, Any]]:
    """Every run with its figures."""
    return dashboard_of(request).all_figures()


@router.post("/runs", status_code=201)
def start(request: Request, asked: NewCrawl) -> dict[str, Any]:
    """Begin a crawl."""
    dashboard = dashboard_of(request)
    return dashboard.figures(begin(dashboard, asked))


@router.get("/runs/{name}")
def run(request: Request, name: str) -> dict[str, Any]:
    """How a run stands."""
    return dashboard_of(request).figures(name)


@router.get("/runs/{name}/events", response_class=StreamingResponse)
async def live(request: Request, name: str) -> StreamingResponse:
    """How a run stands, again and again, as server-sent events."""
    dashboard = dashboard_of(request)
    folder = dashboard.folders.run(name)
    return StreamingResponse(events(dashboard, name, folder), media_type="text/event-stream")


@router.get("/runs/{name}/pages")
def pages(
    request: Request,
    name: str,
    site: str = "",
    language: str = "",
    genre: str = "",
    type: str = "",
    relevance: Relevance = None,
    kind: Literal["", "pages", "errors"] = "",
    order: Order = "newest",
    reverse: bool = False,
    after: Annotated[str, Query(description="the mark that the part before this one ended with")] = "",
    most: Annotated[int, Query(ge=1, le=MOST)] = SHOWN,
) -> dict[str, Any]:
    """The pages that a crawl brought, some at a time."""
    wanted = Filter(site, language, genre, type, relevance, kind)
    return found(dashboard_of(request).folders.run(name), wanted, order, after, most, reverse)._asdict()


@router.get("/runs/{name}/search")
def look_for(
    request: Request,
    name: str,
    q: Annotated[str, Query(description='words, "a phrase", begin*, -without')],
    site: str = "",
    language: str = "",
    genre: str = "",
    type: str = "",
    relevance: Relevance = None,
    most: Annotated[int, Query(ge=1, le=MOST)] = 10,
    skip: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
) -> dict[str, Any]:
    """Full-text search in what was harvested; new pages are added to the index meanwhile."""
    dashboard = dashboard_of(request)
    folder = dashboard.folders.run(name)
    dashboard.index(folder)
    hits = search(folder, q, Wanted(site, language, relevance, genre, type), most, skip)
    return {"total": hits.total, "hits": [hit._asdict() for hit in hits.hits]}


@router.get("/runs/{name}/story")
def tell(request: Request, name: str, url: str, looks: Annotated[int, Query(ge=0, le=2000)] = 100) -> dict[str, Any]:
    """Why a URL was fetched, or why not; `looks` stored pages may be read to tell."""
    dashboard = dashboard_of(request)
    folder = dashboard.folders.run(name)
    return story(folder, url, looks, dashboard.view(folder).ahead_of)


@router.get("/runs/{name}/frontier")
def frontier(request: Request, name: str) -> dict[str, Any]:
    """What waits: lanes and hosts with their weights, and the highest-priced URLs."""
    dashboard = dashboard_of(request)
    waiting = dashboard.view(dashboard.folders.run(name)).frontier.get()
    return {
        "places": waiting.places,
        "lane_count": waiting.lane_count,
        "host_count": waiting.host_count,
        "lanes": [row._asdict() for row in waiting.lanes],
        "hosts": [row._asdict() for row in waiting.hosts],
        "next": [row._asdict() for row in waiting.next],
    }


@router.get("/runs/{name}/labels")
def labels(request: Request, name: str, most: Annotated[int, Query(ge=1, le=100)] = 10) -> dict[str, Any]:
    """What people said of pages, and the pages to be judged next."""
    dashboard = dashboard_of(request)
    folder = dashboard.folders.run(name)
    return {"labels": known_labels(folder), "next": [page._asdict() for page in dashboard.unlabelled(folder, most)]}


@router.post("/runs/{name}/labels", status_code=201)
def label(request: Request, name: str, given: Label) -> dict[str, Any]:
    """Say whether a page is about the topic; the crawl follows."""
    dashboard = dashboard_of(request)
    dashboard.label(dashboard.folders.run(name), given.url, given.relevant)
    return given.model_dump()


@router.post("/runs/{name}/pause", status_code=202)
def pause(request: Request, name: str) -> dict[str, Any]:
    """Let a crawl end after the pages in flight."""
    dashboard = dashboard_of(request)
    dashboard.crawls.pause(dashboard.folders.run(name))
    return {"name": name, "asked": "pause"}


@router.post("/runs/{name}/resume", status_code=202)
def resume(request: Request, name: str, longer: Longer | None = None) -> dict[str, Any]:
    """Go on with a crawl."""
    dashboard = dashboard_of(request)
    dashboard.crawls.resume(dashboard.folders.run(name), longer.max_pages if longer else None)
    return {"name": name, "asked": "resume"}


@router.post("/runs/{name}/stop", status_code=202)
def stop(request: Request, name: str) -> dict[str, Any]:
    """End a crawl, at once if it takes too long."""
    dashboard = dashboard_of(request)
    dashboard.crawls.stop(dashboard.folders.run(name))
    return {"name": name, "asked": "stop"}


@router.get("/benchmarks")
def benchmarks(request: Request) -> list[str]:
    """The names of the benchmarks."""
    return list(dashboard_of(request).folders.benchmarks())


@router.get("/benchmarks/{name}")
def benchmark(request: Request, name: str) -> dict[str, Any]:
    """The results of a benchmark."""
    return load(dashboard_of(request).folders.benchmark(name) / "results.json").model_dump()
