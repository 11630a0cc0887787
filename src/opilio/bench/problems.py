"""Problems of a corpus folder as sentences: which of them one can live with, and how they are worded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..errors import UnreadableError

SHOWN = 3  # examples in a sentence
MANUAL = "see docs/corpora.md"
NOTE = "note: "  # begins the sentence about a problem that one can live with: the corpus opens all the same


def sentence(place: object, problem: str) -> str:
    """The problem with its place in front, and in front of that still whether it is only a note."""
    return f"{NOTE if problem.startswith(NOTE) else ''}{place}: {problem.removeprefix(NOTE)}"


def fatal(problems: Iterable[str]) -> Iterator[str]:
    """Those that one cannot live with."""
    return (problem for problem in problems if not problem.startswith(NOTE))


def raise_first(problems: Iterable[str]) -> None:
    """UnreadableError for the first one that is fatal."""
    for problem in fatal(problems):
        raise UnreadableError(problem)


def lines(numbers: list[int]) -> str:
    """The numbers of lines in words, the first few of them."""
    shown = ", ".join(map(str, numbers[:SHOWN]))
    more = f" and {len(numbers) - SHOWN} more" if len(numbers) > SHOWN else ""
    return f"line{'s' * (len(numbers) > 1)} {shown}{more}"


def some(names: list[str]) -> str:
    """The first few names."""
    return ", ".join(names[:SHOWN]) + (" ..." if len(names) > SHOWN else "")
