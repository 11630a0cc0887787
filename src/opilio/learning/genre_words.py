"""Words that tell a genre, counted in one look over a text.

A line of `data/genre-LANGUAGE.txt` gives a genre and its words; `*` stands for any ending, `_` for a blank. All languages are
looked for on every page, as pages mix them: a Japanese blog says "blog" as often as "ブログ". A new file is a new language.

A text of 10,000 letters may cost a tenth of a millisecond, and 60 calls of `count` cost four. So every four bytes of the text
are looked up at once in a table of what the words begin with, and only the few places that fit are compared.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .text import DATA

KINDS = ("news", "blog", "image", "video")  # genres that have words of their own
HEAD = 4  # bytes; no word is shorter
BITS = 16  # of the table
SPREAD = np.uint32(2654435761)  # Knuth's multiplier: heads that are alike fall far apart


class Pattern(NamedTuple):
    letters: bytes
    bounded: bool  # it starts where a word starts: not so where words have no blanks between them
    whole: bool  # and ends where a word ends
    kind: int


class Finder(NamedTuple):
    table: npt.NDArray[np.bool_]  # by the hash of four bytes: whether a word begins with them
    patterns: dict[bytes, list[Pattern]]  # by the first four bytes, the longest first


def counts(blob: bytes) -> list[int]:
    """How often the words of each of KINDS occur in a text, given as UTF-8 in lower case."""
    found = [0] * len(KINDS)
    if len(blob) < HEAD:
        return found
    finder = _finder()
    for place in np.flatnonzero(finder.table.take(_hashes(blob))).tolist():
        for pattern in finder.patterns.get(blob[place : place + HEAD], ()):
            if _stands(pattern, blob, place):
                found[pattern.kind] += 1
                break
    return found


@cache
def lists() -> dict[str, dict[str, tuple[str, ...]]]:
    """The words of each language, by genre, as the files have them."""
    return {path.stem.removeprefix("genre-"): _read(path.read_text(encoding="utf-8")) for path in _files()}


def plain(word: str) -> str:
    """A word of a list as it would stand in a text."""
    return word.removesuffix("*").replace("_", " ")


def _files() -> list[Path]:
    return sorted(DATA.glob("genre-*.txt"))


def _read(text: str) -> dict[str, tuple[str, ...]]:
    rows = (line.partition(":") for line in text.splitlines() if line.strip())
    return {kind.strip(): tuple(words.split()) for kind, _, words in rows}


@cache
def _finder() -> Finder:
    table = np.zeros(1 << BITS, dtype=np.bool_)
    patterns: dict[bytes, list[Pattern]] = {}
    words = {(word, kind) for genres in lists().values() for kind in genres for word in genres[kind]}
    for word, kind in sorted(words, key=lambda pair: (-len(pair[0]), pair)):
        letters = plain(word).encode().lower()
        spaced = letters[0] < 0x80
        pattern = Pattern(letters, spaced, spaced and not word.endswith("*"), KINDS.index(kind))
        table[_hashes(letters[:HEAD])] = True
        patterns.setdefault(letters[:HEAD], []).append(pattern)
    return Finder(table, patterns)


def _hashes(blob: bytes) -> npt.NDArray[np.intp]:
    """A number for each place in the text, by the four bytes there."""
    heads = np.ndarray((len(blob) - HEAD + 1,), dtype="<u4", buffer=blob, strides=(1,))
    return ((heads * SPREAD) >> np.uint32(32 - BITS)).astype(np.intp)


def _stands(pattern: Pattern, blob: bytes, place: int) -> bool:
    if not blob.startswith(pattern.letters, place):
        return False
    end = place + len(pattern.letters)
    return not (pattern.bounded and _letter(blob, place - 1)) and not (pattern.whole and _letter(blob, end))


def _letter(blob: bytes, place: int) -> bool:
    """Whether a word goes on at a place: with a letter, or with part of one that is not ASCII."""
    return 0 <= place < len(blob) and (0x61 <= blob[place] <= 0x7A or blob[place] >= 0x80)
