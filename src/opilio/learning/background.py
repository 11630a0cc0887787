"""How common a word is on the web at large: a small table per language, for topics without examples of the opposite.

A line of `data/common-LANGUAGE.txt` says which share of pages has each of its words. benchmarks/background.py counts it. The
shares are rough; what matters is that words of every page are told from words of one topic. A word not listed is rare.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np

from .text import common, plain, words
from .words import Floats

RARE = 0.001  # share of pages with a word that no table lists
PAGES = 10_000  # the size of the background, where a number of pages is asked for


def shares(stems: Iterable[str], language: str) -> Floats:
    """The share of pages that have each of these stems."""
    table = _table(plain(language))
    return np.array([table.get(stem, RARE) for stem in stems], dtype=np.float64)


@cache
def _table(language: str) -> dict[str, float]:
    table: dict[str, float] = {}
    for form, share in common(language).items():
        for stem in words(form, language):
            table[stem] = max(share, table.get(stem, 0.0))
    return table
