"""What the numbers that a strategy noted with a page mean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import registry
from ..engine.run_folder import configured
from ..errors import OpilioError
from ..nouns import Strategy


def strategy_of(folder: Path) -> type[Strategy] | None:
    """The strategy of a run folder; None when its configuration is gone or names one that is not there any more."""
    try:
        return registry.kind_of(configured(folder).strategy)
    except OpilioError:
        return None


def named(strategy: type[Strategy] | None, note: Sequence[Any]) -> dict[str, Any]:
    """The values of a note by their names; those without one by their place, those whose name is empty not at all."""
    names = strategy.notes if strategy else ()
    found = {(names[place] if place < len(names) else f"part {place + 1}"): value for place, value in enumerate(note)}
    return {name: value for name, value in found.items() if name}
