"""Page types out of DBSCAN's clusters: those taken apart that hold several templates, those made one that are variants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .cluster_links import Hop, linked_alike
from .clusters import (
    MANY,
    NEIGHBOURS,
    OUTLIER,
    SAME,
    VARIANTS,
    Clustering,
    Labels,
    dbscan,
    distances,
    epsilon,
    joined,
    thin_bin,
    unchained,
)
from .likeness import LEAST_PAGES
from .paths import Bag, Matrix, Weights, weights

SCALES = tuple(step / 20 for step in range(19, 0, -1))  # of eps, from far to near


class View(NamedTuple):
    """Pages as vectors, the distances between them, and how far apart pages of one template may be."""

    known: Weights
    rows: Matrix
    between: Matrix
    eps: float


def view(bags: Sequence[Bag]) -> View:
    """Pages by what they are made of; eps by the rule, for as many pages as there are."""
    known = weights(bags)
    rows = known.rows(bags)
    between = distances(rows, rows)
    return View(known, rows, between, epsilon(between, rows.shape[1], thin=thin_bin(len(rows))))


class Leads(NamedTuple):
    """Pages by their links: by the places where these stand, by place and kind of destination, and links between the pages."""

    places: View
    destinations: View
    between: list[Hop]


class Types(NamedTuple):
    """The page types of a sample."""

    labels: Labels
    wider: dict[int, float]  # eps of types that are looser than the rest


def page_types(first: View, *others: View, example: bool = False, leads: Leads | None = None) -> Types:
    """The page types of a sample by one view of its pages, and where clusters are loose, by others as well.

    Pages of a cluster that was taken apart are assigned anew by their nearest pages, as new pages are: it was the dense middle
    of a template that was found. Where the last page is an example, its cluster is left whole: how like the example the
    pages of it are tells more, and a small sample may have none of its template.
    """
    found, reach = twice(first)
    labels = whole = joined(first.rows, unchained(first.rows, Clustering(found, first.eps)))
    for look in (first, *others):
        labels = joined(look.rows, parted(look, labels, int(labels[-1]) if example else OUTLIER))
    between = (first, *others)[-1].between
    labels = told_anew(between, whole, labels)
    if leads:  # which of the pages that hold the same are the nearest, their destinations say
        labels = told_anew(between + SAME * leads.destinations.between, labels, led_apart(leads, labels))
        labels = linked_alike(first.rows, labels, leads.between)
    wide = {name: float(np.median(reach[labels == name])) for name in set(labels.tolist()) - {OUTLIER}}
    return Types(labels, {name: eps for name, eps in wide.items() if eps > first.eps})


def twice(look: View) -> tuple[Labels, Matrix]:
    """DBSCAN's clusters, and the eps of each page; many outliers are looked at by themselves, by the same rule.

    Where half of a site is one template whose pages are nearly the same, the rule finds the eps of that template alone.
    """
    labels, reach = dbscan(look.between, look.eps), np.full(len(look.rows), look.eps)
    alone = np.flatnonzero(labels == OUTLIER)
    if len(alone) >= MANY:
        between = look.between[np.ix_(alone, alone)]
        eps = epsilon(between, look.rows.shape[1], thin=thin_bin(len(alone)))
        late = dbscan(between, eps)
        housed = alone[late != OUTLIER]
        labels[housed] = late[late != OUTLIER] + labels.max() + 1
        reach[housed] = eps
    return labels, reach


def led_apart(leads: Leads, labels: Labels) -> Labels:
    """The clusters, with those apart whose pages are made alike but lead elsewhere: a list of articles, a list of users.

    That a page has links where another has none is no such difference: a part is another type when it and the rest have more
    than a third of their own of what they have at the places that both have. Parts that share most destinations are one.
    """
    found = parted(leads.destinations, labels, among=leads.places)
    for name in sorted(set(labels.tolist()) - {OUTLIER}):
        members = np.flatnonzero(labels == name)
        parts = joined(leads.destinations.rows[members], found[members])
        found[members] = np.where(parts == 0, name, parts + found.max())
    return found


def parted(look: View, labels: Labels, spared: int = OUTLIER, among: View | None = None) -> Labels:
    """The clusters, with those apart that were dense parts of others and are made of other things than the rest of these.

    DBSCAN has one eps for all, and where pages of prose lie far apart it is too wide for the others. At ever shorter
    distances parts show themselves that have less than half of the pages. Such a part is a template when it and the rest
    have more than a third of their own, each; a variant is contained in the others or contains them. What differs in
    `among` already does not count.
    """
    labels, shared = labels.copy(), containment(look)
    most = containment(among) if among else lambda *_: 1.0
    waiting = [(name, 0) for name in sorted(set(labels.tolist()) - {OUTLIER, spared})]
    while waiting:
        name, first = waiting.pop()
        for place, scale in enumerate(SCALES[first:], first):
            for part in _dense(look.between, np.flatnonzero(labels == name), scale * look.eps):
                rest = np.setdiff1d(np.flatnonzero(labels == name), part)
                if len(rest) >= LEAST_PAGES and shared(part, rest) < VARIANTS * most(part, rest):
                    labels[part] = labels.max() + 1
                    waiting.append((int(labels.max()), place + 1))
    return labels


def containment(look: View) -> Callable[[Labels, Labels], float]:
    """Of two groups of pages: how much of the smaller is in the other, by the shares of pages that have each path."""
    has = (look.rows > 0) * look.known.idf
    return lambda some, others: contained(has[some].mean(0), has[others].mean(0))


def contained(one: Matrix, other: Matrix) -> float:
    """How much of the smaller of two is in the other: Σ min(a, b) / min(Σ a, Σ b)."""
    size = min(one.sum(), other.sum())
    return float(np.minimum(one, other).sum() / size) if size else 1.0


def _dense(between: Matrix, members: Labels, eps: float) -> list[Labels]:
    """The parts that a cluster falls into at a shorter eps; not the one which is most of it."""
    found = dbscan(between[np.ix_(members, members)], eps)
    parts = [members[found == number] for number in range(int(found.max(initial=OUTLIER)) + 1)]
    return [part for part in parts if LEAST_PAGES <= len(part) <= len(members) / 2]


def told_anew(between: Matrix, before: Labels, labels: Labels) -> Labels:
    """Pages of clusters that were taken apart go where most of their three nearest pages are."""
    names = sorted(set(before.tolist()) - {OUTLIER})
    loose = [name for name in names if len(set(labels[before == name].tolist())) > 1]
    members = np.flatnonzero(np.isin(before, loose))
    away = between[np.ix_(members, members)] + np.diag(np.full(len(members), np.inf))
    nearest = labels[members[np.argsort(away, axis=1, kind="stable")[:, :NEIGHBOURS]]]
    assigned = labels.copy()
    for page, votes in zip(members, nearest.tolist(), strict=True):
        most = max(votes, key=votes.count)
        assigned[page] = most if votes.count(most) > NEIGHBOURS / 2 else labels[page]
    return assigned
