"""URLs that a site makes by the same rule: words that many of them share stay, the rest becomes a kind of word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

LEAST_URLS = 4  # a word in fewer URLs is a name, not part of the rule
LEAST_SHARE = 0.02
PIECE = re.compile(r"[^/?&=._-]+|[/?&=._-]")
SIGNS = frozenset("/?&=._-")
BREAKS = frozenset("/?&")

Words = dict[tuple[str, str], int]  # (what stands before it, word): in how many URLs


def common_words(urls: Iterable[str]) -> Words:
    """The words that belong to the rules by which these URLs were made, with the rule up to them."""
    distinct = sorted(set(urls))
    least = max(LEAST_URLS, LEAST_SHARE * len(distinct))
    counts: Counter[tuple[str, str]] = Counter()
    for url in distinct:
        counts.update({(place, piece) for place, piece in _placed(url)})
    return {key: count for key, count in counts.items() if count >= least}


def pattern(url: str, words: Words) -> str:
    """The rule of a URL: host, common words, # for a number, * for a name; names of several words are one name."""
    host, _, rest = url.partition("://")[2].partition("/")
    shape = "".join(_kind(place, piece, words) for place, piece in _placed(url))
    return f"{host}/" + re.sub(r"[*#](?:[-_.][*#])+", "*", shape) if rest else f"{host}/"


def _placed(url: str) -> Iterator[tuple[str, str]]:
    """Each piece of the path and query with its place: which segment, and whether it is the segment's first word."""
    rest = url.partition("://")[2].partition("/")[2]
    segment, word = 0, 0
    for piece in PIECE.findall(rest):
        if piece in BREAKS:
            segment, word = segment + 1, 0
        yield f"{segment}.{min(word, 1)}", piece
        word += piece not in BREAKS


def _kind(place: str, piece: str, words: Words) -> str:
    if piece in SIGNS:
        return piece
    if piece.isdigit():
        return "#"
    return piece if (place, piece) in words else "*"
