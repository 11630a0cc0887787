"""Clusters of pages that were made from the same template: DBSCAN with its distance read off the pages themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .paths import Bag, Matrix, weights

OUTLIER = -1
LEAST_POINTS = 4  # minPts
NEIGHBOURS = LEAST_POINTS - 1  # k of kNN
FEATURES_A_BIN = 4.8  # in a histogram of 1,000 pages
SAME_SCALE = 0.75  # of eps: what falls apart only at a shorter distance is one template with variants
SAME = 1e-9  # pages nearer than this are the same to us: rounding alone moves them so far

Labels = NDArray[np.int64]


def distances(a: Matrix, b: Matrix) -> Matrix:
    """Euclidean distances of the rows of a to those of b."""
    squares = (a * a).sum(1)[:, None] + (b * b).sum(1)[None, :] - 2 * (a @ b.T)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)).round(12))


def epsilon(between: Matrix, features: int, least: int = LEAST_POINTS) -> float:
    """How far apart pages of one template may be, from the distances to the 4th neighbour.

    The first bin of their histogram with fewer than `least` pages, once more than half of the pages are counted, begins
    where templates end. Bins: features / 4.8 for 1,000 pages; they become wider by the cube root of the pages, as the
    bins of any histogram should (Freedman and Diaconis), and are never so few that it shows nothing (Sturges).
    """
    pages = len(between)
    if pages <= least:
        return 0.0
    nearest = np.partition(between, least, axis=1)[:, least]  # place 0 is the page itself
    bins = max(round(features / FEATURES_A_BIN * (pages / 1000) ** (1 / 3)), math.ceil(math.log2(pages)) + 1)
    sizes, edges = np.histogram(nearest, bins)
    small = (sizes < least) & (np.cumsum(sizes) > pages / 2)
    return float(edges[int(small.argmax())] if small.any() else edges[-1])


def dbscan(between: Matrix, eps: float, least: int = LEAST_POINTS) -> Labels:
    """A cluster for each page by the distances between all of them; OUTLIER for pages in no dense region."""
    near = between <= max(eps, SAME)
    core = near.sum(1) >= least
    labels = np.full(len(between), OUTLIER)
    found = 0
    for start in range(len(between)):
        if core[start] and labels[start] == OUTLIER:
            _spread(start, found, near, core, labels)
            found += 1
    return labels


def _spread(start: int, cluster: int, near: NDArray[np.bool_], core: NDArray[np.bool_], labels: Labels) -> None:
    labels[start] = cluster
    edge = [start]
    while edge:
        fresh = np.flatnonzero(near[edge].any(0) & (labels == OUTLIER))
        labels[fresh] = cluster
        edge = [int(page) for page in fresh if core[page]]


class Clustering(NamedTuple):
    """What was found among some pages."""

    labels: Labels
    eps: float


def cluster(rows: Matrix) -> Clustering:
    """The clusters of pages given as vectors, by the paper's rule for eps."""
    between = distances(rows, rows)
    eps = epsilon(between, rows.shape[1])
    return Clustering(dbscan(between, eps), eps)


def unchained(bags: Sequence[Bag], found: Clustering) -> Labels:
    """The clusters, those taken apart that single pages chained together.

    Looked at alone, with its own weights and its own eps, such a cluster falls into several at nearly the same distance.
    """
    labels = found.labels.copy()
    for name in range(int(labels.max(initial=OUTLIER)) + 1):
        members = np.flatnonzero(found.labels == name)
        own = [bags[number] for number in members.tolist()]
        parts = cluster(weights(own).rows(own))
        if parts.labels.max() > 0 and parts.eps >= SAME_SCALE * found.eps:
            fresh = np.where(parts.labels == 0, name, parts.labels + labels.max())
            labels[members] = np.where(parts.labels == OUTLIER, OUTLIER, fresh)
    return labels


class Classifier(NamedTuple):
    """Tells the cluster of a new page by its nearest prototypes; farther than eps from all of them, it is an outlier."""

    rows: Matrix
    labels: Labels
    eps: float

    def __call__(self, row: Matrix) -> int:
        return self.nearest(row)[0]

    def nearest(self, row: Matrix) -> tuple[int, float]:
        """The cluster, and how far the nearest prototype is."""
        if not len(self.rows):
            return OUTLIER, float("inf")
        away = np.sqrt(((self.rows - row) ** 2).sum(1))
        first = np.argsort(away, kind="stable")[:NEIGHBOURS]
        if away[first[0]] > self.eps + SAME:
            return OUTLIER, float(away[first[0]])
        votes = [int(self.labels[place]) for place in first if away[place] <= self.eps + SAME]
        return max(votes, key=votes.count), float(away[first[0]])


def prototypes(rows: Matrix, labels: Labels, radius: float) -> list[int]:
    """Pages that stand for their clusters: none of the others is farther than `radius` from one of its own."""
    kept: list[int] = []
    for name in sorted(set(labels.tolist()) - {OUTLIER}):
        left = np.flatnonzero(labels == name)
        while len(left):
            kept.append(int(left[0]))
            left = left[np.sqrt(((rows[left] - rows[left[0]]) ** 2).sum(1)) > radius]
    return kept
