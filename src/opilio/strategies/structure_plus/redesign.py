"""Pages that fit no cluster: they are put by until there are enough to see whether they make up clusters of their own.

When most pages are such pages, the site has changed its templates. Addresses mostly stay, and so do links put by before:
what was behind the same place, and what was in the same folder, tells whether a page of the new look is a wanted one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ...codec import saved
from ...learning.clusters import MANY, OUTLIER
from ...learning.dead_links import Seen, note, share
from ...learning.navigation import COPY, GONE, Kinds, Table
from ...learning.page_types import WANTED, Sitemap
from ...learning.paths import Bag
from ...nouns import Lane, Page

RECENT = 10  # pages by which a change of the site shows itself
MOSTLY = 0.5


@saved
@dataclass(slots=True)
class Strays:
    """Pages that wait for others like them, and what is known of those that do not."""

    pages: list[tuple[Bag, Lane, str]] = field(default_factory=list)  # paths, the lane that it came from, URL
    held: Seen = field(default_factory=dict)  # pages of known clusters by folder, and how many were wanted ones
    rate: float = 0.0  # the share of strays among the last pages
    wanted: dict[int, float] = field(default_factory=dict)  # clusters made of strays that are wanted ones

    def see(self, page: Page, lane: Lane, kinds: Kinds) -> None:
        """A page was fetched, and this is what it counts as."""
        if OUTLIER in kinds:
            self.pages.append((dict(page.paths), lane, page.url))
        else:
            self.fits(page.url, kinds)
        self.rate += ((OUTLIER in kinds) - self.rate) / RECENT

    def fits(self, url: str, kinds: Kinds) -> None:
        """A page is of a known cluster, and a wanted one or not."""
        if not {OUTLIER, GONE, COPY}.intersection(kinds):
            note(self.held, url, kinds.get(WANTED, 0.0))

    @property
    def changed(self) -> bool:
        """Whether most of the last pages are strays, and enough of them to tell templates apart."""
        return self.rate > MOSTLY and len(self.pages) >= RECENT

    @property
    def many(self) -> bool:
        return len(self.pages) >= MANY

    def settle(self, sitemap: Sitemap, table: Table) -> Sitemap:
        """With the clusters that they make up; those of none are looked at no more, unless the site has just changed."""
        changed = self.changed
        promises = [_mean(table.share(lane[:2], WANTED), share(self.held, url)) for _, lane, url in self.pages]
        before = sitemap.wanted
        sitemap, names = sitemap.extended([bag for bag, _, _ in self.pages], promises, few=changed)
        self.wanted.update({name: share for name, share in sitemap.wanted.items() if name not in before})
        for name, (_, lane, _) in zip(names, self.pages, strict=True):
            if name != OUTLIER:
                wanted = sitemap.wanted.get(name, 0.0)
                table.correct(lane, OUTLIER, {WANTED: wanted, name: 1.0 - wanted})
        left = [page for page, name in zip(self.pages, names, strict=True) if changed and name == OUTLIER]
        self.pages, self.rate = left, 0.0
        return sitemap

    def restore(self, sitemap: Sitemap) -> Sitemap:
        """What strays have shown to be wanted still is, when clusters were found anew; all else starts again."""
        self.pages.clear()
        self.held.clear()
        self.rate = 0.0
        kept = {name: share for name, share in self.wanted.items() if name in sitemap.spread}
        return sitemap._replace(wanted=sitemap.wanted | kept)


def _mean(*shares: float | None) -> float:
    """Of what is known; nan if nothing is."""
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else math.nan
