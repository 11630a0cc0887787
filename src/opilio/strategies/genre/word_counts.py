"""Words that tell a genre, counted in one look over a text.

A line of `data/genre-LANGUAGE.txt` gives a genre and its words; `*` stands for any ending, `_` for a blank. All languages are
looked for on every page, as pages mix them: a Japanese blog says "blog" as often as "ブログ". A new file is a new language.

A text of 10,000 letters may cost a tenth of a millisecond, and 60 calls of `count` cost four. So every four bytes of the text
are looked up at once in a table of what the words begin with, and only the few places that fit are compared.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

KINDS = ("news", "blog", "image", "video")  # genres that have words of their own
HEAD = 4  # bytes; no word is shorter
BITS = 16  # of the table
SPREAD, FAR = np.uint16(40503), np.uint16(60493)  # odd, so that no bit is lost
LETTER = rb"[a-z\x80-\xff]"  # or part of one that is not ASCII
CASE = np.uint8(0x20)  # the bit that tells capitals from small letters


class Finder(NamedTuple):
    table: npt.NDArray[np.bool_]  # by the hash of four bytes: whether a word begins with them
    words: dict[bytes, tuple[re.Pattern[bytes], list[int]]]  # by their first four bytes, and the kinds of its groups


def counts(blob: bytes) -> list[int]:
    """How often the words of each of KINDS occur in a text, given as UTF-8."""
    found = [0] * len(KINDS)
    if len(blob) < HEAD:
        return found
    finder = _finder()
    for place in np.flatnonzero(finder.table.take(_hashes(blob))).tolist():
        known = finder.words.get(blob[place : place + HEAD].lower())
        if known and (match := known[0].match(blob, place)) and match.lastindex:
            found[known[1][match.lastindex - 1]] += 1
    return found


@cache
def lists() -> dict[str, dict[str, tuple[str, ...]]]:
    """The words of each language, by genre, as the files have them."""
    return {path.stem.removeprefix("genre-"): _read(path.read_text(encoding="utf-8")) for path in _files()}


def plain(word: str) -> str:
    """A word of a list as it would stand in a text."""
    return word.removesuffix("*").replace("_", " ")


def _files() -> list[Path]:
    return sorted((Path(__file__).parent / "data").glob("genre-*.txt"))


def _read(text: str) -> dict[str, tuple[str, ...]]:
    rows = (line.partition(":") for line in text.splitlines() if line.strip())
    return {kind.strip(): tuple(words.split()) for kind, _, words in rows}


@cache
def _finder() -> Finder:
    table = np.zeros(1 << BITS, dtype=np.bool_)
    heads: dict[bytes, list[tuple[str, str]]] = {}
    words = {(word, kind) for genres in lists().values() for kind in genres for word in genres[kind]}
    for word, kind in sorted(words, key=lambda pair: (-len(pair[0]), pair)):  # the longest first
        heads.setdefault(plain(word).encode().lower()[:HEAD], []).append((word, kind))
    for head in heads:
        table[_hashes(head)] = True
    return Finder(table, {head: _either(pairs) for head, pairs in heads.items()})


def _either(pairs: list[tuple[str, str]]) -> tuple[re.Pattern[bytes], list[int]]:
    pattern = b"|".join(_pattern(word) for word, _ in pairs)
    return re.compile(pattern, re.IGNORECASE), [KINDS.index(kind) for _, kind in pairs]


def _pattern(word: str) -> bytes:
    """It starts where a word starts, and ends where one ends; not so where words have no blanks between them."""
    letters = plain(word).encode().lower()
    spaced = letters[0] < 0x80
    before = b"(?<!" + LETTER + b")" if spaced else b""
    return before + b"(" + re.escape(letters) + b")" + (b"(?!" + LETTER + b")" if spaced and word[-1] != "*" else b"")


def _hashes(blob: bytes) -> npt.NDArray[np.uint16]:
    """A number for each place in the text, by the four bytes there, capital or not."""
    letters = (np.frombuffer(blob, dtype=np.uint8) | CASE).astype(np.uint16)
    pairs = letters[:-1] * SPREAD + letters[1:]
    heads: npt.NDArray[np.uint16] = pairs[:-2] * FAR + pairs[2:]
    return heads
