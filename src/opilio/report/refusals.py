"""URLs that were not fetched: the kinds of reasons, and reasons in words."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter

MOST = 20  # kinds that are counted apart
GUARD = re.compile(r"refused:? (\w+)(.*)", re.DOTALL)
ROBOTS = re.compile(r"robots: (.*)", re.DOTALL)
KIND = re.compile(r"unreachable \(.*?\)(?=:|$)|[^:]*", re.DOTALL)


def kind(reason: str) -> str:
    """The kind of a reason: robots.txt, the guard and why, a host that cannot be reached and why, the scope, a trap."""
    if ROBOTS.match(reason):
        return "robots.txt"
    if found := GUARD.match(reason):
        return f"guard ({found[1]})"
    return KIND.match(reason)[0]  # type: ignore[index]


def sentence(reason: str) -> str:
    """A reason in words."""
    if found := ROBOTS.match(reason):
        return f"refused by robots.txt ({found[1]})"
    if found := GUARD.match(reason):
        return f"refused by the guard ({found[1]}{found[2]})"
    return reason if reason.startswith("unreachable") else f"refused ({reason})"


def counts(db: sqlite3.Connection) -> dict[str, int]:
    """How many URLs were not fetched, by kind of reason; the most frequent first."""
    kinds: Counter[str] = Counter()
    for reason, count in db.execute("SELECT reason, count(*) FROM refusals GROUP BY reason"):
        kinds[kind(reason)] += count
    largest = dict(kinds.most_common(MOST))
    rest = kinds.total() - sum(largest.values())
    return {**largest, "others": rest} if rest else largest
