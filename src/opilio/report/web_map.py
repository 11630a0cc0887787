"""The web that a crawl walked as a map: its sites, and the links that were followed between them."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from html import escape
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from ..nouns import RELEVANT
from ..urls import site
from .community_picture import laid_out

WIDE, HIGH, MARGIN = 960, 600, 30
LOW, SPARSE = 380, 12  # height of a map with no more nodes than this
MOST = 1000  # nodes
FEW = 3  # sites; with fewer, or with no link between them, the folders of the sites are drawn
ROUNDS = 20  # in which a node takes the group of its neighbours
LETTER, LINE = 6.6, 15  # size of a name, about
LARGE = 2.4  # times that size on a small screen
NAMED = 40  # nodes with their names
DARKEST = (0.35, 0.6)  # opacity of links, without and with relevant pages at both ends
FAINT = 12.0  # of n links, as much as FAINT / √n of it
LEAST = (2.2, 3.5)  # radius of a dot, without and with relevant pages
SMALL = 5.0  # radius of dots that a name may cover
FIRST, MIDDLING = 5, 10.0  # nodes whose names may cover dots up to this radius, too
LONGEST = 28  # letters of a name
SIDES = {(1, 0): "start", (-1, 0): "end", (0, -1): "middle", (0, 1): "middle"}  # of a dot, and the end of a name there
GAP = 3  # between a dot and its name
SHADES = 5  # of relevance


class Node(NamedTuple):
    """A site, or a folder of one."""

    name: str
    pages: int
    relevant: int
    group: int  # nodes of one group link to each other more than to others


class Map(NamedTuple):
    """Nodes, those with most relevant pages first, and pairs of places that are linked with how often that was followed."""

    nodes: list[Node]
    links: dict[tuple[int, int], int]
    left_out: int  # nodes beyond the largest ones
    kind: str  # what a node is: site or folder
    places: NDArray[np.float64] = np.empty((0, 2))  # where each node is drawn: what takes longest is done once


class Box(NamedTuple):
    """Where a name stands."""

    left: float
    right: float
    top: float
    bottom: float


def web_map(db: sqlite3.Connection, most: int = MOST) -> Map:
    """The map of a crawl: every page counts for its node, every followed link for the nodes at its ends."""
    rows = db.execute("SELECT url, source, coalesce(relevance, 0) >= ? FROM pages", (RELEVANT,)).fetchall()
    urls = [(row[0], row[1] or "", bool(row[2])) for row in rows]
    if len({site(url) for url, _, _ in urls}) >= FEW:
        sites = _map(urls, site, most, "site")
        if sites.links:
            return sites
    return _map(urls, folder_of, most, "folder")


def folder_of(url: str) -> str:
    """Host and first folder of a URL."""
    parts = urlsplit(url)
    first, slash, _ = parts.path.lstrip("/").partition("/")
    return f"{parts.netloc}/{first}/" if slash else f"{parts.netloc}/"


def _map(urls: list[tuple[str, str, bool]], name_of: Callable[[str], str], most: int, kind: str) -> Map:
    pages: Counter[str] = Counter()
    good: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for url, source, is_good in urls:
        name = name_of(url)
        pages[name] += 1
        good[name] += is_good
        if source and (from_name := name_of(source)) != name:
            pairs[min(name, from_name), max(name, from_name)] += 1
    names = sorted(pages, key=lambda name: (-good[name], -pages[name], name))
    place = {name: at for at, name in enumerate(names[:most])}
    links = {(place[a], place[b]): count for (a, b), count in pairs.items() if a in place and b in place}
    groups = _groups(len(place), links)
    nodes = [Node(name, pages[name], good[name], groups[at]) for name, at in place.items()]
    made = Map(nodes, links, len(names) - len(nodes), kind)
    return made._replace(places=_places(made)) if nodes else made


def _groups(count: int, links: dict[tuple[int, int], int]) -> list[int]:
    """Each node joins the group that raises modularity most, over and over (the first level of Louvain); the largest is 0."""
    beside: list[dict[int, int]] = [{} for _ in range(count)]
    for (here, there), weight in links.items():
        beside[here][there] = beside[there][here] = weight
    strength = [sum(near.values()) for near in beside]
    group, total, whole = list(range(count)), list(strength), max(1, sum(strength))
    for _ in range(ROUNDS):
        if not sum(_moved(at, beside[at], strength, group, total, whole) for at in range(count)):
            break
    order = {name: number for number, (name, _) in enumerate(Counter(group).most_common())}
    return [order[name] for name in group]


def _moved(at: int, near: dict[int, int], strength: list[int], group: list[int], total: list[int], whole: int) -> bool:
    """Whether a node found a better group than its own."""
    home = group[at]
    total[home] -= strength[at]
    votes: Counter[int] = Counter({home: 0})
    for other, weight in near.items():
        votes[group[other]] += weight
    best = max(votes, key=lambda one: (votes[one] - strength[at] * total[one] / whole, one == home, -one))
    total[best] += strength[at]
    group[at] = best
    return best != home


def svg(found: Map, about: str, link: Callable[[str], str] | None = None) -> str:
    """The map as a drawing; with `link`, every node leads somewhere, and the drawing stands beside a table that says the same."""
    if not found.nodes:
        return ""
    places, sizes = found.places, _sizes(found.nodes)
    role = 'aria-hidden="true"' if link else f'role="img" aria-label="{escape(about)}"'
    dots = (
        _dot(node, x, y, size, link) for node, (x, y), size in zip(found.nodes, places.tolist(), sizes, strict=True)
    )
    high = _high(found)
    return (
        f'<svg class="map" viewBox="0 0 {WIDE} {high}" {role}><rect class="paper" width="{WIDE}" height="{high}"/>'
        f"{_lines(found)}{''.join(reversed(list(dots)))}{''.join(_names(found, places, sizes))}</svg>"
    )


def shades() -> str:
    """What the colours of a map mean."""
    dots = "".join(f'<circle class="r{shade}" cx="{8 + 16 * shade}" cy="8" r="7"/>' for shade in range(SHADES))
    return (
        f'<p class="shades">no relevant page <svg class="key" viewBox="0 0 {16 * SHADES} 16" aria-hidden="true">{dots}</svg>'
        " most pages relevant</p>"
    )


def _high(found: Map) -> int:
    return HIGH if len(found.nodes) > SPARSE else LOW


def _places(found: Map) -> NDArray[np.float64]:
    pairs = np.array(list(found.links), np.int64).reshape(-1, 2)
    inside = np.array([node.relevant > 0 for node in found.nodes])
    places = laid_out(len(found.nodes), pairs, inside)
    room = np.array([WIDE - 2 * MARGIN, _high(found) - 2 * MARGIN])
    if len(found.nodes) == 1:
        return np.array([[WIDE / 2, _high(found) / 2]])
    low, high = places.min(axis=0), places.max(axis=0)
    ranks = places.argsort(axis=0).argsort(axis=0) / (len(places) - 1)
    linear = (places - low) / np.maximum(high - low, 1e-9)
    scaled: NDArray[np.float64] = MARGIN + (linear + ranks) / 2 * room  # a crowd in the middle gets room from the edges
    return scaled


def _sizes(nodes: list[Node]) -> list[float]:
    """Areas by pages; the more nodes, the smaller the largest one. What is relevant is seen among a thousand others."""
    largest, most = max(8.0, min(24.0, 160 / len(nodes) ** 0.5)), max(node.pages for node in nodes)
    return [max(LEAST[node.relevant > 0], largest * (node.pages / most) ** 0.5) for node in nodes]


def _dot(node: Node, x: float, y: float, size: float, link: Callable[[str], str] | None) -> str:
    shade = 0 if not node.relevant else 1 + min(SHADES - 2, int((SHADES - 1) * node.relevant / node.pages))
    good = f"{node.relevant:,} relevant of " if node.relevant else ""
    title = f"{node.name}: {good}{node.pages:,} pages"
    dot = (
        f'<circle class="r{shade} g{node.group % 7}" cx="{x:.0f}" cy="{y:.0f}" r="{size:.1f}">'
        f"<title>{escape(title)}</title></circle>"
    )
    return f'<a href="{escape(link(node.name))}" tabindex="-1">{dot}</a>' if link else dot


def _lines(found: Map) -> str:
    """The links; those between nodes with relevant pages over the others. The more there are, the fainter they are."""
    drawn: dict[bool, list[str]] = {False: [], True: []}
    for a, b in found.links:
        is_good = min(found.nodes[a].relevant, found.nodes[b].relevant) > 0
        drawn[is_good].append(_line(found.places[a], found.places[b]))
    fade = min(1.0, FAINT / max(1, len(found.links)) ** 0.5)
    return "".join(
        f'<path class="link{" good" * is_good}" stroke-opacity="{fade * DARKEST[is_good]:.2f}" d="{"".join(lines)}"/>'
        for is_good, lines in drawn.items()
        if lines
    )


def _line(one: NDArray[np.float64], other: NDArray[np.float64]) -> str:
    return f"M{one[0]:.0f} {one[1]:.0f}L{other[0]:.0f} {other[1]:.0f}"


def _names(found: Map, places: NDArray[np.float64], sizes: list[float]) -> Iterable[str]:
    """The names of the nodes with most relevant pages, where they have room; those are fine that have none in large letters."""
    dots = [(x, y, size) for (x, y), size in zip(places.tolist(), sizes, strict=True)]
    taken, first = (
        [Box(x - size, x + size, y - size, y + size) for x, y, size in dots if size > least]
        for least in (SMALL, MIDDLING)
    )
    large, named = list(taken), 0
    for at, (node, (x, y, size)) in enumerate(zip(found.nodes, dots, strict=True)):
        text = node.name if len(node.name) <= LONGEST else node.name[: LONGEST - 1] + "…"
        around = (taken, first) if at < FIRST else (taken,)
        room = (side for boxes in around for side in SIDES if _has_room(_box(x, y, size, text, side), boxes))
        side = next(room, None)
        if not side or named == NAMED:
            continue
        named += 1
        box = _box(x, y, size, text, side)
        taken.append(box)
        first.append(box)
        wider = _box(x, y, size, text, side, LARGE)
        if is_large := _has_room(wider, large):
            large.append(wider)
        kind = "" if is_large else ' class="fine"'
        place = f'x="{x + side[0] * (size + GAP):.0f}" y="{(box.top + box.bottom) / 2 + 4:.0f}"'
        yield f'<text{kind} text-anchor="{SIDES[side]}" {place}>{escape(text)}</text>'


def _box(x: float, y: float, size: float, text: str, side: tuple[int, int], factor: float = 1.0) -> Box:
    wide, high = factor * LETTER * len(text) / 2, factor * LINE / 2
    x, y = x + side[0] * (size + GAP + wide), y + side[1] * (size + GAP + high)
    return Box(x - wide, x + wide, y - high, y + high)


def _has_room(box: Box, taken: list[Box]) -> bool:
    free = all(box.left > b or box.right < a or box.top > d or box.bottom < c for a, b, c, d in taken)
    return free and box.left >= 0 and box.right <= WIDE
