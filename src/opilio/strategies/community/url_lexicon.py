"""Words that URLs are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable

from ...urls import words

MOST_WORDS = 5_000
MOST_OF_A_PAGE = 200


def terms(urls: Iterable[str]) -> tuple[str, ...]:
    """The words of some URLs, each once, in order; single letters and hosts left out, and bounded."""
    return tuple(sorted({word for url in urls for word in words(url) if len(word) > 1})[:MOST_OF_A_PAGE])


def commonest(counts: Counter[str]) -> Counter[str]:
    """The lexicon cut to its bound: the words that most pages had stay."""
    return Counter(dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_WORDS]))


def known_share(url: str, lexicon: Container[str]) -> float:
    """SC(url): the share of the URL's words that are in the lexicon; 0 for a URL without words."""
    found = [word for word in words(url) if len(word) > 1]
    return sum(word in lexicon for word in found) / len(found) if found else 0.0
