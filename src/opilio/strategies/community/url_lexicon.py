"""Words that URLs are made of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable

from ...urls import host, site, words

MOST_WORDS = 5_000
MOST_OF_A_PAGE = 200
BETWEEN = re.compile(r"[^a-z]+")


def url_words(url: str) -> list[str]:
    """The feature words of a URL, each once: of its host, without www and the public suffix, and of path and query.

    http://digi.it.sohu.com/mobile.shtml: digi, it, sohu, mobile. Digits, file extensions and single letters are left out.
    """
    own = site(url)
    name = host(url).removesuffix(own) + own.partition(".")[0]
    found = [word for word in BETWEEN.split(name) if word != "www"] + words(url)
    return list(dict.fromkeys(word for word in found if len(word) > 1))


def path_words(url: str) -> list[str]:
    """Those of path and query, as often as they are there."""
    return [word for word in words(url) if len(word) > 1]


Cut = Callable[[str], list[str]]  # a URL into words


def terms(urls: Iterable[str], cut: Cut = url_words) -> tuple[str, ...]:
    """The words of some URLs, each once, in order, and bounded."""
    return tuple(sorted({word for url in urls for word in cut(url)})[:MOST_OF_A_PAGE])


def commonest(counts: Counter[str]) -> Counter[str]:
    """The lexicon cut to its bound: the words that most pages had stay."""
    return Counter(dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_WORDS]))


def known_share(url: str, lexicon: Container[str], cut: Cut = url_words) -> float:
    """SC(url): the share of the URL's words that are in the lexicon (formula 4); 0 for a URL without words."""
    found = cut(url)
    return sum(word in lexicon for word in found) / len(found) if found else 0.0
