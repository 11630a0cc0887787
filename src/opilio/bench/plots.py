"""Curves with bands of one standard error, as SVG that needs nothing else and fits light and dark."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from . import palette
from .palette import css
from .results import Results, Run
from .significance import SAMPLES

WIDTH, HEIGHT = 560, 330
LEFT, TOP, BOTTOM = 60, 50, 44
LETTER = 8.4  # width of one, about, with some to spare for larger type on small screens
SAMPLE = 22  # of a line, before its label
GAP = 16  # between labels
LONGEST = 20
FIRST = ("harvest_rate", "target_recall")


class Line(NamedTuple):
    """One strategy's mean with its band."""

    name: str
    style: str  # as `styles` names it
    xs: Sequence[float]
    ys: Sequence[float]
    errors: Sequence[float]


def plots(results: Results) -> dict[str, str]:
    """A drawing for every metric, those that are looked at most first."""
    names = sorted(set(results.runs[0].curve) - {"pages"}, key=lambda name: (name not in FIRST, name))
    drawn = {name: plot(title(name), x_axis(results), lines(results, name)) for name in names}
    if results.clock:
        for name in FIRST:
            key = f"{name}_over_time"
            drawn[key] = plot(title(key), "% of the time that the oracle takes", lines_over_time(results, name))
    return drawn


def title(metric: str) -> str:
    """The name of a metric as people read it."""
    return {"auc": "AUC", "auc_over_time": "AUC over time", "f_score": "F score"}.get(
        metric, metric.replace("_", " ").capitalize()
    )


def styles(results: Results) -> dict[str, str]:
    """The class of each strategy's line, the same in all drawings."""
    return palette.styles(run.strategy for run in results.runs)


def x_axis(results: Results) -> str:
    """What the horizontal axis counts."""
    return "pages fetched" if isinstance(results.budget, int) else "% of the budget fetched"


def lines(results: Results, metric: str) -> list[Line]:
    """The mean curve of each strategy over all trials."""
    whole = results.budget if isinstance(results.budget, int) else 100
    return _means(results, whole, lambda run, i: _at(run, metric, i))


def lines_over_time(results: Results, metric: str) -> list[Line]:
    """The same over the time of the simulated clock."""
    return _means(results, 100, lambda run, i: run.timed.curve[metric][i - 1] if run.timed else 0.0)


def _means(results: Results, whole: int, value: Callable[[Run, int], float]) -> list[Line]:
    """A line for each strategy: the mean over its runs of a value at each of the sampled places."""
    found = []
    for name, style in styles(results).items():
        runs = [run for run in results.runs if run.strategy == name]
        samples = [[value(run, i) for run in runs] for i in range(1, SAMPLES + 1)]
        xs = [whole * i / SAMPLES for i in range(1, SAMPLES + 1)]
        found.append(Line(name, style, xs, [statistics.fmean(s) for s in samples], [_error(s) for s in samples]))
    return found


def plot(
    heading: str,
    x_name: str,
    lines: Sequence[Line],
    marks: Sequence[float] = (),
    y_name: str = "",
    form: str = "number",
    inline: bool = False,
) -> str:
    """One drawing; `marks` are places on the horizontal axis that get a dashed line.

    `form` says how values are written (number, percent, count). An inline one takes its colours from the page around it, and
    has what a script needs to tell the values under a pointer.
    """
    right = 16 + SAMPLE + LETTER * max(len(_short(line.name)) for line in lines)
    x_ticks = ticks(max(max(line.xs) for line in lines))
    highest = max(y + e for line in lines for y, e in zip(line.ys, line.errors, strict=True)) or 1.0
    y_ticks = ticks(highest, form == "count")
    scale = Scale(max(line.xs[-1] for line in lines), y_ticks[-1], right)
    parts = [_axes(scale, x_ticks, y_ticks, x_name, y_name, form)]
    parts += [f'<path class="mark" d="M{scale.x(x)} {TOP}V{scale.y(0)}"/>' for x in marks]
    parts += [_band(scale, line) for line in lines if any(line.errors)]
    parts += [_curve(scale, line) for line in lines]
    parts += _labels(scale, lines)
    about = f"{heading} over {x_name}. At the end: {', '.join(f'{line.name} {_value(line.ys[-1], form)}' for line in lines)}"
    frame = f"{LEFT} {HEIGHT - BOTTOM} {scale.wide / scale.most_x:.6g} {scale.high / scale.most_y:.6g} {TOP}"
    ours = f' class="chart" data-frame="{frame}" data-form="{form}" data-x="{escape(x_name)}"' if inline else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(about)}"{ours}>{"" if inline else f"<style>{css()}</style>"}'
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>'
        f'<text class="heading" x="{LEFT}" y="20">{escape(heading)}</text>{"".join(parts)}</svg>\n'
    )


