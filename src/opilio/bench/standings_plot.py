"""Standings as a drawing: a point with its interval for each strategy, by pages and by time, kind by kind."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .palette import css
from .standings import CEILING, Spread, Standing
from .standings_table import KINDS

WIDTH, LEFT, RIGHT = 720, 150, 24
ROW, HEAD, TOP, BOTTOM = 22, 30, 44, 34
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def picture(rows: Sequence[Standing]) -> str:
    """An SVG that needs nothing else and fits light and dark."""
    shown = [row for row in rows if row.strategy != CEILING]
    kinds = list(dict.fromkeys(row.kind for row in shown))
    height = TOP + HEAD * len(kinds) + ROW * len(shown) + BOTTOM
    parts, y = [_axis(height), _key(any(row.time for row in shown))], float(TOP)
    for kind in kinds:
        parts.append(f'<text class="heading" x="8" y="{y + 19:.0f}">{escape(KINDS[kind])}</text>')
        y += HEAD
        for row in (row for row in shown if row.kind == kind):
            parts.append(_row(row, y))
            y += ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="Share of the oracle\'s area, strategy by strategy"><style>{css()}.dot{{fill:var(--line)}}</style>'
        f'<rect class="paper" width="{WIDTH}" height="{height}"/>{"".join(parts)}</svg>\n'
    )


def _axis(height: int) -> str:
    lines = []
    for tick in TICKS:
        x, bottom = _x(tick), height - BOTTOM
        lines.append(f'<path class="grid" d="M{x} {TOP}V{bottom}"/>')
        lines.append(f'<text class="soft" x="{x}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>')
    return "".join(lines)


def _key(timed: bool) -> str:
    panels = [(0, "by pages")] + ([(1, "by simulated time")] if timed else [])
    text = '<text class="heading" x="8" y="20">Share of the oracle\'s area</text>'
    for place, (number, name) in enumerate(panels):
        x = 300 + 130 * place
        text += f'<circle class="dot s{number}" cx="{x}" cy="16" r="4"/><text x="{x + 10}" y="20">{name}</text>'
    return text


def _row(row: Standing, y: float) -> str:
    name = f'<text x="{LEFT - 10}" y="{y + 15:.0f}" text-anchor="end">{escape(row.strategy)}</text>'
    middle = y + ROW / 2
    if not row.time:
        return name + _point(row.pages, middle, 0)
    return name + _point(row.pages, middle - 4, 0) + _point(row.time, middle + 4, 1)


def _point(spread: Spread, y: float, number: int) -> str:
    bar = f'<path class="key s{number}" d="M{_x(spread.low)} {y:.1f}H{_x(spread.high)}"/>'
    return f'{bar}<circle class="dot s{number}" cx="{_x(spread.share)}" cy="{y:.1f}" r="3.5"/>'


def _x(share: float) -> float:
    return round(LEFT + min(share, 1.05) * (WIDTH - LEFT - RIGHT) / 1.05, 1)
