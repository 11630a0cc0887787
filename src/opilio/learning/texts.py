"""Which texts were seen before: a page that says what another one said brings nothing new."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..codec import saved
from ..urls import digest

MOST = 10_000  # texts remembered; when there are more, the older half is forgotten


@saved
@dataclass(slots=True)
class Texts:
    """Texts by their digests, in the order in which they came."""

    seen: dict[int, None] = field(default_factory=dict)

    def add(self, text: str) -> bool:
        """Remember a text; whether it is new."""
        key = digest(text)
        if key in self.seen:
            return False
        if len(self.seen) >= MOST:
            self.seen = dict.fromkeys(list(self.seen)[MOST // 2 :])
        self.seen[key] = None
        return True
