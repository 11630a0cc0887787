"""Benchmarks: one, or two side by side."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from ...bench.plots import FIRST, lines, plot, title, x_axis
from ...bench.results import Results, Summary, load
from ...bench.table import SHOWN, final
from ...errors import UnreadableError
from ..dashboard import dashboard_of
from ..drawing import drawing
from ..page_router import PageRouter
from ..render import render

router = PageRouter()


@router.get("/benchmarks")
def benchmarks(request: Request, a: str = "", b: str = "") -> Response:
    folders = dashboard_of(request).folders
    names = list(folders.benchmarks())
    chosen = [name for name in dict.fromkeys((a or names[0] if names else "", b)) if name]
    results = {name: results_of(folders.benchmark(name)) for name in chosen}
    metrics = [metric for metric in FIRST if all(metric in found.runs[0].curve for found in results.values())]
    return render(
        request, "benchmarks.html", names=names, results=results, metrics=metrics, table=_table(list(results.values())),
        title=title, a=chosen[0] if chosen else "", b=chosen[1] if len(chosen) > 1 else "",
    )  # fmt: skip


@router.get("/benchmarks/{name}/{metric}.svg")
def drawn(request: Request, name: str, metric: str) -> Response:
    results = results_of(dashboard_of(request).folders.benchmark(name))
    if metric == "pages" or metric not in results.runs[0].curve:
        raise UnreadableError(f'there is no metric "{metric[:80]}" in it')
    return drawing(plot(title(metric), x_axis(results), lines(results, metric)))


def results_of(folder: Path) -> Results:
    """The results in a folder; read again when the file has changed."""
    path = folder / "results.json"
    status = path.stat()
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=32)
def _read(path: Path, when: int, size: int) -> Results:
    return load(path)


def _table(results: list[Results]) -> list[tuple[str, str, list[Summary | None], float | None]]:
    """Rows of strategy, metric, its value in each result, and by how much the second is above the first."""
    metrics = (
        [metric for metric in SHOWN[results[0].kind] if all(metric in SHOWN[r.kind] for r in results)]
        if results
        else []
    )
    strategies = dict.fromkeys(run.strategy for found in results for run in found.runs)
    rows: list[tuple[str, str, list[Summary | None], float | None]] = []
    for metric in metrics:
        ends = [final(found, metric) for found in results]
        for strategy in strategies:
            cells = [end.get(strategy) for end in ends]
            both = [cell.mean for cell in cells if cell]
            rows.append((metric, strategy, cells, both[1] - both[0] if len(both) == 2 else None))
    return rows
