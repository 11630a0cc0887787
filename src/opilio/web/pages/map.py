"""The sites of a crawl and their links as a map, and the page types of one of them."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ...learning.url_patterns import common_words, pattern
from ...nouns import RELEVANT
from ...report.html_parts import Bar
from ...report.web_map import MOST, Map, Node, folder_of, shades, svg
from ...store.reader import reading
from ...urls import site as site_of
from ..dashboard import dashboard_of
from ..page_router import PageRouter, Tab
from ..render import part, query, render

SIZES = (50, 200, MOST)  # nodes that may be drawn
TYPES, GROUPS, NAMED, LISTED = 15, 8, 6, 50
router = PageRouter(Tab("Map", "/map", 3))


@router.get("/runs/{name}/map")
def drawn(request: Request, name: str, most: int = SIZES[1], site: str = "") -> Response:
    dashboard = dashboard_of(request)
    folder = dashboard.folders.run(name)
    size = next((size for size in SIZES if most <= size), MOST)
    found = dashboard.view(folder).map(size)
    return render(
        request,
        "map.html",
        name=name,
        found=found,
        sizes=SIZES,
        size=size,
        site=site,
        drawing=Markup(_drawing(found, name, size) + shades()),
        groups=_groups(found),
        nodes=[_bar(node, name, size) for node in found.nodes[:LISTED]],
        types=types(folder, site, found.kind) if site else [],
    )


def _drawing(found: Map, name: str, size: int) -> str:
    return svg(found, "", lambda node: f"/runs/{part(name)}/map{query(most=size, site=node)}")


def _bar(node: Node, name: str, size: int) -> Bar:
    return Bar(node.name, node.pages, node.relevant, f"/runs/{part(name)}/map{query(most=size, site=node.name)}")


def _groups(found: Map) -> list[Bar]:
    """Groups of nodes that link to each other, by some of their names."""
    inside: dict[int, list[Node]] = {}
    for node in found.nodes:
        inside.setdefault(node.group, []).append(node)
    many = [nodes for nodes in inside.values() if len(nodes) > 1][:GROUPS]
    return [
        Bar(
            ", ".join(node.name for node in nodes[:NAMED])
            + (f" and {len(nodes) - NAMED:,} more" if len(nodes) > NAMED else ""),
            sum(node.pages for node in nodes),
            sum(node.relevant for node in nodes),
        )
        for nodes in many
    ]


def types(folder: Path, name: str, kind: str) -> list[Bar]:
    """The page types of a site: as the strategy names them, else by their URLs."""
    with closing(reading(folder)) as db:
        query = "SELECT url, coalesce(page_type, genre), coalesce(relevance, 0) >= ? FROM pages WHERE instr(url, ?)"
        rows = db.execute(query, (RELEVANT, name.rstrip("/"))).fetchall()
    name_of = site_of if kind == "site" else folder_of
    mine = [(url, kind, good) for url, kind, good in rows if name_of(url) == name]
    words = common_words([url for url, _, _ in mine])
    kinds = [kind or pattern(url, words) for url, kind, _ in mine]
    pages = Counter(kinds)
    relevant = Counter(kind for kind, (_, _, good) in zip(kinds, mine, strict=True) if good)
    return [Bar(kind, count, relevant[kind]) for kind, count in pages.most_common(TYPES)]
