"""Near-duplicates: a page's main text as 64 bits (SimHash), and groups of pages whose bits differ in three at most.

Every bit is a vote of all runs of three words, so a changed word moves few bits. Two texts that differ in three bits
agree in at least one of four bands of sixteen; the first page of each group is entered under its four bands.
"""

from __future__ import annotations

import sqlite3

import numpy as np

from .. import compiled
from ..learning.lookup import Hashes, hashed, pieces
from ..learning.text import tokens

LEAST_WORDS = 20  # shorter texts say too little about a page
LONGEST = 200_000  # characters that are looked at
SPACED = 15  # characters a word, space counted in; where there are more, words stand together
FAR = 3  # bits
BANDS = 4
SCHEMA = """
CREATE TABLE IF NOT EXISTS near_bands (band INTEGER, bits INTEGER, page INTEGER, PRIMARY KEY (band, bits)) WITHOUT ROWID;
"""
LOOK = f"SELECT bits, page FROM near_bands WHERE band IN ({','.join('?' * BANDS)})"
ENTER = f"INSERT INTO near_bands VALUES {','.join(['(?, ?, ?)'] * BANDS)}"
_ODD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
_STIR = np.uint64(0xFF51AFD7ED558CCD)
_DOWN = np.uint64(32)


def fingerprint(text: str) -> int | None:
    """The bits of a text as a signed number; None for one of too few words. Words are parted by one space or line break."""
    text = text[:LONGEST]
    if not text.isascii():
        text = text.lower()
    many, bits = _voted(text)
    if len(text) >= SPACED * many:
        many, bits = _voted(" ".join(tokens(text)))  # to find all words costs more than to go by the spaces
    return bits if many >= LEAST_WORDS else None


def _voted(text: str) -> tuple[int, int]:
    return (compiled.functions.fingerprint if compiled.functions else vote)(text.encode(errors="replace"))


def vote(text: bytes) -> tuple[int, int]:
    """How many words there are, and what all runs of three of them vote for, bit by bit; there is a compiled one, too.

    The case of letters of ASCII makes no difference.
    """
    text = text.lower().replace(b"\n", b" ")
    keys = _stirred(np.concatenate([hashed(piece)[0] for piece in pieces(text)]))
    if len(keys) < 3:
        return len(keys), 0
    runs = _stirred(keys[:-2] * _ODD[0] + keys[1:-1] * _ODD[1] + keys[2:] * _ODD[2])
    votes = np.unpackbits((runs ^ (runs >> _DOWN)).astype("<u8").view(np.uint8)).reshape(-1, 64).sum(0)
    return len(keys), int(np.packbits(votes * 2 > len(runs)).view("<i8")[0])


def _stirred(values: Hashes) -> Hashes:
    return (values ^ (values >> _DOWN)) * _STIR


def group(db: sqlite3.Connection, bits: int, page: int) -> int:
    """The number of the page that began the group of a text with these bits: this page where there was none."""
    bands = [(band << 16) | (bits >> 16 * band & 0xFFFF) for band in range(BANDS)]
    near = [(far, first) for other, first in db.execute(LOOK, bands) if (far := _apart(bits, other)) <= FAR]
    if near:
        return int(min(near)[1])
    db.execute(ENTER, [value for band in bands for value in (band, bits, page)])
    return page


def _apart(one: int, other: int) -> int:
    return ((one ^ other) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()
