"""What is written in C (src/native). Where it was not built, the same is done in Python, which stays the reference."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from selectolax import __version__ as installed

__all__ = ["built_for", "functions", "has", "installed", "switch_off", "without"]

try:
    from . import _native as functions
except ImportError:  # there was no compiler when it was installed
    functions = None  # type: ignore[assignment]

# The parser of another version may lay out its trees in another way.
built_for: str = getattr(functions, "selectolax", "")
_in_use: frozenset[str] = frozenset(dir(functions)) if built_for == installed else frozenset()


def has(name: str) -> bool:
    """Whether a function is there in C, and in use."""
    return name in _in_use


def switch_off(*names: str) -> None:
    """Do without these functions, or without all of them where none is named."""
    global _in_use
    _in_use = _in_use.difference(names) if names else frozenset()


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Inside, the same is done in Python: to compare."""
    global _in_use
    before = _in_use
    switch_off(*names)
    try:
        yield
    finally:
        _in_use = before
