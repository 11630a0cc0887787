"""Something computed from what is known, until more is known: a cache, so it is neither learned nor saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """Computed when it is asked for, once after each `forget`."""

    def __init__(self, compute: Callable[[], T]) -> None:
        self._compute, self._found = compute, list[T]()

    def __call__(self) -> T:
        if not self._found:
            self._found.append(self._compute())
        return self._found[0]

    def forget(self) -> None:
        self._found.clear()
