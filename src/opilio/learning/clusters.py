"""Clusters of pages that were made from the same template: DBSCAN with its distance read off the pages themselves."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .paths import Matrix

OUTLIER = -1
LEAST_POINTS = 4  # minPts
NEIGHBOURS = LEAST_POINTS - 1  # k of kNN
MANY = 32  # outliers: among this many we look for clusters of their own
PAPER_SAMPLE = 1000  # pages
FEATURES_A_BIN = 4.8  # in a histogram of that many pages
BINS = ("divided", "printed")  # number of bins: features / 4.8; or, read to the letter, 4.8 · features
SCALES = (
    0.95,
    0.9,
    0.85,
    0.8,
    0.75,
)  # of eps: what falls apart only at shorter distances is one template with variants
WELL_APART = 0.5  # silhouette from which clusters are said to be there (Kaufman and Rousseeuw 1990)
VARIANTS = 2 / 3  # of what pages are made of is shared by variants of one template
ROUNDED = 1e-14  # of a square: what rounding leaves of the distance between pages that are the same
SAME = 1e-9  # pages nearer than this are the same to us: rounding alone moves them so far

Labels = NDArray[np.int64]


def distances(a: Matrix, b: Matrix) -> Matrix:
    """Euclidean distances of the rows of a to those of b."""
    squares = (a * a).sum(1)[:, None] + (b * b).sum(1)[None, :] - 2 * (a @ b.T)
    return np.asarray(np.sqrt(np.where(squares > ROUNDED, squares, 0.0)).round(12))


def bin_count(features: int, pages: int, how: str = BINS[0]) -> int:
    """Of the histogram that eps is read off: features / 4.8 for 1,000 pages, or 4.8 · features.

    Bins become wider by the cube root of the pages, as those of any histogram should (Freedman and Diaconis), and are never
    so few that it shows nothing (Sturges).
    """
    asked = features * FEATURES_A_BIN if how == BINS[1] else features / FEATURES_A_BIN
    wider: float = (pages / PAPER_SAMPLE) ** (1 / 3)
    return max(round(asked * wider), math.ceil(math.log2(pages)) + 1)


def epsilon(
    between: Matrix, features: int, least: int = LEAST_POINTS, thin: float = LEAST_POINTS, bins: str = BINS[0]
) -> float:
    """How far apart pages of one template may be, from the distances to the 4th neighbour.

    The first bin of their histogram with fewer than `thin` pages, once more than half of the pages are counted, begins
    where templates end.
    """
    pages = len(between)
    if pages <= least:
        return 0.0
    nearest = np.partition(between, least, axis=1)[:, least]  # place 0 is the page itself
    sizes, edges = np.histogram(nearest, bin_count(features, pages, bins))
    small = (sizes < thin) & (np.cumsum(sizes) > pages / 2)
    return float(edges[int(small.argmax())] if small.any() else edges[-1])


def thin_bin(pages: int) -> float:
    """Fewer pages than 4 of 1,000 end the search for eps; of a smaller sample the same share, or none at all."""
    return min(LEAST_POINTS, max(1.0, LEAST_POINTS * pages / PAPER_SAMPLE))


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


def cluster(rows: Matrix, thin: float = LEAST_POINTS, bins: str = BINS[0]) -> Clustering:
    """The clusters of pages given as vectors, by the paper's rule for eps; `thin` is for samples that are smaller."""
    between = distances(rows, rows)
    eps = epsilon(between, rows.shape[1], thin=thin, bins=bins)
    return Clustering(dbscan(between, eps), eps)


def unchained(rows: Matrix, found: Clustering) -> Labels:
    """The clusters, those taken apart that single pages chained together.

    Such a cluster falls into several at a little less than eps, and these lie well apart.
    """
    labels = found.labels.copy()
    for name in range(int(labels.max(initial=OUTLIER)) + 1):
        members = np.flatnonzero(found.labels == name)
        between = distances(rows[members], rows[members])
        parts = next((part for scale in SCALES if _apart(between, part := dbscan(between, scale * found.eps))), None)
        if parts is not None:
            fresh = np.where(parts == 0, name, parts + labels.max())
            labels[members] = np.where(parts == OUTLIER, OUTLIER, fresh)
    return labels


def joined(rows: Matrix, labels: Labels) -> Labels:
    """The clusters, those made one that are variants of one template: their pages share most of what they are made of.

    Rows that sum up to 1 share 1 - ½·Σ|a - b|. The two nearest go together first.
    """
    labels = labels.copy()
    while (pair := _nearest(rows, labels)) is not None:
        labels[labels == pair[1]] = pair[0]
    names = sorted(set(labels.tolist()) - {OUTLIER})
    return np.array([names.index(label) if label != OUTLIER else OUTLIER for label in labels.tolist()], dtype=np.int64)


def _nearest(rows: Matrix, labels: Labels) -> tuple[int, int] | None:
    """The two clusters that share the most, if that is enough."""
    names = sorted(set(labels.tolist()) - {OUTLIER})
    centres = np.array([rows[labels == name].mean(0) for name in names]).reshape(len(names), rows.shape[1])
    shared = 1 - np.abs(centres[:, None] - centres[None]).sum(2) / 2
    np.fill_diagonal(shared, 0.0)
    if len(names) < 2 or shared.max() < VARIANTS:
        return None
    first, second = np.unravel_index(int(shared.argmax()), shared.shape)
    return min(names[first], names[second]), max(names[first], names[second])


def _apart(between: Matrix, parts: Labels) -> bool:
    known = parts != OUTLIER
    return bool(parts.max() > 0) and silhouette(between[np.ix_(known, known)], parts[known]) >= WELL_APART


def silhouette(between: Matrix, labels: Labels) -> float:
    """How well clusters lie apart: the mean of (b - a) / max(a, b), a the distance to the own, b to the next one."""
    member = np.eye(int(labels.max()) + 1)[labels]
    sums, sizes = between @ member, member.sum(0)
    own = (sums * member).sum(1) / np.maximum(sizes[labels] - 1, 1)
    other = np.where(member > 0, np.inf, sums / sizes).min(1)
    return float(((other - own) / np.maximum(np.maximum(other, own), SAME)).mean())


class Classifier(NamedTuple):
    """Tells the cluster of a new page by its nearest prototypes; beyond the reach of all of them, it is an outlier."""

    rows: Matrix
    labels: Labels
    reach: Matrix  # eps of each prototype

    def __call__(self, row: Matrix) -> int:
        away = np.sqrt(((self.rows - row) ** 2).sum(1))
        first = np.argsort(away, kind="stable")[:NEIGHBOURS]
        votes = [int(self.labels[place]) for place in first if away[place] <= self.reach[place] + SAME]
        return max(votes, key=votes.count, default=OUTLIER)


def prototypes(rows: Matrix, labels: Labels, radius: float) -> list[int]:
    """Pages that stand for their clusters: none of the others is farther than `radius` from one of its own.

    Where there are as many as vote on a new page, as many are kept: a template whose pages are all the same would have one vote.
    """
    kept: list[int] = []
    for name in sorted(set(labels.tolist()) - {OUTLIER}):
        left = np.flatnonzero(labels == name)
        while len(left):
            away = np.sqrt(((rows[left] - rows[left[0]]) ** 2).sum(1))
            kept += left[away <= radius][:NEIGHBOURS].tolist()
            left = left[away > radius]
    return kept
