"""Which words a model knows: all of its examples, or the 2,000 that tell the classes apart best, each with its idf."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from .text import words
from .words import Floats, Vocabulary

BEST = 2_000
MOST = 50_000  # words of the examples that are kept, the most frequent; large label sets do not grow without bound


def frequencies(texts: Sequence[str], language: str) -> Counter[str]:
    """In how many of the texts each word is."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(words(text, language)))
    return counts


def whole(texts: Sequence[str], language: str) -> tuple[Vocabulary, Floats]:
    """Every word of the texts with idf = 1 + ln((1+|E|)/(1+df))."""
    counts = frequencies(texts, language)
    kept = sorted(sorted(counts, key=lambda word: (-counts[word], word))[:MOST])
    vocabulary = Vocabulary(language, kept)
    seen = np.array([counts[word] for word in kept], dtype=float)
    return vocabulary, vocabulary.array(1.0 + np.log((1 + len(texts)) / (1 + seen)))


def best(yes: Sequence[str], no: Sequence[str], language: str) -> tuple[Vocabulary, Floats]:
    """The 2,000 words that tell the two kinds apart best by χ², with idf = ln(|E|/df)."""
    with_yes, with_no = frequencies(yes, language), frequencies(no, language)
    candidates = sorted(with_yes | with_no)
    a = np.array([with_yes[word] for word in candidates], dtype=float)
    b = np.array([with_no[word] for word in candidates], dtype=float)
    order = np.argsort(-chi_square(a, b, len(yes), len(no)), kind="stable")[:BEST]
    kept = np.sort(order)
    vocabulary = Vocabulary(language, [candidates[place] for place in kept])
    total = len(yes) + len(no)
    return vocabulary, vocabulary.array(np.log(total / (a + b)[kept]))


def chi_square(a: Floats, b: Floats, yes: int, no: int) -> Floats:
    """χ² of a word being on a page and the page being on the topic; a of `yes` and b of `no` pages have the word."""
    total, c, d = yes + no, yes - a, no - b
    below = (a + c) * (b + d) * (a + b) * (c + d)
    return np.asarray(total * (a * d - c * b) ** 2 / np.maximum(below, 1e-9))
