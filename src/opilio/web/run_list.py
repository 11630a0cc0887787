"""The runs as a list: sorted, filtered, each with a line of how it went."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..config import Config
from ..report.harvest import Course

WIDE, HIGH, POINTS = 112, 26, 40  # of a line
SORTS: Mapping[str, Callable[[dict[str, Any]], Any]] = {
    "name": lambda run: run["name"].lower(),
    "strategy": lambda run: run["strategy"],
    "state": lambda run: run["state"],
    "started": lambda run: run["started"] or "",
    "pages": lambda run: run["pages"],
    "relevant": lambda run: run["relevant"],
    "harvest": lambda run: run["harvest"],
}
FALLING = ("started", "pages", "relevant", "harvest")  # what is looked at from the top


def listed(runs: list[dict[str, Any]], words: str, sort: str, reverse: bool) -> list[dict[str, Any]]:
    """The runs that have all the words somewhere in name, topic, strategy or state, in order."""
    asked = words.lower().split()
    found = [run for run in runs if all(word in _text(run) for word in asked)]
    return sorted(found, key=SORTS[sort], reverse=reverse is not (sort in FALLING))


def _text(run: dict[str, Any]) -> str:
    return " ".join((run["name"], run["wanted"], run["strategy"], run["state"])).lower()


def wanted(config: Config) -> str:
    """What a crawl was asked for: the words of its topic, else the pages that its own should be like."""
    about = config.topic or _pages("about the same as", config.examples)
    return ", ".join(filter(None, (about, _pages("of the type of", config.like))))


def _pages(relation: str, urls: Sequence[str]) -> str:
    if not urls:
        return ""
    more = f" and {len(urls) - 1} more" if len(urls) > 1 else ""
    return f"pages {relation} {urls[0]}{more}"


def spark(course: Course) -> str:
    """Relevant pages over pages fetched, as the points of a line; "" where nothing was fetched."""
    count = len(course.time)
    if not count:
        return ""
    at = np.unique(np.linspace(0, count - 1, POINTS).astype(int))
    found = np.cumsum(course.good)[at]
    xs, ys = WIDE * at / max(1, count - 1), HIGH - 2 - (HIGH - 4) * found / max(1, found[-1])
    return " ".join(f"{x:.0f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
