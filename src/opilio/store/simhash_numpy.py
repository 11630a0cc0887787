"""What the words of a text vote for, by numpy."""

from __future__ import annotations

import numpy as np

from ..text.word_lookup import Hashes, hashed, pieces

_RATIO = 0x9E3779B97F4A7C15  # of the hashes of words: never another, for fingerprints are kept
_ODD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
_STIR = np.uint64(0xFF51AFD7ED558CCD)
_DOWN = np.uint64(32)


def vote(text: bytes) -> tuple[int, int]:
    """How many words there are, and what all runs of three of them vote for, bit by bit; there is a compiled one, too.

    The case of letters of ASCII makes no difference.
    """
    text = text.lower().replace(b"\n", b" ")
    keys = _stirred(np.concatenate([hashed(piece, _RATIO)[0] for piece in pieces(text)]))
    if len(keys) < 3:
        return len(keys), 0
    runs = _stirred(keys[:-2] * _ODD[0] + keys[1:-1] * _ODD[1] + keys[2:] * _ODD[2])
    votes = np.unpackbits((runs ^ (runs >> _DOWN)).astype("<u8").view(np.uint8)).reshape(-1, 64).sum(0)
    return len(keys), int(np.packbits(votes * 2 > len(runs)).view("<i8")[0])


def _stirred(values: Hashes) -> Hashes:
    return (values ^ (values >> _DOWN)) * _STIR
