"""What a trace is judged by, and how pages are counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Truth:
    """The ground truth of one topic, as far as links lead to it."""

    targets: frozenset[str]  # to be found; seeds and training pages are not among them
    relevant: frozenset[str]  # targets, seeds and training pages
    budget: int = 0  # fetches that a run may make
    pages: frozenset[str] = frozenset()  # everything that is a page, and not a redirect or a dead link
    details: frozenset[str] = frozenset()  # where there are any, the harvest is counted among them alone
    types: Mapping[str, str] = field(default_factory=dict)  # url -> page type
    judged: frozenset[str] = frozenset()  # fetched pages that two of three classifiers call relevant


# URLs in the order in which they were fetched, redirects, dead links and repeats included -> a value after each fetch
Metric: TypeAlias = Callable[[Sequence[str], Truth], list[float]]
METRICS: dict[str, tuple[Metric, frozenset[str]]] = {}  # by name, with the kinds of tasks that each is for


def metric(*kinds: str) -> Callable[[Metric], Metric]:
    """Mark a function as a metric for these kinds of tasks; it is known by its name."""

    def marked(function: Metric) -> Metric:
        METRICS[function.__name__] = function, frozenset(kinds)
        return function

    return marked


def news(trace: Sequence[str], wanted: Collection[str]) -> list[bool]:
    """For each fetch, whether it brought a wanted page for the first time."""
    left = set(wanted)
    size, fresh = len(left), []
    for url in trace:
        left.discard(url)
        fresh.append(len(left) < size)
        size = len(left)
    return fresh


def found(trace: Sequence[str], wanted: Collection[str]) -> list[int]:
    """After each fetch, how many of the wanted pages have been fetched; a page fetched again counts once."""
    return list(accumulate(map(int, news(trace, wanted))))


def counted(trace: Sequence[str], truth: Truth) -> list[bool]:
    """For each fetch, whether it counts in the harvest: all do, except where only detail pages do."""
    return [url in truth.details for url in trace] if truth.details else [True] * len(trace)


def ratio(part: float, whole: float) -> float:
    """part / whole, and 0 where there is nothing yet."""
    return part / whole if whole else 0.0
