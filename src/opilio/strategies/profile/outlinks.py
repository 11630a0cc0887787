"""Which links of a page are followed, as the paper has it, and in which lanes."""

from __future__ import annotations

from collections.abc import Sequence

from ...html.leaves import Leaf
from .lanes import LISTS, MORE, WHO, Places, Placing, lane
from .media_site import MediaSite
from .page_types import LIST, PROFILE
from .people import People


def outlinks(site: MediaSite, people: People, url: str, found: Sequence[Leaf], kind: str, tag: str) -> Places:
    """The outlinks of list pages; of a profile its owner's further pages; and lists of tags, wherever they are linked."""
    placed = Placing(site, people, bool, {}).places(url, found, kind, tag)
    if kind == LIST:
        return placed
    lists = {target: lanes for target, lanes in placed.items() if lanes[0][0][0] == LISTS}
    if kind != PROFILE:
        return lists
    own = [target for target in placed if target.startswith(f"{url.rstrip('/')}/")]
    more = [target for target in own if placed[target][0][0][0] == WHO]
    return lists | {target: [(lane(MORE, people.number(url)), (-1, url, ""))] for target in more}
