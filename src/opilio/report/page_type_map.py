"""The sitemap of a learned site as a page to look at: a box for each page type, an arrow for the links between two."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any
from urllib.parse import unquote

from .shipped_files import shipped

BOX, HIGH, GAP, TOP = 330, 112, 60, 36
SKETCH, LINE = 74, 60  # room for the sketch of a page, and the length of a line in it
ADDRESSES = 3  # in a box
LEAST = 0.05  # of a type's links, for an arrow to be drawn
COLUMN = BOX + 190
MIDDLE = HIGH // 2

Point = tuple[float, float]


def picture(site: dict[str, Any]) -> str:
    """A self-contained HTML page with the sitemap and the table of page types."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Structure of '
        f"{escape(site['start'])}</title><style>{shipped('style.css')}</style>"
        f"<h1>Structure of {escape(site['start'])}</h1>"
        f"<p>{site['pages']} pages, {len(site['types'])} page types, {site['outliers']} of no type. "
        "An arrow shows where the links of a page type lead: the thicker, the more of them. A box has a sketch of the most "
        "typical page (titles dark, links blue, pictures as boxes), its title, its address and others; names are guessed from "
        "what pages hold. A type that leads on has more links to follow than links to it.</p>"
        f"<figure>{svg(site)}</figure>{_table(site)}</html>"
    )


def svg(site: dict[str, Any]) -> str:
    """The sitemap alone."""
    places = _places(site)
    width = max((x for x, _ in places.values()), default=0) + BOX + 110
    height = max((y for _, y in places.values()), default=0) + HIGH + 40
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-label="sitemap" font-family="system-ui, sans-serif" font-size="12">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="#5b6b7b"/></marker></defs>'
        + "".join(_arrows(site, places))
        + "".join(_box(kind, *places[kind["type"]]) for kind in site["types"])
        + "</svg>"
    )


def _places(site: dict[str, Any]) -> dict[int, tuple[int, int]]:
    """Columns by how far the links are followed from the type of the start page; the largest types on top."""
    kinds = {kind["type"]: kind for kind in site["types"]}
    level = _levels(site, kinds)
    columns: dict[int, list[int]] = {}
    for name in sorted(kinds, key=lambda name: -kinds[name]["pages"]):
        columns.setdefault(level[name], []).append(name)
    return {
        name: (20 + column * COLUMN, TOP + row * (HIGH + GAP))
        for column, number in enumerate(sorted(columns))
        for row, name in enumerate(columns[number])
    }


def _levels(site: dict[str, Any], kinds: dict[int, Any]) -> dict[int, int]:
    first = next((name for name, kind in kinds.items() if site["start"] in kind["urls"]), None)
    if first is None:
        first = max(kinds, key=lambda name: kinds[name]["hub"], default=0)
    level, edge = {first: 0}, [first]
    while edge:
        here = edge.pop(0)
        for other, _ in _strong(kinds[here]) if here in kinds else ():
            if other not in level:
                level[other] = level[here] + 1
                edge.append(other)
    last = max(level.values()) + 1
    return {name: level.get(name, last) for name in kinds}


def _strong(kind: dict[str, Any]) -> list[tuple[int, float]]:
    total = sum(kind["links_to"].values()) or 1.0
    shares = [(int(name), weight / total) for name, weight in kind["links_to"].items()]
    return [(name, share) for name, share in sorted(shares, key=lambda pair: -pair[1]) if share >= LEAST]


def _arrows(site: dict[str, Any], places: dict[int, tuple[int, int]]) -> Iterator[str]:
    for kind in site["types"]:
        for other, share in _strong(kind):
            if other in places:
                yield _arrow(places[kind["type"]], places[other], share)


