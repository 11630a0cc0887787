"""Sites and the links between them, without direction: the graph that communities are found in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int32]
Weights: TypeAlias = NDArray[np.float64]


class SiteGraph:
    """An undirected graph over names; a link of a site to itself does not count, and a pair is linked once.

    A number stands for a site: the place of its name in `names`, which are sorted. `weights` go with `others`: 1 each,
    or, in a graph of mutual links, 2 where both sites link to each other. `elsewhere` counts the links of each site to
    the `unseen` sites: known by name, but nobody has looked at them, so they are not in the graph. `strength` has these
    links in.
    """

    def __init__(
        self,
        names: Sequence[str],
        first: NDArray[np.int64],
        others: Numbers,
        weights: Weights,
        elsewhere: Weights,
        unseen: int = 0,
    ) -> None:
        self.names = names
        self.first = first  # the neighbours of site i are others[first[i]:first[i + 1]], in order
        self.others = others
        self.weights = weights
        self.elsewhere = elsewhere
        self.unseen = unseen
        self.strength = _sums(weights, first) + elsewhere
        self._numbers = {name: number for number, name in enumerate(names)}

    @classmethod
    def of(
        cls,
        edges: Iterable[tuple[str, str]],
        names: Iterable[str] = (),
        mutual: bool = False,
        elsewhere: Mapping[str, int] | None = None,
        unseen: int = 0,
    ) -> SiteGraph:
        """The graph of some pairs of names; further names are sites without links."""
        found: dict[str, int] = {}
        ends = np.fromiter((found.setdefault(name, len(found)) for edge in edges for name in edge), np.int32)
        for name in names:
            found.setdefault(name, len(found))
        order = sorted(found)
        place = np.empty(len(order), np.int32)
        place[[found[name] for name in order]] = np.arange(len(order), dtype=np.int32)
        beyond = np.array([(elsewhere or {}).get(name, 0) for name in order], np.float64)
        return cls(order, *_rows(len(order), place[ends[0::2]], place[ends[1::2]], mutual), beyond, unseen)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._numbers

    @property
    def edges(self) -> int:
        """How many pairs are linked."""
        return len(self.others) // 2

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs that are linked, in order."""
        numbered = enumerate(self.names)
        return [(a, self.names[b]) for number, a in numbered for b in self.neighbours(number).tolist() if b > number]

    def number(self, name: str) -> int:
        """The number of a site; KeyError when it is not there."""
        return self._numbers[name]

    def neighbours(self, number: int) -> Numbers:
        """The numbers of the sites that a site is linked with, in order."""
        return self.others[self.first[number] : self.first[number + 1]]

    def ties(self, number: int) -> Weights:
        """The weights of its links, in the same order."""
        return self.weights[self.first[number] : self.first[number + 1]]

    def volume(self) -> float:
        """The links of all sites, each counted at both ends; an unseen site is taken to have as many as the others."""
        known = float(self.strength.sum())
        return known * (1 + self.unseen / len(self)) if len(self) else 0.0

    def island(self, number: int) -> NDArray[np.bool_]:
        """Which sites some chain of links leads to from this one."""
        reached = np.zeros(len(self), np.bool_)
        front = np.array([number], np.int32)
        while front.size:
            reached[front] = True
            found = np.unique(np.concatenate([self.neighbours(one) for one in front.tolist()]))
            front = found[~reached[found]]
        return reached


def _rows(size: int, sources: Numbers, targets: Numbers, mutual: bool) -> tuple[NDArray[np.int64], Numbers, Weights]:
    """Each pair both ways, once, sorted; where links are mutual it weighs 2 if it is wanted so."""
    there = np.unique(sources[sources != targets].astype(np.int64) * size + targets[sources != targets])
    back = (there % size) * size + there // size
    keys, counts = np.unique(np.concatenate((there, back)), return_counts=True)
    first = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(keys // size, minlength=size), out=first[1:])
    weights = counts.astype(np.float64) if mutual else np.ones(len(keys))
    return first, (keys % size).astype(np.int32), weights


def _sums(weights: Weights, first: NDArray[np.int64]) -> Weights:
    whole = np.concatenate(([0.0], np.cumsum(weights)))
    sums: Weights = whole[first[1:]] - whole[first[:-1]]
    return sums
