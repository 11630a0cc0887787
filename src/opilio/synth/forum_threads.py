"""How the pages of a forum are numbered: threads of one to six pages, in a pattern that repeats."""

from __future__ import annotations

BOARD_ROWS = 20  # threads on a page of a board
SERVICE = ("login", "register", "help")  # pages 1 to 3
LENGTHS = (1, 1, 2, 1, 1, 3, 1, 1, 6, 1)  # pages of ten threads in a row; the pattern repeats
_BEFORE = tuple(sum(LENGTHS[:i]) for i in range(len(LENGTHS)))
ROUND = sum(LENGTHS)
PAGES_OF_A_THREAD = ROUND / len(LENGTHS)  # in the mean
TITLE, TEXT, AUTHOR = range(3)  # what a key is mixed for


def start_of(thread: int) -> int:
    """How many pages the threads before this one have."""
    rounds, rest = divmod(thread, len(LENGTHS))
    return rounds * ROUND + _BEFORE[rest]


def thread_at(number: int) -> tuple[int, int]:
    """The thread, and the part of it, at a thread page."""
    rounds, rest = divmod(number, ROUND)
    step = max(i for i, before in enumerate(_BEFORE) if before <= rest)
    return rounds * len(LENGTHS) + step, rest - _BEFORE[step]