def _arrow(start: tuple[int, int], end: tuple[int, int], share: float) -> str:
    (x, y), (u, v) = start, end
    at: Point  # of the label
    if start == end:
        x += BOX - 70
        path, at = f"M{x} {y}c-14 -38 44 -38 30 0", (x + 15, y - 16)
    elif x == u:
        side, bend = x + BOX, 60 + abs(v - y) // 6
        path = (
            f"M{side} {y + MIDDLE + 20}C{side + bend} {y + MIDDLE} {side + bend} {v + MIDDLE} {side} {v + MIDDLE - 22}"
        )
        at = (side + bend * 3 // 4, (y + v) // 2 + MIDDLE)
    else:
        forth = u > x
        x, u = (x + BOX, u) if forth else (x, u + BOX)
        y, v = y + MIDDLE + (-10 if forth else 18), v + MIDDLE + (-10 if forth else 18)
        half = (x + u) // 2
        path = f"M{x} {y}C{half} {y} {half} {v} {u} {v}"
        at = _along(
            (x, y), (half, y), (half, v), (u, v), 0.3
        )  # nearer to where it comes from, so that it is clear whose it is
    return (
        f'<path d="{path}" fill="none" stroke="#5b6b7b" stroke-opacity="0.6" stroke-width="{1 + 6 * share:.1f}" '
        f'marker-end="url(#tip)"/><text x="{at[0]:.0f}" y="{at[1] + 4:.0f}" fill="#33404d" stroke="#fff" stroke-width="4" '
        f'paint-order="stroke" text-anchor="middle">{share:.0%}</text>'
    )


def _along(a: Point, b: Point, c: Point, d: Point, t: float) -> tuple[float, float]:
    """A point of a Bézier curve."""
    parts = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x, y = (sum(part * point[axis] for part, point in zip(parts, (a, b, c, d), strict=True)) for axis in (0, 1))
    return x, y


def _box(kind: dict[str, Any], x: int, y: int) -> str:
    lines = [_local(url) for url in dict.fromkeys([kind["example"], *kind["urls"]])][:ADDRESSES]
    role = "leads on" if kind["hub"] > kind["authority"] else "is led to"
    border = 1 + min(3.0, math.log10(1 + kind["pages"]))
    return (
        f'<g><title>{escape(kind["example"])}</title><rect x="{x}" y="{y}" width="{BOX}" height="{HIGH}" rx="7" '
        f'fill="#f3f7fb" stroke="#2b6cb0" stroke-width="{border:.1f}"/>'
        + _sketched(kind["sketch"], x + 8, y + 8)
        + f'<text x="{x + SKETCH + 10}" y="{y + 21}" font-weight="600">{escape(_short(kind["name"]))}: {kind["pages"]} pages; '
        f"{role}</text>"
        f'<text x="{x + SKETCH + 10}" y="{y + 41}">{escape(_short(kind["title"] or "(no title)"))}</text>'
        + "".join(
            f'<text x="{x + SKETCH + 10}" y="{y + 60 + 18 * number}" fill="#5b6b7b">{escape(_short(line))}</text>'
            for number, line in enumerate(lines)
        )
        + "</g>"
    )


STROKES = {
    "title": (4, "#1f3a56"),
    "link": (2, "#2b6cb0"),
    "image": (7, "#9fb3c8"),
    "text": (2, "#8796a5"),
}  # height, colour


def _sketched(strokes: Sequence[tuple[str, int]], x: int, y: int) -> str:
    """A page as a thumbnail: a line for each text, link or title, as long as it has words; a box for a picture."""
    drawn = [f'<path d="M{x} {y}h{SKETCH - 8}v{HIGH - 16}h-{SKETCH - 8}z" fill="#fff" stroke="#c3d0dc"/>']
    left, top, tall = 0, 5, 0
    for kind, words in strokes:
        height, colour = STROKES[kind]
        wide = 9 if kind == "image" else min(LINE, 3 + 3 * words)
        if left and (left + wide > LINE or kind == "title"):
            left, top, tall = 0, top + tall + 2, 0
        if top + height > HIGH - 20:
            break
        drawn.append(f'<path d="M{x + 3 + left} {y + top}h{wide}v{height}h-{wide}z" fill="{colour}"/>')
        left, tall = left + wide + 2, max(tall, height)
    return "".join(drawn)


def _local(url: str) -> str:
    return unquote(url.partition("://")[2].partition("/")[2]) or "/"


def _short(text: str, most: int = 33) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _table(site: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td>{kind['type']}<td>{escape(kind['name'])}<td>{kind['pages']}<td>{kind['hub']:.2f}<td>{kind['authority']:.2f}<td>{kind['dsim']:.3f}"
        f"<td style='text-align:left'>{'<br>'.join(_address(url) for url in kind['urls'])}"
        for kind in site["types"]
    )
    return f"<table><tr><th>type<th>name<th>pages<th>hub<th>authority<th>DSim<th>some of them{rows}</table>"


def _address(url: str) -> str:
    return f'<a href="{escape(url)}">{escape(_short(url, 90))}</a>'
