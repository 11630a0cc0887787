"""Many objects of one class at once, field by field: what a page has by the hundred is not made one by one."""

from __future__ import annotations

from dataclasses import fields
from itertools import repeat, starmap
from typing import Any, TypeVar

from . import compiled

T = TypeVar("T")


def many(kind: type[T], *given: Any) -> list[T]:
    """Objects of a dataclass with slots: for each field a list, with one value for each, or anything else, for all of them.

    What is not given has its default; one field at least is a list.
    """
    if not compiled.functions:
        count = len(next(value for value in given if type(value) is list))
        columns = [value if type(value) is list else repeat(value, count) for value in given]
        return list(starmap(kind, zip(*columns, strict=True)))
    slots, defaults = _FIELDS.get(kind) or _remember(kind)
    return compiled.functions.made(kind, slots, given + defaults[len(given) :])


_FIELDS: dict[object, tuple[tuple[object, ...], tuple[Any, ...]]] = {}  # of classes: their slots, and defaults


def _remember(kind: Any) -> tuple[tuple[object, ...], tuple[Any, ...]]:
    found = fields(kind)
    _FIELDS[kind] = tuple(getattr(kind, field.name) for field in found), tuple(field.default for field in found)
    return _FIELDS[kind]
