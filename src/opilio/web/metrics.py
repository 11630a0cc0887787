"""What Prometheus reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response

from .dashboard import Dashboard, dashboard_of

TYPE = "text/plain; version=0.0.4; charset=utf-8"
GAUGES = {
    "harvest": ("opilio_harvest_rate", "relevant pages per page fetched, over the whole crawl"),
    "harvest_now": ("opilio_harvest_rate_recent", "relevant pages per page fetched, of the last 200"),
    "pace": ("opilio_pages_per_second", "pages fetched per second, over the last 20 seconds"),
    "sites": ("opilio_relevant_sites", "sites with relevant pages"),
    "waiting": ("opilio_frontier_urls", "URLs that wait"),
    "waiting_hosts": ("opilio_waiting_hosts", "hosts that wait for politeness"),
}
COUNTERS = {
    "pages": ("opilio_pages", "pages fetched"),
    "relevant": ("opilio_relevant_pages", "relevant pages fetched; labels may take some back"),
    "bytes": ("opilio_bytes", "bytes of bodies"),
    "refused": (
        "opilio_refusals",
        "URLs that were not fetched: refused by robots.txt or the guard, unreachable, out of scope",
    ),
    "internal_errors": (
        "opilio_internal_errors",
        "exceptions of opilio or of the strategy, which cost a page or an answer",
    ),
    "seconds": ("opilio_seconds", "seconds that the crawl has worked"),
}
router = APIRouter()


@router.get("/metrics", response_class=Response)
def metrics(request: Request) -> Response:
    """The figures of every run, for Prometheus."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures(dashboard_of(request)))
    return Response(generate_latest(registry), media_type=TYPE)


class Figures(Collector):
    """The figures of every run, as they stand when asked for."""

    def __init__(self, dashboard: Dashboard) -> None:
        self.dashboard = dashboard

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        runs = self.dashboard.all_figures()
        for key, (name, about) in GAUGES.items():
            yield _filled(GaugeMetricFamily(name, about, labels=["run"]), key, runs)
        for key, (name, about) in COUNTERS.items():
            yield _filled(CounterMetricFamily(name, about, labels=["run"]), key, runs)
        running = GaugeMetricFamily("opilio_running", "1 while a process crawls", labels=["run"])
        errors = CounterMetricFamily("opilio_errors", "fetches that failed, by kind", labels=["run", "kind"])
        for run in runs:
            running.add_metric([run["name"]], float(run["state"] == "running"))
            for kind, count in run["errors"].items():
                errors.add_metric([run["name"], kind[:100]], count)
        yield from (running, errors)


def _filled(family: Any, key: str, runs: list[dict[str, Any]]) -> Metric:
    for run in runs:
        family.add_metric([run["name"]], run[key])
    made: Metric = family
    return made
