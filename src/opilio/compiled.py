"""What is written in C (src/compiled): None where it was not built, and then the same is done in Python."""

from __future__ import annotations

__all__ = ["functions"]

try:
    from . import _compiled as functions
except ImportError:  # there was no compiler when it was installed
    functions = None  # type: ignore[assignment]
