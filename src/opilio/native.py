"""What is written in C (src/native): None where it was not built, and then the same is done in Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["functions", "plainly"]

try:
    from . import _native as functions
except ImportError:  # there was no compiler when it was installed
    functions = None  # type: ignore[assignment]


@contextmanager
def plainly() -> Iterator[None]:
    """Inside, all is done in Python: to compare."""
    global functions
    before, functions = functions, None  # type: ignore[assignment]
    try:
        yield
    finally:
        functions = before
