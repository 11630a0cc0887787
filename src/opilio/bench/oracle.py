"""What the oracle knows: how much each page is worth to a crawl that wants the targets and has the whole map."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from .graph import Graph

STALE = 0.8  # the map is drawn anew when fewer than this share of the targets it was drawn for are still unseen


class Prospect(NamedTuple):
    """What lies behind a page that is no target."""

    targets: float  # n, how many are at the end of the best of the shortest chains of links
    links: int  # d, how long these chains are
    best: float  # the greatest share n / (n + d) of targets among the fetches of whoever goes there or one link further


def worth(
    graph: Graph, targets: Collection[str], starts: Sequence[str], budget: int, known: Sequence[str] = ()
) -> dict[str, float]:
    """1 for a target, 1 to 1/2 for the pages that a planned crawl goes through, in its order, and less for the rest.

    The plan is greedy: all targets that have been seen, then the page with the best prospect of unseen ones. Without a
    plan the oracle would go on to hubs whose targets it has long had, and would be no ceiling. Known pages cost nothing.
    """
    values = {url: prospect.best / 2 for url, prospect in draw(graph, targets).items()}
    plan = Plan(graph, targets, starts, known).follow(budget)
    values |= {url: 1 - (place + 1) / (2 * len(plan) + 2) for place, url in enumerate(plan)}
    return values | dict.fromkeys(targets, 1.0)


def draw(graph: Graph, targets: Collection[str]) -> dict[str, Prospect]:
    """The map: the prospect of every page that leads to a target and is none."""
    steps = graph.distances(targets)
    distance = np.array([steps.get(url, -1) for url in graph.nodes])
    hits = (distance[graph.targets] == 0) & (distance[graph.sources] > 0)
    leads = np.bincount(graph.sources[hits], minlength=len(graph)).astype(float)
    for level in range(2, distance.max(initial=0) + 1):
        arcs = (distance[graph.sources] == level) & (distance[graph.targets] == level - 1)
        np.maximum.at(leads, graph.sources[arcs], leads[graph.targets[arcs]])
    best = leads / np.maximum(leads + distance, 1)
    arcs = distance[graph.targets] > 0
    further = (leads / np.maximum(leads + distance + 1, 1))[graph.targets[arcs]]
    np.maximum.at(best, graph.sources[arcs], further)
    rows = zip(graph.nodes, leads.tolist(), distance.tolist(), best.tolist(), strict=True)
    return {url: Prospect(n, d, value) for url, n, d, value in rows if d > 0}


class Plan:
    """A crawl on the map, one page at a time."""

    def __init__(
        self, graph: Graph, targets: Collection[str], starts: Sequence[str], known: Sequence[str] = ()
    ) -> None:
        self.graph = graph
        self.wanted = frozenset(targets)
        self.unseen = set(targets)
        self.seen: set[str] = set()
        self.ready: deque[str] = deque()  # targets that have been seen
        self.open: list[tuple[float, str]] = []  # a heap of other pages that have been seen, (-value, url)
        self.order: list[str] = []
        self._draw()
        self.seen.update(known)  # they need not be fetched
        self._see([*starts, *(link for url in known for link in graph.links(url))])

    def follow(self, budget: int) -> list[str]:
        """The pages other than targets, in the order in which they are gone through."""
        for _ in range(budget):
            url = self.ready.popleft() if self.ready else self._best()
            if not url:
                break
            if url not in self.wanted:
                self.order.append(url)
            self._see(self.graph.links(url))
        return self.order

    def _best(self) -> str:
        """The open page with the best prospect, "" when none has any."""
        if len(self.unseen) < STALE * self.drawn:
            self._draw()
        if url := self._top():
            return url
        if len(self.unseen) < self.drawn:
            self._draw()
        return self._top()

    def _top(self) -> str:
        while self.open:
            value, url = heapq.heappop(self.open)
            now = -self._value(url)
            # Prospects only fall while targets are seen, so the first that is as good as it was is the best.
            if now == value:
                return url if now < 0 else ""
            heapq.heappush(self.open, (now, url))
        return ""

    def _value(self, url: str) -> float:
        """The prospect as it is now: by way of pages that have been seen there is nothing new."""
        links = [link for link in self.graph.links(url) if link not in self.seen]
        beside = sum(link in self.unseen for link in links)
        ways = [self.map[link] for link in links if link in self.map]
        return max([beside / (beside + 1), *(way.targets / (way.targets + way.links + 1) for way in ways)])

    def _draw(self) -> None:
        self.drawn = len(self.unseen)
        self.map = draw(self.graph, self.unseen)
        self.open = []
        self._open(self.seen - self.wanted - set(self.order))

    def _see(self, urls: Iterable[str]) -> None:
        new = [url for url in urls if url not in self.seen]
        self.seen.update(new)
        self.ready.extend(url for url in new if url in self.wanted)
        self.unseen.difference_update(new)
        self._open(url for url in new if url not in self.wanted)

    def _open(self, urls: Iterable[str]) -> None:
        for url in urls:
            if url in self.map:
                heapq.heappush(self.open, (-self.map[url].best, url))
