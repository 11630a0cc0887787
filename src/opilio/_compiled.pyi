"""What is compiled, if it is (src/compiled): each function has a twin in Python."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]

def open(
    library: str,
    rules: Mapping[str, tuple[int, int]],
    root: object,
    beside: Set[str],
    numbers: tuple[int, ...],
    content: tuple[float, int, int],
) -> None: ...
def gather(body: bytes) -> tuple[Any, ...] | None: ...
def opened(body: bytes) -> int: ...
def places() -> int: ...
def find(text: bytes, table: Table, shift: int) -> tuple[bytes, list[tuple[int, int, int, int]]]: ...
def rows(
    texts: list[str], parted: bytes, mark: int, table: Table, shift: int
) -> tuple[bytes, bytes, dict[int, bytes]] | None: ...
def sums(
    texts: list[str], parted: bytes, table: Table, shift: int, weights: Floats
) -> tuple[bytes, dict[int, bytes]] | None: ...
def bag(numbers: npt.NDArray[np.int64]) -> tuple[bytes, bytes]: ...
def rate(numbers: npt.NDArray[np.int64], terms: Floats, idf: Floats, weights: Floats) -> tuple[float, float]: ...
def fingerprint(text: bytes) -> tuple[int, int]: ...
def made(kind: type[Any], slots: tuple[object, ...], fields: tuple[Any, ...]) -> list[Any]: ...
def noted(
    urls: list[str], addresses: dict[str, tuple[int, int]], rows: Mapping[int, Any], slots: tuple[object, ...]
) -> tuple[list[tuple[Any, ...] | None], list[int]]: ...
def telling(
    says: Sequence[Any],
    addresses: dict[str, tuple[int, int]],
    rows: dict[int, Any],
    slots: tuple[object, ...],
) -> list[int]: ...
def remembered(names: list[str], first: dict[str, str], second: dict[str, str]) -> tuple[list[Any], list[int]]: ...
def given(
    offers: Sequence[Any],
    addresses: dict[str, tuple[int, int]],
    rows: dict[int, Any],
    moving: list[Any],
    slots: tuple[object, ...],
) -> tuple[Any, ...]: ...
def moved(near: bytearray, rest: bytearray, moves: bytearray, most: int) -> None: ...
def loaded(
    keys: list[int],
    rows: dict[int, Any],
    unknown: set[int],
    table: npt.NDArray[np.int64],
    tail: dict[int, bytes],
    firsts: dict[int, bytearray],
    leased: dict[int, int],
    queues: list[Any],
    slots: tuple[object, ...],
    sums: bool,
) -> list[int]: ...
def kept_lines(text: str, keep: bytes) -> str: ...
def spelled(text: bytes, odd: bytes, known: Mapping[bytes, bytes]) -> bytes: ...
