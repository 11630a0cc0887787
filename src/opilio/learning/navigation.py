"""Where links lead: what types of pages stand behind the links of a (cluster, apath) pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..codec import saved
from ..nouns import Lane
from ..urls import digest
from .clusters import OUTLIER
from .paths import Matrix, tags

GONE, COPY = (
    -2,
    -3,
)  # destinations that could not be fetched, or said what another had said; OUTLIER (-1) is one as well
TAIL = 3  # elements at the end of a path by which it is like another one
MOST_PAIRS = 4_000  # user content nests elements without end; the links of further pairs of a cluster share a lane
MOST_LISTS = 4_000  # pairs and single lists in the table; beyond that, no list gets a lane of its own
UNSURE = 0.05
RULE = "="  # begins the third part of a lane for the links of a pair whose URLs are made by one rule
RULED = "rule"  # and such a rule: all links whose URLs are made by it
STEPS = 100
PAIR = 2  # parts of a lane that is no narrower than a cluster and an apath
WIDE = 4  # of what a lane falls back to, these are like many pairs: the same apath, tags, end, any link


Kinds = dict[int, float]  # kind of destination: how many


@saved
@dataclass(slots=True)
class Table:
    """P(destination | cluster, apath), as counts that can go on growing."""

    counts: dict[Lane, Kinds] = field(default_factory=dict)  # (cluster, apath), and what it falls back to: `fallbacks`
    links: Counter[Lane] = field(default_factory=Counter)  # how many links the pages seen had: |U|

    def lane(self, cluster: int, path: str) -> Lane:
        """The pair as a lane, which is known from now on; pairs too many are one."""
        lane = (str(cluster), path)
        if lane not in self.links and len(self.links) >= MOST_PAIRS:
            lane = (str(cluster), "")
        self.links.setdefault(lane, 0)
        return lane

    def single(self, lane: Lane, apart: str, kind: int) -> Lane:
        """Some links of a pair as a lane of their own, while the pair leads now to that kind and now to others.

        What sets them apart is the page they stand on, or the classes of the elements that they stand in.
        """
        unsure = UNSURE < self.chance(lane, kind) < 1 - UNSURE
        return (*lane, f"{digest(apart):x}") if unsure and len(self.counts) < MOST_LISTS else lane

    def note(self, lane: Lane, shares: Mapping[int, float]) -> None:
        """One more destination of the pair; where it is in doubt what it is, the shares say how much of each.

        To what is like many pairs the n-th destination of one adds 1/n: good pairs are followed most, and what is said of
        pairs that were never followed should not be what those few have shown.
        """
        near, wide = fallbacks(lane)[:-WIDE], fallbacks(lane)[-WIDE:]
        for key in (lane, *near):
            self.add(key, shares)
        weight = 1 / max(1, self.answers(lane[: PAIR + is_ruled(lane)]))
        for key in wide:
            self.add(key, {kind: weight * share for kind, share in shares.items()})

    def add(self, key: Lane, shares: Mapping[int, float]) -> None:
        """The same, for this lane and none that it leans on."""
        seen = self.counts.setdefault(key, {})
        for kind, share in shares.items():
            seen[kind] = seen.get(kind, 0.0) + share

    def answers(self, lane: Lane) -> int:
        """How many destinations of the pair are known."""
        return round(sum(self.counts.get(lane, {}).values()))

    def correct(self, lane: Lane, old: int, shares: Mapping[int, float]) -> None:
        """A destination that was counted as one kind turned out to be something else."""
        self.note(lane, {old: -1.0, **shares})

    def rename(self, old: int, new: int) -> None:
        """Everything that was counted as one kind is another."""
        for seen in self.counts.values():
            if old in seen:
                seen[new] = seen.get(new, 0.0) + seen.pop(old)

    def exact(self, lane: Lane, scores: Mapping[int, float]) -> float:
        """Σ P(C|lane)·score(C) by this pair alone: 0 if nothing is known of it."""
        seen = self.counts.get(lane, {})
        worth = sum(count * scores.get(destination, 0.0) for destination, count in seen.items())
        return worth / sum(seen.values()) if seen else 0.0

    def expected(self, lane: Lane, scores: Mapping[int, float]) -> float:
        """The same, leaning on the apath in all clusters, then on similar apaths, then on all links, as far as it is new.

        Each level counts as one more observation of the level before it.
        """
        mean, counts, score = 0.0, self.counts.get, scores.get
        for key in (*reversed(self._leaned_on(lane)), lane):
            worth, links = mean, 1.0
            for destination, count in counts(key, {}).items():
                worth += count * score(destination, 0.0)
                links += count
            mean = worth / links
        return mean

    def _leaned_on(self, lane: Lane) -> tuple[Lane, ...]:
        """From the nearest to the farthest; of a link's place and the rule of its URL, the one that tells more is nearer."""
        known = fallbacks(lane)
        if RULED not in (key[0] for key in known):
            return known
        place = next(number for number, key in enumerate(known) if key[0] == RULED)
        if self._purity(known[place + 1]) > self._purity(known[place]):
            return (*known[:place], known[place + 1], known[place], *known[place + 2 :])
        return known

    def _purity(self, key: Lane) -> float:
        """The share of the most frequent kind, drawn to 0 where few are known."""
        seen = self.counts.get(key, {}).values()
        return max(seen, default=0.0) / (sum(seen) + 1.0)

    def share(self, lane: Lane, kind: int) -> float | None:
        """The share of one kind among the known destinations of a pair; None if there are none."""
        seen = self.counts.get(lane, {})
        known = sum(count for other, count in seen.items() if other not in (OUTLIER, GONE, COPY))
        return seen.get(kind, 0.0) / known if known >= 1 else None

    def chance(self, lane: Lane, destination: int) -> float:
        return self.expected(lane, {destination: 1.0})


