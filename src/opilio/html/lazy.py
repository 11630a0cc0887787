"""Properties that are worked out when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class once(Generic[T]):
    """What functools.cached_property is, without the lock that this takes up to Python 3.11: for what each page has."""

    def __init__(self, work_out: Callable[[Any], T]) -> None:
        self._work_out = work_out
        self.__doc__ = work_out.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, one: None, owner: type) -> once[T]: ...
    @overload
    def __get__(self, one: object, owner: type) -> T: ...
    def __get__(self, one: object | None, owner: type) -> once[T] | T:
        if one is None:
            return self
        found = one.__dict__[self._name] = self._work_out(one)  # next time this is found first
        return found
