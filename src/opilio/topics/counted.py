"""Examples counted once: everything that models learn from them, fold by fold, is arithmetic on one matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from ..text.tokens import words
from ..text.vocabulary import FIRST, Floats, Ints, Vocabulary
from .folded import Space

if TYPE_CHECKING:
    import scipy.sparse as sp

BEST = 2_000  # words that the classifiers of the papers use
MOST = 50_000  # words that are kept, the most widespread; large label sets do not grow without bound


class Counted(NamedTuple):
    """How often each word of a vocabulary is in each of some texts; one row a text, one column a word."""

    vocabulary: Vocabulary
    counts: sp.csr_matrix

    @classmethod
    def of(cls, texts: Sequence[str], language: str) -> Self:
        """Texts with the vocabulary of their own words."""
        bags = [Counter(words(text, language)) for text in texts]
        seen = Counter(word for bag in bags for word in bag)
        kept = sorted(sorted(seen, key=lambda word: (-seen[word], word))[:MOST])
        place = {word: number for number, word in enumerate(kept)}
        rows = [[(place[word], count) for word, count in bag.items() if word in place] for bag in bags]
        return cls(Vocabulary(language, kept), _matrix(rows, len(kept)))

    def others(self, texts: Sequence[str]) -> Self:
        """Other texts with the same vocabulary."""
        bags = [self.vocabulary.bag(text) for text in texts]
        rows = [[(n - FIRST, count) for n, count in zip(*bag, strict=True) if n >= FIRST] for bag in bags]
        return type(self)(self.vocabulary, _matrix(rows, len(self.vocabulary.words)))

    def rows(self, rows: Ints) -> Self:
        """Some of the texts."""
        return type(self)(self.vocabulary, self.counts[rows])

    def some(self, columns: Ints) -> Self:
        """The same texts with part of the vocabulary."""
        kept = Vocabulary(self.vocabulary.language, [self.vocabulary.words[column] for column in columns])
        return type(self)(kept, self.counts[:, columns])

    def spread(self, rows: Ints) -> Floats:
        """In how many of these rows each word is."""
        return np.bincount(self.counts[rows].indices, minlength=self.counts.shape[1]).astype(np.float64)

    def best(self, rows: Ints, labels: Floats) -> Ints:
        """The columns of the 2,000 words that tell the two kinds of rows apart best by χ²."""
        yes, no = rows[labels[rows] > 0], rows[labels[rows] == 0]
        strength = chi_square(self.spread(yes), self.spread(no), len(yes), len(no))
        return np.sort(np.argsort(-strength, kind="stable")[:BEST])

    def space(self, idf: Floats, damping: float | None = 1.0) -> Space:
        return Space(self.vocabulary, self.vocabulary.array(idf), damping)

    def unit(self, idf: Floats, damping: float | None = 1.0) -> sp.csr_matrix:
        """The vectors that a Space with these settings makes of the texts."""
        weights = self.counts.copy()
        if damping is not None:
            weights.data = 1.0 + damping * np.log(weights.data)
        weights.data *= idf[weights.indices]
        lengths = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
        weights.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(weights.indptr))
        return weights


def smooth_idf(seen: Floats, total: int) -> Floats:
    """1 + ln((1+|E|)/(1+df))."""
    return np.asarray(1.0 + np.log((1 + total) / (1 + seen)))


def plain_idf(seen: Floats, total: int) -> Floats:
    """ln(|E|/df)."""
    return np.asarray(np.log(total / np.maximum(seen, 1.0)))


def chi_square(a: Floats, b: Floats, yes: int, no: int) -> Floats:
    """χ² of a word being on a page and the page being on the topic; a of `yes` and b of `no` pages have the word."""
    total, c, d = yes + no, yes - a, no - b
    below = (a + c) * (b + d) * (a + b) * (c + d)
    return np.asarray(total * (a * d - c * b) ** 2 / np.maximum(below, 1e-9))


def _matrix(rows: Sequence[Sequence[tuple[int, int]]], width: int) -> sp.csr_matrix:
    import scipy.sparse as sp  # slow to import, and only needed here

    starts = np.cumsum([0, *map(len, rows)])
    cells = np.array([cell for row in rows for cell in row], dtype=np.float64).reshape(-1, 2)
    found = sp.csr_matrix((cells[:, 1], cells[:, 0].astype(np.int64), starts), shape=(len(rows), width))
    found.sort_indices()
    return found
