"""Multinomial naive Bayes over the fields of a page, each with its own distribution of words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from .saved import Saved
from .words import FIRST, Floats, Vocabulary

Fields = tuple[str, ...]  # title, body, anchors: in the same order everywhere


@dataclass(frozen=True)
class Multinomials(Saved):
    """score = mean over the words of all fields of ln P(word | on topic, field) - ln P(word | off topic, field)."""

    vocabulary: Vocabulary
    weights: tuple[Floats, ...]

    @classmethod
    def learn(cls, vocabulary: Vocabulary, yes: Sequence[Fields], no: Sequence[Fields]) -> Self:
        fields = zip(zip(*yes, strict=True), zip(*no, strict=True), strict=True)
        return cls(vocabulary, tuple(_ratio(vocabulary, a, b) for a, b in fields))

    def score(self, fields: Fields) -> float:
        total, count = 0.0, 1
        for text, weights in zip(fields, self.weights, strict=True):
            numbers = self.vocabulary.numbers(text)
            total += float(weights[numbers].sum())
            count += int(np.count_nonzero(numbers >= FIRST))
        return total / count


def _ratio(vocabulary: Vocabulary, yes: Iterable[str], no: Iterable[str]) -> Floats:
    """Laplace-smoothed log ratio of a word's chances."""
    with_yes, with_no = _counts(vocabulary, yes) + 1.0, _counts(vocabulary, no) + 1.0
    return vocabulary.array(np.log(with_yes / with_yes.sum()) - np.log(with_no / with_no.sum()))


def _counts(vocabulary: Vocabulary, texts: Iterable[str]) -> Floats:
    total = np.zeros(len(vocabulary.words) + FIRST)
    for text in texts:
        found, counts = vocabulary.bag(text)
        total[found] += counts
    return total[FIRST:]
