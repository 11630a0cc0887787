"""Two or more runs compared: what they share, what only one of them found, and how they went."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..bench.palette import styles
from ..bench.plots import Line, plot
from ..engine.run_folder import configured
from ..errors import OpilioError
from ..nouns import RELEVANT
from ..store.reader import reading
from .harvest import Course, read
from .summary import summary

POINTS = 200  # of a curve
ONLY = 20  # pages of each list


class Alone(NamedTuple):
    """A relevant page that one run found and no other did."""

    url: str
    title: str
    relevance: float


class Compared(NamedTuple):
    """Runs by name."""

    figures: dict[str, dict[str, Any]]  # as `status` has them, with the topic and strategy
    courses: dict[str, Course]
    shared: int  # relevant pages that all of them found
    only: dict[str, list[Alone]]  # the best of those that no other run found
    only_count: dict[str, int]
    overlap: dict[tuple[str, str], tuple[int, int]]  # of two runs: relevant pages in both, and in either

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "runs": self.figures,
            "shared": self.shared,
            "only": {
                name: {"count": self.only_count[name], "best": [page._asdict() for page in pages]}
                for name, pages in self.only.items()
            },
            "overlap": [
                {"runs": list(pair), "both": both, "either": either} for pair, (both, either) in self.overlap.items()
            ],
        }


def compare(folders: Mapping[str, Path]) -> Compared:
    """What the runs in these folders share and where they differ."""
    figures = {name: {**summary(folder), **_asked(folder)} for name, folder in folders.items()}
    found, courses = {}, {}
    for name, folder in folders.items():
        with closing(reading(folder)) as db:
            courses[name] = read(db)
            query = "SELECT url, substr(title, 1, 300), max(relevance) FROM pages WHERE relevance >= ? GROUP BY url"
            found[name] = {row[0]: Alone(row[0], row[1] or "", row[2]) for row in db.execute(query, (RELEVANT,))}
    alone = {name: _alone(name, found) for name in found}
    return Compared(
        figures,
        courses,
        len(set.intersection(*(set(pages) for pages in found.values()))) if found else 0,
        {name: pages[:ONLY] for name, pages in alone.items()},
        {name: len(pages) for name, pages in alone.items()},
        {(a, b): _overlap(set(found[a]), set(found[b])) for a, b in combinations(found, 2)},
    )


def _asked(folder: Path) -> dict[str, str]:
    try:
        config = configured(folder)
        return {"topic": config.topic, "strategy": config.strategy}
    except OpilioError:
        return {"topic": "", "strategy": ""}


def _alone(name: str, found: Mapping[str, Mapping[str, Alone]]) -> list[Alone]:
    others = set().union(*(pages for other, pages in found.items() if other != name))
    mine = [page for url, page in found[name].items() if url not in others]
    return sorted(mine, key=lambda page: (-page.relevance, page.url))


def _overlap(one: set[str], other: set[str]) -> tuple[int, int]:
    return len(one & other), len(one | other)


def drawing(found: Compared, inline: bool = False) -> str:
    """Relevant pages over pages fetched, all runs in one picture; "" where nothing was fetched."""
    there = {name: course for name, course in found.courses.items() if len(course.time)}
    kinds = styles(f"{found.figures[name]['strategy']}({number})" for number, name in enumerate(there))
    lines = [_line(name, style, course) for (name, course), style in zip(there.items(), kinds.values(), strict=True)]
    if not lines:
        return ""
    return plot("Relevant pages found", "pages fetched", lines, y_name="relevant pages", form="count", inline=inline)


def _line(name: str, style: str, course: Course) -> Line:
    at = np.unique(np.linspace(1, len(course.time), POINTS).astype(int))
    return Line(name, style, at.tolist(), np.cumsum(course.good)[at - 1].tolist(), [0.0] * len(at))
