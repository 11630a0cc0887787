"""What a host reserves in /.well-known/tdmrep.json (TDM Reservation Protocol), for all of its pages or some of them."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NamedTuple

from .robots import Rule, path_of, read_rule

PATH = "/.well-known/tdmrep.json"
MOST_RULES = 10_000


class Reservation(NamedTuple):
    """One entry of the file."""

    rule: Rule  # of the paths that it speaks of, as in a robots.txt
    reserved: bool


@lru_cache(maxsize=256)
def reservations(body: bytes) -> tuple[Reservation, ...]:
    """The entries of a file; those that are not as they should be, or all of a file that is none, are left out."""
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return ()
    entries = parsed if isinstance(parsed, list) else []
    return tuple(made for number, entry in enumerate(entries[:MOST_RULES], 1) if (made := _made(entry, number)))


def reserved(body: bytes, url: str) -> str:
    """The location under which a URL is reserved: of all that match, the longest decides; "" when it is not reserved."""
    path = path_of(url)
    found = [entry for entry in reservations(body) if entry.rule.matches(path)]
    best = max(found, key=lambda entry: (len(entry.rule.pattern), entry.reserved), default=None)
    return best.rule.text if best and best.reserved else ""


def _made(entry: Any, number: int) -> Reservation | None:
    location = entry.get("location") if isinstance(entry, dict) else None
    flag = entry.get("tdm-reservation") if isinstance(entry, dict) else None
    if not isinstance(location, str) or not location or flag not in (0, 1, "0", "1"):
        return None
    pattern = location.encode("utf-8", "replace").decode("latin-1")
    return Reservation(read_rule(False, pattern, number, pattern), str(int(flag)) == "1")
