"""Near-duplicates: a page's main text as 64 bits (SimHash), and groups of pages whose bits differ in three at most.

Every bit is a vote of all runs of three words, so a changed word moves few bits. Two texts that differ in three bits
agree in at least one of four bands of sixteen; the first page of each group is entered under its four bands. That is kept in
memory, 32 bytes a group, and made again of the rows of the pages: on the disk, each page would change four places far apart.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from functools import cached_property

from .. import native
from ..nouns import Page
from .tables import Waiting

LEAST_WORDS = 20  # shorter texts say too little about a page
LONGEST = 200_000  # characters that are looked at
SPACED = 15  # characters a word, space counted in; where there are more, words stand together
FAR = 3  # bits
BANDS = 4
MOST_LOOKED_AT = 1000  # entries under a band, the last ones: somebody may make pages that all share one


def fingerprint(text: str) -> int | None:
    """The bits of a text as a signed number; None for one of too few words. Words are parted by one space or line break."""
    text = text[:LONGEST]
    if not text.isascii():
        text = text.lower()
    many, bits = _voted(text)
    if len(text) >= SPACED * many:
        from ..text.tokens import tokens  # few pages need it

        many, bits = _voted(" ".join(tokens(text)))  # to find all words costs more than to go by the spaces
    return bits if many >= LEAST_WORDS else None


def _voted(text: str) -> tuple[int, int]:
    raw = text.encode(errors="replace")
    if native.has("fingerprint"):
        return native.functions.fingerprint(raw)
    from .simhash_numpy import vote  # with numpy

    return vote(raw)


class Groups:
    """The first page of each group; `firsts` are bits and numbers of those that are known."""

    def __init__(self, firsts: Iterable[tuple[int, int]] = ()) -> None:
        self._bits, self._pages = array("q", [0]), array("q", [0])  # of each entry; 0 is none
        self._last = array("i", [0]) * (BANDS << 16)  # under each band: the entry that was made last
        self._before = array("i", [0]) * BANDS  # of each entry, four: the one before it under the same band
        for bits, page in firsts:
            self._enter(bits, page)

    def of(self, bits: int, page: int) -> int:
        """The number of the page that began the group of a text with these bits: this page where there was none."""
        near = []
        for band, key in enumerate(_bands(bits)):
            entry, looked_at = self._last[key], 0
            while entry and (looked_at := looked_at + 1) <= MOST_LOOKED_AT:
                if (far := _apart(bits, self._bits[entry])) <= FAR:
                    near.append((far, self._pages[entry]))
                entry = self._before[BANDS * entry + band]
        if near:
            return min(near)[1]
        self._enter(bits, page)
        return page

    def _enter(self, bits: int, page: int) -> None:
        entry = len(self._bits)
        self._bits.append(bits)
        self._pages.append(page)
        for key in _bands(bits):
            self._before.append(self._last[key])
            self._last[key] = entry


class StoredGroups:
    """The groups of the pages of a run, made of their rows when the first page asks."""

    def __init__(self, tables: Waiting) -> None:
        self._tables = tables

    def of_page(self, page: Page, number: int) -> tuple[int | None, int | None]:
        """The bits of its text, and the first of the pages that are nearly the same."""
        bits = fingerprint(page.main) if page.document else None
        return (None, None) if bits is None else (bits, self._groups.of(bits, number))

    @cached_property
    def _groups(self) -> Groups:
        return Groups(self._tables.db.execute("SELECT fingerprint, number FROM pages WHERE duplicate_group = number"))


def _bands(bits: int) -> tuple[int, int, int, int]:
    return (
        bits & 0xFFFF,
        0x10000 | bits >> 16 & 0xFFFF,
        0x20000 | bits >> 32 & 0xFFFF,
        0x30000 | bits >> 48 & 0xFFFF,
    )


def _apart(one: int, other: int) -> int:
    return ((one ^ other) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()