def is_ruled(lane: Lane) -> bool:
    """Whether a lane is for URLs that are made by one rule."""
    return len(lane) > PAIR and lane[PAIR].startswith(RULE)


@lru_cache(maxsize=1 << 14)
def fallbacks(lane: Lane) -> tuple[Lane, ...]:
    """What is like a lane, from the nearest to the farthest: its pair, the same apath, the same tags, the same end, any link."""
    path = lane[1]
    bare = tags(path)
    tail = "/".join(bare.split("/")[-TAIL:])
    wider = [lane[:size] for size in range(len(lane) - 1, 1, -1)]
    rule = [(RULED, lane[PAIR])] if is_ruled(lane) else []
    return *wider[:-1], *rule, *wider[-1:], ("path", path), ("tags", bare), ("tail", tail), ("any",)


def adjacency(table: Table, clusters: Sequence[int]) -> Matrix:
    """A_ij = Σ_x P(C_j | C_i, x)·|U_ix| over the clusters, in their order."""
    place = {cluster: number for number, cluster in enumerate(clusters)}
    matrix = np.zeros((len(clusters), len(clusters)))
    for lane, links in table.links.items():
        source = place.get(int(lane[0]))
        seen = table.counts.get(lane)
        if source is not None and seen:
            total = sum(seen.values())
            for destination, count in seen.items():
                if destination in place:
                    matrix[source, place[destination]] += count / total * links
    return matrix


def abundance(
    table: Table, clusters: Iterable[int], lanes: Iterable[Lane], worth: Callable[[Lane], float] = lambda _: 1.0
) -> dict[int, float]:
    """How many pages of each cluster there are, as far as links show: `lanes` has that of each URL known.

    `worth` says how much a URL of a lane counts.
    """
    sizes = {lane: count * worth(lane) for lane, count in Counter(lanes).items()}
    return {name: sum(count * table.chance(lane, name) for lane, count in sizes.items()) for name in clusters}


class Ranks(NamedTuple):
    hubs: Matrix
    authorities: Matrix


def hits(matrix: Matrix, authorities: Matrix | None = None) -> Ranks:
    """Hub and authority scores, h = A·a and a = Aᵀ·h, each of length 1, until they stay; given authorities stay as they are."""
    fixed = authorities
    current = np.full(len(matrix), 1 / max(1, len(matrix)) ** 0.5) if fixed is None else fixed
    hubs = np.zeros(len(matrix))
    for _ in range(STEPS):
        before = hubs
        hubs = unit(matrix @ current)
        current = unit(matrix.T @ hubs) if fixed is None else fixed
        if np.abs(hubs - before).max(initial=0.0) < 1e-9:
            break
    return Ranks(hubs, current)


def unit(vector: Matrix) -> Matrix:
    length = float(np.sqrt(vector @ vector))
    return vector / length if length else vector
