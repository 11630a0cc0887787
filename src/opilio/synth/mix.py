"""Chance without state: numbers mixed from numbers, the same on every machine and in every process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias, TypeVar

Roll: TypeAlias = Callable[[], float]  # the next number in [0, 1)
T = TypeVar("T")

_ALL = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


def mix(key: int, *parts: int) -> int:
    """A 64-bit number that depends on all the given ones (the finaliser of splitmix64 after each)."""
    x = key & _ALL
    for part in parts:
        x = (x + (part + 1) * _STEP) & _ALL
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _ALL
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _ALL
        x ^= x >> 31
    return x


def chance(key: int, *parts: int) -> float:
    """The same as a number in [0, 1)."""
    return (mix(key, *parts) >> 11) * 2.0**-53


def roll(key: int, *parts: int) -> Roll:
    """A stream of numbers in [0, 1); only Random.random is used, which Python promises to keep as it is."""
    return Random(mix(key, *parts)).random


def pick(items: Sequence[T], dice: Roll) -> T:
    return items[int(dice() * len(items))]


def shuffled(items: Sequence[T], dice: Roll) -> list[T]:
    return [item for _, _, item in sorted((dice(), i, item) for i, item in enumerate(items))]
