"""Templates: whatever comes from a page is escaped, cut, and text."""

from __future__ import annotations

import time
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from .. import __version__
from ..bench.palette import styles
from ..nouns import RELEVANT
from ..report.html_parts import bars, marked, share, shown, size
from ..report.refusals import sentence as refusal
from .dashboard import Dashboard, dashboard_of

CUT = 200  # characters of a title, an anchor or a URL


def render(request: Request, template: str, status: int = 200, /, **values: Any) -> HTMLResponse:
    """The page of a template."""
    dashboard = dashboard_of(request)
    context = {
        "path": request.url.path,
        "tabs": request.app.state.tabs,
        "can_start": dashboard.folders.home is not None,
        "places": _places(dashboard),
        "state_of": lambda name: dashboard.crawls.state(dashboard.folders.run(name)),
        **values,
    }
    return HTMLResponse(templates().get_template(template).render(context), status)


def _places(dashboard: Dashboard) -> list[tuple[str, str]]:
    """The menu: where it leads, and what it says."""
    clusters = [("/clusters", "Clusters")] if dashboard.states else []
    return [("/runs", "Runs"), *clusters, ("/benchmarks", "Benchmarks"), ("/api", "API")]


@cache
def templates() -> Environment:
    made = Environment(
        loader=PackageLoader("opilio.web", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"cut": cut, "part": part, "when": when, "size": size, "shown": shown, "number": number}
    made.filters["refusal"] = refusal
    made.filters |= {"percent": percent, "style": style_of, "marked": lambda pieces: Markup(marked(pieces))}
    made.globals |= {"version": __version__, "share": share, "query": query, "RELEVANT": RELEVANT}
    made.globals["bars"] = lambda rows, counted="fetched": Markup(bars("", rows, counted))
    return made


def cut(text: str | None, most: int = CUT) -> str:
    """In one line, and not longer than anybody reads."""
    line = " ".join((text or "")[: 4 * most].split())
    return line if len(line) <= most else line[: most - 1] + "…"


def part(name: str) -> str:
    """A name as one part of a path."""
    return quote(name, safe="")


def query(**values: Any) -> str:
    """The part of a URL after "?"; what is empty is left out."""
    given = {name: value for name, value in values.items() if value not in ("", None)}
    return f"?{urlencode(given)}" if given else "?"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def style_of(strategy: str) -> str:
    """The class of a strategy's lines: the colour that it has everywhere."""
    return styles([strategy])[strategy] if strategy else "random"


def when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))


def number(value: float | None) -> str:
    """A number for a table; nothing where there is none."""
    return "" if value is None else f"{value:,.4g}"
