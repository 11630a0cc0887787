"""Who links to whom in a corpus: what a crawl can reach, and how far it is to the targets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..urls import site

Numbers = NDArray[np.int32]
NONE = np.empty(0, np.int32)


class Graph:
    """A directed graph over URLs; a redirect is a link like any other, since following it costs a fetch."""

    def __init__(
        self, nodes: Sequence[str], sources: Numbers, targets: Numbers, outside: int = 0, edge: Numbers = NONE
    ) -> None:
        self.nodes = nodes
        self.outside = outside  # URLs that pages link to and that are none of the nodes
        self.edge = edge  # nodes most of whose links within their site lead to none of the nodes
        self.sources = sources
        self.targets = targets
        self._number = {url: number for number, url in enumerate(nodes)}
        self._out = _rows(len(nodes), sources, targets)
        self._in = _rows(len(nodes), targets, sources)

    @classmethod
    def build(cls, nodes: Sequence[str], arcs: Iterable[tuple[str, Iterable[str]]]) -> Graph:
        """From each URL with the URLs it links to; what is not among the nodes is left out, repetitions too."""
        number = {url: place for place, url in enumerate(nodes)}
        sources: list[Numbers] = []
        targets: list[Numbers] = []
        outside: set[str] = set()
        edge: list[int] = []
        for source, links in arcs:
            linked = set(links)
            if _leads_out(source, linked, number):
                edge.append(number[source])
            found = sorted(number[link] for link in linked if link in number)
            outside.update(link for link in linked if link not in number)
            targets.append(np.array(found, np.int32))
            sources.append(np.full(len(found), number[source], np.int32))
        ends = [np.concatenate(parts or [NONE]) for parts in (sources, targets)]
        return cls(nodes, ends[0], ends[1], len(outside), np.array(edge, np.int32))

    def __len__(self) -> int:
        return len(self.nodes)

    def links(self, url: str) -> list[str]:
        """Where a page links to."""
        first, others = self._out
        place = self._number.get(url)
        return (
            [] if place is None else [self.nodes[other] for other in others[first[place] : first[place + 1]].tolist()]
        )

    def perimeter(self) -> frozenset[str]:
        """Pages at the edge of the recording: most of their links within their site lead out of it."""
        return frozenset(self.nodes[place] for place in self.edge.tolist())

    def reachable(self, starts: Iterable[str]) -> set[str]:
        """All URLs that some chain of links leads to, the starts included."""
        steps = _steps(self._out, self._places(starts))
        return {self.nodes[place] for place in np.flatnonzero(steps >= 0).tolist()}

    def distances(self, targets: Iterable[str]) -> dict[str, int]:
        """For every URL that leads to one of the targets, the number of links to the nearest."""
        steps = _steps(self._in, self._places(targets))
        return {self.nodes[place]: int(steps[place]) for place in np.flatnonzero(steps >= 0).tolist()}

    def _places(self, urls: Iterable[str]) -> Numbers:
        return np.array(sorted({self._number[url] for url in urls if url in self._number}), np.int32)


def _leads_out(source: str, links: Iterable[str], known: Mapping[str, int]) -> bool:
    home = site(source)
    near = [link in known for link in links if site(link) == home]
    return 2 * sum(near) < len(near)


Rows = tuple[NDArray[np.int64], Numbers]  # row i is the second array from first[i] to first[i + 1]


def _rows(size: int, sources: Numbers, targets: Numbers) -> Rows:
    first = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(sources, minlength=size), out=first[1:])
    return first, targets[np.argsort(sources, kind="stable")]


def _steps(rows: Rows, starts: Numbers) -> Numbers:
    """The number of steps to every node, -1 where none leads; all of a level at once."""
    first, others = rows
    steps = np.full(len(first) - 1, -1, np.int32)
    level, front = 0, starts
    while front.size:
        steps[front] = level
        level += 1
        count = first[front + 1] - first[front]
        # Where each row of the front starts, less where its piece of the result does.
        shift = np.repeat(first[front] - np.concatenate(([0], count.cumsum()[:-1])), count)
        found = np.unique(others[shift + np.arange(count.sum())])
        front = found[steps[found] < 0]
    return steps
