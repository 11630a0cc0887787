"""Multinomial naive Bayes over the fields of a page, each with its own distribution of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..model_file import Saved
from ..text.vocabulary import FIRST, Floats, Ints, Vocabulary
from .counted import Counted

Fields = tuple[str, ...]  # title, body, anchors: in the same order everywhere


@dataclass(frozen=True)
class Multinomials(Saved):
    """score = mean over the words of all fields of ln P(word | on topic, field) - ln P(word | off topic, field)."""

    vocabulary: Vocabulary
    weights: tuple[Floats, ...]

    @classmethod
    def learn(cls, fields: Sequence[Counted], rows: Ints, labels: Floats) -> Self:
        """From fields that were counted with the same vocabulary."""
        return cls(fields[0].vocabulary, tuple(_ratio(field, rows, labels) for field in fields))

    def scores(self, fields: Sequence[Counted], rows: Ints) -> Floats:
        total = sum(field.counts[rows] @ weights[FIRST:-1] for field, weights in zip(fields, self.weights, strict=True))
        words = sum(field.counts[rows].sum(axis=1) for field in fields)
        return np.asarray(total / (1 + np.asarray(words).ravel()))

    def score(self, fields: Fields) -> float:
        total, count = 0.0, 1
        for text, weights in zip(fields, self.weights, strict=True):
            numbers = self.vocabulary.numbers(text)
            total += float(weights[numbers].sum())
            count += int(np.count_nonzero(numbers >= FIRST))
        return total / count


def _ratio(field: Counted, rows: Ints, labels: Floats) -> Floats:
    """Laplace-smoothed log ratio of a word's chances."""
    kinds = (field.counts[rows[labels[rows] == kind]] for kind in (1, 0))
    yes, no = (np.asarray(kind.sum(axis=0)).ravel() + 1.0 for kind in kinds)
    return field.vocabulary.array(np.log(yes / yes.sum()) - np.log(no / no.sum()))
