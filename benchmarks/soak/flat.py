"""Whether what a soak takes is flat.

The rule. Looked at is what comes after the first tenth, without what follows each start of a process: a twentieth of the
soak, and eight rounds through all URLs, because a process loads what it has not met yet, the cache of its database fills up
to its 16 MB, and connections that were made in the rush of the start are closed when they were idle for some minutes. The
slope is the median of the slopes between any two looks at the same process that are a twentieth apart or more (Theil and
Sen): a spike does not count, and neither does a fall when a process dies. The drift is what this slope makes of nine tenths
of the soak, as a share of the median. It is flat when the drift, up or down, is within the limit of its kind.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .crawl import ROLES, Look, Soaked, Taken

FIRST, START, APART = 0.1, 0.05, 0.05  # parts of the soak
ROUNDS = 8  # through all URLs, until a process has settled
PARTS = 120  # that pages/s and CPU time are counted in
MOST = 600  # points of one series that are compared with each other
LIMITS = {"memory, MB": 0.1, "open files": 0.1, "threads": 0.1, "pages/s": 0.2, "CPU ms a page": 0.2}


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
    drift: float | None  # None: too short to tell

    @property
    def flat(self) -> bool:
        return self.drift is not None and abs(self.drift) <= LIMITS[self.series.kind]


def series(soaked: Soaked) -> list[Series]:
    """Everything that is drawn and judged."""
    found = [
        Series(
            kind, role, [_point(look, role, getattr(look.by[role], field)) for look in soaked.looks if role in look.by]
        )
        for kind, field in zip(LIMITS, ("memory", "files", "threads"), strict=False)
        for role in ROLES
    ]
    rates = list(_rates(soaked))
    found.append(Series("pages/s", "all", [Point(at, pages, life) for at, pages, _, life in rates]))
    spent = [Point(at, cpu, life) for at, _, cpu, life in rates if cpu is not None]
    return [*found, Series("CPU ms a page", "all", spent)]


def _point(look: Look, role: str, value: float) -> Point:
    return Point(look.seconds, value, look.by[role].pid)


def _rates(soaked: Soaked) -> Iterator[tuple[float, float, float | None, int]]:
    """When, pages a second, CPU milliseconds a page (None where a process died or none came), and which crawl it was."""
    wide = soaked.seconds / PARTS
    first = None
    for look in soaked.looks:
        if "parent" not in look.by:
            first = None
        elif first is None or first.by["parent"].pid != look.by["parent"].pid:
            first = look
        elif look.seconds - first.seconds >= wide:
            pages, life = look.pages - first.pages, look.by["parent"].pid
            yield look.seconds, pages / (look.seconds - first.seconds), _cost(first.by, look.by, pages), life
            first = look


def _cost(before: dict[str, Taken], after: dict[str, Taken], pages: int) -> float | None:
    if not pages or {t.pid for t in before.values()} != {t.pid for t in after.values()}:
        return None
    return 1000 * sum(after[role].cpu - before[role].cpu for role in after) / pages


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
    slopes = _slopes(points, APART * seconds)
    middle = float(np.median(values))
    drift = float(np.median(slopes)) * (1 - FIRST) * seconds / middle if len(slopes) and middle else None
    return Verdict(one, min(values), middle, max(values), drift)


def _settled(points: Sequence[Point], seconds: float, warm: Mapping[int, float] | None) -> list[Point]:
    """What is looked at."""
    begun: dict[int, float] = {}
    for point in points:
        begun.setdefault(point.life, point.seconds)
    since = {
        life: max(FIRST * seconds, start + START * seconds, 0.0 if warm is None else warm.get(life, math.inf))
        for life, start in begun.items()
    }
    kept = [p for p in points if p.seconds >= since[p.life]]
    return kept[:: len(kept) // MOST + 1]


def _slopes(points: Sequence[Point], apart: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    if not points:
        return np.empty(0)
    times, values, lives = (np.array(column, dtype=float) for column in zip(*points, strict=True))
    late, early = np.nonzero(np.subtract.outer(times, times) >= apart)
    same = lives[late] == lives[early]
    late, early = late[same], early[same]
    return np.asarray((values[late] - values[early]) / (times[late] - times[early]))


def table(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """The verdicts as Markdown."""
    yield "| what | of | lowest | median | highest | drift | flat |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | --- |"
    for verdict in verdicts:
        (kind, name, _), low, middle, high, drift = verdict
        told = "too short to tell" if drift is None else f"{100 * drift:+.1f} %"
        flat = f"within {100 * LIMITS[kind]:.0f} %" if verdict.flat else "?" if drift is None else "NO"
        yield f"| {kind} | {name} | {low:.1f} | {middle:.1f} | {high:.1f} | {told} | {flat} |"
