"""A picture of a site graph with a community marked, as SVG that needs nothing else and fits light and dark."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray

from ..strategies.community.frtw import Group
from ..strategies.community.site_graph import SiteGraph, Weights

SIZE, MARGIN = 720, 40
SHOWN = 300  # sites; of larger graphs the best-linked ones are drawn
SHARE = 2 / 3  # of them members, where there are that many
NAMED = 10
STEPS = 80  # of the layout, for as many sites as are shown
STYLE = (
    ":root{--paper:#fff;--ink:#1b1b1b;--link:#9aa0a6;--in:#0072b2;--out:#c9ccd1;--seed:#d55e00}"
    "@media(prefers-color-scheme:dark){:root{--paper:#14161a;--ink:#ececec;--link:#5c626b;--in:#56b4e9;--out:#474c55;"
    "--seed:#ff8f45}}text{font:12px system-ui,sans-serif;fill:var(--ink);paint-order:stroke;stroke:var(--paper);"
    "stroke-width:3px}.paper{fill:var(--paper)}path{stroke:var(--link);stroke-width:.5;opacity:.35}"
    "path.in{stroke:var(--in);opacity:.3}.in{fill:var(--in)}.out{fill:var(--out)}.seed{fill:var(--seed)}"
)


def picture(graph: SiteGraph, seed: str, group: Group) -> str:
    """The graph, or its best-linked part; members in colour, the seed in another, the best-linked members by name."""
    number = graph.number(seed)
    inside = np.zeros(len(graph), np.bool_)
    inside[group.members] = True
    shown = _shown(graph, number, inside)
    links = _links(graph, shown)
    places = _scaled(laid_out(len(shown), links, inside[shown]))
    title = f"The community of {seed}: {len(group.members):,} of {len(graph):,} sites"
    title += f"; {len(shown)} are drawn" if len(shown) < len(graph) else ""
    parts = [_lines(places, links, inside[shown]), _dots(graph, shown, places, inside, number)]
    parts += _names(graph, shown, places, inside, number)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" role="img" aria-label="{escape(title)}">'
        f'<style>{STYLE}</style><rect class="paper" width="{SIZE}" height="{SIZE}"/>'
        f'<text x="12" y="22">{escape(title)}</text>{"".join(parts)}</svg>\n'
    )


def _shown(graph: SiteGraph, seed: int, inside: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The numbers of the sites that are drawn, in order."""
    order = np.argsort(-graph.strength, kind="stable")
    members, others = order[inside[order]], order[~inside[order]]
    room = max(int(SHOWN * SHARE), SHOWN - len(others))
    members = members[:room]
    return np.unique(np.concatenate(([seed], members, others[: SHOWN - len(members)])))


def _links(graph: SiteGraph, shown: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs of places in `shown` that are linked."""
    place = np.full(len(graph), -1)
    place[shown] = np.arange(len(shown))
    pairs = [
        (here, there) for here, site in enumerate(shown.tolist()) for there in place[graph.neighbours(site)].tolist()
    ]
    return np.array([pair for pair in pairs if pair[0] < pair[1]], np.int64).reshape(-1, 2)


def laid_out(count: int, links: NDArray[np.int64], inside: NDArray[np.bool_]) -> Weights:
    """Linked sites near each other, others apart (Fruchterman and Reingold); members start in the middle."""
    turn = np.arange(count) * 2.399963  # the golden angle: no two in a line
    far = np.where(inside, 0.3, 1.0) * np.sqrt((np.arange(count) + 1) / count)
    places = np.stack((far * np.cos(turn), far * np.sin(turn)), axis=1)
    ideal = 1.2 / count**0.5
    steps = STEPS if count <= SHOWN else STEPS * SHOWN // count  # the work of a step grows with the square
    for step in range(steps):
        gaps = places[:, None, :] - places[None, :, :]
        distance = np.maximum(np.sqrt((gaps**2).sum(axis=2)), 1e-3)
        push = (gaps * (ideal**2 / distance**2)[:, :, None]).sum(axis=1) - 0.3 * places
        pull = np.zeros_like(places)
        across = places[links[:, 1]] - places[links[:, 0]]
        pulled = across * (np.sqrt((across**2).sum(axis=1)) / ideal)[:, None] / (1 + len(links) / count)
        np.add.at(pull, links[:, 0], pulled)
        np.add.at(pull, links[:, 1], -pulled)
        move = push + pull
        length = np.maximum(np.sqrt((move**2).sum(axis=1, keepdims=True)), 1e-9)
        places = places + move / length * np.minimum(length, 0.1 * (1 - step / steps))
    return places


def _scaled(places: Weights) -> Weights:
    low, high = places.min(axis=0), places.max(axis=0)
    room = SIZE - 2 * MARGIN
    scaled: Weights = MARGIN + (places - low) / np.maximum(high - low, 1e-9) * room
    return scaled


def _lines(places: Weights, links: NDArray[np.int64], inside: NDArray[np.bool_]) -> str:
    paths = {"": "", "in": ""}
    for here, there in links.tolist():
        (x, y), (u, v) = places[here], places[there]
        paths["in" if inside[here] and inside[there] else ""] += f"M{x:.0f} {y:.0f}L{u:.0f} {v:.0f}"
    return "".join(f'<path class="{kind}" d="{d}"/>' for kind, d in paths.items() if d)


def _dots(graph: SiteGraph, shown: NDArray[np.int64], places: Weights, inside: NDArray[np.bool_], seed: int) -> str:
    dots = []
    for site, (x, y) in sorted(zip(shown.tolist(), places.tolist(), strict=True), key=lambda dot: dot[0] == seed):
        kind = "seed" if site == seed else "in" if inside[site] else "out"
        size = 2 + min(6.0, float(graph.strength[site]) ** 0.5 / 2)
        name = escape(graph.names[site])
        dots.append(f'<circle class="{kind}" cx="{x:.0f}" cy="{y:.0f}" r="{size:.1f}"><title>{name}</title></circle>')
    return "".join(dots)


def _names(
    graph: SiteGraph, shown: NDArray[np.int64], places: Weights, inside: NDArray[np.bool_], seed: int
) -> list[str]:
    at = dict(zip(shown.tolist(), places.tolist(), strict=True))
    members = [site for site in shown.tolist() if inside[site] and site != seed]
    written: list[tuple[float, float]] = []
    texts: list[str] = []
    for site in (seed, *sorted(members, key=lambda site: (-graph.strength[site], site))):
        x, y = min(at[site][0] + 8, SIZE - 160), at[site][1] + 4
        if len(texts) < NAMED and all(abs(x - u) > 170 or abs(y - v) > 14 for u, v in written):
            written.append((x, y))
            texts.append(f'<text x="{x:.0f}" y="{y:.0f}">{escape(_short(graph.names[site]))}</text>')
    return texts


def _short(name: str) -> str:
    bare = name.partition("://")[2].rstrip("/") if "://" in name else name
    return bare if len(bare) <= 28 else bare[:27] + "…"
