"""FRTW: the community of sites around one site (Shen, Sun and Yang 2015), and a rule for its φ.

A site v and its neighbours are the start. A site stays or joins when k_in(C) > k_out(C), or k_in(C) ≥ φ·|C|, where k_in
counts its links into the community and k_out all others. Where the paper is silent: all starting sites but v are judged
at once, against the whole start; the substitute of one that fails is sought among the sites outside; candidates are
judged the best linked first, each against the community as it is by then; who is in stays in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .site_graph import Numbers, SiteGraph, Weights

GRID = tuple(round(2 ** (-step / 2), 4) for step in range(25))  # of φ, from 1 down to 1/4096


class Group(NamedTuple):
    """What was found around a site."""

    members: Numbers  # in order
    phi: float
    conductance: float  # links that leave it, as a share of all that begin in it or in the rest, whichever has fewer
    contrast: float  # the share of its members' links that stay inside, less the share that chance would keep there

    def names(self, graph: SiteGraph) -> list[str]:
        return [graph.names[number] for number in self.members.tolist()]


def frtw(graph: SiteGraph, seed: str, phi: float, relevance: Weights | None = None) -> Group:
    """The community of a site at one φ.

    With the relevance r of every site, topic and topology decide together: the links into C count 2r-fold, the others
    2(1-r)-fold, so a site in doubt is judged by its links alone.
    """
    growing = _Growing(graph, graph.number(seed), phi, relevance)
    growing.settle_start()
    while growing.one_pass():
        pass
    return _judged(graph, growing.inside, phi)


def best_phi(graph: SiteGraph, seed: str, relevance: Weights | None = None) -> Group:
    """The community at the φ where its contrast is highest; of equally good ones, the one with the largest φ."""
    return max(sweep(graph, seed, relevance), key=lambda found: found.contrast)


def grown(graph: SiteGraph, seed: str, phi: float, relevance: Weights | None = None) -> Group:
    """The community at φ; where that is 0, at the best φ."""
    return frtw(graph, seed, phi, relevance) if phi else best_phi(graph, seed, relevance)


def sweep(graph: SiteGraph, seed: str, relevance: Weights | None = None) -> Iterator[Group]:
    """The communities over the grid of φ, from the largest on, until one takes in everything in reach."""
    everything = int(graph.island(graph.number(seed)).sum())
    for phi in GRID:
        found = frtw(graph, seed, phi, relevance)
        yield found
        if len(found.members) == everything:
            return


class _Growing:
    """A community as it grows; every join costs by the links of the site that joins."""

    def __init__(self, graph: SiteGraph, seed: int, phi: float, relevance: Weights | None) -> None:
        self.graph, self.seed, self.phi = graph, seed, phi
        self.pull = np.ones(len(graph)) if relevance is None else 2 * relevance
        self.inside: NDArray[np.bool_] = np.zeros(len(graph), np.bool_)
        self.links: Weights = np.zeros(len(graph))  # of each site into the community: k_in
        self.size = 0
        self.border: list[Numbers] = []  # sites whose k_in has grown since the last pass
        for number in (seed, *graph.neighbours(seed).tolist()):
            self._join(number)

    def settle_start(self) -> None:
        """The start without those that fail, and with their substitutes."""
        start = self.graph.neighbours(self.seed)
        failed = start[~self._fits(start)].tolist()
        for number in failed:
            self._leave(number)
        for number in failed:
            near = self.graph.neighbours(number)
            outside = near[~self.inside[near]]
            if outside.size:
                substitute = outside[np.argmax(self.links[outside])]  # the first name among equals
                self._join_if_fit(int(substitute))
        self.border = [self.graph.neighbours(number) for number in np.flatnonzero(self.inside).tolist()]

    def one_pass(self) -> bool:
        """Judge the neighbours whose links into the community have grown; whether any joined.

        A larger community without a new link to a site makes it no fitter, so the others need not be judged again.
        """
        near = np.unique(np.concatenate(self.border)) if self.border else np.zeros(0, np.int32)
        self.border = []
        near = near[~self.inside[near]]
        fit = near[self._fits(near)]
        before = self.size
        for number in fit[np.lexsort((fit, -self.links[fit]))].tolist():
            self._join_if_fit(number)
        return self.size > before

    def _fits(self, numbers: Numbers) -> NDArray[np.bool_]:
        pull, links = self.pull[numbers], self.links[numbers]
        inward = pull * links
        fit: NDArray[np.bool_] = inward > (2 - pull) * (self.graph.strength[numbers] - links)
        return fit | (inward >= self.phi * self.size)

    def _join_if_fit(self, number: int) -> None:
        pull, links = float(self.pull[number]), float(self.links[number])
        inward = pull * links
        if inward > (2 - pull) * (self.graph.strength[number] - links) or inward >= self.phi * self.size:
            self._join(number)

    def _join(self, number: int) -> None:
        self._move(number, 1)
        self.border.append(self.graph.neighbours(number))

    def _leave(self, number: int) -> None:
        self._move(number, -1)

    def _move(self, number: int, sign: int) -> None:
        self.inside[number] = sign > 0
        self.size += sign
        self.links[self.graph.neighbours(number)] += sign * self.graph.ties(number)


def _judged(graph: SiteGraph, inside: NDArray[np.bool_], phi: float) -> Group:
    members = np.flatnonzero(inside).astype(np.int32)
    begin = np.repeat(inside, np.diff(graph.first))
    total = graph.volume()
    volume = float(graph.strength[members].sum())
    cut = volume - float(graph.weights[begin & inside[graph.others]].sum())
    smaller = min(volume, total - volume)
    share = volume / total if total else 0.0
    contrast = 1 - cut / volume - share if volume else 0.0
    return Group(members, phi, cut / smaller if smaller else 1.0, contrast)
