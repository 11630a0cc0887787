"""How common a word is on the web at large: a small table per language, for topics without examples of the opposite.

A line of `data/common-LANGUAGE.txt` says which share of pages has each of its words. benchmarks/background.py counts it. The
shares are rough; what matters is that words of every page are told from words of one topic. A word not listed is rare.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache

import numpy as np

from .tokens import common, plain, stems, words
from .vocabulary import Floats, Vocabulary

RARE = 0.001  # share of pages with a word that no table lists
MOST = 50_000  # words of texts that are kept
PAGES = 10_000  # the size of the background, where a number of pages is asked for


def shares(stems: Iterable[str], language: str) -> Floats:
    """The share of pages that have each of these stems."""
    table = _table(plain(language))
    return np.array([table.get(stem, RARE) for stem in stems], dtype=np.float64)


def known(texts: Iterable[str], language: str) -> tuple[Vocabulary, Counter[str]]:
    """The words of the texts, the most widespread if they are many, with those of the table; in how many texts each is."""
    counts = Counter(word for text in texts for word in set(words(text, language)))
    kept = sorted(counts, key=lambda word: (-counts[word], word))[:MOST]
    return Vocabulary(language, sorted({*kept, *_table(plain(language))})), counts


@cache
def _table(language: str) -> dict[str, float]:
    table: dict[str, float] = {}
    known = stems(language)
    for form, share in common(language).items():
        found = (known[form],) if form.isascii() and form.isalnum() else words(form, language)
        for stem in filter(None, found):
            table[stem] = max(share, table.get(stem, 0.0))
    return table
