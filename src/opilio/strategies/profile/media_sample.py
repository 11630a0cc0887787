"""The first pages of a site that may be one for sharing media, kept in little room until the site is understood."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Sequence

from ...codec import pack, unpack
from ...html.leaves import Leaf
from ...urls import digest
from .lanes import Places
from .media_site import LETTER, MediaSite
from .page_types import LIST, MEDIA_TYPES
from .roles import Seen, find_roles
from .site_learning import learn_site
from .tags import tag_name
from .thumbnails import inside, position

SAMPLE = "sample"  # lanes: this and a position
TAG = "tag"  # instead of a position: links that name a start tag, or stand on its lists
MOST_PLACES = 500  # positions; further ones share a lane
LEAST = 4  # pages of a type; of lists one is enough to know where their tags lead


def press(url: str, tag: str, leaves: Sequence[Leaf]) -> bytes:
    """A page and the tag of the link that led there."""
    return zlib.compress(pack([url, tag, list(leaves)]))


def opened(pressed: bytes) -> tuple[Seen, str]:
    url, tag, leaves = unpack(zlib.decompress(pressed))
    return Seen(url, [Leaf(*leaf) for leaf in leaves]), tag


def site_of(sample: Sequence[Seen]) -> MediaSite | str:
    """The site, its page types found without examples; or why it cannot be crawled by profiles."""
    if not sample:
        return "no page of it can be read"
    roles = find_roles(sample)
    few = [kind for kind in MEDIA_TYPES if len(roles.pages.get(kind, ())) < (1 if kind == LIST else LEAST)]
    if roles.reason or few:
        return roles.reason or f"too few of its pages are of type {' or '.join(few)}"
    return learn_site(sample, {kind: [sample[number] for number in numbers] for kind, numbers in roles.pages.items()})


def drawn(url: str, leaves: Sequence[Leaf], tag: str, topic: Collection[str], turns: dict[str, int]) -> Places:
    """The links of a sampled page by their position, so that each has its turn, of which `turns` keeps count.

    Links that name a tag of the topic, and those on its lists, are one position. `tag` is that of the list the page may be.
    """
    places: Places = {}
    for leaf in inside(leaves, url):
        name = tag_name(leaf.text) if LETTER.search(leaf.text) else tag
        place = TAG if name in topic else f"{digest(position(leaf)):x}"
        if place not in turns and len(turns) >= MOST_PLACES:
            place = ""
        turns.setdefault(place, 0)
        if leaf.url not in places or place == TAG:
            places[leaf.url] = [((SAMPLE, place), (-1, "", name))]
    return places
