"""manifest.json of a run folder: which version made it, when it started and stopped, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import UnreadableError

NUMBERS = ("processes", "saturated_at")  # or left out
TEXTS = ("version", "started", "stopped", "why")  # or nothing


def known_facts(folder: Path) -> dict[str, Any]:
    """What the manifest says; nothing where there is none."""
    path = folder / "manifest.json"
    try:
        known = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise _odd(path, str(error)) from None
    if not isinstance(known, dict):
        raise _odd(path, "it is not a JSON object")
    for name in TEXTS:
        if not isinstance(known.get(name), str | None):
            raise _odd(path, f'"{name}" is not a text')
    for name in NUMBERS:
        if not isinstance(known.get(name, 1), int):
            raise _odd(path, f'"{name}" is not a number')
    return known


def _odd(path: Path, reason: str) -> UnreadableError:
    return UnreadableError(
        f"{path}: not readable as a manifest ({reason}); remove the file, the crawl can continue without it"
    )
