"""One metric per file: a function marked `@metric` with the kinds of tasks it is for, which gives the file its name."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ..truth import METRICS, Metric


@cache
def metrics(*kinds: str) -> dict[str, Metric]:
    """Every metric by its name, or those that apply to these kinds of tasks."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return {name: METRICS[name][0] for name in sorted(METRICS) if not kinds or METRICS[name][1] & set(kinds)}


def names() -> list[str]:
    """What metrics there are."""
    return list(metrics())
