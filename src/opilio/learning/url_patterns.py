"""URLs that a site makes by the same rule: words that many of them share stay, the rest becomes a kind of word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

LEAST_URLS = 4  # a word in fewer URLs is a name, not part of the rule
LEAST_SHARE = 0.02
FIRST_SHARE = 0.1  # of the URLs, for the first of several words: titles begin with the same word now and then
PIECE = re.compile(r"[^/?&=:._-]+|[/?&=:._-]")
SIGNS = frozenset("/?&=:._-")
BREAKS = frozenset("/?&:")
JOINTS = frozenset("-_")  # between the words of a title
FIRST = "+"  # ends the place of the first of several words
NAME = ""  # the place of a word that is part of a name wherever it stands

Words = dict[tuple[str, str], int]  # (what stands before it, word): in how many URLs


def common_words(urls: Iterable[str]) -> Words:
    """The words that belong to the rules by which these URLs were made, with the rule up to them."""
    distinct = sorted(set(urls))
    counts: Counter[tuple[str, str]] = Counter()
    for url in distinct:
        counts.update({(place, piece) for place, piece in _placed(url)})
    return {key: count for key, count in counts.items() if key[0] and count >= _least(key[0], len(distinct))}


def _least(place: str, urls: int) -> float:
    return max(LEAST_URLS, (FIRST_SHARE if place.endswith(FIRST) else LEAST_SHARE) * urls)


def pattern(url: str, words: Words) -> str:
    """The rule of a URL: host, common words, # for a number, * for a name; names of several words are one name."""
    host, _, rest = url.partition("://")[2].partition("/")
    shape = "".join(_kind(place, piece, words) for place, piece in _placed(url))
    return f"{host}/" + re.sub(r"[*#](?:[-_.][*#])+", "*", shape) if rest else f"{host}/"


def _placed(url: str) -> Iterator[tuple[str, str]]:
    """Each piece of the path and query with its place: which segment, and whether it is the segment's first word.

    The second and further words of a title are names; the first one may be, and has a place of its own.
    """
    pieces = PIECE.findall(url.partition("://")[2].partition("/")[2])
    segment, word = 0, 0
    for number, piece in enumerate(pieces):
        if piece in BREAKS:
            segment, word = segment + 1, 0
        before, after = pieces[max(0, number - 2) : number], pieces[number + 1 : number + 3]
        if piece not in SIGNS and _is_title(before[::-1]):
            yield NAME, piece
        else:
            yield f"{segment}.{min(word, 1)}{FIRST if _is_title(after) else ''}", piece
        word += piece not in BREAKS


def _is_title(beside: list[str]) -> bool:
    """Whether a word has another one beside it, as in a title: a joint, then letters."""
    return len(beside) == 2 and beside[0] in JOINTS and beside[1] not in SIGNS and not beside[1].isdigit()


def _kind(place: str, piece: str, words: Words) -> str:
    if piece in SIGNS:
        return piece
    if piece.isdigit():
        return "#"
    return piece if (place, piece) in words else "*"
