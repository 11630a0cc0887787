"""Which blocks of a page are content, and which are navigation and other furniture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

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


class Block(NamedTuple):
    """A run of words that is laid out as one."""

    start: int = 0
    end: int = 0
    size: int = 0  # in words; in scripts without spaces, about that
    linked: int = 0  # how much of it is links
    beside: bool = False


def looks_beside(tag: str, classes: Sequence[str]) -> bool:
    """Whether an element stands beside the content, by its tag and classes."""
    return tag in BESIDE_TAGS or not (tag in CENTRAL_TAGS or BESIDE.isdisjoint(map(str.lower, classes)))


def says_beside(attributes: Mapping[str, str | None]) -> bool:
    """The same by its id or role."""
    return attributes.get("id") in BESIDE or attributes.get("role") in BESIDE


def content_blocks(blocks: Sequence[Block]) -> bytes:
    """For each block 1 if it is content: the prose, or on pages without any (lists, indexes) all but the furniture."""
    bare = [not block.beside for block in blocks]
    if _size(blocks, bare) < LEAST_CONTENT * _size(blocks, [True] * len(blocks)):
        bare = [True] * len(blocks)  # a page that calls everything a menu
    around = zip([Block(), *blocks], blocks, [*blocks[1:], Block()], strict=False)
    dense = [outside and is_content(*three) for outside, three in zip(bare, around, strict=False)]
    prose = [kept and block.size > LONG for kept, block in zip(dense, blocks, strict=True)]
    return bytes(dense if _size(blocks, prose) >= ENOUGH_PROSE else bare)


def _size(blocks: Sequence[Block], chosen: Sequence[bool]) -> int:
    return sum(block.size for block, kept in zip(blocks, chosen, strict=True) if kept)


def is_content(before: Block, block: Block, after: Block) -> bool:
    """By length and share of links, its own and its neighbours': the tree of Kohlschütter et al. (2010)."""
    if block.linked * 3 > block.size:
        return False
    if before.linked * 9 > before.size * 5:
        return block.size > 40 or after.size > 17
    return block.size > LONG or after.size > 15 or before.size > 4
