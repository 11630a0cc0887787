"""Links that turn to another page of the same list."""

from __future__ import annotations

from ...nouns import Link

FLIPS = frozenset({"next", "previous", "prev", "older", "newer", "more", "first", "last", *"›»‹«><→←…", "..."})


def is_flip(link: Link) -> bool:
    """Whether a link turns to another page of the same list."""
    text = link.anchor.strip().lower()
    return text.isdigit() or bool(FLIPS.intersection(text.split())) or "next" in link.rel or "prev" in link.rel