def _value(value: float, form: str) -> str:
    return f"{value:.1%}" if form == "percent" else f"{value:,.0f}" if form == "count" else f"{value:.3g}"


class Scale(NamedTuple):
    """Values to places in the drawing."""

    most_x: float
    most_y: float
    right: float

    @property
    def wide(self) -> float:
        return WIDTH - LEFT - self.right

    @property
    def high(self) -> float:
        return HEIGHT - TOP - BOTTOM

    def x(self, value: float) -> float:
        return round(LEFT + value / self.most_x * self.wide, 1)

    def y(self, value: float) -> float:
        return round(HEIGHT - BOTTOM - value / self.most_y * self.high, 1)


def ticks(top: float, whole: bool = False) -> list[float]:
    """Some four to eight round numbers from 0 to `top` or the next one above it; whole ones for what is counted."""
    power = 10.0 ** math.floor(math.log10(top))
    steps = [part * power for part in (0.2, 0.25, 0.5, 1, 2)]
    step = next(s for s in steps if top / s <= 6 and (not whole or s == max(1, round(s))))
    return [round(i * step, 10) for i in range(math.ceil(top / step - 1e-9) + 1)]


def _axes(scale: Scale, xs: Sequence[float], ys: Sequence[float], x_name: str, y_name: str, form: str) -> str:
    end, bottom = scale.x(scale.most_x), scale.y(0)
    parts = [
        f'<text class="soft" x="{(LEFT + end) / 2:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_name)}</text>',
        f'<text class="soft" x="{LEFT}" y="38">{escape(y_name)}</text>' if y_name else "",
    ]
    for value in ys:
        y = scale.y(value)
        parts.append(f'<path class="grid" d="M{LEFT} {y}H{end}"/>')
        parts.append(f'<text class="soft" x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{_tick(value, form)}</text>')
    for value in (x for x in xs if x <= scale.most_x):
        x = scale.x(value)
        parts.append(f'<path class="grid" d="M{x} {bottom}v5"/>')
        parts.append(f'<text class="soft" x="{x}" y="{bottom + 19:.1f}" text-anchor="middle">{value:,g}</text>')
    return "".join(parts)


def _tick(value: float, form: str) -> str:
    return f"{100 * value:g} %" if form == "percent" else f"{value:,g}"


def _band(scale: Scale, line: Line) -> str:
    rows = list(zip(line.xs, line.ys, line.errors, strict=True))
    above = [(x, min(y + e, scale.most_y)) for x, y, e in rows]
    below = [(x, max(y - e, 0.0)) for x, y, e in reversed(rows)]
    return f'<polygon class="band {line.style}" points="{_points(scale, above + below)}"/>'


def _curve(scale: Scale, line: Line) -> str:
    points = _points(scale, list(zip(line.xs, line.ys, strict=True)))
    return f'<polyline class="{line.style}" data-name="{escape(line.name)}" points="{points}"/>'


def _points(scale: Scale, pairs: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{scale.x(x)},{scale.y(y)}" for x, y in pairs)


def _labels(scale: Scale, lines: Sequence[Line]) -> list[str]:
    """A sample and the name of each line, as near to its end as the others let it be."""
    order = sorted(lines, key=lambda line: -line.ys[-1])
    wanted = [scale.y(line.ys[-1]) for line in order]
    x = scale.x(scale.most_x) + 6
    return [
        f'<path class="key {line.style}" d="M{x:.1f} {y:.1f}h{SAMPLE - 6}"/>'
        f'<text class="name {line.style}" x="{x + SAMPLE - 2:.1f}" y="{y + 4:.1f}">{escape(_short(line.name))}</text>'
        for line, y in zip(order, spread(wanted, TOP, HEIGHT - BOTTOM), strict=True)
    ]


def spread(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Places, from the top down, that are a gap apart and as near as can be to those that were wanted."""
    gap = min(GAP, (bottom - top) / max(1, len(wanted) - 1))
    places: list[float] = []
    for i, y in enumerate(wanted):
        lowest = bottom - gap * (len(wanted) - 1 - i)
        places.append(min(max(y, places[-1] + gap if places else top), lowest))
    return places


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def _at(run: Run, metric: str, i: int) -> float:
    return run.at(metric, math.ceil(run.curve["pages"][-1] * i / SAMPLES))


def _error(sample: Sequence[float]) -> float:
    return statistics.stdev(sample) / math.sqrt(len(sample)) if len(sample) > 1 else 0.0
