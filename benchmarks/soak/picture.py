"""The drawing of a soak: one panel for each kind of thing, one line a process, a dashed mark where something was killed."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import groupby

from opilio.bench.plots import HEIGHT, WIDTH, Line, plot

from .flat import Point, Series

POINTS = 240  # of one line
SPIKE = 4  # times the median; what is higher is cut off, so that the rest can be seen


def drawing(found: Sequence[Series], seconds: float, kills: Sequence[float]) -> str:
    """All panels, one below the other, as one SVG."""
    seen = [one for one in found if one.points]
    panels = [_panel(kind, list(group), seconds, kills) for kind, group in groupby(seen, lambda one: one.kind)]
    placed = [panel.replace("<svg ", f'<svg y="{HEIGHT * number}" ', 1) for number, panel in enumerate(panels)]
    high = HEIGHT * len(panels)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high}" width="{WIDTH}" height="{high}">'
        + "".join(placed)
        + "</svg>\n"
    )


def _panel(kind: str, group: Sequence[Series], seconds: float, kills: Sequence[float]) -> str:
    lines = [_line(number, one.name, one.points, seconds) for number, one in enumerate(group)]
    svg = plot(kind, "minutes", lines, marks=[at / 60 for at in kills])
    return svg.replace("<svg ", f'<svg width="{WIDTH}" height="{HEIGHT}" ', 1)


def _line(number: int, name: str, points: Sequence[Point], seconds: float) -> Line:
    some = points[:: len(points) // POINTS + 1]
    end = Point(max(seconds, points[-1].seconds), points[-1].value, 0)
    highest = SPIKE * statistics.median(point.value for point in points)
    xs, ys = [p.seconds / 60 for p in (*some, end)], [min(p.value, highest) for p in (*some, end)]
    return Line(name, f"s{number}", xs, ys, [0.0] * len(xs))
