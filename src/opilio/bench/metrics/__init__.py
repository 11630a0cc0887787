"""One metric per file: `NAME.py` defines the function `NAME` and, in `KINDS`, the kinds of task it is for."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ..truth import Metric


@cache
def metrics(*kinds: str) -> dict[str, Metric]:
    """Every metric by its name, or those that apply to these kinds of tasks."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        if not kinds or not set(kinds).isdisjoint(loaded.KINDS):
            found[module.name] = getattr(loaded, module.name)
    return found


def names() -> list[str]:
    """What metrics there are."""
    return list(metrics())
