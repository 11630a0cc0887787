"""The other sites that a home page recommends, told from advertising and navigation by where their links stand."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from ...nouns import Link

Unit = Callable[[str], str]  # URL -> what counts as one site

# Words in the tags and classes above a link.
ADVERTISING = {
    "ad", "ads", "adv", "advert", "adverts", "advertisement", "advertisements", "advertising", "adsense", "banner",
    "banners", "sponsor", "sponsors", "sponsored", "promo", "promos", "promotion", "promotions", "affiliate",
    "affiliates",
}  # fmt: skip
NAVIGATION = {"nav", "navbar", "navigation", "menu", "breadcrumb", "breadcrumbs", "share", "sharing", "social", "login"}
PAID = frozenset(("sponsored", "ugc"))  # rel
BETWEEN = re.compile("[^a-z0-9]+")
HOME = re.compile(r"https?://[^/]+/(?:(?:index|home|default|main|welcome)\.\w{2,5})?", re.IGNORECASE)


def is_home(url: str) -> bool:
    """Whether a canonical URL looks like a site's front door: no path, or that of an index file."""
    return HOME.fullmatch(url) is not None


def friend_links(links: Iterable[Link], own: str, unit: Unit) -> Iterator[Link]:
    """The links to other sites that stand in blocks made for that.

    A block is all links with the same tag path. It does not count when a tag or class on its path speaks of advertising
    or navigation, or when half of it or more leads to the page's own site: that is a menu, or a list of articles.
    """
    blocks: dict[str, list[Link]] = defaultdict(list)
    for link in links:
        blocks[link.path].append(link)
    for path, block in blocks.items():
        outward = [link for link in block if unit(link.url) != own]
        if 2 * len(outward) > len(block) and not _beside(path):
            yield from (link for link in outward if not PAID.intersection(link.rel))


def _beside(path: str) -> bool:
    words = set(BETWEEN.split(path.lower()))
    return bool(words & ADVERTISING or words & NAVIGATION)
