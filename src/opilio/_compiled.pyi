"""What is compiled, if it is (src/compiled): each function has a twin in Python."""

from collections.abc import Mapping, Set
from typing import Any

import numpy as np
import numpy.typing as npt

def open(
    library: str, rules: Mapping[str, tuple[int, int]], root: object, beside: Set[str], numbers: tuple[int, ...]
) -> None: ...
def gather(body: bytes) -> tuple[Any, ...] | None: ...
def places() -> int: ...
def find(
    text: bytes, keys: npt.NDArray[np.uint64], values: npt.NDArray[np.int64], shift: int
) -> tuple[bytes, list[tuple[int, int, int, int]]]: ...
def fingerprint(text: bytes) -> tuple[int, int]: ...
