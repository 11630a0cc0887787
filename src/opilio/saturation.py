"""Whether a crawl has ceased to find anything.

Saturated is a crawl of which fewer than `share` of its last pages were relevant: the last `least` pages, or the last `part` of
all its pages where that is more, so that a long crawl is given as long again before it is given up. It has found
something before: where a topic recognises hardly a page, the crawl is blind and not at its end.
"""

from __future__ import annotations

from collections.abc import Iterable

SATURATED = "saturated"  # what the sentence begins with
LEAST = 1000  # pages
PART = 0.5
SHARE = 0.0025
FOUND = 10  # relevant pages before the last ones
BLOCK = 50  # pages that are counted together


class Saturation:
    """Counts the relevant pages of a crawl in blocks; a share of 0 means that it is never saturated."""

    def __init__(self, share: float = 0.0, least: int = LEAST, part: float = PART, found: int = FOUND) -> None:
        self.share, self.least, self.part, self.found = share, least, part, found
        self._blocks: list[int] = []  # relevant pages of each that is full
        self._pages = self._found = 0  # of the one that is not

    def extend(self, flags: Iterable[bool]) -> None:
        """Pages came, relevant or not."""
        for relevant in flags:
            self._pages += 1
            self._found += relevant
            if self._pages == BLOCK:
                self._blocks.append(self._found)
                self._pages = self._found = 0

    def why(self) -> str:
        """The sentence, if the crawl is saturated; the block that is not full yet does not count."""
        blocks = round(max(self.least, self.part * BLOCK * len(self._blocks)) / BLOCK)
        if not self.share or len(self._blocks) < blocks:
            return ""
        found, pages = sum(self._blocks[-blocks:]), blocks * BLOCK
        if found >= self.share * pages or sum(self._blocks[:-blocks]) < self.found:
            return ""
        return f"{SATURATED}: {found or 'none'} of the last {pages:,} pages {'was' if found < 2 else 'were'} relevant"
