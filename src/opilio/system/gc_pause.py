"""How often Python looks for objects that only hold each other."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MADE = 200_000  # objects made and not yet gone before Python looks for cycles among them; by itself it looks at 700


@contextmanager
def rarely_collecting() -> Iterator[None]:
    """Imports and pages leave no cycles behind; looking for them as often as Python does costs a tenth of either."""
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(MADE, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()
