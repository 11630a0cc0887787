"""Which blocks of a page are content, and which are navigation and other furniture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import TypeAlias

LEAST_CONTENT = 0.1  # of the words, before we doubt what the page calls a menu
LONG = 16  # words of a block that is a sentence or more
ENOUGH_PROSE = 40  # words in long blocks that make a page one to read, not one to click through


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Furniture by element, by role, or by a class or id that is exactly one of these.
CENTRAL_TAGS = names("html body main article")
BESIDE_TAGS = names("nav footer aside menu dialog")
BESIDE = names(
    "nav navbar navigation menu topbar toolbar sidebar footer breadcrumb breadcrumbs pagination pager toc masthead "
    "banner site-nav site-header site-footer main-nav page-header page-footer contentinfo complementary search "
    "skip-link share sharing social cookie cookies advert advertisement ads related widget widgets noprint"
)


# A run of words that is laid out as one: its size in words (in scripts without spaces, about that), how much of it is links,
# whether it stands beside the content.
Block: TypeAlias = tuple[int, int, bool]


def looks_beside(tag: str, classes: Sequence[str]) -> bool:
    """Whether an element stands beside the content, by its tag and classes."""
    return tag in BESIDE_TAGS or not (tag in CENTRAL_TAGS or BESIDE.isdisjoint(map(str.lower, classes)))


def says_beside(attributes: Mapping[str, str | None]) -> bool:
    """The same by its id or role."""
    return attributes.get("id") in BESIDE or attributes.get("role") in BESIDE


def content_blocks(blocks: Sequence[Block]) -> bytes:
    """For each block 1 if it is content: the prose, or on pages without any (lists, indexes) all but the furniture."""
    sizes = [size for size, _, _ in blocks]
    bare = [not beside for _, _, beside in blocks]
    if sum(compress(sizes, bare)) < LEAST_CONTENT * sum(sizes):
        bare = [True] * len(blocks)  # a page that calls everything a menu
    around = zip([(0, 0, False), *blocks], blocks, [*sizes[1:], 0], strict=False)
    dense = [outside and is_content(*three) for outside, three in zip(bare, around, strict=False)]
    prose = sum(size for size in compress(sizes, dense) if size > LONG)
    return bytes(dense if prose >= ENOUGH_PROSE else bare)


def is_content(before: Block, block: Block, size_after: int) -> bool:
    """By length and share of links, its own and its neighbours': the tree of Kohlschütter et al. (2010)."""
    size_before, linked_before, _ = before
    size, linked, _ = block
    if linked * 3 > size:
        return False
    if linked_before * 9 > size_before * 5:
        return size > 40 or size_after > 17
    return size > LONG or size_after > 15 or size_before > 4
