"""Communities on their own: links between sites in, the community of one site out."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import closing
from difflib import get_close_matches
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from ..engine.run_folder import configured
from ..errors import ConfigError, UnreadableError
from ..store.reader import reading
from ..strategies.community.frtw import Group, best_phi, frtw
from ..strategies.community.site_graph import SiteGraph
from ..strategies.community.two_rounds import TwoRounds
from .learned_strategies import strategies

HEADER = ("source", "target")


class Found(NamedTuple):
    """A community, and what a reader should know about it."""

    graph: SiteGraph
    seed: str
    group: Group
    remarks: list[str]  # sentences

    @property
    def members(self) -> list[str]:
        """The sites, in order."""
        return self.group.names(self.graph)


def communities(path: Path, seed: str, phi: float | None = None) -> Found:
    """The community around a site of the graph in a file; without φ, the one that is set off best from the rest."""
    if phi is not None and not 0 < phi <= 1:
        raise ConfigError(f"phi is {phi:g}; give a number above 0 and up to 1, or leave it out to have it chosen")
    graph = SiteGraph.of(_edges(path, _text(path)))  # as they are read: two million links take no list
    if not len(graph):
        raise UnreadableError(_empty(path))
    name = _named(graph, seed, path)
    group = best_phi(graph, name) if phi is None else frtw(graph, name, phi)
    return Found(graph, name, group, list(_remarks(graph, name, group)))


def read_edges(path: Path) -> list[tuple[str, str]]:
    """The links of a CSV file with the columns source and target; UnreadableError names the line that is wrong."""
    edges = list(_edges(path, _text(path)))
    if not edges:
        raise UnreadableError(_empty(path))
    return edges


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UnreadableError(
            f"{path}: {error.strerror}; give a CSV file with the columns source and target"
        ) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UnreadableError(f"{path}, line {line}: it is not UTF-8; save the file in that encoding") from error


def _empty(path: Path) -> str:
    return f"{path}: there are no links in it; give lines such as a.example,b.example"


def _edges(path: Path, text: str) -> Iterator[tuple[str, str]]:
    rows = csv.reader(StringIO(text, newline=""), strict=True)
    source, target = 0, 1
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if set(HEADER) <= set(cells) and rows.line_num == 1:
                source, target = (cells.index(name) for name in HEADER)
            elif any(cells):
                yield _pair(path, rows.line_num, cells, source, target)
    except csv.Error as error:
        raise UnreadableError(f"{path}, line {rows.line_num}: {error}; write source,target") from error


def _pair(path: Path, line: int, cells: list[str], source: int, target: int) -> tuple[str, str]:
    if len(cells) <= max(source, target) or not (cells[source] and cells[target]):
        raise UnreadableError(f'{path}, line {line}: "{",".join(cells)}" is not a link; write source,target')
    return cells[source], cells[target]


def _named(graph: SiteGraph, seed: str, path: Path) -> str:
    """The site as the graph spells it: scheme and last slash may be left out."""
    if seed in graph:
        return seed
    bare = {_bare(name): name for name in graph.names}
    if _bare(seed) in bare:
        return bare[_bare(seed)]
    near = get_close_matches(_bare(seed), bare, n=1)
    hint = f'; did you mean "{bare[near[0]]}"?' if near else ""
    raise ConfigError(f'seed "{seed}" is none of the {len(graph):,} sites in {path}{hint}')


def _bare(name: str) -> str:
    return name.partition("://")[2].rstrip("/") if "://" in name else name.rstrip("/")


def _remarks(graph: SiteGraph, seed: str, group: Group) -> Iterator[str]:
    number, size, island = graph.number(seed), len(group.members), int(graph.island(graph.number(seed)).sum())
    if island == 1:
        yield f"{seed} is linked with no other site, so it is a community of its own"
        return
    if island < len(graph):
        yield f"the graph is not connected: {len(graph) - island:,} of {len(graph):,} sites cannot be reached from {seed}"
    if graph.neighbours(number).size == len(graph) - 1:
        yield f"{seed} links to every other site, so no community stands out; take a site with fewer links"
    if size == island:
        yield f"all {size:,} sites that links lead to belong to it: nothing sets a community off from the rest"
    elif size == 1:
        yield f"none of the neighbours of {seed} holds together with it; try a smaller phi"


def run_edges(folder: Path) -> str:
    """The site graph of a crawl with strategy community, as a CSV file."""
    with closing(reading(folder)) as db:
        found = [one for one in strategies(configured(folder), db) if isinstance(one, TwoRounds)]
    edges = list(dict.fromkeys(edge for community in found for edge in community.edges_))
    if not edges:
        raise ConfigError(
            f"{folder}: it has no site graph; only crawls with strategy community or community-plus that ended round one do"
        )
    return edges_csv(edges)


def edges_csv(edges: Iterable[tuple[str, str]]) -> str:
    """Links as CSV that `read_edges` reads: to look at, to correct, to use again."""
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([HEADER, *edges])
    return text.getvalue()
