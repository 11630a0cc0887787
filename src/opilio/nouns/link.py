"""A link, and how the small values of this package are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

__all__ = ["Link", "quick"]

if TYPE_CHECKING:
    from dataclasses import dataclass as quick
else:

    def quick(**promised: bool) -> Callable[[type], type]:
        """A dataclass that is frozen for the type checker alone: Python's way to freeze one makes it five times as slow to make,
        and a page makes hundreds; the class itself takes longer, too."""
        return dataclass(slots=True, unsafe_hash=True)


@quick(frozen=True, slots=True)
class Link:
    """One anchor on one page."""

    url: str  # canonical
    source: str = ""  # canonical url of the page it stands on
    anchor: str = ""  # the words of the link itself (or its image's alt text)
    context: str = ""  # 20 words around it, the anchor's own counted in
    path: str = ""  # tags and classes from the root: html/body/div.main/ul/li/a.title
    image: bool = False  # it holds an image
    rel: tuple[str, ...] = ()  # nofollow, next, tag ...
