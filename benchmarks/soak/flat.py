"""Whether what a soak takes is flat.

The rule. Looked at is what comes after the first tenth, without what follows each start of a process: a tenth of the
soak, and eight rounds through all URLs, because a process loads what it has not met yet, the cache of its database fills up
(it is small in a soak, `process.py`), and connections that were made in the rush of the start are closed when they were idle for
some minutes. The rest is cut into windows, sixty to the soak, and each has a level: the least that a process held, which is
what stays between the large answers that come and go, and the median of a rate; a window that a kill cut to less than half
has none. A straight line is fitted to the levels,
with one slope for all and a height of its own for each life of a process. The drift is what this slope makes of nine tenths of
the soak, and its error is twice its standard error by the spread of the levels around the line, made wider where neighbours
resemble each other. What counts is the drift to the worse: memory that is given back, or pages that become cheaper, are no
fault. It is flat when that drift is within the limit of its kind with the error added; it is not flat when it is beyond the
limit with the error taken off; in between the machine was too restless, or the soak too short, to tell.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .crawl import ROLES, Look, Soaked, Taken

FIRST, START = 0.1, 0.1  # parts of the soak
ROUNDS = 8  # through all URLs, until a process has settled
WINDOWS = 60  # of one soak
RATES = 4 * WINDOWS  # times that pages and CPU time are counted,
SPAN = 2.0  # and seconds at least in between: pages count when they are committed
LEAST, LIFE = 6, 3  # windows in all, and in one life of a process, that a line needs
ALIKE = 0.9  # neighbours at most, so that the error stays finite

Numbers = np.ndarray[tuple[int], np.dtype[np.float64]]


class Kind(NamedTuple):
    """What the drift may be: so large a share of the median, or so much, whichever is more; which level windows have; and which
    way is worse."""

    share: float
    least: float
    quantile: float
    worse: int = 1  # 1: to become more, -1: to become less


KINDS = {
    "memory, MB": Kind(0.1, 5.0, 0.0),
    "open files": Kind(0.1, 5.0, 0.0),  # connections that are kept for the next visit come and go
    "threads": Kind(0.1, 0.5, 0.0),
    "pages/s": Kind(0.1, 0.0, 0.5, -1),
    "CPU ms a page": Kind(0.2, 0.0, 0.5),
}


class Point(NamedTuple):
    seconds: float
    value: float
    life: int  # of which process, or of which crawl between two kills of all


class Series(NamedTuple):
    """One kind of thing, of one process or of all."""

    kind: str
    name: str
    points: list[Point]


class Verdict(NamedTuple):
    """What became of a series after its first tenth."""

    series: Series
    low: float
    median: float
    high: float
    drift: float | None  # in units of the series; None: too short to tell
    error: float = 0.0

    @property
    def limit(self) -> float:
        kind = KINDS[self.series.kind]
        return max(kind.share * self.median, kind.least)

    @property
    def worse(self) -> float:
        """The drift to the worse; not a number where it is too short to tell."""
        return math.nan if self.drift is None else KINDS[self.series.kind].worse * self.drift

    @property
    def flat(self) -> bool:
        return self.worse + self.error <= self.limit

    @property
    def not_flat(self) -> bool:
        return self.worse - self.error > self.limit


def series(soaked: Soaked) -> list[Series]:
    """Everything that is drawn and judged."""
    found = [
        Series(
            kind, role, [_point(look, role, getattr(look.by[role], field)) for look in soaked.looks if role in look.by]
        )
        for kind, field in zip(KINDS, ("memory", "files", "threads"), strict=False)
        for role in ROLES
    ]
    rates = list(_rates(soaked))
    found.append(Series("pages/s", "all", [Point(at, pages, life) for at, pages, _, life in rates]))
    spent = [Point(at, cpu, life) for at, _, cpu, life in rates if cpu is not None]
    return [*found, Series("CPU ms a page", "all", spent)]


def _point(look: Look, role: str, value: float) -> Point:
    return Point(look.seconds, value, look.by[role].pid)


def _rates(soaked: Soaked) -> Iterator[tuple[float, float, float | None, int]]:
    """When, pages a second, CPU milliseconds a page (None where a process died or none came), and which crawl it was.

    CPU time is counted in that of a fixed piece of work done at the same time: others on the machine make both slower alike.
    """
    usual = float(np.median([look.work for look in soaked.looks]))
    wide = max(soaked.seconds / RATES, SPAN)
    group: list[Look] = []
    for look in soaked.looks:
        if group and not _same(group[0].by, look.by):
            group = []
        group.append(look)
        if len(look.by) == len(ROLES) and look.seconds - group[0].seconds >= wide:
            yield *_rate(group, usual), look.by["parent"].pid
            group = [look]


def _same(before: dict[str, Taken], after: dict[str, Taken]) -> bool:
    """Whether the same processes live."""
    return {role: taken.pid for role, taken in before.items()} == {role: taken.pid for role, taken in after.items()}


def _rate(group: Sequence[Look], usual: float) -> tuple[float, float, float | None]:
    first, last = group[0], group[-1]
    pages, seconds = last.pages - first.pages, last.seconds - first.seconds
    spent = sum(last.by[role].cpu - first.by[role].cpu for role in last.by)
    slower = float(np.median([look.work for look in group])) / usual
    return last.seconds, pages / seconds, 1000 * spent / pages / slower if pages else None


def warm(soaked: Soaked) -> dict[int, float]:
    """When each process has settled, by the pages that came after its start."""
    pages: dict[int, int] = {}
    found: dict[int, float] = {}
    for look in soaked.looks:
        for taken in look.by.values():
            if look.pages - pages.setdefault(taken.pid, look.pages) >= ROUNDS * soaked.known:
                found.setdefault(taken.pid, look.seconds)
    return found


def judged(one: Series, seconds: float, warm: Mapping[int, float] | None = None) -> Verdict:
    """Judge a series by the rule; without `warm`, as if every process had met everything from its start on."""
    points = _settled(one.points, seconds, warm)
    values = [point.value for point in points] or [float("nan")]
    low, middle, high = min(values), float(np.median(values)), max(values)
    levels = _levels(points, seconds / WINDOWS, KINDS[one.kind].quantile)
    if sum(map(len, levels)) < LEAST:
        return Verdict(one, low, middle, high, None)
    slope, error = _line(levels)
    return Verdict(one, low, middle, high, slope * (1 - FIRST) * seconds, 2 * error * (1 - FIRST) * seconds)


def _settled(points: Sequence[Point], seconds: float, warm: Mapping[int, float] | None) -> list[Point]:
    """What is looked at."""
    begun: dict[int, float] = {}
    for point in points:
        begun.setdefault(point.life, point.seconds)
    since = {
        life: max(FIRST * seconds, start + START * seconds, 0.0 if warm is None else warm.get(life, math.inf))
        for life, start in begun.items()
    }
    return [point for point in points if point.seconds >= since[point.life]]


def _levels(points: Sequence[Point], wide: float, quantile: float) -> list[list[tuple[float, float]]]:
    """For each life that is long enough, the levels of its windows: when, and how high."""
    windows: dict[tuple[int, int], list[Point]] = defaultdict(list)
    for point in points:
        windows[point.life, int(point.seconds / wide)].append(point)
    whole = float(np.median([len(inside) for inside in windows.values()])) if windows else 0.0
    lives: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for (life, _), inside in windows.items():
        if len(inside) < whole / 2:
            continue  # cut short by a kill: the least of a few looks says nothing
        middle = float(np.mean([point.seconds for point in inside]))
        lives[life].append((middle, float(np.quantile([point.value for point in inside], quantile))))
    return [levels for levels in lives.values() if len(levels) >= LIFE]


def _line(lives: Sequence[Sequence[tuple[float, float]]]) -> tuple[float, float]:
    """Least squares: the slope that all lives share, and its standard error."""
    centred = [np.array(levels) - np.mean(levels, axis=0) for levels in lives]
    times, values = np.concatenate(centred).T
    spread = float(times @ times)
    slope = float(times @ values) / spread
    left = [levels[:, 1] - slope * levels[:, 0] for levels in centred]
    free = len(times) - len(lives) - 1
    variance = sum(float(one @ one) for one in left) / free
    return slope, math.sqrt(variance / spread * _alike(left))


def _alike(left: Sequence[Numbers]) -> float:
    """By how much the variance of a slope is greater where neighbours resemble each other (an AR(1) process)."""
    whole = sum(float(one @ one) for one in left)
    shared = sum(float(one[1:] @ one[:-1]) for one in left)
    r = min(ALIKE, max(0.0, shared / whole)) if whole else 0.0
    return (1 + r) / (1 - r)


def table(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """The verdicts as Markdown."""
    yield "| what | of | lowest | median | highest | drift | limit | flat |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"
    for verdict in verdicts:
        (kind, name, _), low, middle, high, drift, error = verdict
        told = "too short to tell" if drift is None else f"{drift:+.1f} ± {error:.1f}"
        flat = "yes" if verdict.flat else "NO" if verdict.not_flat else "?"
        yield f"| {kind} | {name} | {low:.1f} | {middle:.1f} | {high:.1f} | {told} | {verdict.limit:.1f} | {flat} |"
